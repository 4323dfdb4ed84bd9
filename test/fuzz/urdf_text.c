/* SPDX-License-Identifier: MIT */
/*
 * Checks the URDF of a model; see fuzz.h.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/functions.h"
#include "fuzz.h"
#include "tandem/export.h"

static char *urdf_of(const td_model *model, size_t *size)
{
    if (td_model_export(model, NULL, NULL, NULL, 0, size) != TD_OK)
        return NULL;
    char *text = malloc(*size + 1);
    const size_t room = *size;
    if (text == NULL || td_model_export(model, NULL, NULL, text, room, size) != TD_OK ||
        *size != room)
        fuzz_fail("a URDF has another length than was said");
    return text;
}

/* Returns whether coordinates of flexible links have the same order. A builder numbers them in
   order of calls, a URDF in order of links. */
static bool same_order(const td_model *a, const td_model *b)
{
    bool same = td_nyd(a) == td_nyd(b);
    for (size_t i = 0; i < td_independent_count(a) && same; i++)
        same = strcmp(td_joint_at(a, td_independent_joint(a, i))->name,
                      td_joint_at(b, td_independent_joint(b, i))->name) == 0;
    return same;
}

/* Compares torques at a state between the model and the one loaded from its text. */
static void check_torques(const td_model *model, const td_model *again, uint64_t seed)
{
    OWNED_HERE;
    td_random random = {seed | 1};
    const size_t n = td_nyd(model);
    states *s = states_new(&random, model, false, 1);
    td_workspace *w = test_workspace(again);
    double *tau = doubles(2 * n);
    const td_status status[2] = {td_inverse_dynamics(model, s->a.w, s->y, s->yd, s->ydd, NULL, tau),
                                 td_inverse_dynamics(again, w, s->y, s->yd, s->ydd, NULL, tau + n)};
    double largest = 1;
    for (size_t i = 0; i < 2 * n && status[0] == TD_OK; i++)
        largest = fmax(largest, fabs(tau[i]));
    for (size_t i = 0; i < n && status[0] == TD_OK && status[1] == TD_OK; i++)
        if (!(fabs(tau[i] - tau[n + i]) <= 1e-6 * largest))
            fuzz_fail("torque %zu is %.17g, and of its URDF %.17g", i, tau[i], tau[n + i]);
}

void fuzz_check_urdf(const td_model *model, const td_load_options *options, uint64_t seed)
{
    size_t size[2];
    char *text[2] = {urdf_of(model, &size[0])};
    if (text[0] == NULL || size[0] > options->max_bytes) {
        free(text[0]);
        return;
    }
    td_model *again;
    td_diagnostics *said = new_diagnostics(0);
    if (td_load_urdf_memory(text[0], size[0], "text", options, said, &again) != TD_OK) {
        for (size_t i = 0; i < td_diagnostics_size(said); i++)
            dprintf(fuzz_errors, "%s %s\n", td_diagnostics_at(said, i)->code,
                    td_diagnostics_at(said, i)->message);
        fuzz_fail("a model's own URDF is refused");
    }
    uint64_t digest[2];
    if (td_model_digest(model, NULL, &digest[0]) != TD_OK ||
        td_model_digest(again, NULL, &digest[1]) != TD_OK || digest[0] != digest[1])
        fuzz_fail("a model's URDF has another digest");
    text[1] = urdf_of(again, &size[1]);
    if (text[1] == NULL || size[0] != size[1] || memcmp(text[0], text[1], size[0]) != 0)
        fuzz_fail("a model's URDF gives another URDF");
    if (td_nv(model) < 100 && td_link_count(model) < 200 && same_order(model, again))
        check_torques(model, again, seed);
    td_diagnostics_free(said);
    td_model_free(again);
    free(text[0]);
    free(text[1]);
}
