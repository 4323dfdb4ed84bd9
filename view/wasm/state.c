/* SPDX-License-Identifier: MIT */
/*
 * Loads the page's robot, and computes the quantities that depend on its configuration.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "page.h"

page_state page = {.pulled_link = -1};

void *tv_allocate(size_t size)
{
    return malloc(size);
}

void tv_free(void *memory)
{
    free(memory);
}

const char *tv_status_text(int status)
{
    return td_status_text((td_status)status);
}

/* ---- loading --------------------------------------------------------------------------------- */

/* Loads the robot from a text written by td_model_write. Called once per page. */
int tv_load(const char *text, size_t size)
{
    td_diagnostics_new(0, &page.diagnostics);
    td_status status =
        td_load_model_memory(text, size, "page", NULL, page.diagnostics, &page.model);
    if (status != TD_OK)
        return (int)status;
    status = td_workspace_new(page.model, NULL, &page.workspace);
    if (status != TD_OK)
        return (int)status;
    for (int i = 0; i < PAGE_ARRAY_COUNT; i++) {
        const size_t n = tv_length(i);
        page.array[i] = calloc(n ? n : 1, sizeof(double));
        if (!page.array[i])
            return TD_ERROR_MEMORY;
    }
    memcpy(page.array[PAGE_gravity], td_gravity(page.model, NULL), 3 * sizeof(double));
    tv_reset();
    return TD_OK;
}

/* Loads the same model again, with or without its position limits. */
static td_status read_with_limits(bool ignored, td_model **model)
{
    td_load_options options = page.model->given_options;
    options.ignore_limits = ignored;
    size_t size = 0;
    *model = NULL;
    td_status status = td_model_write(page.model, NULL, 0, &size);
    char *text = status == TD_OK ? malloc(size) : NULL;
    if (status == TD_OK)
        status = text ? td_model_write(page.model, text, size, &size) : TD_ERROR_MEMORY;
    if (status == TD_OK)
        status = td_load_model_memory(text, size, "page", &options, NULL, model);
    free(text);
    return status;
}

/* Turns the position limits off or on again. Keeps the configuration, payloads and wrenches; stops
   a simulation. */
int tv_ignore_limits(int on)
{
    td_model *model;
    td_status status = read_with_limits(on != 0, &model);
    td_workspace *workspace;
    if (status == TD_OK)
        status = td_workspace_new(model, NULL, &workspace);
    if (status != TD_OK) {
        td_model_free(model);
        return (int)status;
    }
    tv_stop();
    tv_drag_end();
    td_workspace_free(page.workspace);
    td_model_free(page.model);
    page.model = model;
    page.workspace = workspace;
    td_closure_start(model, workspace, page.array[PAGE_q]);
    return tv_set_loads();
}

td_status page_loads(td_workspace *workspace)
{
    td_status status = td_set_gravity(workspace, page.array[PAGE_gravity]);
    for (size_t i = 0; i < td_link_count(page.model) && status == TD_OK; i++) {
        const double *p = page.array[PAGE_payloads] + 10 * i;
        double size = 0;
        for (size_t k = 0; k < 10; k++)
            size += fabs(p[k]);
        if (size != 0 || page.has_payloads)
            status = td_set_payload(workspace, i, p[0], p + 1, p + 4);
        page.has_payloads = page.has_payloads || size != 0;
    }
    return status;
}

void page_wrenches(const double *poses, double *external)
{
    memset(external, 0, tv_length(PAGE_external) * sizeof *external);
    for (size_t n = 0; n < page_wrench_count(page.model); n++) {
        const double *wrench = page.array[PAGE_wrenches] + 10 * n;
        if (!(wrench[0] >= 1 && wrench[0] <= (double)td_link_count(page.model)))
            continue;
        const size_t link = (size_t)wrench[0] - 1;
        const double *force = wrench + 1, *moment = wrench + 4, *point = wrench + 7;
        double arm[3], *sum = external + 6 * link;
        for (int i = 0; i < 3; i++) {
            const double *row = poses + 12 * link + 4 * i;
            arm[i] = row[0] * point[0] + row[1] * point[1] + row[2] * point[2];
        }
        for (int i = 0; i < 3; i++) {
            const int j = (i + 1) % 3, k = (i + 2) % 3;
            sum[i] += moment[i] + arm[j] * force[k] - arm[k] * force[j];
            sum[3 + i] += force[i];
        }
    }
}

