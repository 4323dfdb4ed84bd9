/* SPDX-License-Identifier: MIT */
/*
 * Calls of a model that fuzz targets share: every function in the table of
 * test/support/functions.h, and the text of the model. Results must not depend on earlier contents
 * of the workspace.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/checks_outside.h"
#include "../support/functions.h"
#include "dynamics/workspace.h"
#include "fuzz.h"

static void fail_check(const char *file, int line, const char *expression)
{
    fuzz_fail("%s:%d: %s", file, line, expression);
}

void fuzz_call_all(const td_model *model, uint64_t seed)
{
    enum { STATES = 3, MOST_VELOCITIES = 60, MOST_LINKS = 200 };
    if (td_nv(model) > MOST_VELOCITIES || td_link_count(model) > MOST_LINKS)
        return;
    static const int bytes[] = {0x40, 0xC0, 0xff};
    td_random random = {seed | 1};
    for (int tree = 0; tree < 2; tree++) {
        OWNED_HERE;
        states *s = states_new(&random, model, tree, STATES);
        double *first = doubles(s->room);
        for (size_t k = 0; k < function_count; k++)
            for (int batch = 0; batch < 2; batch++) {
                td_workspace_fill(s->a.w, 0);
                states_clear(s, &functions[k], tree, 0);
                const td_status status = function_call(&functions[k], &s->a, tree, batch);
                if (*td_status_text(status) == 'u')
                    fuzz_fail("%s: status %d", functions[k].name, (int)status);
                memcpy(first, s->memory, s->room * sizeof *first);
                td_workspace_fill(s->a.w, bytes[seed % 3]);
                states_clear(s, &functions[k], tree, 0);
                if (function_call(&functions[k], &s->a, tree, batch) != status ||
                    memcmp(first, s->memory, s->room * sizeof *first) != 0)
                    fuzz_fail("%s reads what was left", functions[k].name);
            }
    }
}

static char *text_of(const td_model *model, size_t *size)
{
    if (td_model_write(model, NULL, 0, size) != TD_OK)
        fuzz_fail("a model has no text");
    char *text = malloc(*size + 1);
    const size_t room = *size;
    if (text == NULL || td_model_write(model, text, room, size) != TD_OK || *size != room)
        fuzz_fail("a model's text has another length than was said");
    return text;
}

void fuzz_check_text(const td_model *model)
{
    size_t size[2];
    char *text[2] = {text_of(model, &size[0])};
    td_model *again;
    td_diagnostics *said = new_diagnostics(0);
    const td_status status = td_load_model_memory(text[0], size[0], "text", NULL, said, &again);
    if (status == TD_ERROR_IO && size[0] > 1 << 16) { /* larger than the options permit */
        td_diagnostics_free(said);
        free(text[0]);
        return;
    }
    if (status != TD_OK) {
        for (size_t i = 0; i < td_diagnostics_size(said); i++)
            fprintf(stderr, "%s %s\n", td_diagnostics_at(said, i)->code,
                    td_diagnostics_at(said, i)->message);
        fuzz_fail("a model's own text is refused: %s", td_status_text(status));
    }
    text[1] = text_of(again, &size[1]);
    if (size[0] != size[1] || memcmp(text[0], text[1], size[0]) != 0)
        fuzz_fail("a model's text gives another text");
    td_diagnostics_free(said);
    td_model_free(again);
    free(text[0]);
    free(text[1]);
}

void fuzz_check_loaded(td_status status, const td_model *model, const td_diagnostics *said,
                       uint64_t seed)
{
    const size_t errors = td_diagnostics_count(said, TD_SEVERITY_ERROR);
    if ((status == TD_OK) != (model != NULL))
        fuzz_fail("status %d and %s model", (int)status, model ? "a" : "no");
    if (status == TD_ERROR_MODEL && errors == 0)
        fuzz_fail("refused without an error");
    if (status == TD_OK && errors > 0)
        fuzz_fail("loaded with an error");
    if (model) {
        fuzz_call_all(model, seed);
        fuzz_check_text(model);
    }
    fuzz_count(model != NULL);
}
