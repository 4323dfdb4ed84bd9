/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: bytes as robots of reasonable proportions; see robot_of_bytes.c. If a robot loads,
 * its dynamics are computed in several ways, which must agree: by the recursions of each
 * instruction set, by textbook algorithms (lib/kernel/reference), and by the long-double sum over
 * links in test/support/oracle.c. This is done for single states and batches, for the model, its
 * text and its URDF, and back from torques to accelerations.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../support/functions.h"
#include "../support/oracle.h"
#include "fuzz.h"
#include "kernel/reference/reference.h"
#include "model/model.h"

extern const td_textbook td_textbook_double;

enum { ROWS = 5, MOST = 100 };

/* ---- comparisons ----------------------------------------------------------------------------- */

/* Fails if numbers differ by more than the given fraction of the largest one or of scale. */
static void compare(const char *what, size_t n, const double *a, const double *b, double tolerance,
                    double scale)
{
    double largest = scale;
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, fmax(fabs(a[i]), fabs(b[i])));
    for (size_t i = 0; i < n; i++)
        if (!(fabs(a[i] - b[i]) <= tolerance * largest))
            fuzz_fail("%s: entry %zu is %.17g and %.17g, the largest %.3g", what, i, a[i], b[i],
                      largest);
}

/* Returns an upper estimate of the forces that add up to torques: weights at a lever arm, and
   moving masses. */
static double torque_scale(const td_model *model, size_t n, const double *qd, const double *qdd)
{
    double fastest = 0;
    for (size_t i = 0; i < n; i++)
        fastest = fmax(fastest, fabs(qdd[i]) + qd[i] * qd[i]);
    return (double)td_link_count(model) * (10 + 4 * fastest);
}

/* Compares τ of the tree with the sum over links, and τ_y with Gᵀ τ. */
static void check_against_links(const td_model *model, td_workspace *w, const states *s)
{
    static double q[MOST], qd[MOST], qdd[MOST], tau[MOST], expected[MOST], own[MOST], back[MOST];
    const size_t nv = td_nv(model), nyd = td_nyd(model);
    if (td_closure(model, w, s->y, s->yd, s->ydd, q, qd, qdd) != TD_OK)
        return;
    const double scale = torque_scale(model, nv, qd, qdd);
    if (scale > 1e6) /* near a configuration where G is unbounded */
        return;
    td_status status = TD_IN_TREE(w, td_inverse_dynamics(model, w, q, qd, qdd, NULL, tau));
    if (status != TD_OK)
        fuzz_fail("inverse dynamics of the tree: %s", td_status_text(status));
    oracle_inverse_dynamics(model, q, qd, qdd, NULL, NULL, expected, NULL);
    compare("inverse dynamics of the tree", nv, tau, expected, 1e-10, scale);
    status = td_inverse_dynamics(model, w, s->y, s->yd, s->ydd, NULL, own);
    if (status != TD_OK)
        fuzz_fail("inverse dynamics: %s", td_status_text(status));
    if (td_project_force(model, w, s->y, expected, back) != TD_OK)
        fuzz_fail("a force that is not projected");
    const double gain = td_largest_rate(model, w, s->y);
    compare("inverse dynamics", nyd, own, back, 1e-10, scale * fmax(1, gain) * (double)nv);

    static double ydd[MOST], again[MOST];
    status = td_forward_dynamics(model, w, s->y, s->yd, own, NULL, ydd);
    if (status != TD_OK)
        return; /* singular: a joint that moves no inertia */
    double largest = 0;
    for (size_t i = 0; i < nyd; i++)
        largest = fmax(largest, fabs(ydd[i]));
    status = td_inverse_dynamics(model, w, s->y, s->yd, ydd, NULL, again);
    if (status == TD_OK && largest < 1e6)
        compare("forward and inverse dynamics", nyd, own, again, 1e-8,
                scale * fmax(1, gain * gain) * (double)nv * fmax(1, largest));
}

