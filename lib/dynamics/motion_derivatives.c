/* SPDX-License-Identifier: MIT */
/*
 * Derivatives of velocities and accelerations, of the center of mass, momentum and energy, and
 * of the state of springs. Kernels compute the derivatives with respect to q and q̇ of the tree.
 * The chain rule converts them to y and ẏ.
 */
#include "tandem/derivatives.h"

#include <string.h>

#include "dynamics/arguments.h"
#include "dynamics/operation_room.h"
#include "dynamics/operations.h"

/* ---- the chain rule -------------------------------------------------------------------------- */

/* Derivatives of a velocity v along q and q̇, and of its rate a along q and q̇, with a row per
   component. NULL: not wanted. */
typedef struct change_outputs {
    size_t rows;
    void *out[TD_CHANGE_MATRICES];
} change_outputs;

/* The motion of the tree at a state. The scratch has poses and motions of the bodies up to a
   link. */
typedef struct state {
    td_motion_inputs in;
    bool curved; /* the closure has nonzero derivatives, which are in the scratch */
    size_t rows;
    void *of_tree[TD_CHANGE_MATRICES]; /* change_outputs in tree coordinates; ∂a/∂q̈ equals ∂v/∂q̇ */
} state;

/* Selects where kernels write the matrices of the tree: in tree coordinates, the outputs (NULL:
   not wanted); otherwise scratch memory. */
static void place_matrices(const td_eval *eval, void *const *out, state *x)
{
    const size_t bytes = x->rows * eval->tree->nv * eval->kernels->real_size;
    if (td_eval_is_tree(eval)) {
        memcpy(x->of_tree, out, sizeof x->of_tree);
        return;
    }
    char *room = td_motion_derivatives_take(eval->scratch->stack, eval->model, eval->kernels);
    for (size_t i = 0; i < TD_CHANGE_MATRICES; i++)
        x->of_tree[i] = room + i * bytes;
}

static void add_product(const td_eval *eval, size_t rows, const void *matrix, const void *values,
                        void *out)
{
    eval->kernels->add_times_sparse(matrix, rows, &eval->closure->velocity, values, out);
}

/* Converts derivatives of v, or of a, to independent coordinates. With C = ∂(Gẏ)/∂y, D = ∂(Gÿ +
   g)/∂y and B = ∂g/∂ẏ,

     ∂x/∂y = ∂x/∂q G + ∂x/∂q̇ C + ∂x/∂q̈ D,   ∂x/∂ẏ = ∂x/∂q̇ G + ∂x/∂q̈ B. */
static void reduce_change(const td_eval *eval, const state *x, bool acceleration, void *by_position,
                          void *by_rate)
{
    const td_scratch *s = eval->scratch;
    const td_csr *G = &eval->closure->velocity;
    void *const *m = acceleration ? x->of_tree + 2 : x->of_tree;
    if (td_eval_is_tree(eval))
        return;
    if (by_position) {
        eval->kernels->times_sparse(m[0], x->rows, G, s->G, by_position);
        if (x->curved)
            add_product(eval, x->rows, m[1], s->velocity_y, by_position);
        if (x->curved && acceleration)
            add_product(eval, x->rows, x->of_tree[1], s->acceleration_y, by_position);
    }
    if (by_rate) {
        eval->kernels->times_sparse(m[1], x->rows, G, s->G, by_rate);
        if (x->curved && acceleration)
            add_product(eval, x->rows, x->of_tree[1], s->acceleration_yd, by_rate);
    }
}

/* Computes the motion of the tree. ydd may be NULL for 0. `accelerates`: accelerations will be
   differentiated. */
static state begin(const td_eval *eval, const void *y, const void *yd, const void *ydd,
                   bool accelerates, int link, const change_outputs *wanted)
{
    const td_scratch *s = eval->scratch;
    state x = {.in.q = td_eval_position(eval, y), .rows = wanted->rows};
    x.in.qd = td_eval_velocity(eval, yd);
    x.in.qdd = accelerates ? td_eval_acceleration(eval, ydd) : s->zeros;
    x.curved = !td_eval_is_tree(eval) &&
               td_eval_closure_derivatives(eval, x.in.qd, accelerates ? x.in.qdd : NULL);
    eval->kernels->poses(eval->tree, s, x.in.q, link, true);
    eval->kernels->motions(eval->tree, s, x.in.qd, x.in.qdd, link);
    place_matrices(eval, wanted->out, &x);
    return x;
}

/* ---- links ----------------------------------------------------------------------------------- */

