/* SPDX-License-Identifier: MIT */
/*
 * Actuation: which tree joints are motors, the matrix M_u of their rows of M, and u = M_u⁻ᵀ tau_y
 * (equation 19 of Kumar et al. 2017). Mostly every motor drives one coordinate, and M_u is a scaled
 * permutation; couplings may mix them.
 */
#include <string.h>

#include "linalg.h"
#include "model.h"
#include "workspace.h"

/* marks the joint that a transmission, or without one the options, name; reports one that does not
   exist or can have no motor */
static void mark(td_build *build, char *actuated, const char *name,
                 const td_transmission *transmission)
{
    td_model *model = build->model;
    int i = td_names_find(&model->joint_names, name);
    if (i < 0) {
        char text[TD_SUGGESTION];
        const char *remedy =
            td_suggest(build, &model->joint_names, name, "name an existing joint", text);
        if (transmission)
            td_report(build->diagnostics, TD_CODE_TRANSMISSION_JOINT, transmission->source, remedy,
                      "transmission '%s' drives a joint that does not exist: no joint '%s'",
                      transmission->name ? transmission->name : "", name ? name : "");
        else
            td_report(build->diagnostics, TD_CODE_ACTUATED_UNDEFINED, TD_NOWHERE, remedy,
                      "the options name an actuated joint that does not exist: no joint '%s'",
                      name ? name : "");
        return;
    }
    td_joint_type type = model->records.joint.at[i].type;
    if (type != TD_JOINT_FIXED && type != TD_JOINT_FLOATING)
        actuated[i] = 1;
    else if (!transmission)
        td_report(build->diagnostics, TD_CODE_ACTUATED_FIXED, TD_NOWHERE, "leave it out",
                  "joint '%s' is %s and cannot be actuated", name,
                  type == TD_JOINT_FIXED ? "fixed" : "floating");
}

static void mark_all(td_build *build, char *actuated)
{
    td_model *model = build->model;
    const td_load_options *options = build->options;
    char *by_transmission = options->actuation == TD_ACTUATED_TRANSMISSION ? actuated : NULL;
    char *ignored = actuated + model->records.joint.count;
    for (size_t k = 0; k < model->records.transmission.count; k++) {
        const td_transmission *t = &model->records.transmission.at[k];
        mark(build, by_transmission ? by_transmission : ignored, t->joint, t);
    }
    if (options->actuation == TD_ACTUATED_LIST)
        for (size_t k = 0; k < options->actuated_count; k++)
            mark(build, actuated, options->actuated[k], NULL);
    if (options->actuation == TD_ACTUATED_INDEPENDENT)
        for (size_t k = 0; k < model->independent_count; k++)
            if (model->records.joint.at[model->independent[k]].type != TD_JOINT_FLOATING)
                actuated[model->independent[k]] = 1;
}

/* number of independent velocities that a motor may act on: all but those of floating joints */
static size_t drivable(const td_model *model)
{
    size_t count = 0;
    for (size_t k = 0; k < model->independent_count; k++) {
        int i = model->independent[k];
        if (model->records.joint.at[i].type != TD_JOINT_FLOATING)
            count += (size_t)model->place[i].nv;
    }
    return count;
}

/* the independent velocities that motors act on, as columns of M_u; −1 for those of floating joints
 */
static void drivable_columns(const td_model *model, int *column)
{
    int next = 0;
    for (size_t k = 0; k < model->independent_count; k++) {
        int i = model->independent[k];
        const td_joint_place *place = &model->place[i];
        bool floating = model->records.joint.at[i].type == TD_JOINT_FLOATING;
        for (int m = 0; m < place->nv; m++)
            column[place->yd + m] = floating ? -1 : next++;
    }
}

/* the n × n inverse, transposed, as the sparse matrix that turns tau_y into u */
static bool keep_inverse(td_model *model, const double *inverse, const int *column)
{
    td_actuation_map *map = &model->actuation;
    td_arena *arena = &model->records.arena;
    size_t n = map->nu, entries = 0;
    for (size_t i = 0; i < n * n; i++)
        entries += inverse[i] != 0;
    td_csr *u = &map->inverse;
    u->rows = (int)n;
    u->columns = model->closure.velocity.columns;
    u->row = TD_ARENA_NEW(arena, int, n + 1);
    u->column = TD_ARENA_NEW(arena, int, entries);
    u->value = TD_ARENA_NEW(arena, double, entries);
    if (!u->row || !u->column || !u->value)
        return false;
    for (size_t i = 0; i < n; i++) {
        int k = u->row[i];
        for (int c = 0; c < u->columns; c++) {
            if (column[c] < 0 || inverse[(size_t)column[c] * n + i] == 0)
                continue;
            u->column[k] = c;
            u->value[k++] = inverse[(size_t)column[c] * n + i];
        }
        u->row[i + 1] = k;
    }
    return true;
}

