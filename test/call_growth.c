/* SPDX-License-Identifier: MIT */
/*
 * Calls every function for one state once, on a robot of the given kind and size; call_growth.py
 * counts the instructions of each call. Prints one line per function, in call order: its name, the
 * power of the size that its cost may grow with on a chain, and whether it was called. The power is
 * 1 for functions without matrices, 2 with matrices, 3 with their factors.
 *
 *   call_growth KIND SIZE
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks_outside.h"
#include "functions.h"
#include "loop_robots.h"

static void fail_check(const char *file, int line, const char *expression)
{
    fprintf(stderr, "%s:%d: %s\n", file, line, expression);
    exit(1);
}

enum { LARGE = 200 }; /* above this number of links, functions that use matrices are not called */

/* callgrind dumps its counts when the function of this name returns */
td_status counted(const function *f, const arguments *a, bool tree);

__attribute__((noinline)) td_status counted(const function *f, const arguments *a, bool tree)
{
    return function_call(f, a, tree, false);
}

/* Builds `size` links in a row, or side by side on the first link. All mimic joints follow the
   first joint. */
static td_model *row_of(const char *kind, size_t size)
{
    td_random random = {1};
    td_builder *builder = test_builder(kind);
    td_link base = td_link_default("l0");
    td_builder_add_link(builder, &base);
    const bool star = strcmp(kind, "star") == 0, oblique = strcmp(kind, "oblique") == 0;
    for (size_t i = 1; i <= size; i++) {
        char name[24], parent[24], child[24];
        snprintf(name, sizeof name, "j%zu", i);
        snprintf(parent, sizeof parent, "l%zu", star ? 0 : i - 1);
        snprintf(child, sizeof child, "l%zu", i);
        td_link link = td_link_default(child);
        td_joint joint = td_joint_default(name, TD_JOINT_CONTINUOUS, parent, child);
        link.has_inertial = true;
        link.mass = 1;
        link.inertia[0] = link.inertia[3] = link.inertia[5] = 1;
        joint.origin.position[0] = 0.1, joint.origin.position[2] = 0.2;
        joint.axis[0] = 0, joint.axis[1] = 1;
        if (strcmp(kind, "alternating") == 0)
            joint.axis[1 + i % 2] = 1, joint.axis[2 - i % 2] = 0;
        if (oblique)
            td_random_fill(&random, 3, joint.axis);
        if ((star || strcmp(kind, "followers") == 0) && i > 1)
            joint.mimic = "j1", joint.multiplier = 0.5;
        td_builder_add_link(builder, &link);
        td_builder_add_joint(builder, &joint);
    }
    td_model *model = robot_for(builder, TD_BASE_FIXED, NULL);
    return model;
}

static td_model *beam(size_t segments)
{
    td_builder *builder = test_builder("beam");
    td_link base = td_link_default("base"), link = td_link_default("beam");
    td_joint joint = td_joint_default("shoulder", TD_JOINT_CONTINUOUS, "base", "beam");
    td_flexible flexible = td_flexible_default("beam");
    joint.axis[0] = 0, joint.axis[2] = 1;
    flexible.axis[0] = 1, flexible.axis[1] = flexible.axis[2] = 0;
    flexible.across[0] = flexible.across[2] = 0, flexible.across[1] = 1;
    flexible.length = 1;
    flexible.bending_stiffness[0] = 10;
    flexible.mass_per_length = 1;
    flexible.segments = (int)segments;
    td_builder_add_link(builder, &base);
    td_builder_add_link(builder, &link);
    td_builder_add_joint(builder, &joint);
    td_builder_add_flexible(builder, &flexible);
    td_model *model = robot_for(builder, TD_BASE_FIXED, NULL);
    return model;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    const size_t size = (size_t)atol(argv[2]);
    td_model *model = strcmp(argv[1], "beam") == 0        ? beam(size)
                      : strcmp(argv[1], "four_bars") == 0 ? model_of_four_bars(size)
                                                          : row_of(argv[1], size);
    for (int tree = 0; tree < 2; tree++) {
        td_random random = {2};
        states *s = states_new(&random, model, tree, 1);
        if (tree)
            memcpy(s->y, td_reference(model, TD_COORDINATES_TREE), td_nq(model) * sizeof *s->y);
        else
            memcpy(s->y, td_reference(model, TD_COORDINATES_INDEPENDENT),
                   td_ny(model) * sizeof *s->y);
        for (size_t i = 0; td_loop_count(model) == 0 && i < (tree ? td_nq(model) : td_ny(model));
             i++)
            s->y[i] += 0.1 * ((double)(i % 7) - 3);
        for (size_t k = 0; k < function_count; k++) {
            if (functions[k].takes & MATRICES && size > LARGE)
                continue;
            states_clear(s, &functions[k], tree, 0);
            s->a.link = td_link_count(model) - 1;
            const td_status status = counted(&functions[k], &s->a, tree);
            printf("%s%s %d %s\n", tree ? "tree_" : "", functions[k].name,
                   !(functions[k].takes & MATRICES) ? 1
                   : functions[k].takes & SOLVES    ? 3
                                                    : 2,
                   status == TD_OK ? "done" : "failed");
        }
    }
    release_owned();
    return 0;
}
