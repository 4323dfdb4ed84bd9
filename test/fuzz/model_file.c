/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: any bytes as the text of a model. The target's options replace those in the text.
 */
#include "../support/objects.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint64_t hash = fuzz_hash(data, size);
    td_load_options options = fuzz_options(hash);
    td_diagnostics *said = new_diagnostics(0);
    td_model *model;
    const td_status status =
        td_load_model_memory((const char *)data, size, "fuzz", &options, said, &model);
    fuzz_check_loaded(status, model, said, hash);
    td_model_free(model);
    td_diagnostics_free(said);
    return 0;
}