td_forces page_forces(void)
{
    td_forces forces = td_forces_default();
    forces.wrenches = page.has_wrenches ? page.array[PAGE_external] : NULL;
    forces.wrench_frame = TD_FRAME_ALIGNED;
    return forces;
}

static bool any(const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (x[i] != 0)
            return true;
    return false;
}

/* Updates the flags has_wrenches and turning. */
static void look_at_wrenches(void)
{
    page.has_wrenches = page.turning = false;
    for (size_t n = 0; n < page_wrench_count(page.model); n++) {
        const double *wrench = page.array[PAGE_wrenches] + 10 * n;
        page.has_wrenches = page.has_wrenches || wrench[0] != 0;
        page.turning = page.turning || (wrench[0] != 0 && any(wrench + 1, 3) && any(wrench + 7, 3));
    }
}

/* Applies gravity, payloads and wrenches from the arrays. A running simulation keeps the gravity
   and payloads that it started with. */
int tv_set_loads(void)
{
    look_at_wrenches();
    const td_status status = page_loads(page.workspace);
    return status != TD_OK ? (int)status : tv_update();
}

/* Resets the robot to the configuration q in the array start, and keeps its loop branches. */
int tv_set_start(void)
{
    const td_status status = td_closure_start(page.model, page.workspace, page.array[PAGE_start]);
    page.has_start = status == TD_OK;
    tv_reset();
    return (int)status;
}

double *tv_array(int which)
{
    return page.array[which];
}

size_t tv_length(int which)
{
    const td_model *m = page.model;
    switch (which) {
#define PAGE_LENGTH(name, length)                                                                  \
    case PAGE_##name:                                                                              \
        return length;
        PAGE_ARRAYS(PAGE_LENGTH)
#undef PAGE_LENGTH
    default:
        return 0;
    }
}

/* ---- a configuration ------------------------------------------------------------------------- */

/* Resets the robot to its initial configuration, at rest. */
void tv_reset(void)
{
    const td_model *m = page.model;
    double *y = page.array[PAGE_y];
    td_closure_start(m, page.workspace, page.has_start ? page.array[PAGE_start] : NULL);
    memcpy(y, td_reference(m, TD_COORDINATES_INDEPENDENT), td_ny(m) * sizeof *y);
    for (size_t i = 0; i < td_independent_count(m) && page.has_start; i++) {
        const td_joint_place place = td_joint_place_at(m, td_independent_joint(m, i));
        memcpy(y + place.y, page.array[PAGE_start] + place.q, place.ny * sizeof *y);
    }
    memset(page.array[PAGE_yd], 0, td_nyd(m) * sizeof(double));
    memset(page.array[PAGE_ydd], 0, td_nyd(m) * sizeof(double));
}

/* Computes from y and ẏ: q, q̇, G, link poses, φ, center of mass, energies, and the forces that hold
   the robot against gravity and wrenches (in independent and in tree coordinates). */
