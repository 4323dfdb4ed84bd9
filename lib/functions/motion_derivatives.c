/* SPDX-License-Identifier: MIT */
/*
 * Derivatives of velocities and accelerations, of the centre of mass, momentum and energy, and of
 * the state of springs: the kernels give those along q and by q̇ of the tree, and of them those
 * along y and by ẏ are made here.
 */
#include "tandem/derivatives.h"

#include "functions/arguments.h"
#include "functions/operations.h"

/* ---- the chain rule -------------------------------------------------------------------------- */

/* What a velocity x(q, q̇), or an acceleration x(q, q̇, q̈), changes by in the tree's coordinates, a
   row for each number of it; what the last one changes by with q̈ is what a velocity, of which it is
   the rate, changes by with q̇. */
typedef struct tree_change {
    void *by_position, *by_rate, *by_acceleration;
} tree_change;

enum { MATRICES = 4, ROWS = 6 };

td_reals *td_motion_derivatives_take(td_stack *stack, const td_model *model, const td_kernels *k)
{
    return td_take_reals(stack, k, MATRICES * ROWS * model->tree.nv);
}

/* where matrices of the tree go: to outputs (NULL: not wanted) in the tree's coordinates */
static void place_matrices(const td_eval *eval, size_t rows, void *const *out, void *of_tree[])
{
    const size_t bytes = rows * eval->tree->nv * eval->kernels->real_size;
    if (td_eval_is_tree(eval)) {
        for (int i = 0; i < MATRICES; i++)
            of_tree[i] = out[i];
        return;
    }
    char *room = td_motion_derivatives_take(eval->scratch->stack, eval->model, eval->kernels);
    for (size_t i = 0; i < MATRICES; i++)
        of_tree[i] = room + i * bytes;
}

static void add_product(const td_eval *eval, size_t rows, const void *matrix, const void *values,
                        void *out)
{
    eval->kernels->add_times_sparse(matrix, rows, &eval->closure->velocity, values, out);
}

/* In independent coordinates, with C = ∂(Gẏ)/∂y, D = ∂(Gÿ + g)/∂y and B = ∂g/∂ẏ,
 *
 *   ∂x/∂y = ∂x/∂q G + ∂x/∂q̇ C + ∂x/∂q̈ D,   ∂x/∂ẏ = ∂x/∂q̇ G + ∂x/∂q̈ B.
 */
static void reduce_change(const td_eval *eval, size_t rows, const tree_change *x, bool curved,
                          void *by_position, void *by_rate)
{
    const td_scratch *s = eval->scratch;
    const td_csr *G = &eval->closure->velocity;
    if (td_eval_is_tree(eval))
        return;
    if (by_position) {
        eval->kernels->times_sparse(x->by_position, rows, G, s->G, by_position);
        if (curved)
            add_product(eval, rows, x->by_rate, s->velocity_y, by_position);
        if (curved && x->by_acceleration)
            add_product(eval, rows, x->by_acceleration, s->acceleration_y, by_position);
    }
    if (by_rate) {
        eval->kernels->times_sparse(x->by_rate, rows, G, s->G, by_rate);
        if (curved && x->by_acceleration)
            add_product(eval, rows, x->by_acceleration, s->acceleration_yd, by_rate);
    }
}

/* the motion of the tree at a state, with poses and motions of the bodies before a link */
typedef struct state {
    const void *q, *qd, *qdd;
    bool curved; /* whether the closure has derivatives, which the scratch has then */
} state;

/* ydd NULL: 0; accelerates: the accelerations are differentiated, too */
static state begin(const td_eval *eval, const void *const *in, bool accelerates, int link)
{
    const td_scratch *s = eval->scratch;
    state x = {.q = td_eval_position(eval, in[0])};
    x.qd = td_eval_velocity(eval, in[1]);
    x.qdd = accelerates ? td_eval_acceleration(eval, in[2]) : s->zeros;
    x.curved = !td_eval_is_tree(eval) &&
               td_eval_closure_derivatives(eval, x.qd, accelerates ? x.qdd : NULL);
    eval->kernels->poses(eval->tree, s, x.q, link, true);
    eval->kernels->motions(eval->tree, s, x.qd, x.qdd, link);
    return x;
}

/* ---- links ----------------------------------------------------------------------------------- */

