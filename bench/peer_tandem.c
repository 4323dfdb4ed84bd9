/* SPDX-License-Identifier: MIT */
/*
 * tandem itself, through the same door as the others. A variant is an instruction set, and whether
 * states are computed one by one or as a batch, side by side. Tree operations work on the tree's
 * coordinates q, as those of the other libraries do.
 */
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "peer.h"
#include "tandem/tandem.h"

static const char *const sets[] = {"baseline", "avx2", "avx512"};

/* A batch is given in pieces whose results stay in the cache, as those of the others do. */
enum { MOST_SLICE = 64, LEAST_SLICE = 16, SLICE_NUMBERS = 16384 };

typedef struct tandem {
    const bench_robot *robot;
    td_model *model;
    td_workspace *w;
    bool batch;
    size_t links, slice, last; /* states in the last slice that was computed */
    size_t *link;              /* of every joint */
    double *out;
    size_t jacobian; /* numbers of the Jacobians of one link in a slice */
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
    td_model_free(t->model);
    free(t->link), free(t->out);
    free(t);
}

static void *tandem_open(const bench_robot *r, int variant, const char **why)
{
    td_model *model = load(r, sets[variant / 2]);
    if (!model) {
        *why = "not on this machine";
        return NULL;
    }
    tandem *t = allocate(1, sizeof *t);
    size_t n = r->joints, most = 6 * n * n;
    *t = (tandem){.robot = r, .model = model, .batch = variant % 2 != 0};
    t->links = td_link_count(model);
    most = most > 12 * t->links ? most : 12 * t->links;
    size_t slice = SLICE_NUMBERS / (n * n) / LEAST_SLICE * LEAST_SLICE;
    t->slice = slice < LEAST_SLICE ? LEAST_SLICE : slice > MOST_SLICE ? MOST_SLICE : slice;
    t->jacobian = t->slice * 6 * n;
    t->w = td_workspace_new(model);
    t->out = allocate(t->slice * most, sizeof *t->out);
    t->link = allocate(n, sizeof *t->link);
    for (size_t i = 0; i < n; i++)
        t->link[i] = (size_t)td_link_index(model, r->link[i]);
    return t;
}

static bool tandem_offers(const void *self, operation op)
{
    const tandem *t = self;
    return op != OP_COUPLED || t->robot->independent < t->robot->joints;
}

static void run_one(tandem *t, operation op, size_t i)
{
    const bench_robot *r = t->robot;
    size_t n = r->joints, k = r->independent;
    const double *q = r->q + i * n, *qd = r->qd + i * n, *tau = r->tau + i * n;
    switch (op) {
    case OP_FK:
        td_tree_link_poses(t->model, t->w, q, t->out);
        break;
    case OP_JACOBIAN:
        td_tree_link_jacobian(t->model, t->w, t->link[r->farthest], NULL, TD_WORLD_ALIGNED, q,
                              t->out);
        break;
    case OP_JACOBIANS:
        for (size_t j = 0; j < n; j++)
            td_tree_link_jacobian(t->model, t->w, t->link[j], NULL, TD_WORLD_ALIGNED, q,
                                  t->out + j * t->jacobian);
        break;
    case OP_RNEA:
        td_tree_inverse_dynamics(t->model, t->w, q, qd, r->qdd + i * n, NULL, t->out);
        break;
    case OP_CRBA:
        td_tree_mass_matrix(t->model, t->w, q, NULL, t->out);
        break;
    case OP_SOLVE:
        td_tree_mass_matrix_solve(t->model, t->w, q, tau, NULL, t->out);
        break;
    case OP_ABA:
        td_tree_forward_dynamics(t->model, t->w, q, qd, tau, NULL, t->out);
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
        td_batch_tree_link_poses(t->model, t->w, count, q, t->out, NULL);
        break;
    case OP_JACOBIAN:
        td_batch_tree_link_jacobian(t->model, t->w, count, t->link[r->farthest], NULL,
                                    TD_WORLD_ALIGNED, q, t->out, NULL);
        break;
    case OP_JACOBIANS:
        for (size_t j = 0; j < n; j++)
            td_batch_tree_link_jacobian(t->model, t->w, count, t->link[j], NULL, TD_WORLD_ALIGNED,
                                        q, t->out + j * t->jacobian, NULL);
        break;
    case OP_RNEA:
        td_batch_tree_inverse_dynamics(t->model, t->w, count, q, qd, r->qdd + i * n, NULL, t->out,
                                       NULL);
        break;
    case OP_CRBA:
        td_batch_tree_mass_matrix(t->model, t->w, count, q, NULL, t->out, NULL);
        break;
    case OP_SOLVE:
        td_batch_tree_mass_matrix_solve(t->model, t->w, count, q, tau, NULL, t->out, NULL);
        break;
    case OP_ABA:
        td_batch_tree_forward_dynamics(t->model, t->w, count, q, qd, tau, NULL, t->out, NULL);
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

static void tandem_result(const void *self, operation op, double *out)
{
    const tandem *t = self;
    size_t n = t->robot->joints, state = t->batch ? t->last - 1 : 0;
    if (op == OP_FK) {
        const double *poses = t->out + state * 12 * t->links;
        for (size_t i = 0; i < n; i++)
            memcpy(out + 12 * i, poses + 12 * t->link[i], 12 * sizeof *out);
    } else if (op == OP_JACOBIANS) {
        for (size_t i = 0; i < n; i++)
            memcpy(out + 6 * n * i, t->out + i * t->jacobian + state * 6 * n, 6 * n * sizeof *out);
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
