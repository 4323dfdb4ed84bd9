/* SPDX-License-Identifier: MIT */
/*
 * Sequences of kernels.
 */
#include "run/run.h"

#include <string.h>

#include "base/sized.h"

/* whether the call's coordinates leave loops to be solved */
static bool solves_loops(const td_run *run)
{
    return !td_run_is_tree(run) && run->model->closure.loops.solved;
}

static bool failed(const td_run *run)
{
    double code[TD_MOST_LANES];
    run->kernels->store(code, run->scratch->outcome, 1, run->kernels->lanes);
    for (size_t i = 0; i < run->kernels->lanes; i++)
        if (code[i] != 0)
            return true;
    return false;
}

/* from where the last state was, or else from the anchor; rows of a batch know only that */
static void solve_loops(const td_run *run, const void *y)
{
    const td_closure_map *closure = &run->model->closure;
    td_scratch from = *run->scratch;
    bool nearer = from.last && memcmp(from.last, from.anchor, closure->nw * sizeof *from.last) != 0;
    for (int k = nearer ? 0 : 1; k < 2; k++) {
        from.start = k == 0 ? from.last : from.anchor;
        run->kernels->close(run->tree, &closure->loops, &closure->position, closure->offset,
                            &closure->rate, &closure->velocity, &from, y);
        if (!from.last)
            return;
        if (!failed(run)) {
            run->kernels->store(from.last, from.w, closure->nw, 1);
            return;
        }
    }
}

/* the entries of w that are y */
static void spread_independent(const td_run *run, const void *y)
{
    const td_model *model = run->model;
    const size_t real = run->kernels->real_size;
    for (size_t k = 0; k < model->independent_count; k++) {
        int joint = model->independent[k];
        const td_joint_place *place = &model->place[joint];
        const char *from = (const char *)y + (size_t)place->y * real;
        char *to = (char *)run->scratch->w + (size_t)model->closure.w[joint] * real;
        if (!place->dependents) {
            run->kernels->copy(to, from, (size_t)place->nq);
            continue;
        }
        for (int i = 0; i < place->nq; i++, to += real)
            if (!td_position_is_dependent(place, i)) {
                run->kernels->copy(to, from, 1);
                from += real;
            }
    }
}

const void *td_run_position_of_y(const td_run *run, const void *y)
{
    const td_closure_map *closure = &run->model->closure;
    const void *w = y;
    if (solves_loops(run)) {
        solve_loops(run, y);
        spread_independent(run, y);
        w = run->scratch->w;
    }
    run->kernels->affine(&closure->position, closure->offset, w, run->scratch->q);
    return run->scratch->q;
}

/* G times a velocity or acceleration */
static const void *tree_rate(const td_run *run, const void *yd, void *room)
{
    if (!yd)
        return run->scratch->zeros;
    run->kernels->rates(&run->model->closure.velocity, run->scratch->G, yd, room);
    return room;
}

const void *td_run_velocity_of_yd(const td_run *run, const void *yd)
{
    const void *qd = tree_rate(run, yd, run->scratch->qd);
    if (solves_loops(run)) {
        const td_closure_map *closure = &run->model->closure;
        const td_scratch *s = run->scratch;
        run->kernels->close_rates(run->tree, &closure->loops, &closure->rate, &closure->velocity, s,
                                  qd);
        if (yd)
            run->kernels->rates(&closure->velocity, s->G_rate, yd, s->g);
        else
            run->kernels->clear(s->g, run->tree->nv);
    }
    return qd;
}

const void *td_run_drift(const td_run *run)
{
    return solves_loops(run) ? run->scratch->g : run->scratch->zeros;
}

const void *td_run_acceleration_of_ydd(const td_run *run, const void *ydd)
{
    if (!ydd)
        return td_run_drift(run);
    const void *qdd = tree_rate(run, ydd, run->scratch->qdd);
    if (solves_loops(run))
        run->kernels->add(run->scratch->qdd, run->scratch->g, run->tree->nv);
    return qdd;
}

void td_run_motions(const td_run *run, const void *y, const void *yd, const void *ydd, int link)
{
    td_run_poses(run, y, link, true);
    const void *qd = td_run_velocity(run, yd); /* first: accelerations need its drift */
    run->kernels->motions(run->tree, run->scratch, qd, td_run_acceleration(run, ydd), link);
}

