/* SPDX-License-Identifier: MIT */
/*
 * tandem diff: compares inverse dynamics of both robots at the same random states.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands/diff.h"
#include "text.h"

/* The index of each coordinate of the first robot in the second one. */
typedef struct pairing {
    size_t ny, nyd;
    size_t *y, *yd;
    char **name; /* names of forces, per entry of yd */
} pairing;

static bool find_coordinate(const comparison *c, size_t joint, td_quantity quantity, size_t k,
                            size_t *entry)
{
    const int other = c->joint[0][joint];
    const char *suffix = td_component_text(c->model[0], joint, quantity, k);
    if (other < 0 || suffix == NULL) {
        return false;
    }
    scoped char *name = text_format("%s%s", td_joint_at(c->model[1], (size_t)other)->name, suffix);
    const bool position = quantity == TD_QUANTITY_POSITION;
    return td_coordinate_of(c->model[1], TD_COORDINATES_INDEPENDENT, name, position ? entry : NULL,
                            position ? NULL : entry) == TD_OK;
}

/* Pairs the coordinates of a joint. Returns false if the robots have different numbers of them. */
static bool pair_joint(const comparison *c, size_t joint, pairing *p)
{
    const td_joint_place place = td_joint_place_at(c->model[0], joint);
    for (size_t k = 0; k < place.nq; k++) {
        char *name =
            text_format("%s%s", td_joint_at(c->model[0], joint)->name,
                        td_component_text(c->model[0], joint, TD_QUANTITY_POSITION, (size_t)k));
        size_t own;
        const bool is =
            td_coordinate_of(c->model[0], TD_COORDINATES_INDEPENDENT, name, &own, NULL) == TD_OK;
        free(name);
        if (is && !find_coordinate(c, joint, TD_QUANTITY_POSITION, (size_t)k, &p->y[own])) {
            return false;
        }
    }
    for (size_t k = 0; k < place.nv; k++) {
        char *name =
            text_format("%s%s", td_joint_at(c->model[0], joint)->name,
                        td_component_text(c->model[0], joint, TD_QUANTITY_VELOCITY, (size_t)k));
        size_t own;
        const bool is =
            td_coordinate_of(c->model[0], TD_COORDINATES_INDEPENDENT, name, NULL, &own) == TD_OK;
        free(name);
        if (!is) {
            continue;
        }
        if (!find_coordinate(c, joint, TD_QUANTITY_VELOCITY, (size_t)k, &p->yd[own])) {
            return false;
        }
        free(p->name[own]);
        p->name[own] =
            text_format("%s%s", td_joint_at(c->model[0], joint)->name,
                        td_component_text(c->model[0], joint, TD_QUANTITY_FORCE, (size_t)k));
    }
    return true;
}

static pairing pairing_new(const comparison *c, bool *same)
{
    pairing p = {td_ny(c->model[0]), td_nyd(c->model[0]), NULL, NULL, NULL};
    p.y = allocate(p.ny + 1, sizeof *p.y);
    p.yd = allocate(p.nyd + 1, sizeof *p.yd);
    p.name = allocate(p.nyd + 1, sizeof *p.name);
    *same = p.ny == td_ny(c->model[1]) && p.nyd == td_nyd(c->model[1]);
    for (size_t i = 0; i < td_joint_count(c->model[0]) && *same; i++) {
        *same = pair_joint(c, i, &p);
    }
    return p;
}

static void pairing_free(pairing *p)
{
    for (size_t i = 0; i < p->nyd; i++) {
        free(p->name[i]);
    }
    free(p->name);
    free(p->y);
    free(p->yd);
}

/* ---- states ---------------------------------------------------------------------------------- */

typedef struct state {
    double *y[DIFF_SIDES], *yd[DIFF_SIDES], *ydd[DIFF_SIDES], *tau[DIFF_SIDES];
} state;

static double uniform(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(int64_t)*seed / 9223372036854775808.0;
}

/* Draws a random state within limits. With loops, draws around the assembled configuration, at
   distances that grow from state to state. */
static void draw(const comparison *c, const pairing *p, size_t i, size_t states, uint64_t *seed,
                 double *start, state *x)
{
    for (size_t k = 0; k < p->nyd; k++) {
        x->yd[0][k] = uniform(seed);
        x->ydd[0][k] = uniform(seed);
    }
    if (td_loop_count(c->model[0]) > 0) {
        memcpy(start, td_reference(c->model[0], TD_COORDINATES_INDEPENDENT),
               td_ny(c->model[0]) * sizeof *start);
        td_integrate(c->model[0], TD_COORDINATES_INDEPENDENT, start, x->ydd[0],
                     0.3 * (double)i / (double)states, x->y[0]);
    } else {
        td_random_configuration(c->model[0], TD_COORDINATES_INDEPENDENT, seed, x->y[0]);
    }
    for (size_t k = 0; k < p->ny; k++) {
        x->y[1][p->y[k]] = x->y[0][k];
    }
    for (size_t k = 0; k < p->nyd; k++) {
        x->yd[1][p->yd[k]] = x->yd[0][k];
        x->ydd[1][p->yd[k]] = x->ydd[0][k];
    }
}

