/* SPDX-License-Identifier: MIT */
/*
 * Sequences of kernels that algorithms share.
 */
#include "dynamics/eval.h"

#include <string.h>

#include "base/sized.h"

/* Returns whether the call's coordinates require solving loops. */
static bool solves_loops(const td_eval *eval)
{
    return !td_eval_is_tree(eval) && eval->closure->loops.solved;
}

static bool failed(const td_eval *eval)
{
    double code[TD_MOST_LANES];
    eval->kernels->store(code, eval->scratch->outcome, 1, eval->kernels->lanes);
    for (size_t i = 0; i < eval->kernels->lanes; i++)
        if (code[i] != 0)
            return true;
    return false;
}

/* Copies y into its entries of w. After loops have been closed this makes them equal y bit for
   bit, since the path to y rounds. Entries of poses that γ changes are then left alone. */
static void spread_independent(const td_eval *eval, const void *y, bool closed)
{
    const size_t real = eval->kernels->real_size;
    const int *w = eval->closure->w_of_y;
    for (size_t i = 0; i < eval->closure->ny; i++)
        if (!closed || !eval->closure->placed[i])
            eval->kernels->copy((char *)eval->scratch->w + (size_t)w[i] * real,
                                (const char *)y + i * real, 1);
}

/* Closes loops, starting from the last state, or else from the anchor. Rows of a batch only use
   the anchor. All of w must be set first: a group may depend on coordinates of other groups, if
   one body belongs to several. */
static void solve_loops(const td_eval *eval, const void *y)
{
    const td_closure_map *closure = eval->closure;
    const td_scratch *s = eval->scratch;
    bool nearer = s->last && memcmp(s->last, s->anchor, closure->nw * sizeof *s->last) != 0;
    for (int k = nearer ? 0 : 1; k < 2; k++) {
        const double *start = k == 0 ? s->last : s->anchor;
        eval->kernels->spread(s->w, start, closure->nw);
        spread_independent(eval, y, false);
        eval->kernels->close_loops(eval->tree, closure, s, start, y);
        spread_independent(eval, y, true);
        if (!s->last)
            return;
        if (!failed(eval)) {
            eval->kernels->store(s->last, s->w, closure->nw, 1);
            return;
        }
    }
}

const void *td_eval_position_of_y(const td_eval *eval, const void *y)
{
    const td_closure_map *closure = eval->closure;
    const void *w = y;
    if (solves_loops(eval)) {
        if (closure->loops.direct)
            eval->kernels->follow_curves(&closure->loops, eval->scratch, y);
        else
            solve_loops(eval, y);
        w = eval->scratch->w;
    }
    eval->kernels->affine(&closure->position, closure->offset, w, eval->scratch->q);
    return eval->scratch->q;
}

/* Computes G times a velocity or acceleration. */
static const void *tree_rate(const td_eval *eval, const void *yd, void *out)
{
    if (!yd)
        return eval->scratch->zeros;
    eval->kernels->rates(&eval->closure->velocity, eval->scratch->G, yd, out);
    return out;
}

const void *td_eval_velocity_of_yd(const td_eval *eval, const void *yd)
{
    const void *qd = tree_rate(eval, yd, eval->scratch->qd);
    const td_closure_map *closure = eval->closure;
    const td_scratch *s = eval->scratch;
    if (solves_loops(eval) && closure->loops.direct) {
        eval->kernels->drift_of_curves(&closure->loops, eval->tree->nv, s, qd);
    } else if (solves_loops(eval)) {
        eval->kernels->close_rates(eval->tree, closure, s, qd);
        if (yd)
            eval->kernels->rates(&closure->velocity, s->G_rate, yd, s->g);
        else
            eval->kernels->clear(s->g, eval->tree->nv);
    }
    return qd;
}

bool td_eval_closure_rates(const td_eval *eval, const void *qd)
{
    if (!solves_loops(eval))
        return false;
    if (eval->closure->loops.direct)
        eval->kernels->close_rates(eval->tree, eval->closure, eval->scratch, qd);
    return true;
}

const void *td_eval_drift(const td_eval *eval)
{
    return solves_loops(eval) ? eval->scratch->g : eval->scratch->zeros;
}

bool td_eval_closure_derivatives(const td_eval *eval, const void *qd, const void *qdd)
{
    if (!td_eval_closure_rates(eval, qd))
        return false;
    eval->kernels->close_derivatives(eval->tree, eval->closure, eval->scratch, qd, qdd);
    return true;
}

bool td_eval_closure_stiffness(const td_eval *eval, const void *f, void *X)
{
    if (!solves_loops(eval))
        return false;
    eval->kernels->close_stiffness(eval->tree, eval->closure, eval->scratch, f, X);
    return true;
}