/* whether every motor drives one coordinate, and each another one: M_u is a scaled permutation */
static bool is_permutation(const td_model *model, char *taken)
{
    const td_csr *G = &model->closure.velocity;
    for (size_t k = 0; k < model->actuation.nu; k++) {
        int entry = G->row[model->actuation.row[k]];
        if (G->row[model->actuation.row[k] + 1] != entry + 1 || taken[G->column[entry]])
            return false;
        taken[G->column[entry]] = 1;
    }
    return true;
}

static bool keep_permutation(td_model *model)
{
    td_actuation_map *map = &model->actuation;
    td_arena *arena = &model->records.arena;
    const td_csr *G = &model->closure.velocity;
    map->inverse = (td_csr){.rows = (int)map->nu,
                            .columns = G->columns,
                            .row = TD_ARENA_NEW(arena, int, map->nu + 1),
                            .column = TD_ARENA_NEW(arena, int, map->nu),
                            .value = TD_ARENA_NEW(arena, double, map->nu)};
    if (!map->inverse.row || !map->inverse.column || !map->inverse.value)
        return false;
    for (size_t k = 0; k < map->nu; k++) {
        int entry = G->row[map->row[k]];
        map->inverse.column[k] = G->column[entry];
        map->inverse.value[k] = 1 / G->value[entry];
        map->inverse.row[k + 1] = (int)k + 1;
    }
    return true;
}

static td_status invert(td_model *model)
{
    td_actuation_map *map = &model->actuation;
    td_arena *arena = &model->records.arena;
    const td_csr *G = &model->closure.velocity;
    size_t n = map->nu;
    if (n != drivable(model))
        return n < drivable(model) ? TD_ERROR_UNDERACTUATED : TD_ERROR_OVERACTUATED;
    char *taken = TD_ARENA_NEW(arena, char, model->closure.nyd);
    int *column = TD_ARENA_NEW(arena, int, model->closure.nyd);
    if (!taken || !column)
        return TD_ERROR_MEMORY;
    if (is_permutation(model, taken))
        return keep_permutation(model) ? TD_OK : TD_ERROR_MEMORY;
    double *M_u = TD_ARENA_NEW(arena, double, n *n);
    if (!M_u)
        return TD_ERROR_MEMORY;
    drivable_columns(model, column);
    for (size_t k = 0; k < n; k++)
        for (int e = G->row[map->row[k]]; e < G->row[map->row[k] + 1]; e++)
            if (column[G->column[e]] >= 0)
                M_u[k * n + (size_t)column[G->column[e]]] = G->value[e];
    double condition = td_invert((int)n, M_u);
    if (condition < 0)
        return TD_ERROR_MEMORY;
    if (condition < 1e-13)
        return TD_ERROR_ACTUATION_SINGULAR;
    return keep_inverse(model, M_u, column) ? TD_OK : TD_ERROR_MEMORY;
}

bool td_choose_actuation(td_build *build)
{
    td_model *model = build->model;
    td_arena *arena = &model->records.arena;
    td_actuation_map *map = &model->actuation;
    char *actuated = TD_ARENA_NEW(arena, char, 2 * model->records.joint.count);
    map->joint = TD_ARENA_NEW(arena, int, model->tree.nv);
    map->row = TD_ARENA_NEW(arena, int, model->tree.nv);
    if (!actuated || !map->joint || !map->row)
        return false;
    mark_all(build, actuated);
    for (size_t i = 0; i < model->records.joint.count; i++)
        for (int k = 0; actuated[i] && k < model->place[i].nv; k++) {
            map->joint[map->nu] = (int)i;
            map->row[map->nu++] = model->place[i].qd + k;
        }
    map->status = invert(model);
    return map->status != TD_ERROR_MEMORY;
}

size_t td_nu(const td_model *model)
{
    return model->actuation.nu;
}

int td_actuated_joint(const td_model *model, size_t i)
{
    return i < model->actuation.nu ? model->actuation.joint[i] : -1;
}

td_status td_actuation_matrix(const td_model *model, double *M_u)
{
    if (!model || !M_u)
        return TD_ERROR_ARGUMENT;
    const td_csr *G = &model->closure.velocity;
    size_t columns = (size_t)G->columns;
    memset(M_u, 0, model->actuation.nu * columns * sizeof *M_u);
    for (size_t k = 0; k < model->actuation.nu; k++) {
        int i = model->actuation.row[k];
        for (int e = G->row[i]; e < G->row[i + 1]; e++)
            M_u[k * columns + (size_t)G->column[e]] = G->value[e];
    }
    return TD_OK;
}

td_status td_actuation_status(const td_model *model)
{
    return model ? model->actuation.status : TD_ERROR_ARGUMENT;
}

td_status td_actuator_forces(const td_model *model, td_workspace *workspace, const double *tau_y,
                             double *u)
{
    if (!model || !workspace || !tau_y || !u)
        return TD_ERROR_ARGUMENT;
    if (model->actuation.status == TD_OK)
        model->single->affine(&model->actuation.inverse, NULL, tau_y, u);
    return model->actuation.status;
}