void td_op_link_velocity_derivatives(const td_eval *eval, const void *const *in, void *const *out,
                                     const void *context)
{
    const td_arguments *with = context;
    td_scope(eval->scratch->stack, motion_derivatives);
    const state x = begin(eval, in, false, (int)with->link);
    void *const wanted[MATRICES] = {out[1], out[2]};
    void *m[MATRICES];
    place_matrices(eval, ROWS, wanted, m);
    if (out[0])
        eval->kernels->point_velocity(eval->tree, eval->scratch, (int)with->link, with->point,
                                      (int)with->frame, out[0]);
    eval->kernels->link_motion_derivatives(eval->tree, eval->scratch, (int)with->link, with->point,
                                           (int)with->frame, false, x.qd, x.qdd, m[0], m[1], NULL,
                                           NULL);
    const tree_change velocity = {m[0], m[1], NULL};
    reduce_change(eval, ROWS, &velocity, x.curved, out[1], out[2]);
}

/* J̇ = ∂a/∂ẏ − ∂v/∂y. With v = J G ẏ and a = J (G ÿ + g) + J̇ q̇, J and J̇ of the tree, these are
 *
 *   ∂a/∂ẏ = ∂a/∂q̇ G + J ∂g/∂ẏ,   ∂v/∂y = ∂v/∂q G + J ∂(Gẏ)/∂y.
 */
void td_op_link_jacobian_rate(const td_eval *eval, const void *const *in, void *const *out,
                              const void *context)
{
    const td_arguments *with = context;
    const td_scratch *s = eval->scratch;
    const td_kernels *k = eval->kernels;
    const size_t entries = (size_t)eval->closure->velocity.row[eval->closure->velocity.rows];
    td_scope(s->stack, motion_derivatives);
    const state x = begin(eval, in, false, (int)with->link);
    void *const wanted[MATRICES] = {NULL, NULL, NULL, out[0]};
    void *m[MATRICES];
    place_matrices(eval, ROWS, wanted, m);
    void *by_position =
        td_eval_is_tree(eval) ? td_motion_derivatives_take(s->stack, eval->model, k) : m[0];
    k->link_motion_derivatives(eval->tree, s, (int)with->link, with->point, (int)with->frame,
                               with->frame == TD_FRAME_ALIGNED, x.qd, s->zeros, by_position, m[1],
                               NULL, m[3]);
    k->subtract_from(m[3], by_position, ROWS * eval->tree->nv);
    if (x.curved)
        k->subtract_from(s->acceleration_yd, s->velocity_y, entries);
    const tree_change change = {NULL, m[3], m[1]};
    reduce_change(eval, ROWS, &change, x.curved, NULL, out[0]);
}

static void link_acceleration_derivatives(const td_eval *eval, const void *const *in,
                                          void *const *out, const td_arguments *with,
                                          bool classical)
{
    td_scope(eval->scratch->stack, motion_derivatives);
    const state x = begin(eval, in, true, (int)with->link);
    void *const wanted[MATRICES] = {NULL, NULL, out[1], out[2]};
    void *m[MATRICES];
    place_matrices(eval, ROWS, wanted, m);
    if (out[0])
        eval->kernels->point_acceleration(eval->tree, eval->scratch, (int)with->link, with->point,
                                          (int)with->frame, classical, out[0]);
    eval->kernels->link_motion_derivatives(eval->tree, eval->scratch, (int)with->link, with->point,
                                           (int)with->frame, classical, x.qd, x.qdd, NULL, m[1],
                                           m[2], m[3]);
    const tree_change acceleration = {m[2], m[3], m[1]};
    reduce_change(eval, ROWS, &acceleration, x.curved, out[1], out[2]);
}

void td_op_link_spatial_acceleration_derivatives(const td_eval *eval, const void *const *in,
                                                 void *const *out, const void *context)
{
    link_acceleration_derivatives(eval, in, out, context, false);
}

void td_op_link_classical_acceleration_derivatives(const td_eval *eval, const void *const *in,
                                                   void *const *out, const void *context)
{
    link_acceleration_derivatives(eval, in, out, context, true);
}

/* ---- the whole robot ------------------------------------------------------------------------- */

void td_op_center_of_mass_derivatives(const td_eval *eval, const void *const *in, void *const *out,
                                      const void *context)
{
    enum { OF_POINT = 3 };
    const td_arguments *with = context;
    const td_kernels *k = eval->kernels;
    const bool moving = with->scope == TD_SCOPE_MOVING;
    td_scope(eval->scratch->stack, motion_derivatives);
    const state x = begin(eval, in, true, TD_EVERY_LINK);
    void *const wanted[MATRICES] = {out[1], NULL, out[2], out[3]};
    void *m[MATRICES];
    place_matrices(eval, OF_POINT, wanted, m);
    if (out[0])
        k->mass_center(eval->tree, eval->scratch, moving, out[0]);
    k->inertias(eval->tree, eval->scratch);
    k->composites(eval->tree, eval->scratch);
    k->mass_center_derivatives(eval->tree, eval->scratch, moving, x.qd, x.qdd, m[0], m[1], m[2],
                               m[3]);
    const tree_change velocity = {m[0], m[1], NULL}, acceleration = {m[2], m[3], m[1]};
    reduce_change(eval, OF_POINT, &velocity, x.curved, out[1], NULL);
    reduce_change(eval, OF_POINT, &acceleration, x.curved, out[2], out[3]);
}

