/* SPDX-License-Identifier: MIT */
/*
 * Coordinate partitioning: the memory, what each coordinate may be, and in which lengths it counts.
 */
#include "partition.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory ---------------------------------------------------------------------------------- */

static void *zeros(size_t n, size_t size, bool *good)
{
    void *memory = calloc(n ? n : 1, size);
    *good &= memory != NULL;
    return memory;
}

static bool allocate(td_partition *p)
{
    bool good = true;
    const size_t n = p->nyd, nv = p->nv;
    double **const arrays[] = {&p->scale, &p->pivot, &p->first_pivot, &p->largest, &p->K,
                               &p->phi,   &p->q,     &p->step,        &p->drift,   &p->trial,
                               &p->next,  &p->G,     &p->H,           &p->HG,      &p->M,
                               &p->L,     &p->bias,  &p->right};
    const size_t lengths[] = {nv,      p->count, p->count, p->rows, p->rows * nv, p->rows,
                              p->nq,   nv,       nv,       p->nq,   p->nq,        nv * n,
                              nv * nv, nv * n,   n * n,    n * n,   nv,           n};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        *arrays[i] = zeros(lengths[i], sizeof(double), &good);
    size_t **const lists[] = {&p->kept, &p->q_of, &p->y_q,    &p->y_qd,      &p->u_q,
                              &p->u_qd, &p->row,  &p->column, &p->largest_at};
    const size_t counts[] = {
        p->ny + n + 2 * p->count, nv, p->ny, n, p->ny, n, p->count, p->count, p->rows};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        *lists[i] = zeros(counts[i], sizeof(size_t), &good);
    p->poses = zeros(12 * td_link_count(p->model), sizeof(double), &good);
    p->link = zeros(nv, sizeof *p->link, &good);
    p->part = zeros(nv, sizeof *p->part, &good);
    p->is_length = zeros(nv, sizeof *p->is_length, &good);
    unsigned char **const flags[] = {&p->kept_dependent, &p->dependent, &p->of_y,
                                     &p->allowed,        &p->pivoted,   &p->decided};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        *flags[i] = zeros(i < 5 ? nv : p->rows, 1, &good);
    return good;
}

void td_partition_free(td_partition *p)
{
    double *const arrays[] = {p->scale, p->pivot, p->first_pivot, p->largest, p->K,    p->phi,
                              p->q,     p->step,  p->drift,       p->trial,   p->next, p->G,
                              p->H,     p->HG,    p->M,           p->L,       p->bias, p->right};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
    size_t *const lists[] = {p->kept, p->q_of, p->y_q,    p->y_qd,      p->u_q,
                             p->u_qd, p->row,  p->column, p->largest_at};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        free(lists[i]);
    free(p->poses);
    free(p->link);
    free(p->part);
    free(p->is_length);
    unsigned char *const flags[] = {p->kept_dependent, p->dependent, p->of_y,
                                    p->allowed,        p->pivoted,   p->decided};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        free(flags[i]);
    memset(p, 0, sizeof *p);
}

/* ---- what each coordinate may be ------------------------------------------------------------- */

static bool measures_length(td_joint_type type, int k)
{
    return type == TD_JOINT_PRISMATIC || (type == TD_JOINT_PLANAR && k < 2) ||
           (type == TD_JOINT_FLOATING && k >= 3);
}

static void map_joint(td_partition *p, size_t joint, const unsigned char *given)
{
    const td_joint_place place = td_joint_place_at(p->model, joint);
    const td_joint_type type = td_joint_at(p->model, joint)->type;
    const bool floating = type == TD_JOINT_FLOATING;
    int y = place.y, yd = place.yd;
    for (int k = 0; k < place.nv; k++) {
        const size_t qd = (size_t)(place.qd + k);
        const bool depends = place.dependent || (place.dependents >> k & 1);
        p->link[qd] = (size_t)place.child_link;
        p->is_length[qd] = measures_length(type, k);
        p->q_of[qd] = (size_t)(place.q + k);
        p->part[qd] = depends && place.cluster < 0 ? TD_PART_FOLLOWS
                      : floating && depends        ? TD_PART_DECLINED
                      : floating                   ? TD_PART_STAYS
                                                   : TD_PART_FREE;
        if (depends)
            continue;
        if (given && given[yd])
            p->part[qd] = TD_PART_STAYS;
        if (!floating)
            p->y_q[y++] = (size_t)(place.q + k);
        p->y_qd[yd++] = qd;
    }
    for (int k = 0; k < place.ny && floating; k++)
        p->y_q[place.y + k] = (size_t)(place.q + k);
}

bool td_partition_make(td_partition *p, const td_model *model, td_workspace *w,
                       const unsigned char *given)
{
    *p = (td_partition){.model = model,
                        .w = w,
                        .ny = td_ny(model),
                        .nyd = td_nyd(model),
                        .nq = td_nq(model),
                        .nv = td_nv(model),
                        .rows = td_constraint_count(model),
                        .failed_loop = -1};
    p->count = p->nv - p->nyd;
    if (!allocate(p))
        return false;
    for (size_t i = 0; i < td_movable_count(model); i++)
        map_joint(p, (size_t)td_movable_joint(model, i), given);
    memset(p->of_y, 1, p->nv);
    for (size_t i = 0; i < p->nyd; i++)
        p->of_y[p->y_qd[i]] = 0;
    p->linear = p->rows;
    for (size_t i = 0; i < td_loop_count(model); i++) {
        const td_loop_place place = td_loop_place_at(model, i);
        if (place.constraint_count > 0 && (size_t)place.constraint < p->linear)
            p->linear = (size_t)place.constraint;
    }
    return true;
}

/* ---- lengths --------------------------------------------------------------------------------- */

static double distance(const double *pose, const double *other)
{
    return sqrt(pow(pose[3] - other[3], 2) + pow(pose[7] - other[7], 2) +
                pow(pose[11] - other[11], 2));
}

/* Half of the largest distance between the links that the joints in a row of K carry. */
static double size_of_row(const td_partition *p, const double *row)
{
    double size = 0;
    for (size_t a = 0; a < p->nv; a++)
        for (size_t b = 0; b < a && row[a] != 0; b++)
            if (row[b] != 0)
                size = fmax(size, distance(p->poses + 12 * p->link[a], p->poses + 12 * p->link[b]));
    return 0.5 * size;
}

/* A displacement counts by the size of the largest mechanism that it is in. */
void td_partition_measure(td_partition *p)
{
    for (size_t j = 0; j < p->nv; j++)
        p->scale[j] = 0;
    for (size_t i = p->linear; i < p->rows; i++) {
        const double *row = p->K + i * p->nv, size = size_of_row(p, row);
        for (size_t j = 0; j < p->nv; j++)
            if (p->is_length[j] && row[j] != 0)
                p->scale[j] = fmax(p->scale[j], size);
    }
    for (size_t j = 0; j < p->nv; j++)
        p->scale[j] = p->scale[j] > 0 ? p->scale[j] : 1;
}

double td_partition_worst(const td_partition *p, const double *G)
{
    double worst = 0;
    for (size_t i = 0; i < p->nv; i++) {
        if (p->part[i] != TD_PART_FREE)
            continue;
        for (size_t j = 0; j < p->nyd; j++)
            if (p->part[p->y_qd[j]] == TD_PART_FREE)
                worst = fmax(worst, fabs(G[i * p->nyd + j]) * p->scale[p->y_qd[j]] / p->scale[i]);
    }
    return worst;
}
