/* SPDX-License-Identifier: MIT */
/*
 * Inverse kinematics of reachable poses, starting from the reference configuration: counts the
 * poses that are reached and times the calls.
 *
 *   bench/ik [-n POSES] [-r REPEATS] [FILE LINK PART]...
 *
 * FILE is a URDF, or ur5, ur10e, iiwa14 by their dimensions. Poses come from random positions
 * within PART of the limits. Each call is timed REPEATS times, and the shortest time counts. Chains
 * without followers are also given to Orocos KDL if it is installed. Its solvers start at the
 * reference and, like ours, at up to 50 random positions after that.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ik_peer.h"
#include "measure.h"
#include "tandem/tandem.h"
#include "tandem/urdf.h"

enum { MOST_JOINTS = 64, RESTARTS = 50 };

/* ---- arms by their dimensions ---------------------------------------------------------------- */

/* Denavit and Hartenberg's a, d (m), α (quarter turns); the limit (degrees) */
typedef struct arm {
    const char *name;
    size_t joints;
    double numbers[7][4];
} arm;

static const arm arms[] = {
    {"ur5",
     6,
     {{0, 0.089159, 1, 360},
      {-0.425, 0, 0, 360},
      {-0.39225, 0, 0, 360},
      {0, 0.10915, 1, 360},
      {0, 0.09465, -1, 360},
      {0, 0.0823, 0, 360}}},
    {"ur10e",
     6,
     {{0, 0.1807, 1, 360},
      {-0.6127, 0, 0, 360},
      {-0.57155, 0, 0, 180},
      {0, 0.17415, 1, 360},
      {0, 0.11985, -1, 360},
      {0, 0.11655, 0, 360}}},
    {"iiwa14",
     7,
     {{0, 0.36, -1, 170},
      {0, 0, 1, 120},
      {0, 0.42, 1, 170},
      {0, 0, -1, 120},
      {0, 0.4, -1, 170},
      {0, 0, 1, 120},
      {0, 0.126, 0, 175}}},
};

static td_model *build(const arm *a)
{
    td_builder *builder;
    td_builder_new(a->name, &builder);
    for (size_t i = 0; i <= a->joints + 1; i++) {
        char name[16], parent[16];
        snprintf(name, sizeof name, "link%zu", i);
        snprintf(parent, sizeof parent, "link%zu", i - 1);
        const td_link link = td_link_default(name);
        td_builder_add_link(builder, &link);
        if (i == 0)
            continue;
        td_joint joint = td_joint_default(name, i > a->joints ? TD_JOINT_FIXED : TD_JOINT_REVOLUTE,
                                          parent, name);
        joint.axis[0] = 0, joint.axis[2] = 1;
        if (i > 1) {
            const double *x = a->numbers[i - 2], c = x[2] == 0, s = x[2];
            const double about[9] = {1, 0, 0, 0, c, -s, 0, s, c};
            joint.origin.position[0] = x[0], joint.origin.position[2] = x[1];
            memcpy(joint.origin.rotation, about, sizeof about);
        }
        if (i <= a->joints) {
            joint.limit.upper = a->numbers[i - 1][3] * acos(-1) / 180;
            joint.limit.lower = -joint.limit.upper;
            joint.limit.effort = joint.limit.velocity = 1;
        }
        td_builder_add_joint(builder, &joint);
    }
    td_model *model = NULL;
    td_builder_finish(builder, NULL, NULL, &model);
    td_builder_free(builder);
    return model;
}

static td_model *load(const char *file, const char **link)
{
    for (size_t i = 0; i < sizeof arms / sizeof *arms; i++)
        if (strcmp(arms[i].name, file) == 0) {
            td_model *model = build(&arms[i]);
            *link = model ? td_link_at(model, td_link_count(model) - 1)->name : *link;
            return model;
        }
    td_model *model = NULL;
    td_load_urdf(file, NULL, NULL, &model);
    return model;
}

/* ---- poses ----------------------------------------------------------------------------------- */