/* Compares torques, mass matrix and accelerations of the tree with textbook algorithms. */
static void check_against_textbook(const td_model *model, td_workspace *w, const states *s)
{
    static double tau[MOST], expected[MOST], H[MOST * MOST], full[MOST * MOST], qdd[MOST];
    const td_tree *tree = &model->tree;
    const size_t nv = td_nv(model);
    const double scale = torque_scale(model, nv, s->yd, s->ydd);
    if (TD_IN_TREE(w, td_inverse_dynamics(model, w, s->y, s->yd, s->ydd, NULL, tau)) != TD_OK)
        fuzz_fail("inverse dynamics of the tree");
    td_textbook_double.rnea(tree, s->y, s->yd, s->ydd, NULL, expected);
    compare("textbook's inverse dynamics", nv, tau, expected, 1e-11, scale);
    if (TD_IN_TREE(w, td_mass_matrix(model, w, s->y, NULL, H)) != TD_OK)
        fuzz_fail("mass matrix of the tree");
    td_textbook_double.crba(tree, s->y, full);
    compare("textbook's mass matrix", nv * nv, H, full, 1e-11, 1);
    if (TD_IN_TREE(w, td_forward_dynamics(model, w, s->y, s->yd, tau, NULL, qdd)) != TD_OK)
        return; /* singular: a joint that moves no inertia */
    td_textbook_double.aba(tree, s->y, s->yd, tau, NULL, expected);
    /* compare the torques that the accelerations produce */
    for (size_t i = 0; i < nv; i++)
        if (!isfinite(expected[i]) || fabs(expected[i]) > 1e6)
            return;
    td_textbook_double.rnea(tree, s->y, s->yd, expected, NULL, expected);
    compare("textbook's forward dynamics", nv, tau, expected, 1e-7, scale);
}

/* Compares batches with single states, for results that need no division by inertias. */
static void check_batches(states *s, bool tree)
{
    for (size_t k = 0; k < function_count; k++) {
        const function *f = &functions[k];
        if (f->takes & SOLVES)
            continue;
        size_t columns[MOST_PARTS] = {0};
        const size_t parts = function_parts(f, s->a.model, tree, columns);
        states_clear(s, f, tree, 0);
        if (function_call(f, &s->a, tree, true) != TD_OK)
            continue;
        for (size_t row = 0; row < ROWS; row++) {
            static double kept[MOST_PARTS][4 * MOST * MOST];
            arguments one = function_row(f, &s->a, tree, row);
            for (size_t p = 0; p < parts; p++) {
                if (columns[p] > 4 * MOST * MOST)
                    return;
                if (one.out[p])
                    memcpy(kept[p], one.out[p], columns[p] * sizeof **kept);
            }
            const td_status status = function_call(f, &one, tree, false);
            if (status != TD_OK)
                fuzz_fail("%s: %s for one state alone", f->name, td_status_text(status));
            for (size_t p = 0; p < parts; p++)
                if (one.out[p])
                    compare(f->name, columns[p], kept[p], one.out[p], 1e-7, 1);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_bytes in = {data, data + size};
    const uint64_t hash = fuzz_hash(data, size);
    td_builder *builder = fuzz_robot(&in);
    td_load_options options = fuzz_options(hash);
    td_diagnostics *said = new_diagnostics(0);
    td_model *model;
    td_status status = td_builder_finish(builder, &options, said, &model);
    if ((status == TD_OK) != (model != NULL))
        fuzz_fail("status %d and %s model", (int)status, model ? "a" : "no");
    if (model && td_nq(model) < MOST && td_link_count(model) < MOST) {
        OWNED_HERE;
        static const char *const sets[] = {"baseline", "avx2", "avx512", "neon"};
        td_random random = {hash | 1};
        states *s[2] = {states_new(&random, model, false, ROWS),
                        states_new(&random, model, true, ROWS)};
        static double first[MOST];
        const td_status found =
            td_inverse_dynamics(model, s[0]->a.w, s[0]->y, s[0]->yd, s[0]->ydd, NULL, first);
        check_against_links(model, s[0]->a.w, s[0]);
        check_against_textbook(model, s[1]->a.w, s[1]);
        check_batches(s[1], true);
        for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
            td_model *other;
            setenv("TANDEM_ISA", sets[k], 1);
            if (td_builder_finish(builder, &options, NULL, &other) == TD_OK) {
                static double tau[MOST];
                td_workspace *w = new_workspace(other);
                const td_status again =
                    td_inverse_dynamics(other, w, s[0]->y, s[0]->yd, s[0]->ydd, NULL, tau);
                if (again == TD_OK && found == TD_OK)
                    compare(sets[k], td_nyd(model), first, tau, 1e-7, 1);
                td_workspace_free(w);
            }
            td_model_free(other);
            unsetenv("TANDEM_ISA");
        }
        fuzz_call_all(model, hash);
        fuzz_check_text(model);
#if FUZZ_HAS_URDF
        fuzz_check_urdf(model, &options, hash);
#endif
    }
    fuzz_count(model != NULL);
    td_model_free(model);
    td_diagnostics_free(said);
    td_builder_free(builder);
    return 0;
}
