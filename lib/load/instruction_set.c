/* SPDX-License-Identifier: MIT */
/*
 * Chooses kernels when a model is made, by the processor's features or by TANDEM_ISA. The choice is
 * stored in the model, so there is no global state.
 */
#include <stdio.h>
#include <stdlib.h>

#include "kernel/isa.h"
#include "load/build.h"

bool td_choose_kernels(td_build *build)
{
    const char *name = getenv("TANDEM_ISA");
    const td_isa_kernels *set = td_isa_choose(name);
    if (!set) {
        char available[64], remedy[96];
        snprintf(remedy, sizeof remedy, "unset it, or choose one of: %s",
                 td_isa_available(available, sizeof available));
        td_report(build->diagnostics, TD_CODE_ISA_UNKNOWN, TD_NOWHERE, remedy,
                  "TANDEM_ISA is '%s', which this machine or this build does not support", name);
        return true;
    }
    build->model->single = set->single;
    build->model->batch = set->batch;
    return true;
}