void td_op_link_velocity_derivatives(const td_eval *eval,
                                     const td_link_velocity_derivatives_arguments *a)
{
    td_scope(eval->scratch->stack, motion_derivatives);
    const change_outputs wanted = {TD_CHANGE_ROWS, {a->dv_dy, a->dv_dyd}};
    const state x = begin(eval, a->y, a->yd, NULL, false, (int)a->link, &wanted);
    if (a->velocity)
        eval->kernels->point_velocity(eval->tree, eval->scratch, (int)a->link, a->point,
                                      (int)a->frame, a->velocity);
    const td_link_point of = {(int)a->link, a->point, (int)a->frame};
    eval->kernels->link_motion_derivatives(
        eval->tree, eval->scratch, &of, false, &x.in,
        (void *const[4]){x.of_tree[0], x.of_tree[1], NULL, NULL});
    reduce_change(eval, &x, false, a->dv_dy, a->dv_dyd);
}

/* J̇ = ∂a/∂ẏ − ∂v/∂y. With v = J G ẏ and a = J (G ÿ + g) + J̇ q̇, where J and J̇ belong to the
   tree,

     ∂a/∂ẏ = ∂a/∂q̇ G + J ∂g/∂ẏ,   ∂v/∂y = ∂v/∂q G + J ∂(Gẏ)/∂y. */
void td_op_link_jacobian_rate(const td_eval *eval, const td_link_jacobian_rate_arguments *a)
{
    const td_scratch *s = eval->scratch;
    const td_kernels *k = eval->kernels;
    const size_t entries = (size_t)eval->closure->velocity.row[eval->closure->velocity.rows];
    td_scope(s->stack, motion_derivatives);
    const change_outputs wanted = {TD_CHANGE_ROWS, {NULL, NULL, NULL, a->Jd}};
    const state x = begin(eval, a->y, a->yd, NULL, false, (int)a->link, &wanted);
    void *by_position =
        td_eval_is_tree(eval) ? td_motion_derivatives_take(s->stack, eval->model, k) : x.of_tree[0];
    const td_link_point of = {(int)a->link, a->point, (int)a->frame};
    td_reals *const found[] = {by_position, x.of_tree[1], NULL, x.of_tree[3]};
    k->link_motion_derivatives(eval->tree, s, &of, a->frame == TD_FRAME_ALIGNED, &x.in, found);
    k->subtract_from(x.of_tree[3], by_position, TD_CHANGE_ROWS * eval->tree->nv);
    if (x.curved)
        k->subtract_from(s->acceleration_yd, s->velocity_y, entries);
    reduce_change(eval, &x, true, NULL, a->Jd);
}

static void
link_acceleration_derivatives(const td_eval *eval,
                              const td_link_spatial_acceleration_derivatives_arguments *a,
                              bool classical)
{
    td_scope(eval->scratch->stack, motion_derivatives);
    const change_outputs wanted = {TD_CHANGE_ROWS, {NULL, NULL, a->da_dy, a->da_dyd}};
    const state x = begin(eval, a->y, a->yd, a->ydd, true, (int)a->link, &wanted);
    if (a->acceleration)
        eval->kernels->point_acceleration(eval->tree, eval->scratch, (int)a->link, a->point,
                                          (int)a->frame, classical, a->acceleration);
    const td_link_point of = {(int)a->link, a->point, (int)a->frame};
    eval->kernels->link_motion_derivatives(
        eval->tree, eval->scratch, &of, classical, &x.in,
        (void *const[4]){NULL, x.of_tree[1], x.of_tree[2], x.of_tree[3]});
    reduce_change(eval, &x, true, a->da_dy, a->da_dyd);
}

void td_op_link_spatial_acceleration_derivatives(
    const td_eval *eval, const td_link_spatial_acceleration_derivatives_arguments *a)
{
    link_acceleration_derivatives(eval, a, false);
}

void td_op_link_classical_acceleration_derivatives(
    const td_eval *eval, const td_link_spatial_acceleration_derivatives_arguments *a)
{
    link_acceleration_derivatives(eval, a, true);
}

/* ---- the whole robot ------------------------------------------------------------------------- */