void td_op_centroidal_momentum_derivatives(const td_eval *eval, const void *const *in,
                                           void *const *out, const void *context)
{
    const td_arguments *with = context;
    const td_kernels *k = eval->kernels;
    const bool moving = with->scope == TD_SCOPE_MOVING;
    td_scope(eval->scratch->stack, motion_derivatives);
    const state x = begin(eval, in, true, TD_EVERY_LINK);
    void *const wanted[MATRICES] = {out[2], out[3], out[4], out[5]};
    void *m[MATRICES];
    place_matrices(eval, ROWS, wanted, m);
    k->inertias(eval->tree, eval->scratch);
    k->composites(eval->tree, eval->scratch);
    if (out[0])
        k->momentum(eval->tree, eval->scratch, moving, out[0]);
    if (out[1])
        k->momentum_rate(eval->tree, eval->scratch, moving, out[1]);
    k->momentum_derivatives(eval->tree, eval->scratch, moving, x.qd, x.qdd, m[0], m[1], m[2], m[3]);
    const tree_change momentum = {m[0], m[1], NULL}, rate = {m[2], m[3], m[1]};
    reduce_change(eval, ROWS, &momentum, x.curved, out[2], out[3]);
    reduce_change(eval, ROWS, &rate, x.curved, out[4], out[5]);
}

/* ∂V/∂y = Gᵀ ∂V/∂q: gravity's force on the joints, and with springs that of joints and of loop
   joints at rest and the derivatives of the energy between links */
static void potential_derivatives(const td_eval *eval, const state *x, bool springs, void *out)
{
    const td_kernels *k = eval->kernels;
    const void *none = eval->scratch->zeros;
    void *tau = td_eval_tau_storage(eval, out);
    td_eval_tree_force(eval, x->q, none, none, NULL, true, tau);
    if (springs) {
        const td_forces forces = td_forces_default();
        td_eval_passive(eval, x->q, none, &forces, tau);
        k->spring_energy_derivatives(eval->tree, eval->scratch, x->qd, tau);
    }
    td_eval_reduce(eval, out);
}

void td_op_energy_derivatives(const td_eval *eval, const void *const *in, void *const *out,
                              const void *context)
{
    const td_arguments *with = context;
    const td_kernels *k = eval->kernels;
    td_scope(eval->scratch->stack, motion_derivatives);
    const bool springs = with->scope == TD_SCOPE_SPRINGS;
    const state x = begin(eval, in, false, TD_EVERY_LINK);
    void *const wanted[MATRICES] = {out[1], out[2]};
    void *m[MATRICES];
    place_matrices(eval, 1, wanted, m);
    k->inertias(eval->tree, eval->scratch);
    if (out[0])
        k->energies(eval->tree, eval->scratch, with->scope == TD_SCOPE_MOVING, out[0]);
    if (out[0] && springs)
        td_eval_add_spring_energy(eval, x.q, (char *)out[0] + k->real_size);
    k->kinetic_derivatives(eval->tree, eval->scratch, x.qd, m[0], m[1]);
    const tree_change kinetic = {m[0], m[1], NULL};
    reduce_change(eval, 1, &kinetic, x.curved, out[1], out[2]);
    if (out[3])
        potential_derivatives(eval, &x, springs, out[3]);
}

/* ---- springs --------------------------------------------------------------------------------- */

void td_op_spring_state_derivatives(const td_eval *eval, const void *const *in, void *const *out,
                                    const void *context)
{
    enum { OF_SPRING = 4 };
    const td_arguments *with = context;
    td_scope(eval->scratch->stack, motion_derivatives);
    const state x = begin(eval, in, false, TD_EVERY_LINK);
    void *const wanted[MATRICES] = {out[1], out[2]};
    void *m[MATRICES];
    place_matrices(eval, OF_SPRING, wanted, m);
    if (out[0])
        eval->kernels->spring_motion(eval->tree, eval->scratch, with->spring, out[0]);
    eval->kernels->spring_motion_derivatives(eval->tree, eval->scratch, with->spring, x.qd, m[0],
                                             m[1]);
    const tree_change motion = {m[0], m[1], NULL};
    reduce_change(eval, OF_SPRING, &motion, x.curved, out[1], out[2]);
}
