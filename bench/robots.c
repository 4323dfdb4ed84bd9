/* SPDX-License-Identifier: MIT */
/*
 * See robots.h.
 */
#include "robots.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

static char *path_in(const char *directory, const char *name, const char *suffix)
{
    char *path = NULL;
    return asprintf(&path, "%s/%s%s", directory, name, suffix) < 0 ? NULL : path;
}

bool chain_new(size_t joints, const char *scratch, char **file)
{
    char name[32];
    snprintf(name, sizeof name, "chain_%zu", joints);
    td_builder *builder;
    td_builder_new(name, &builder);
    for (size_t i = 0; i <= joints; i++) {
        char parent[24], child[24], joint_name[24];
        snprintf(parent, sizeof parent, "link%zu", i - 1);
        snprintf(child, sizeof child, "link%zu", i);
        snprintf(joint_name, sizeof joint_name, "joint%zu", i);
        td_link link = td_link_default(child);
        link.has_inertial = true;
        link.mass = 1;
        link.inertial.position[2] = 0.05;
        link.inertia[0] = link.inertia[3] = 2e-3;
        link.inertia[5] = 1e-3;
        td_builder_add_link(builder, &link);
        td_joint joint = td_joint_default(joint_name, TD_JOINT_CONTINUOUS, parent, child);
        joint.axis[0] = i % 3 == 1, joint.axis[1] = i % 3 == 2, joint.axis[2] = i % 3 == 0;
        joint.origin.position[2] = 0.1;
        if (i > 0)
            td_builder_add_joint(builder, &joint);
    }
    td_model *model = NULL;
    td_builder_finish(builder, NULL, NULL, &model);
    td_builder_free(builder);
    *file = path_in(scratch, name, ".urdf");
    bool good = model && *file && tree_write(model, *file);
    td_model_free(model);
    return good;
}

/* ---- states ---------------------------------------------------------------------------------- */

/* in −1 to 1, the same on every machine (splitmix64) */
static double random_number(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (double)(z >> 11) * 0x1p-52 - 1;
}

static double *numbers(size_t n, double scale, uint64_t *state)
{
    double *x = allocate(n, sizeof *x);
    for (size_t i = 0; i < n; i++)
        x[i] = scale * random_number(state);
    return x;
}

/* What a robot owns beside what it shows. */
typedef struct owner {
    bench_robot robot;
    td_model *model;
    char *name, *file, *tree, *scratch;
    const char **joint, **link;
    double *q, *qd, *qdd, *tau, *y, *yd, *tau_y;
    size_t *independent_joint;
} owner;

static void fill_states(owner *o)
{
    bench_robot *r = &o->robot;
    size_t n = r->joints, k = r->independent;
    uint64_t seed = 1;
    td_workspace *w;
    td_workspace_new(o->model, NULL, &w);
    o->y = numbers(r->states * k, 2, &seed), o->yd = numbers(r->states * k, 1, &seed);
    o->tau_y = numbers(r->states * k, 1, &seed);
    o->qdd = numbers(r->states * n, 1, &seed), o->tau = numbers(r->states * n, 1, &seed);
    o->q = allocate(r->states * n, sizeof *o->q);
    o->qd = allocate(r->states * n, sizeof *o->qd);
    for (size_t i = 0; i < r->states; i++)
        td_closure(o->model, w, o->y + i * k, o->yd + i * k, NULL, o->q + i * n, o->qd + i * n,
                   NULL);
    td_workspace_free(w);
    r->q = o->q, r->qd = o->qd, r->qdd = o->qdd, r->tau = o->tau;
    r->y = o->y, r->yd = o->yd, r->tau_y = o->tau_y;
}

static void fill_names(owner *o)
{
    bench_robot *r = &o->robot;
    o->joint = allocate(r->joints, sizeof *o->joint);
    o->link = allocate(r->joints, sizeof *o->link);
    o->independent_joint = allocate(r->independent, sizeof *o->independent_joint);
    for (size_t i = 0; i < r->joints; i++) {
        size_t joint = td_movable_joint(o->model, i);
        td_joint_place place = td_joint_place_at(o->model, joint);
        o->joint[place.q] = td_joint_at(o->model, joint)->name;
        o->link[place.q] = td_joint_at(o->model, joint)->child;
        if (place.y != TD_NONE)
            o->independent_joint[place.y] = place.q;
    }
    r->joint = o->joint, r->link = o->link, r->independent_joint = o->independent_joint;
}

static size_t movable_above(const td_model *model, size_t link)
{
    size_t count = 0;
    for (size_t joint; (joint = td_link_parent_joint(model, link)) != TD_NONE;) {
        td_joint_place place = td_joint_place_at(model, joint);
        count += place.nv > 0;
        link = place.parent_link;
    }
    return count;
}

static size_t farthest(const owner *o)
{
    size_t best = 0, most = 0;
    for (size_t i = 0; i < o->robot.joints; i++) {
        size_t link = td_link_index(o->model, o->link[i]);
        size_t above = movable_above(o->model, link);
        best = above >= most ? i : best;
        most = above >= most ? above : most;
    }
    return best;
}

bench_robot *robot_new(const char *file, const char *scratch, size_t states)
{
    td_model *model = NULL;
    if (td_load_urdf(file, NULL, NULL, &model) != TD_OK) {
        fprintf(stderr, "%s: does not load; 'tandem check' says why\n", file);
        return NULL;
    }
    if (td_nv(model) != td_movable_count(model) || td_nq(model) != td_nv(model)) {
        fprintf(stderr, "%s: has planar or floating joints, which not all libraries do\n", file);
        td_model_free(model);
        return NULL;
    }
    if (td_loop_cluster_count(model) > 0) {
        fprintf(stderr, "%s: has loops, which the other libraries do not close\n", file);
        td_model_free(model);
        return NULL;
    }
    owner *o = allocate(1, sizeof *o);
    bench_robot *r = &o->robot;
    const char *slash = strrchr(file, '/');
    o->model = model;
    o->name = strdup(slash ? slash + 1 : file);
    if (strlen(o->name) > 5 && strcmp(o->name + strlen(o->name) - 5, ".urdf") == 0)
        o->name[strlen(o->name) - 5] = 0;
    o->file = realpath(file, NULL);
    o->scratch = strdup(scratch);
    o->tree = path_in(scratch, o->name, ".tree.urdf");
    td_sparse G = td_closure_velocity_matrix(model);
    *r = (bench_robot){.name = o->name,
                       .file = o->file,
                       .tree = o->tree,
                       .scratch = o->scratch,
                       .joints = td_nv(model),
                       .independent = td_nyd(model),
                       .states = states,
                       .row = G.row,
                       .column = G.column,
                       .value = G.value,
                       .offset = td_closure_offset(model)};
    fill_names(o);
    r->farthest = farthest(o);
    fill_states(o);
    if (!tree_write(model, o->tree)) {
        perror(o->tree);
        robot_free(r);
        return NULL;
    }
    return r;
}

void robot_free(bench_robot *r)
{
    owner *o = (owner *)r;
    if (!o)
        return;
    free(o->name), free(o->file), free(o->tree), free(o->scratch);
    free(o->joint), free(o->link), free(o->independent_joint);
    free(o->q), free(o->qd), free(o->qdd), free(o->tau);
    free(o->y), free(o->yd), free(o->tau_y);
    td_model_free(o->model);
    free(o);
}
