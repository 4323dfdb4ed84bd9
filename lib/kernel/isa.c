/* SPDX-License-Identifier: MIT */
/*
 * The instruction sets for which there are kernels, and which of them this processor has.
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

/* best first */
static const td_isa_kernels sets[] = {
#if TD_HAVE_AVX512_KERNELS
    {"avx512", &td_kernels_avx512_1, &td_kernels_avx512_8},
#endif
#if TD_HAVE_X86_KERNELS
    {"avx2", &td_kernels_avx2_1, &td_kernels_avx2_4},
#endif
    {"baseline", &td_kernels_baseline_1, &td_kernels_baseline_2},
};

enum { SETS = sizeof sets / sizeof *sets };

static bool supported(const td_isa_kernels *set)
{
#if TD_HAVE_X86_KERNELS
    if (strcmp(set->name, "avx512") == 0)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("fma");
    if (strcmp(set->name, "avx2") == 0)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
    return strcmp(set->name, "baseline") == 0;
}

const td_isa_kernels *td_isa_choose(const char *name)
{
    for (size_t i = 0; i < SETS; i++)
        if ((!name || !name[0] || strcmp(name, sets[i].name) == 0) && supported(&sets[i]))
            return &sets[i];
    return NULL;
}

const char *td_isa_available(char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    for (size_t i = 0; i < SETS; i++)
        if (supported(&sets[i]) && used < size)
            used +=
                (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", sets[i].name);
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
