/* SPDX-License-Identifier: MIT */
/*
 * MuJoCo, by the functions that its pipeline is made of: each operation calls those that it needs
 * and no others. Collisions, limits and friction are off, and damping is zero. There are two
 * variants: the dense way with mimic joints, as for all libraries, and MuJoCo's own, equality
 * constraints between joints, which it solves by iteration and leaves a little soft (mj_forward).
 */
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "peer.h"

enum { DENSE, EQUALITY };

typedef struct mujoco {
    const bench_robot *robot;
    int variant;
    mjModel *m;
    mjData *d;
    size_t *dof; /* of every joint of the robot */
    int *body;   /* likewise */
    double *q, *qd, *qdd, *tau, *tau_y, *x;
    double *jacobians;          /* joints × 6 × joints */
    double *H, *C, *room, *ydd; /* for the dense way, and its result */
} mujoco;

static void mujoco_close(void *self)
{
    mujoco *p = self;
    mj_deleteData(p->d);
    mj_deleteModel(p->m);
    free(p->dof), free(p->body);
    free(p->q), free(p->qd), free(p->qdd), free(p->tau), free(p->tau_y), free(p->x);
    free(p->jacobians), free(p->H), free(p->C), free(p->room), free(p->ydd);
    free(p);
}

/* ---- loading --------------------------------------------------------------------------------- */

/* The model of the tree once more, with an equality for every dependent joint. MuJoCo's reader of
   URDF knows none, so its own format is the way. */
static mjModel *add_equalities(const bench_robot *r, mjModel *tree, char *error, int size)
{
    char plain[4096], coupled[4096], line[4096];
    snprintf(plain, sizeof plain, "%s/plain.xml", r->scratch);
    snprintf(coupled, sizeof coupled, "%s/coupled.xml", r->scratch);
    mj_saveLastXML(plain, tree, error, size);
    mj_deleteModel(tree);
    FILE *from = fopen(plain, "r"), *to = fopen(coupled, "w");
    if (!from || !to) {
        perror(r->scratch);
        exit(2);
    }
    while (fgets(line, sizeof line, from))
        if (!strstr(line, "</mujoco>"))
            fputs(line, to);
    fputs("<equality>\n", to);
    for (size_t i = 0; i < r->joints; i++) {
        size_t k = r->row[i];
        if (r->row[i + 1] != k + 1 || r->independent_joint[r->column[k]] == i)
            continue;
        fprintf(to,
                "<joint joint1=\"%s\" joint2=\"%s\" polycoef=\"%.17g %.17g 0 0 0\" "
                "solimp=\"0.9999 0.9999 0.001 0.5 2\"/>\n",
                r->joint[i], r->joint[r->independent_joint[r->column[k]]], r->offset[i],
                r->value[k]);
    }
    fputs("</equality>\n</mujoco>\n", to);
    fclose(from), fclose(to);
    mjModel *m = mj_loadXML(coupled, NULL, error, size);
    return m;
}

static mjModel *load(const bench_robot *r, int variant, const char **why)
{
    static char error[256];
    mjModel *m = mj_loadXML(r->tree, NULL, error, sizeof error);
    if (m && variant == EQUALITY)
        m = add_equalities(r, m, error, sizeof error);
    *why = error;
    if (!m)
        return NULL;
    m->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_LIMIT | mjDSBL_FRICTIONLOSS;
    m->opt.gravity[0] = m->opt.gravity[1] = 0;
    m->opt.gravity[2] = -9.81;
    return m;
}

/* rows of the robot's order in MuJoCo's */
static double *reordered(const mujoco *p, const double *rows)
{
    size_t n = p->robot->joints, states = p->robot->states;
    double *x = allocate(n * states, sizeof *x);
    for (size_t i = 0; i < states; i++)
        for (size_t j = 0; j < n; j++)
            x[i * n + p->dof[j]] = rows[i * n + j];
    return x;
}