void td_eval_closure_stiffness_times(const td_eval *eval, const void *f, const void *x,
                                     bool transposed, void *out)
{
    if (solves_loops(eval))
        eval->kernels->close_stiffness_times(eval->tree, eval->closure, eval->scratch, f, x,
                                             transposed, out);
}

const void *td_eval_acceleration_of_ydd(const td_eval *eval, const void *ydd)
{
    if (!ydd)
        return td_eval_drift(eval);
    const void *qdd = tree_rate(eval, ydd, eval->scratch->qdd);
    if (solves_loops(eval) && eval->closure->loops.direct)
        eval->kernels->add_drift_of_curves(&eval->closure->loops, eval->scratch,
                                           eval->scratch->qdd);
    else if (solves_loops(eval))
        eval->kernels->add_to(eval->scratch->qdd, eval->scratch->g, eval->tree->nv);
    return qdd;
}

void td_eval_motions(const td_eval *eval, const void *y, const void *yd, const void *ydd, int link)
{
    td_eval_poses(eval, y, link, true);
    const void *qd = td_eval_velocity(eval, yd); /* first, since accelerations need its drift */
    eval->kernels->motions(eval->tree, eval->scratch, qd, td_eval_acceleration(eval, ydd), link);
}

const void *td_eval_motors(const td_eval *eval, const void *q)
{
    const td_closure_map *closure = eval->closure;
    const td_actuation_map *map = eval->actuation;
    const td_scratch *s = eval->scratch;
    if (closure->loops.solved)
        eval->kernels->gather(s->M_u, s->G, map->entry, map->entries);
    if (map->loops.count)
        eval->kernels->loop_motors(eval->tree, closure, &map->loops, s, q);
    return s->M_u;
}

void *td_eval_columns_storage(const td_eval *eval, void *out)
{
    return td_eval_is_tree(eval) ? out : eval->scratch->columns;
}

void td_eval_times_G(const td_eval *eval, size_t rows, void *out)
{
    if (!td_eval_is_tree(eval))
        eval->kernels->times_sparse(eval->scratch->columns, rows, &eval->closure->velocity,
                                    eval->scratch->G, out);
}

/* Reduces the mass matrix of the tree to independent coordinates. */
static void reduce_mass(const td_eval *eval)
{
    const td_closure_map *closure = eval->closure;
    const td_scratch *s = eval->scratch;
    if (td_eval_is_tree(eval))
        return;
    if (closure->scatter.count)
        eval->kernels->scatter(&closure->scatter, s->G, s->mass, s->reduced,
                               closure->pattern.entries);
    else
        eval->kernels->reduce(&eval->tree->pattern, &closure->velocity, s->G, s->mass,
                              &closure->pattern, s->reduced);
}

/* Returns whether rows of an output are written directly, without a packed matrix. */
static bool is_dense(const td_eval *eval)
{
    const td_kernels *k = eval->kernels;
    return k->dense_mass && td_eval_is_tree(eval) && (k->lanes == 1 || eval->tree->deep);
}

static void dense_mass(const td_eval *eval, bool rotors, td_reals *const *member)
{
    td_rows *rows = eval->rows;
    const size_t output = td_rows_find(rows, member);
    rows->written |= 1U << output;
    rows->finite &= eval->kernels->dense_mass(eval->tree, eval->scratch, rotors, rows->streamed,
                                              rows->at[output], rows->count);
}

void td_eval_mass(const td_eval *eval, const void *q, td_mass_start start, bool rotors,
                  td_reals *const *output)
{
    const td_kernels *k = eval->kernels;
    const td_tree *tree = eval->tree;
    const td_scratch *s = eval->scratch;
    if (start != TD_FROM_POSES && !td_eval_mass_takes_poses(eval)) {
        k->body_axes_mass(tree, s, q, start == TD_FROM_PLACEMENTS, rotors);
        reduce_mass(eval);
        return;
    }
    if (start != TD_FROM_POSES)
        k->poses(tree, s, q, TD_EVERY_LINK, true);
    k->composites(tree, s);
    if (output && is_dense(eval)) {
        if (*output)
            dense_mass(eval, rotors, output);
        return;
    }
    k->crba(tree, s, rotors);
    reduce_mass(eval);
}

void *td_eval_matrix(const td_eval *eval)
{
    return td_eval_is_tree(eval) ? eval->scratch->mass : eval->scratch->reduced;
}

const td_pattern *td_eval_pattern(const td_eval *eval)
{
    return td_eval_is_tree(eval) ? &eval->tree->pattern : &eval->closure->pattern;
}

