/* SPDX-License-Identifier: MIT */
/*
 * tandem itself, behind the same interface as the other libraries. A variant is an instruction set,
 * with single calls or batches. Tree operations use the tree's coordinates q, as the others do.
 */
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "peer.h"
#include "tandem/tandem.h"

static const char *const sets[] = {"baseline", "avx2", "avx512"};

/* Batches are split so that the results stay in the cache, as they do for the other libraries. */
enum { MOST_SLICE = 64, LEAST_SLICE = 16, SLICE_NUMBERS = 16384 };

typedef struct tandem {
    const bench_robot *robot;
    td_model *model;
    td_workspace *w, *tree; /* in independent coordinates, in tree coordinates */
    bool batch;
    size_t links, slice, last; /* states in the last slice that was computed */
    size_t *link;              /* of every joint */
    int *above;                /* the joint above every joint, −1 for none */
    double *out, *factors;     /* factors: of the states of a slice */
    size_t entries;            /* of each */
    double *columns, *poses;
} tandem;

static td_model *load(const bench_robot *r, const char *set)
{
    td_model *model = NULL;
    setenv("TANDEM_ISA", set, 1);
    td_load_urdf(r->file, NULL, NULL, &model);
    unsetenv("TANDEM_ISA");
    return model;
}

static void tandem_close(void *self)
{
    tandem *t = self;
    td_workspace_free(t->w);
    td_workspace_free(t->tree);
    td_model_free(t->model);
    free(t->link), free(t->above);
    free(t->out), free(t->factors), free(t->columns), free(t->poses);
    free(t);
}

/* the next joint that moves above the one that carries a link; joints are numbered as in q̇ */
static int joint_above(const td_model *model, size_t link)
{
    size_t joint = td_link_parent_joint(model, link);
    do
        joint = td_joint_place_at(model, joint).parent_joint;
    while (joint != TD_NONE && td_joint_place_at(model, joint).nv == 0);
    return joint == TD_NONE ? -1 : (int)td_joint_place_at(model, joint).qd;
}

static void *tandem_open(const bench_robot *r, int variant, const char **why)
{
    td_model *model = load(r, sets[variant / 2]);
    if (!model) {
        *why = "not on this machine";
        return NULL;
    }
    tandem *t = allocate(1, sizeof *t);
    size_t n = r->joints, most = n * n; /* numbers for a state; for Jacobians 6 n² in all */
    *t = (tandem){.robot = r, .model = model, .batch = variant % 2 != 0};
    t->links = td_link_count(model);
    most = most > 12 * t->links ? most : 12 * t->links;
    size_t slice = SLICE_NUMBERS / (n * n) / LEAST_SLICE * LEAST_SLICE;
    t->slice = slice < LEAST_SLICE ? LEAST_SLICE : slice > MOST_SLICE ? MOST_SLICE : slice;
    td_workspace_new(model, NULL, &t->w);
    td_workspace_new(model, NULL, &t->tree);
    td_use_coordinates(t->tree, TD_COORDINATES_TREE);
    t->out = allocate(t->slice * most, sizeof *t->out);
    t->entries = td_packed_entries(t->model, TD_COORDINATES_TREE);
    t->factors = allocate(t->slice * t->entries, sizeof *t->factors);
    t->columns = allocate(t->slice * 6 * n, sizeof *t->columns);
    t->poses = allocate(t->slice * 12 * t->links, sizeof *t->poses);
    t->link = allocate(n, sizeof *t->link);
    t->above = allocate(n, sizeof *t->above);
    for (size_t i = 0; i < n; i++) {
        t->link[i] = td_link_index(model, r->link[i]);
        t->above[i] = joint_above(model, t->link[i]);
    }
    return t;
}

static bool tandem_offers(const void *self, operation op)
{
    const tandem *t = self;
    return op != OP_COUPLED || t->robot->independent < t->robot->joints;
}

/* Fills dense Jacobians of all joints' links at their origins from the columns and poses of one
   state of the slice, as a user of td_motion_subspaces would, one state at a time like the other
   libraries. */
static void gather_jacobians(tandem *t, size_t state)
{
    size_t n = t->robot->joints;
    const double *columns = t->columns + state * 6 * n, *poses = t->poses + state * 12 * t->links;
    for (size_t joint = 0; joint < n; joint++) {
        const double *P = poses + 12 * t->link[joint], p[3] = {P[3], P[7], P[11]};
        double *J = t->out + joint * 6 * n;
        memset(J, 0, 6 * n * sizeof *J);
        for (int above = (int)joint; above >= 0; above = t->above[above]) {
            const double *x = columns + above;
            double *to = J + above;
            double wx = x[0], wy = x[n], wz = x[2 * n];
            to[0] = wx, to[n] = wy, to[2 * n] = wz;
            to[3 * n] = x[3 * n] + wy * p[2] - wz * p[1];
            to[4 * n] = x[4 * n] + wz * p[0] - wx * p[2];
            to[5 * n] = x[5 * n] + wx * p[1] - wy * p[0];
        }
    }
}