/* Computes the forces of a state of both robots. Returns false if that fails. */
static bool compute(const comparison *c, td_workspace *const w[DIFF_SIDES], state *x,
                    torque_difference *found)
{
    td_forces forces = td_forces_default();
    td_status status[DIFF_SIDES];
    forces.passive = true;
    for (int side = 0; side < DIFF_SIDES; side++) {
        status[side] = td_inverse_dynamics(c->model[side], w[side], x->y[side], x->yd[side],
                                           x->ydd[side], &forces, x->tau[side]);
    }
    if ((status[0] == TD_OK) != (status[1] == TD_OK)) {
        found->one_sided++;
    }
    return status[0] == TD_OK && status[1] == TD_OK;
}

/* Per coordinate: the largest force, and the largest difference with its state. */
typedef struct extremes {
    double *force, *error, *value[DIFF_SIDES];
    size_t *state;
} extremes;

static void look(const pairing *p, const state *x, size_t i, extremes *e)
{
    for (size_t k = 0; k < p->nyd; k++) {
        const double a = x->tau[0][k], b = x->tau[1][p->yd[k]];
        e->force[k] = fmax(e->force[k], fmax(fabs(a), fabs(b)));
        if (fabs(a - b) > e->error[k]) {
            e->error[k] = fabs(a - b);
            e->state[k] = i;
            e->value[0][k] = a, e->value[1][k] = b;
        }
    }
}

/* Chooses the coordinate with the largest relative difference. */
static void choose(const comparison *c, const pairing *p, const extremes *e,
                   torque_difference *found)
{
    for (size_t k = 0; k < p->nyd; k++) {
        /* forces far below the robot's largest force are rounding errors */
        const double size = fmax(e->force[k], 1e-9 * largest_of(e->force, p->nyd));
        const double relative = size > 0 ? e->error[k] / size : 0;
        if (relative > found->relative) {
            found->relative = relative;
            found->largest = e->error[k];
            found->state = e->state[k] + 1;
            found->value[0] = e->value[0][k], found->value[1] = e->value[1][k];
            free(found->where);
            found->where = text_format("%s", p->name[k]);
        }
    }
    found->differs = found->relative > c->tolerance || found->one_sided > 0;
}

torque_difference diff_torques(const comparison *c, size_t states)
{
    torque_difference found = {.compared = false, .states = states};
    bool same;
    pairing p = pairing_new(c, &same);
    if (!same || p.nyd == 0) {
        found.why_not =
            same ? "no joint moves" : "the robots have different independent coordinates";
        pairing_free(&p);
        return found;
    }
    td_workspace_options plain = td_workspace_options_default();
    plain.matrices = false;
    td_workspace *w[DIFF_SIDES];
    for (int side = 0; side < DIFF_SIDES; side++) {
        td_workspace_new(c->model[side], &plain, &w[side]);
    }
    state x;
    extremes e = {allocate(p.nyd, sizeof(double)),
                  allocate(p.nyd, sizeof(double)),
                  {allocate(p.nyd, sizeof(double)), allocate(p.nyd, sizeof(double))},
                  allocate(p.nyd, sizeof(size_t))};
    double *start = allocate(p.ny + 1, sizeof *start);
    uint64_t seed = 1;
    for (int side = 0; side < DIFF_SIDES; side++) {
        x.y[side] = allocate(p.ny + 1, sizeof(double));
        x.yd[side] = allocate(p.nyd, sizeof(double));
        x.ydd[side] = allocate(p.nyd, sizeof(double));
        x.tau[side] = allocate(p.nyd, sizeof(double));
    }
    found.compared = w[0] != NULL && w[1] != NULL;
    found.why_not = found.compared ? NULL : "out of memory";
    for (size_t i = 0; i < states && found.compared; i++) {
        draw(c, &p, i, states, &seed, start, &x);
        if (compute(c, w, &x, &found)) {
            look(&p, &x, i, &e);
            found.used++;
        }
    }
    choose(c, &p, &e, &found);
    for (int side = 0; side < DIFF_SIDES; side++) {
        free(x.y[side]), free(x.yd[side]), free(x.ydd[side]), free(x.tau[side]);
        free(e.value[side]);
        td_workspace_free(w[side]);
    }
    free(e.force), free(e.error), free(e.state), free(start);
    pairing_free(&p);
    return found;
}