void td_eval_invert(const td_eval *eval, td_reals *const *inverse)
{
    const td_kernels *k = eval->kernels;
    const td_pattern *pattern = td_eval_pattern(eval);
    td_rows *rows = eval->rows;
    if (!rows) {
        k->invert(pattern, eval->scratch, td_eval_matrix(eval), *inverse);
        return;
    }
    const size_t output = td_rows_find(rows, inverse);
    rows->finite &=
        k->invert_rows(pattern, eval->scratch, td_eval_matrix(eval), rows->at[output], rows->count);
    rows->written |= 1U << output;
}

bool td_forces_take(const td_forces **forces, td_forces *known)
{
    if ((*forces)->size_of != sizeof **forces) {
        *known = td_forces_default();
        if (!td_sized_read(known, sizeof *known, *forces))
            return false;
        *forces = known;
    }
    return (unsigned)(*forces)->wrench_frame <= TD_FRAME_ALIGNED &&
           (*forces)->friction_velocity > 0;
}

static bool has_world_wrenches(const td_forces *forces)
{
    return forces && forces->wrenches && forces->wrench_frame != TD_FRAME_BODY;
}

static bool has_springs(const td_eval *eval, const td_forces *forces)
{
    return td_with_passive(forces) && eval->tree->springs;
}

bool td_eval_needs_poses(const td_eval *eval, const td_forces *forces)
{
    return has_world_wrenches(forces) || has_springs(eval, forces);
}

bool td_eval_load(const td_eval *eval, const void *qd, const td_forces *forces)
{
    const td_kernels *k = eval->kernels;
    const td_reals *wrenches = td_eval_wrenches(eval, forces);
    const bool springs = has_springs(eval, forces);
    if (wrenches)
        k->wrenches(eval->tree, eval->scratch, wrenches, (int)forces->wrench_frame);
    if (springs) {
        k->motions(eval->tree, eval->scratch, qd, eval->scratch->zeros, TD_EVERY_LINK);
        k->springs(eval->tree, eval->scratch, wrenches != NULL);
    }
    return wrenches || springs;
}

bool td_loops_resist(const td_loops *loops)
{
    for (size_t n = 0; n < loops->count; n++)
        if (loops->group[n].passive)
            return true;
    return false;
}

bool td_eval_loads(const td_eval *eval, const void *qd, const void *qdd, const td_forces *forces)
{
    const td_kernels *k = eval->kernels;
    const td_loops *loops = &eval->closure->loops;
    const bool loaded = td_eval_load(eval, qd, forces);
    k->motions(eval->tree, eval->scratch, qd, qdd, TD_EVERY_LINK);
    if (!td_with_passive(forces) || !td_loops_resist(loops))
        return loaded;
    k->load_loop_passive(eval->tree, loops, eval->scratch, loaded, forces->friction_velocity);
    return true;
}

void td_eval_passive(const td_eval *eval, const void *q, const void *qd, const td_forces *forces,
                     void *tau)
{
    const td_tree *tree = eval->tree;
    const double v = forces->friction_velocity;
    eval->kernels->passive(tree, q, qd, v, tau);
    eval->kernels->loop_passive(tree, &eval->closure->loops, eval->scratch, q, qd, v, tau);
}

void td_eval_energy(const td_eval *eval, bool moving_only, void *out)
{
    const td_kernels *k = eval->kernels;
    k->inertias(eval->tree, eval->scratch);
    k->energies(eval->tree, eval->scratch, moving_only, out);
}

void td_eval_add_spring_energy(const td_eval *eval, const void *q, void *out)
{
    eval->kernels->spring_energy(eval->tree, eval->scratch, q, out);
    eval->kernels->loop_energy(eval->tree, &eval->closure->loops, eval->scratch, q, out);
}

void td_eval_loaded_force(const td_eval *eval, const void *q, const void *qd, const void *qdd,
                          const td_forces *forces, bool have_poses, void *tau)
{
    const td_tree *tree = eval->tree;
    if (!have_poses && td_eval_needs_poses(eval, forces)) {
        eval->kernels->poses(tree, eval->scratch, q, TD_EVERY_LINK, true);
        have_poses = true;
    }
    const td_motion_inputs in = {q, qd, qdd, .posed = have_poses,
                                 .loaded = td_eval_load(eval, qd, forces)};
    eval->kernels->rnea(tree, eval->scratch, &in, tau);
    if (forces->passive) {
        td_eval_passive(eval, q, qd, forces, tau);
        eval->kernels->rotors(tree, qdd, tau);
    }
}
