/* SPDX-License-Identifier: MIT */
/*
 * The instruction sets for which this build has kernels, and the choice for the current processor.
 */
#include "kernel/isa.h"

#include <stdio.h>
#include <string.h>

#include "model/model.h"

extern const td_kernels td_kernels_baseline_1, td_kernels_baseline_2;
#if TD_HAVE_X86_KERNELS
extern const td_kernels td_kernels_avx2_1, td_kernels_avx2_4;
#endif
#if TD_HAVE_AVX512_KERNELS
extern const td_kernels td_kernels_avx512_1, td_kernels_avx512_8;
#endif

/* Best first. The last set works on every processor of the architecture. It is called "neon" on
   aarch64 and "baseline" elsewhere, where it uses the compiler's defaults. */
static const td_isa_kernels sets[] = {
#if TD_HAVE_AVX512_KERNELS
    {&td_kernels_avx512_1, &td_kernels_avx512_8},
#endif
#if TD_HAVE_X86_KERNELS
    {&td_kernels_avx2_1, &td_kernels_avx2_4},
#endif
    {&td_kernels_baseline_1, &td_kernels_baseline_2},
};

enum { SETS = sizeof sets / sizeof *sets };

static bool supported(const td_isa_kernels *set)
{
#if TD_HAVE_X86_KERNELS
    if (strcmp(set->single->isa, "avx512") == 0)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("fma");
    if (strcmp(set->single->isa, "avx2") == 0)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
    return set == &sets[SETS - 1];
}

/* "baseline" always selects the last set, even if that has another name, so that the name works on
   every architecture. */
static bool is_called(const td_isa_kernels *set, const char *name)
{
    return strcmp(name, set->single->isa) == 0 ||
           (strcmp(name, "baseline") == 0 && set == &sets[SETS - 1]);
}

const td_isa_kernels *td_isa_choose(const char *name)
{
    for (size_t i = 0; i < SETS; i++)
        if ((!name || !name[0] || is_called(&sets[i], name)) && supported(&sets[i]))
            return &sets[i];
    return NULL;
}

const char *td_isa_available(char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    for (size_t i = 0; i < SETS; i++)
        if (supported(&sets[i]) && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
                                     sets[i].single->isa);
    return text;
}

const char *td_isa(const td_model *model)
{
    return model->batch->isa;
}

size_t td_lanes(const td_model *model)
{
    return model->batch->lanes;
}