void td_op_center_of_mass_derivatives(const td_eval *eval,
                                      const td_center_of_mass_derivatives_arguments *a)
{
    enum { OF_POINT = 3 };
    const td_kernels *k = eval->kernels;
    const bool moving = a->scope == TD_SCOPE_MOVING;
    td_scope(eval->scratch->stack, motion_derivatives);
    const change_outputs wanted = {OF_POINT, {a->dv_dy, NULL, a->da_dy, a->da_dyd}};
    const state x = begin(eval, a->y, a->yd, a->ydd, true, TD_EVERY_LINK, &wanted);
    if (a->motion)
        k->mass_center(eval->tree, eval->scratch, moving, a->motion);
    k->inertias(eval->tree, eval->scratch);
    k->composites(eval->tree, eval->scratch);
    k->momentum_derivatives(eval->tree, eval->scratch, moving, true, &x.in, x.of_tree);
    reduce_change(eval, &x, false, a->dv_dy, NULL);
    reduce_change(eval, &x, true, a->da_dy, a->da_dyd);
}

void td_op_centroidal_momentum_derivatives(const td_eval *eval,
                                           const td_centroidal_momentum_derivatives_arguments *a)
{
    const td_kernels *k = eval->kernels;
    const bool moving = a->scope == TD_SCOPE_MOVING;
    td_scope(eval->scratch->stack, motion_derivatives);
    const change_outputs wanted = {TD_CHANGE_ROWS,
                                   {a->dh_dy, a->dh_dyd, a->drate_dy, a->drate_dyd}};
    const state x = begin(eval, a->y, a->yd, a->ydd, true, TD_EVERY_LINK, &wanted);
    k->inertias(eval->tree, eval->scratch);
    k->composites(eval->tree, eval->scratch);
    if (a->momentum)
        k->momentum(eval->tree, eval->scratch, moving, a->momentum);
    if (a->rate)
        k->momentum_rate(eval->tree, eval->scratch, moving, a->rate);
    k->momentum_derivatives(eval->tree, eval->scratch, moving, false, &x.in, x.of_tree);
    reduce_change(eval, &x, false, a->dh_dy, a->dh_dyd);
    reduce_change(eval, &x, true, a->drate_dy, a->drate_dyd);
}

/* Computes ∂V/∂y = Gᵀ ∂V/∂q. It is the gravity force on the joints. With `springs` it includes
   the springs of joints and loop joints, and the derivatives of the energy of springs between
   links. */
static void potential_derivatives(const td_eval *eval, const state *x, bool springs, void *out)
{
    const td_kernels *k = eval->kernels;
    const void *none = eval->scratch->zeros;
    void *tau = td_eval_tau_storage(eval, out);
    td_eval_tree_force(eval, x->in.q, none, none, NULL, true, tau);
    if (springs) {
        const td_forces forces = td_forces_default();
        td_eval_passive(eval, x->in.q, none, &forces, tau);
        k->spring_energy_derivatives(eval->tree, eval->scratch, x->in.qd, tau);
    }
    td_eval_reduce(eval, out);
}

void td_op_energy_derivatives(const td_eval *eval, const td_energy_derivatives_arguments *a)
{
    const td_kernels *k = eval->kernels;
    td_scope(eval->scratch->stack, motion_derivatives);
    const bool springs = a->scope == TD_SCOPE_SPRINGS;
    const change_outputs wanted = {1, {a->dT_dy, a->dT_dyd}};
    const state x = begin(eval, a->y, a->yd, NULL, false, TD_EVERY_LINK, &wanted);
    k->inertias(eval->tree, eval->scratch);
    if (a->energy)
        k->energies(eval->tree, eval->scratch, a->scope == TD_SCOPE_MOVING, a->energy);
    if (a->energy && springs)
        td_eval_add_spring_energy(eval, x.in.q, (char *)a->energy + k->real_size);
    k->kinetic_derivatives(eval->tree, eval->scratch, x.in.qd, x.of_tree[0], x.of_tree[1]);
    reduce_change(eval, &x, false, a->dT_dy, a->dT_dyd);
    if (a->dV_dy)
        potential_derivatives(eval, &x, springs, a->dV_dy);
}

/* ---- springs --------------------------------------------------------------------------------- */

void td_op_spring_state_derivatives(const td_eval *eval,
                                    const td_spring_state_derivatives_arguments *a)
{
    enum { OF_SPRING = 4 };
    td_scope(eval->scratch->stack, motion_derivatives);
    const change_outputs wanted = {OF_SPRING, {a->dmotion_dy, a->dmotion_dyd}};
    const state x = begin(eval, a->y, a->yd, NULL, false, TD_EVERY_LINK, &wanted);
    if (a->motion)
        eval->kernels->spring_motion(eval->tree, eval->scratch, a->spring, a->motion);
    eval->kernels->spring_motion_derivatives(eval->tree, eval->scratch, a->spring, x.in.qd,
                                             x.of_tree[0], x.of_tree[1]);
    reduce_change(eval, &x, false, a->dmotion_dy, a->dmotion_dyd);
}