typedef struct poses {
    size_t n;
    double *frame, *target; /* 12, 7 each */
} poses;

/* positions of followers, and of what loops decide, within their limits */
static bool is_within(const td_model *model, const double *q)
{
    for (size_t i = 0; i < td_joint_count(model); i++) {
        const td_joint *joint = td_joint_at(model, i);
        const td_joint_place place = td_joint_place_at(model, i);
        if (td_joint_kind_of(joint->type)->bounded && place.nq == 1 &&
            (q[place.q] < joint->limit.lower || q[place.q] > joint->limit.upper))
            return false;
    }
    return true;
}

static poses draw(const td_model *model, td_workspace *w, size_t link, double part, size_t n)
{
    poses p = {0, allocate(12 * n, sizeof(double)), allocate(7 * n, sizeof(double))};
    double *y = allocate(td_ny(model), sizeof *y), *reference = allocate(td_ny(model), sizeof *y);
    double *q = allocate(td_nq(model), sizeof *q), *v = allocate(td_nyd(model), sizeof *v);
    double *all = allocate(12 * td_link_count(model), sizeof *all);
    uint64_t random = 7;
    memcpy(reference, td_reference(model, TD_COORDINATES_INDEPENDENT),
           td_ny(model) * sizeof *reference);
    for (size_t tries = 0; p.n < n && tries < 1000 * n; tries++) {
        td_random_configuration(model, TD_COORDINATES_INDEPENDENT, &random, y);
        td_difference(model, TD_COORDINATES_INDEPENDENT, reference, y, v);
        td_integrate(model, TD_COORDINATES_INDEPENDENT, reference, v, part, y);
        td_closure_start(model, w, NULL);
        if (td_closure(model, w, y, NULL, NULL, q, NULL, NULL) != TD_OK || !is_within(model, q) ||
            td_link_poses(model, w, y, all) != TD_OK)
            continue;
        memcpy(p.frame + 12 * p.n, all + 12 * link, 12 * sizeof *all);
        td_pose_split(all + 12 * link, p.target + 7 * p.n, p.target + 7 * p.n + 3);
        p.n++;
    }
    td_closure_start(model, w, NULL);
    free(y), free(reference), free(q), free(v), free(all);
    return p;
}

/* ---- ours ------------------------------------------------------------------------------------ */

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void say(const char *who, size_t n, size_t reached, double *us, const char *more)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += us[i];
    qsort(us, n, sizeof *us, by_size);
    printf("  %-12s %7.2f %% reached, mean %8.1f us, p99 %8.1f, longest %9.1f%s\n", who,
           100. * (double)reached / (double)n, sum / (double)n, us[n - 1 - n / 100], us[n - 1],
           more);
}

static void ours(const td_model *model, td_workspace *w, size_t link, const poses *p, int repeats)
{
    td_ik_goal goal = td_ik_goal_default(TD_IK_POSE, link);
    goal.tolerance = goal.turn_tolerance = 1e-5;
    td_ik *ik = NULL;
    double *us = allocate(p->n, sizeof *us), *y = allocate(td_ny(model), sizeof *y);
    size_t reached = 0, first = 0, evaluations = 0;
    if (td_ik_new(model, &goal, 1, NULL, &ik) != TD_OK)
        return;
    for (int repeat = 0; repeat < repeats; repeat++)
        for (size_t i = 0; i < p->n; i++) {
            td_ik_result result = {.size_of = sizeof result};
            const double begin = now_ns();
            td_ik_solve(ik, w, p->target + 7 * i, NULL, y, NULL, &result);
            const double took = 1e-3 * (now_ns() - begin);
            us[i] = repeat == 0 ? took : fmin(us[i], took);
            if (repeat > 0)
                continue;
            reached += result.status == TD_IK_STATUS_REACHED;
            first += result.status == TD_IK_STATUS_REACHED && result.starts <= 1;
            evaluations += result.evaluations;
        }
    char more[96];
    snprintf(more, sizeof more, "; %.1f %% from the reference, %.1f evaluations",
             100. * (double)first / (double)p->n, (double)evaluations / (double)p->n);
    say("tandem", p->n, reached, us, more);
    td_ik_free(ik);
    free(us), free(y);
}

