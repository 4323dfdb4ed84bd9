/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: any bytes as a URDF, with options from their hash. If it loads, all functions of the
 * model are called. The model is written as text and as URDF; both must load as the same robot.
 */
#include "../support/objects.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint64_t hash = fuzz_hash(data, size);
    const td_load_options options = fuzz_options(hash);
    td_diagnostics *said = new_diagnostics(0);
    td_model *model;
    const td_status status =
        td_load_urdf_memory((const char *)data, size, "fuzz", &options, said, &model);
    fuzz_check_loaded(status, model, said, hash);
    if (model)
        fuzz_check_urdf(model, &options, hash);
    td_model_free(model);
    td_diagnostics_free(said);
    return 0;
}