const void *td_run_motors(const td_run *run, const void *q)
{
    const td_closure_map *closure = &run->model->closure;
    const td_actuation_map *map = &run->model->actuation;
    const td_scratch *s = run->scratch;
    if (closure->loops.solved)
        run->kernels->gather(s->M_u, s->G, map->entry, map->entries);
    if (map->loops.count)
        run->kernels->loop_motors(run->tree, &closure->loops, &map->loops, &closure->velocity, s, q,
                                  s->G, s->M_u);
    return s->M_u;
}

void *td_run_matrix_room(const td_run *run, void *out)
{
    return td_run_is_tree(run) ? out : run->scratch->matrix;
}

void td_run_times_G(const td_run *run, size_t rows, void *out)
{
    if (!td_run_is_tree(run))
        run->kernels->times_sparse(run->scratch->matrix, rows, &run->model->closure.velocity,
                                   run->scratch->G, out);
}

/* from that of the tree */
static void reduce_mass(const td_run *run)
{
    const td_model *model = run->model;
    if (!td_run_is_tree(run))
        run->kernels->scatter(&model->closure.scatter, run->scratch->G, run->scratch->mass,
                              run->scratch->reduced, model->closure.pattern.entries);
}

void td_run_mass(const td_run *run, bool rotors)
{
    const td_kernels *k = run->kernels;
    k->composites(run->tree, run->scratch);
    k->crba(run->tree, run->scratch, rotors);
    reduce_mass(run);
}

static bool is_dense(const td_run *run)
{
    const td_kernels *k = run->kernels;
    return k->dense_mass && td_run_is_tree(run) && (k->lanes == 1 || run->tree->deep);
}

void td_run_put_mass(const td_run *run, bool rotors, size_t output)
{
    const td_kernels *k = run->kernels;
    const td_tree *tree = run->tree;
    td_rows *rows = run->rows;
    if (!is_dense(run)) {
        td_run_mass(run, rotors);
        return;
    }
    k->composites(tree, run->scratch);
    if (!rows->at[output])
        return;
    rows->written |= 1U << output;
    rows->finite &= k->dense_mass(tree, run->scratch, rotors, rows->at[output], rows->count);
}

void td_run_mass_at(const td_run *run, const void *q, bool placed, bool rotors)
{
    const td_kernels *k = run->kernels;
    const td_tree *tree = run->tree;
    if (!td_run_mass_by_hinges(run)) {
        k->poses(tree, run->scratch, q, TD_EVERY_LINK, true);
        td_run_mass(run, rotors);
        return;
    }
    k->hinged_mass(tree, run->scratch, q, placed, rotors);
    reduce_mass(run);
}

void *td_run_matrix(const td_run *run)
{
    return td_run_is_tree(run) ? run->scratch->mass : run->scratch->reduced;
}

const td_pattern *td_run_pattern(const td_run *run)
{
    return td_run_is_tree(run) ? &run->tree->pattern : &run->model->closure.pattern;
}

/* whether an acceleration that is given stops it */
static bool is_given(const td_idle_motion *motion, const unsigned char *given)
{
    for (size_t i = 0; given && i < motion->count; i++)
        if (given[motion->velocity[i]])
            return true;
    return false;
}

/* whether it moves what the workspace has changed */
static bool is_loaded(const td_run *run, const td_idle_motion *motion)
{
    if (run->tree->body == run->model->tree.body)
        return false;
    for (size_t i = 0; i < motion->bodies; i++) {
        const td_body *now = &run->tree->body[motion->body[i]];
        const td_body *own = &run->model->tree.body[motion->body[i]];
        if (now->mass != own->mass || memcmp(&now->moment, &own->moment, sizeof now->moment) ||
            memcmp(&now->inertia, &own->inertia, sizeof now->inertia))
            return true;
    }
    return false;
}