/* ---- KDL's ----------------------------------------------------------------------------------- */

#ifdef BENCH_KDL
static void frame_of(const td_pose *pose, double x[12])
{
    for (int i = 0; i < 3; i++) {
        memcpy(x + 4 * i, pose->rotation + 3 * i, 3 * sizeof *x);
        x[4 * i + 3] = pose->position[i];
    }
}

static void append(double a[12], const double b[12])
{
    double c[12];
    for (int i = 0; i < 12; i += 4)
        for (int j = 0; j < 4; j++)
            c[i + j] =
                a[i] * b[j] + a[i + 1] * b[4 + j] + a[i + 2] * b[8 + j] + (j == 3 ? a[i + 3] : 0);
    memcpy(a, c, sizeof c);
}

/* The joints between the root and a link; false where one is not of one coordinate of its own. */
static bool chain_of(const td_model *model, size_t link, ik_chain *c, size_t *entry)
{
    static const double none[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    size_t way[MOST_JOINTS];
    size_t n = 0;
    for (size_t l = link; td_link_parent_joint(model, l) != TD_NONE && n < MOST_JOINTS;) {
        way[n] = td_link_parent_joint(model, l);
        l = td_joint_place_at(model, way[n++]).parent_link;
    }
    memcpy(c->tip, none, sizeof none);
    c->joints = 0;
    while (n-- > 0) {
        const td_joint *joint = td_joint_at(model, way[n]);
        const td_joint_place place = td_joint_place_at(model, way[n]);
        double origin[12];
        frame_of(&joint->origin, origin);
        append(c->tip, origin);
        if (place.nq == 0)
            continue;
        const td_effective_limit limit = td_effective_limit_at(model, way[n]);
        const bool prismatic = joint->type == TD_JOINT_PRISMATIC;
        if (place.ny != 1 || place.cluster != TD_NONE ||
            !(prismatic || joint->type == TD_JOINT_REVOLUTE || joint->type == TD_JOINT_CONTINUOUS))
            return false;
        memcpy(c->frame[c->joints], c->tip, sizeof none);
        memcpy(c->axis[c->joints], joint->axis, sizeof joint->axis);
        c->prismatic[c->joints] = prismatic;
        c->lower[c->joints] = fmax(limit.lower, -2 * acos(-1));
        c->upper[c->joints] = fmin(limit.upper, 2 * acos(-1));
        entry[c->joints++] = place.y;
        memcpy(c->tip, none, sizeof none);
    }
    return true;
}

static void theirs(const td_model *model, td_workspace *w, size_t link, const poses *p)
{
    static const char *const name[] = {"KDL LMA", "KDL NR_JL"};
    double frame[MOST_JOINTS][12], axis[MOST_JOINTS][3], lower[MOST_JOINTS], upper[MOST_JOINTS];
    bool prismatic[MOST_JOINTS];
    size_t entry[MOST_JOINTS];
    ik_chain chain = {0, frame, axis, prismatic, lower, upper, {0}};
    if (!chain_of(model, link, &chain, entry))
        return;
    ik_peer *peer = ik_peer_new(&chain);
    double *us = allocate(p->n, sizeof *us), *y = allocate(td_ny(model), sizeof *y);
    double *reference = allocate(td_ny(model), sizeof *y),
           *drawn = allocate(td_ny(model), sizeof *y);
    double *all = allocate(12 * td_link_count(model), sizeof *all);
    memcpy(reference, td_reference(model, TD_COORDINATES_INDEPENDENT),
           td_ny(model) * sizeof *reference);
    for (int solver = 0; solver < IK_KDL_SOLVERS; solver++) {
        size_t reached = 0, first = 0;
        for (size_t i = 0; i < p->n; i++) {
            double seed[MOST_JOINTS], found[MOST_JOINTS], took = 0;
            uint64_t random = i;
            memcpy(drawn, reference, td_ny(model) * sizeof *drawn);
            bool good = false;
            for (int start = 0; start <= RESTARTS && !good; start++) {
                for (size_t k = 0; k < chain.joints; k++)
                    seed[k] = drawn[entry[k]];
                const double begin = now_ns();
                good = ik_peer_solve(peer, solver, p->frame + 12 * i, seed, found);
                took += 1e-3 * (now_ns() - begin);
                memcpy(y, reference, td_ny(model) * sizeof *y);
                for (size_t k = 0; k < chain.joints; k++) {
                    y[entry[k]] = found[k];
                    if (!prismatic[k] && (found[k] < lower[k] || found[k] > upper[k]))
                        y[entry[k]] -= 2 * acos(-1) * round(found[k] / (2 * acos(-1)));
                    good = good && y[entry[k]] >= lower[k] - 1e-9 && y[entry[k]] <= upper[k] + 1e-9;
                }
                if (good) { /* as it says */
                    td_link_poses(model, w, y, all);
                    for (int k = 0; k < 12; k++)
                        good = good && fabs(all[12 * link + (size_t)k] -
                                            p->frame[12 * i + (size_t)k]) < 2e-5;
                }
                first += good && start == 0;
                td_random_configuration(model, TD_COORDINATES_INDEPENDENT, &random, drawn);
            }
            reached += good;
            us[i] = took;
        }
        char more[64];
        snprintf(more, sizeof more, "; %.1f %% from the reference",
                 100. * (double)first / (double)p->n);
        say(name[solver], p->n, reached, us, more);
    }
    ik_peer_free(peer);
    free(us), free(y), free(reference), free(drawn), free(all);
}
#endif

/* ---- robots ---------------------------------------------------------------------------------- */

static void show(const char *file, const char *link_name, double part, size_t n, int repeats)
{
    td_model *model = load(file, &link_name);
    const size_t link = model ? td_link_index(model, link_name) : TD_NONE;
    if (link == TD_NONE) {
        printf("%s: not there, or no link %s\n", file, link_name);
        td_model_free(model);
        return;
    }
    td_workspace *w;
    td_workspace_new(model, NULL, &w);
    poses p = draw(model, w, link, part, n);
    printf("%s, %s: %zu poses\n", file, link_name, p.n);
    if (p.n > 0) {
        ours(model, w, link, &p, repeats);
#ifdef BENCH_KDL
        theirs(model, w, link, &p);
#endif
    }
    fflush(stdout);
    free(p.frame), free(p.target);
    td_workspace_free(w);
    td_model_free(model);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *file, *link;
        double part;
    } bundled[] = {{"ur5", "", 1},
                   {"ur10e", "", 1},
                   {"iiwa14", "", 1},
                   {"arm7", "tool_tip", 1},
                   {"humanoid", "left_hand", 1},
                   {"linear_leg", "foot", 0.4},
                   {"capaman", "platform", 0.3},
                   {"stewart", "platform_2", 0.1}};
    size_t n = 10000;
    int repeats = 3, at = 1;
    for (; at + 1 < argc && argv[at][0] == '-'; at += 2)
        if (strcmp(argv[at], "-n") == 0)
            n = (size_t)atol(argv[at + 1]);
        else
            repeats = atoi(argv[at + 1]);
    pin(-1);
    const bool given = at < argc;
    for (; at + 2 < argc; at += 3)
        show(argv[at], argv[at + 1], atof(argv[at + 2]), n, repeats);
    for (size_t i = 0; !given && i < sizeof bundled / sizeof *bundled; i++) {
        char file[512];
        if (bundled[i].link[0] == 0)
            snprintf(file, sizeof file, "%s", bundled[i].file);
        else
            snprintf(file, sizeof file, "%s/%s.urdf", BENCH_ROBOTS_DIRECTORY, bundled[i].file);
        show(file, bundled[i].link, bundled[i].part, i < 5 ? n : n / 10, repeats);
    }
    return 0;
}
