/* SPDX-License-Identifier: MIT */
/*
 * tandem tree: links and joints as they hang together, in the shape that users of ROS know, with
 * what a dynamicist asks next: type, axis, mimic, and what closes loops.
 */
#include <stdio.h>
#include <stdlib.h>

#include "command.h"
#include "options.h"
#include "robot/combination.h"
#include "robot/coordinate_name.h"
#include "robot/structure.h"
#include "table/table.h"
#include "text.h"

static const struct argp_child children[] = {{&model_argp, 0, NULL, 0}, {0}};
const struct argp tree_argp = {
    NULL,     NULL, "FILE", "Print the tree of links with their joints, mimic relations and loops.",
    children, NULL, NULL};

/* Joints below each link, as lists: first of a link, next after a joint; -1 ends one. */
typedef struct branches {
    int *first;
    int *next;
    size_t *count;
} branches;

static branches branches_new(const td_model *model)
{
    size_t links = td_link_count(model);
    size_t joints = td_joint_count(model);
    branches b = {allocate(links, sizeof *b.first), allocate(joints, sizeof *b.next),
                  allocate(links, sizeof *b.count)};
    for (size_t i = 0; i < links; i++) {
        b.first[i] = -1;
    }
    for (size_t i = joints; i-- > 0;) {
        int parent = td_joint_place_at(model, i).parent_link;
        if (parent >= 0) {
            b.next[i] = b.first[parent];
            b.first[parent] = (int)i;
            b.count[parent]++;
        }
    }
    return b;
}

static void branches_free(branches *b)
{
    free(b->first);
    free(b->next);
    free(b->count);
}

/* "mimic leader ×α +β" as the file says it, and what a chain of them, or a coupling, comes to. */
static void put_mimic(const td_model *model, size_t index)
{
    const td_joint *joint = td_joint_at(model, index);
    td_joint_place place = td_joint_place_at(model, index);
    int leader = -1;
    if (joint->mimic != NULL) {
        fputs(", mimic ", stdout);
        put_clean(stdout, joint->mimic);
        printf(" ×%s", number_clear(joint->multiplier).text);
        if (joint->offset != 0) {
            printf(" %s%s", joint->offset > 0 ? "+" : "", number_clear(joint->offset).text);
        }
        leader = td_joint_index(model, joint->mimic);
    }
    if (place.dependent && (place.leader < 0 || place.leader != leader)) {
        char *text = dependence_text(model, index);
        fputs(joint->mimic != NULL ? " (" : ", ", stdout);
        put_clean(stdout, text);
        fputs(joint->mimic != NULL ? ")" : "", stdout);
        free(text);
    }
}

static void put_joint(const td_model *model, size_t index)
{
    const td_joint *joint = td_joint_at(model, index);
    fputs("  [", stdout);
    put_clean(stdout, joint->name);
    printf(": %s", joint_type_text(joint));
    if (td_joint_kind_of(joint->type)->axis) {
        printf(", axis %s %s %s", number_of_scale(joint->axis[0], 1).text,
               number_of_scale(joint->axis[1], 1).text, number_of_scale(joint->axis[2], 1).text);
    }
    put_mimic(model, index);
    fputc(']', stdout);
}

static void put_links(const td_model *model, const branches *b)
{
    /* without recursion: a hostile file may be one long chain */
    size_t *ordinal = allocate(td_link_count(model) + 1, sizeof *ordinal);
    size_t depth = 1;
    int joint = b->first[td_root_link(model)];
    ordinal[1] = 1;
    while (joint >= 0) {
        td_joint_place place = td_joint_place_at(model, (size_t)joint);
        printf("%*schild(%zu):  ", (int)(4 * depth), "", ordinal[depth]);
        put_clean(stdout, td_link_at(model, (size_t)place.child_link)->name);
        put_joint(model, (size_t)joint);
        fputc('\n', stdout);
        int below = b->first[place.child_link];
        if (below >= 0) {
            ordinal[++depth] = 1;
            joint = below;
            continue;
        }
        while (b->next[joint] < 0 && depth > 1) {
            depth--;
            int parent = td_joint_place_at(model, (size_t)joint).parent_link;
            joint = td_link_parent_joint(model, (size_t)parent);
        }
        ordinal[depth]++;
        joint = b->next[joint];
    }
    free(ordinal);
}

static void put_loops(const td_model *model)
{
    for (size_t i = 0; i < td_loop_count(model); i++) {
        const td_loop *loop = td_loop_at(model, i);
        fputs("loop: ", stdout);
        put_clean(stdout, loop->predecessor);
        fputs(" -- ", stdout);
        put_clean(stdout, loop->successor);
        fputs("  [", stdout);
        put_clean(stdout, loop->name);
        fputs(": ", stdout);
        put_clean(stdout, td_loop_type_text(loop->type));
        fputs("]\n", stdout);
    }
    for (size_t i = 0; i < td_coupling_count(model); i++) {
        const td_coupling *coupling = td_coupling_at(model, i);
        fputs("coupling: ", stdout);
        put_clean(stdout, coupling->predecessor);
        fputs(" -- ", stdout);
        put_clean(stdout, coupling->successor);
        fputs("  [", stdout);
        put_clean(stdout, coupling->name);
        printf(": ratio %s]\n", number_clear(coupling->ratio).text);
    }
}

static void print_tree(const td_model *model)
{
    branches b = branches_new(model);
    size_t root = td_root_link(model);
    fputs("robot name is: ", stdout);
    put_clean(stdout, td_model_name(model));
    fputs("\n---------- Successfully Parsed XML ---------------\nroot Link: ", stdout);
    put_heading(td_link_at(model, root)->name);
    printf(" has %zu child(ren)", b.count[root]);
    if (td_model_base(model) == TD_BASE_FLOATING) {
        printf("  [%s: floating]", td_joint_at(model, 0)->name);
    }
    putchar('\n');
    put_links(model, &b);
    put_loops(model);
    branches_free(&b);
}

int command_tree(int argc, char **argv)
{
    return structure_command(&tree_argp, argc, argv, print_tree);
}