static void run_one(tandem *t, operation op, size_t i)
{
    const bench_robot *r = t->robot;
    size_t n = r->joints, k = r->independent;
    const double *q = r->q + i * n, *qd = r->qd + i * n, *tau = r->tau + i * n;
    switch (op) {
    case OP_FK:
        td_link_poses(t->model, t->tree, q, t->out);
        break;
    case OP_JACOBIAN:
        td_link_jacobian(t->model, t->tree, t->link[r->farthest], NULL, q, TD_FRAME_ALIGNED,
                         t->out);
        break;
    case OP_JACOBIANS:
        td_motion_subspaces(t->model, t->tree, q, TD_FRAME_WORLD, t->columns, t->poses);
        gather_jacobians(t, 0);
        break;
    case OP_COLUMNS:
        td_motion_subspaces(t->model, t->tree, q, TD_FRAME_WORLD, t->columns, t->poses);
        break;
    case OP_RNEA:
        td_inverse_dynamics(t->model, t->tree, q, qd, r->qdd + i * n, NULL, t->out);
        break;
    case OP_CRBA:
        td_mass_matrix(t->model, t->tree, q, NULL, t->out);
        break;
    case OP_SOLVE:
        td_mass_matrix_factors(t->model, t->tree, q, NULL, t->factors);
        td_factors_solve(t->model, t->tree, t->factors, 1, tau, t->out);
        break;
    case OP_ABA:
        td_forward_dynamics(t->model, t->tree, q, qd, tau, NULL, t->out);
        break;
    default:
        td_forward_dynamics(t->model, t->w, r->y + i * k, r->yd + i * k, r->tau_y + i * k, NULL,
                            t->out);
    }
}

/* n states from the i-th on */
static void run_slice(tandem *t, operation op, size_t i, size_t count)
{
    const bench_robot *r = t->robot;
    size_t n = r->joints, k = r->independent;
    const double *q = r->q + i * n, *qd = r->qd + i * n, *tau = r->tau + i * n;
    switch (op) {
    case OP_FK:
        td_batch_link_poses(t->model, t->tree, count, q, t->out, NULL);
        break;
    case OP_JACOBIAN:
        td_batch_link_jacobian(t->model, t->tree, count, t->link[r->farthest], NULL, q,
                               TD_FRAME_ALIGNED, t->out, NULL);
        break;
    case OP_JACOBIANS:
        td_batch_motion_subspaces(t->model, t->tree, count, q, TD_FRAME_WORLD, t->columns, t->poses,
                                  NULL);
        for (size_t state = 0; state < count; state++)
            gather_jacobians(t, state);
        break;
    case OP_COLUMNS:
        td_batch_motion_subspaces(t->model, t->tree, count, q, TD_FRAME_WORLD, t->columns, t->poses,
                                  NULL);
        break;
    case OP_RNEA:
        td_batch_inverse_dynamics(t->model, t->tree, count, q, qd, r->qdd + i * n, NULL, t->out,
                                  NULL);
        break;
    case OP_CRBA:
        td_batch_mass_matrix(t->model, t->tree, count, q, NULL, t->out, NULL);
        break;
    case OP_SOLVE:
        td_batch_mass_matrix_factors(t->model, t->tree, count, q, NULL, t->factors, NULL);
        for (size_t state = 0; state < count; state++)
            td_factors_solve(t->model, t->tree, t->factors + state * t->entries, 1, tau + state * n,
                             t->out + state * n);
        break;
    case OP_ABA:
        td_batch_forward_dynamics(t->model, t->tree, count, q, qd, tau, NULL, t->out, NULL);
        break;
    default:
        td_batch_forward_dynamics(t->model, t->w, count, r->y + i * k, r->yd + i * k,
                                  r->tau_y + i * k, NULL, t->out, NULL);
    }
}

static void tandem_run(void *self, operation op, size_t first, size_t n)
{
    tandem *t = self;
    size_t end = first + n;
    if (!t->batch)
        for (size_t i = first; i < end; i++)
            run_one(t, op, i);
    for (size_t i = first; t->batch && i < end; i += t->slice) {
        t->last = end - i < t->slice ? end - i : t->slice;
        run_slice(t, op, i, t->last);
    }
}

static void copy_poses(const tandem *t, const double *poses, double *out)
{
    for (size_t i = 0; i < t->robot->joints; i++)
        memcpy(out + 12 * i, poses + 12 * t->link[i], 12 * sizeof *out);
}

static void tandem_result(const void *self, operation op, double *out)
{
    const tandem *t = self;
    size_t n = t->robot->joints, state = t->batch ? t->last - 1 : 0;
    if (op == OP_FK) {
        copy_poses(t, t->out + state * 12 * t->links, out);
    } else if (op == OP_COLUMNS) {
        copy_poses(t, t->poses + state * 12 * t->links, out);
        memcpy(out + 12 * n, t->columns + state * 6 * n, 6 * n * sizeof *out);
    } else if (op == OP_JACOBIANS) {
        memcpy(out, t->out, 6 * n * n * sizeof *out);
    } else {
        size_t columns = op == OP_CRBA       ? n * n
                         : op == OP_JACOBIAN ? 6 * n
                         : op == OP_COUPLED  ? t->robot->independent
                                             : n;
        memcpy(out, t->out + state * columns, columns * sizeof *out);
    }
}

const peer peer_tandem = {
    "tandem", tandem_open, tandem_offers, tandem_run, tandem_result, tandem_close,
};