/* the forces along y, at the independent joints */
static double *placed(const mujoco *p)
{
    const bench_robot *r = p->robot;
    size_t n = r->joints, k = r->independent;
    double *x = allocate(n * r->states, sizeof *x);
    for (size_t i = 0; i < r->states; i++)
        for (size_t j = 0; j < k; j++)
            x[i * n + p->dof[r->independent_joint[j]]] = r->tau_y[i * k + j];
    return x;
}

static void *mujoco_open(const bench_robot *r, int variant, const char **why)
{
    if (variant == EQUALITY && r->independent == r->joints) {
        *why = "no mimic joints";
        return NULL;
    }
    mjModel *m = load(r, variant, why);
    size_t n = r->joints;
    if (!m)
        return NULL;
    mujoco *p = allocate(1, sizeof *p);
    p->robot = r, p->variant = variant, p->m = m, p->d = mj_makeData(m);
    p->dof = allocate(n, sizeof *p->dof), p->body = allocate(n, sizeof *p->body);
    for (size_t i = 0; i < n; i++) {
        int joint = mj_name2id(m, mjOBJ_JOINT, r->joint[i]);
        if (joint < 0 || (size_t)m->nv != n) {
            *why = "it has other joints";
            mujoco_close(p);
            return NULL;
        }
        p->dof[i] = (size_t)m->jnt_dofadr[joint];
        p->body[i] = m->jnt_bodyid[joint];
    }
    p->q = reordered(p, r->q), p->qd = reordered(p, r->qd);
    p->qdd = reordered(p, r->qdd), p->tau = reordered(p, r->tau);
    p->tau_y = placed(p);
    p->x = allocate(n, sizeof *p->x), p->C = allocate(n, sizeof *p->C);
    p->jacobians = allocate(6 * n * n, sizeof *p->jacobians);
    p->H = allocate(n * n, sizeof *p->H);
    p->room = allocate(n * n, sizeof *p->room), p->ydd = allocate(n, sizeof *p->ydd);
    return p;
}

/* ---- operations ------------------------------------------------------------------------------ */

static bool mujoco_offers(const void *self, operation op)
{
    const mujoco *p = self;
    return p->variant == EQUALITY ? op == OP_COUPLED
                                  : op != OP_COUPLED || p->robot->independent < p->robot->joints;
}

static void positions(mujoco *p)
{
    mj_kinematics(p->m, p->d);
    mj_comPos(p->m, p->d);
}

static void jacobian(mujoco *p, size_t joint, double *J)
{
    mj_jacBody(p->m, p->d, J + 3 * p->robot->joints, J, p->body[joint]);
}

/* q̈ = H⁻¹ (tau − C) */
static void forward(mujoco *p, const double *tau)
{
    int n = p->m->nv;
    positions(p);
    mj_crb(p->m, p->d);
    mj_factorM(p->m, p->d);
    mj_comVel(p->m, p->d);
    mj_rne(p->m, p->d, 0, p->C);
    for (int i = 0; i < n; i++)
        p->C[i] = tau[i] - p->C[i];
    mj_solveM(p->m, p->d, p->x, p->C, 1);
}

static void coupled(mujoco *p, size_t state)
{
    const bench_robot *r = p->robot;
    positions(p);
    mj_crb(p->m, p->d);
    mj_comVel(p->m, p->d);
    mj_rne(p->m, p->d, 0, p->C);
    mj_fullM(p->m, p->H, p->d->qM);
    dense_forward(r, p->dof, p->H, p->C, r->tau_y + state * r->independent, p->room, p->ydd);
}

