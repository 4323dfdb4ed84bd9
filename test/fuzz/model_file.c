/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: any bytes as the text of a model. Options of the text are taken as they stand, but
 * for robots of many records, whose caps are those of the targets.
 */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint64_t hash = fuzz_hash(data, size);
    td_load_options options = fuzz_options(hash);
    td_diagnostics *said = td_diagnostics_new(0);
    td_model *model;
    const td_status status =
        td_model_read((const char *)data, size, "fuzz", &options, said, &model);
    if ((status == TD_OK) != (model != NULL))
        fuzz_fail("status %d and %s model", (int)status, model ? "a" : "no");
    if (status == TD_ERROR_MODEL && td_diagnostics_count(said, TD_SEVERITY_ERROR) == 0)
        fuzz_fail("refused without an error");
    if (model) {
        fuzz_call_all(model, hash);
        fuzz_check_text(model);
    }
    fuzz_count(model != NULL);
    td_model_free(model);
    td_diagnostics_free(said);
    return 0;
}