void td_run_refuse_idle(const td_run *run, const unsigned char *given, bool rotors)
{
    const td_idle *idle = td_run_is_tree(run) ? &run->model->idle_tree : &run->model->idle;
    double last = -1; /* of their first velocities: the pivot that vanishes before all others */
    for (size_t m = 0; m < idle->count; m++) {
        const td_idle_motion *motion = &idle->motion[m];
        const bool resisted = (rotors && motion->rotors) || is_given(motion, given);
        if (!resisted && !is_loaded(run, motion) && motion->velocity[0] > last)
            last = motion->velocity[0];
    }
    if (last >= 0)
        run->kernels->spread(run->scratch->singular, &last, 1);
}

/* What a pivot must exceed of the sum that it is left of: six of sixteen digits stay with mimic
   joints and couplings alone. The G of a loop has itself lost digits where it is large. */
static const double tree_digits = 1e-10, loop_digits = 1e-8;

static void examine(const td_run *run)
{
    const td_tree *tree = run->tree;
    const td_closure_map *closure = &run->model->closure;
    const td_scratch *s = run->scratch;
    void *room = s->effort; /* of forces, which are summed up before */
    if (td_run_is_tree(run) && tree->suspects)
        run->kernels->examine(&tree->pattern, s->mass, tree->suspect, tree->suspects, tree_digits,
                              room, s->singular);
    if (!td_run_is_tree(run) && closure->suspects)
        run->kernels->examine(&closure->pattern, s->reduced, closure->suspect, closure->suspects,
                              loop_digits, room, s->singular);
}

void td_run_factor(const td_run *run, const unsigned char *given, bool rotors)
{
    run->kernels->factor(td_run_pattern(run), td_run_matrix(run), run->scratch->singular);
    examine(run);
    td_run_refuse_idle(run, given, rotors);
}

void td_run_doubt(const td_run *run, const void *q, const unsigned char *given, bool rotors)
{
    const td_tree *tree = run->tree;
    const td_scratch *s = run->scratch;
    if (tree->suspects) {
        td_run_mass_at(run, q, false, rotors);
        if (given)
            run->kernels->exclude(&tree->pattern, given, s->mass);
        run->kernels->factor(&tree->pattern, s->mass, s->outcome);
        examine(run);
    }
    td_run_refuse_idle(run, given, rotors);
}

void td_forces_init(td_forces *forces, size_t size_of)
{
    const td_forces ours = {.wrench_frame = TD_BODY, .friction_velocity = 1e-3};
    td_sized_write(forces, size_of, &ours, sizeof ours);
}

bool td_forces_take(const td_forces **forces, td_forces *room)
{
    if ((*forces)->size_of != sizeof **forces) {
        *room = td_forces_default();
        if (!td_sized_read(room, sizeof *room, *forces))
            return false;
        *forces = room;
    }
    return (unsigned)(*forces)->wrench_frame <= TD_WORLD_ALIGNED &&
           (*forces)->friction_velocity > 0;
}

bool td_run_needs_poses(const td_forces *forces)
{
    return forces && forces->wrenches && forces->wrench_frame != TD_BODY;
}

bool td_run_load(const td_run *run, const td_forces *forces)
{
    if (!forces || !forces->wrenches)
        return false;
    run->kernels->wrenches(run->tree, run->scratch, forces->wrenches, (int)forces->wrench_frame);
    return true;
}

void td_run_passive(const td_run *run, const void *q, const void *qd, const td_forces *forces,
                    void *tau)
{
    const td_tree *tree = run->tree;
    const double v = forces->friction_velocity;
    run->kernels->passive(tree, q, qd, v, tau);
    run->kernels->loop_passive(tree, &run->model->closure.loops, run->scratch, q, qd, v, tau);
}

void td_run_loaded_force(const td_run *run, const void *q, const void *qd, const void *qdd,
                         const td_forces *forces, bool have_poses, void *tau)
{
    const td_tree *tree = run->tree;
    if (!have_poses && td_run_needs_poses(forces)) {
        run->kernels->poses(tree, run->scratch, q, TD_EVERY_LINK, true);
        have_poses = true;
    }
    bool loaded = td_run_load(run, forces);
    run->kernels->rnea(tree, run->scratch, q, have_poses, qd, qdd, loaded, tau);
    if (forces->passive) {
        td_run_passive(run, q, qd, forces, tau);
        run->kernels->rotors(tree, qdd, tau);
    }
}