static void run_one(mujoco *p, operation op, size_t state)
{
    size_t n = p->robot->joints, bytes = n * sizeof(double);
    memcpy(p->d->qpos, p->q + state * n, bytes);
    memcpy(p->d->qvel, p->qd + state * n, bytes);
    switch (op) {
    case OP_FK:
        mj_kinematics(p->m, p->d);
        break;
    case OP_JACOBIAN:
        positions(p);
        jacobian(p, p->robot->farthest, p->jacobians);
        break;
    case OP_JACOBIANS:
        positions(p);
        for (size_t i = 0; i < n; i++)
            jacobian(p, i, p->jacobians + 6 * n * i);
        break;
    case OP_COLUMNS:
        positions(p);
        break;
    case OP_RNEA:
        memcpy(p->d->qacc, p->qdd + state * n, bytes);
        positions(p);
        mj_comVel(p->m, p->d);
        mj_rne(p->m, p->d, 1, p->x);
        break;
    case OP_CRBA:
        positions(p);
        mj_crb(p->m, p->d);
        break;
    case OP_SOLVE:
        positions(p);
        mj_crb(p->m, p->d);
        mj_factorM(p->m, p->d);
        mj_solveM(p->m, p->d, p->x, p->tau + state * n, 1);
        break;
    case OP_ABA:
        forward(p, p->tau + state * n);
        break;
    default:
        if (p->variant == EQUALITY) {
            memcpy(p->d->qfrc_applied, p->tau_y + state * n, bytes);
            mj_forward(p->m, p->d);
        } else {
            coupled(p, state);
        }
    }
}

static void mujoco_run(void *self, operation op, size_t first, size_t n)
{
    for (size_t i = first; i < first + n; i++)
        run_one(self, op, i);
}

/* ---- results --------------------------------------------------------------------------------- */

static void poses(const mujoco *p, double *out)
{
    for (size_t i = 0; i < p->robot->joints; i++)
        for (int row = 0; row < 3; row++) {
            const double *R = p->d->xmat + 9 * p->body[i], *x = p->d->xpos + 3 * p->body[i];
            memcpy(out + 12 * i + 4 * row, R + 3 * row, 3 * sizeof *out);
            out[12 * i + 4 * (size_t)row + 3] = x[row];
        }
}

/* cdof, which is about the centre of mass of the tree that the joint is in */
static void columns(const mujoco *p, double *out)
{
    size_t n = p->robot->joints;
    for (size_t i = 0; i < n; i++) {
        const double *x = p->d->cdof + 6 * p->dof[i];
        const double *c = p->d->subtree_com + 3 * p->m->body_rootid[p->body[i]];
        for (size_t row = 0; row < 6; row++)
            out[row * n + i] = x[row];
        out[3 * n + i] += c[1] * x[2] - c[2] * x[1];
        out[4 * n + i] += c[2] * x[0] - c[0] * x[2];
        out[5 * n + i] += c[0] * x[1] - c[1] * x[0];
    }
}

static void mujoco_result(const void *self, operation op, double *out)
{
    const mujoco *p = self;
    const bench_robot *r = p->robot;
    size_t n = r->joints, rows = op == OP_JACOBIAN ? 6 : op == OP_JACOBIANS ? 6 * n : 0;
    if (op == OP_FK || op == OP_COLUMNS)
        poses(p, out);
    if (op == OP_COLUMNS)
        columns(p, out + 12 * n);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < n; j++)
            out[i * n + j] = p->jacobians[i * n + p->dof[j]];
    if (op == OP_CRBA)
        mj_fullM(p->m, p->H, p->d->qM);
    for (size_t i = 0; op == OP_CRBA && i < n; i++)
        for (size_t j = 0; j < n; j++)
            out[i * n + j] = p->H[p->dof[i] * n + p->dof[j]];
    for (size_t i = 0; (op == OP_RNEA || op == OP_SOLVE || op == OP_ABA) && i < n; i++)
        out[i] = p->x[p->dof[i]];
    for (size_t i = 0; op == OP_COUPLED && i < r->independent; i++)
        out[i] = p->variant == EQUALITY ? p->d->qacc[p->dof[r->independent_joint[i]]] : p->ydd[i];
}

const peer peer_mujoco = {
    "mujoco", mujoco_open, mujoco_offers, mujoco_run, mujoco_result, mujoco_close,
};