int tv_update(void)
{
    const td_model *m = page.model;
    td_workspace *w = page.workspace;
    double *const *a = page.array;
    td_status status = td_closure(m, w, a[PAGE_y], a[PAGE_yd], NULL, a[PAGE_q], a[PAGE_qd], NULL);
    if (status != TD_OK)
        return (int)status;
    td_closure_start(m, w, a[PAGE_q]); /* the next call starts from this branch */
    td_closure_jacobian(m, w, a[PAGE_y], a[PAGE_G]);
    td_use_coordinates(w, TD_COORDINATES_TREE);
    td_link_poses(m, w, a[PAGE_q], a[PAGE_poses]);
    page_wrenches(a[PAGE_poses], a[PAGE_external]);
    const td_forces forces = page_forces();
    td_inverse_dynamics(m, w, a[PAGE_q], NULL, NULL, &forces, a[PAGE_tree_tau]);
    td_constraint_residual(m, w, a[PAGE_q], a[PAGE_phi]);
    td_center_of_mass(m, w, a[PAGE_q], TD_SCOPE_ALL, a[PAGE_com]);
    td_energy(m, w, a[PAGE_q], a[PAGE_qd], TD_SCOPE_ALL, a[PAGE_energy]);
    td_use_coordinates(w, TD_COORDINATES_INDEPENDENT);
    page.residual = 0;
    for (size_t i = 0; i < tv_length(PAGE_phi); i++)
        page.residual = fmax(page.residual, fabs(a[PAGE_phi][i]));
    return (int)td_inverse_dynamics(m, w, a[PAGE_y], NULL, NULL, &forces, a[PAGE_tau]);
}

/* Computes the joint reactions at rest. */
int tv_reactions(void)
{
    const td_forces forces = page_forces();
    return (int)td_joint_reactions(page.model, page.workspace, page.array[PAGE_y], NULL, NULL,
                                   &forces, TD_FRAME_ALIGNED, page.array[PAGE_reactions]);
}

/* Computes τ from y, ẏ and ÿ. */
int tv_inverse_dynamics(void)
{
    const td_forces forces = page_forces();
    return (int)td_inverse_dynamics(page.model, page.workspace, page.array[PAGE_y],
                                    page.array[PAGE_yd], page.array[PAGE_ydd], &forces,
                                    page.array[PAGE_tau]);
}

/* Computes ÿ from y, ẏ and τ. */
int tv_forward_dynamics(void)
{
    const td_forces forces = page_forces();
    return (int)td_forward_dynamics(page.model, page.workspace, page.array[PAGE_y],
                                    page.array[PAGE_yd], page.array[PAGE_tau], &forces,
                                    page.array[PAGE_ydd]);
}

double tv_residual(void)
{
    return page.residual;
}

int tv_failed_loop(void)
{
    const size_t loop = td_failed_loop(page.workspace, NULL);
    return loop == TD_NONE ? -1 : (int)loop; /* the page's TD_NONE */
}

/* Moves y along the straight line to the target, as far as the loops can be closed. Returns the
   status that stopped it. */
int tv_move(void)
{
    enum { HALVINGS = 10 };
    const td_model *m = page.model;
    double *y = page.array[PAGE_y], *step = page.array[PAGE_step], *trial = page.array[PAGE_trial];
    td_difference(m, TD_COORDINATES_INDEPENDENT, y, page.array[PAGE_target], step);
    td_status status =
        td_closure(m, page.workspace, page.array[PAGE_target], NULL, NULL, NULL, NULL, NULL);
    double good = 0;
    if (status == TD_OK) {
        memcpy(y, page.array[PAGE_target], td_ny(m) * sizeof *y);
        return tv_update();
    }
    double bad = 1;
    for (int i = 0; i < HALVINGS; i++) {
        const double part = 0.5 * (good + bad);
        td_integrate(m, TD_COORDINATES_INDEPENDENT, y, step, part, trial);
        if (td_closure(m, page.workspace, trial, NULL, NULL, NULL, NULL, NULL) == TD_OK)
            good = part;
        else
            bad = part;
    }
    td_integrate(m, TD_COORDINATES_INDEPENDENT, y, step, good, trial);
    memcpy(y, trial, td_ny(m) * sizeof *y);
    const int updated = tv_update();
    return updated != TD_OK ? updated : (int)status;
}
