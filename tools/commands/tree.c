/* SPDX-License-Identifier: MIT */
/*
 * tandem tree: prints the tree of links and joints in the layout of ROS's urdf tools, with types,
 * axes, mimic joints and loops.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "command.h"
#include "commands/tree.h"
#include "input/combination.h"
#include "input/coordinate_name.h"
#include "input/structure.h"
#include "options.h"
#include "output/paragraph.h"
#include "output/table.h"
#include "run.h"
#include "text.h"

typedef struct tree_options {
    tool_options common;
    bool dot;
} tree_options;

static void read_dot(const command_option *o, char *text, command_line *line)
{
    tree_options *options = line->options;
    (void)o;
    (void)text;
    options->dot = true;
    options->common.comment = "// ";
}

static const command_option command_rows[] = {
    {"dot", NULL, "Print a graph for Graphviz", read_dot, .at = 0},
    {0},
};
static const option_rule rules[] = {{"dot", NULL, "json", "give --dot or --json, not both"}, {0}};
const option_set options_of_tree = {
    .rows = command_rows,
    .usage = "FILE...",
    .rules = rules,
    .about =
        "Print the tree of links with their joints, mimic relations and loops.\vIn the graph of "
        "--dot, "
        "joints with motors are blue, joints that follow others are dashed, and dashed arrows "
        "point to "
        "the joints that they follow.\n\nExample:\n  tandem tree --dot robot.urdf | dot -Tsvg > "
        "robot.svg",
    .parts = {&model_set, &actuated_set}};

/* Linked lists of the joints below each link. -1 ends a list. */
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
        size_t parent = td_joint_place_at(model, i).parent_link;
        if (parent != TD_NONE) {
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

/* Returns "mimic leader ×α +β" as in the file, and the effective sum of a chain or coupling, each
   after a comma, in a new string. */
static char *mimic_text(const td_model *model, size_t index)
{
    const td_joint *joint = td_joint_at(model, index);
    td_joint_place place = td_joint_place_at(model, index);
    char *text = text_format("%s", "");
    size_t leader = TD_NONE;
    if (joint->mimic != NULL) {
        free(text);
        const bool moved = joint->offset != 0;
        text =
            text_format(", mimic %s ×%s%s%s%s", joint->mimic, number_clear(joint->multiplier).text,
                        moved ? " " : "", joint->offset > 0 ? "+" : "",
                        moved ? number_clear(joint->offset).text : "");
        leader = td_joint_index(model, joint->mimic);
    }
    if (place.dependent && (place.leader == TD_NONE || place.leader != leader)) {
        scoped char *comes_to = dependence_text(model, index);
        const bool bracket = joint->mimic != NULL;
        char *longer =
            text_format("%s%s%s%s", text, bracket ? " (" : ", ", comes_to, bracket ? ")" : "");
        free(text);
        text = longer;
    }
    return text;
}

/* Returns "child  [joint: type, axis, …]" in a new string. */
static char *joint_text(const td_model *model, size_t index)
{
    const td_joint *joint = td_joint_at(model, index);
    const td_joint_place place = td_joint_place_at(model, index);
    scoped char *axis =
        td_joint_kind_of(joint->type)->axis
            ? text_format(", axis %s %s %s", number_of_scale(joint->axis[0], 1).text,
                          number_of_scale(joint->axis[1], 1).text,
                          number_of_scale(joint->axis[2], 1).text)
            : text_format("%s", "");
    scoped char *mimic = mimic_text(model, index);
    return text_format("%s  [%s: %s%s%s]", td_link_at(model, place.child_link)->name, joint->name,
                       joint_type_text(joint), axis, mimic);
}

/* Returns a bound on the depth of the tree, in joints. */
static size_t depth_of(const td_model *model)
{
    scoped size_t *depth = allocate(td_link_count(model) + 1, sizeof *depth);
    size_t most = 0;
    for (size_t i = 0; i < td_joint_count(model); i++) { /* parents come before their children */
        const td_joint_place place = td_joint_place_at(model, i);
        if (place.parent_link != TD_NONE) {
            depth[place.child_link] = depth[place.parent_link] + 1;
            most = depth[place.child_link] > most ? depth[place.child_link] : most;
        }
    }
    return most;
}

/* Returns the indentation per level: 4 as in ROS, or less to leave half a line for the deepest
   level. */
static size_t step_of(const td_model *model)
{
    const size_t columns = terminal_columns(), depth = depth_of(model);
    const size_t most = columns == SIZE_MAX || depth == 0 ? 4 : columns / 2 / depth;
    return most > 4 ? 4 : most;
}

static void put_links(const td_model *model, const branches *b)
{
    /* not recursive, since a malicious file may be one long chain */
    scoped size_t *ordinal = allocate(td_link_count(model) + 1, sizeof *ordinal);
    const size_t step = step_of(model);
    size_t depth = 1;
    int joint = b->first[td_root_link(model)];
    ordinal[1] = 1;
    while (joint >= 0) {
        td_joint_place place = td_joint_place_at(model, (size_t)joint);
        scoped char *text = joint_text(model, (size_t)joint);
        scoped char *label =
            text_format("%*schild(%zu): ", (int)(step * depth), "", ordinal[depth]);
        put_hanging(label, text, step * depth + 2);
        int below = b->first[place.child_link];
        if (below >= 0) {
            ordinal[++depth] = 1;
            joint = below;
            continue;
        }
        while (b->next[joint] < 0 && depth > 1) {
            depth--;
            size_t parent = td_joint_place_at(model, (size_t)joint).parent_link;
            joint = (int)td_link_parent_joint(model, parent);
        }
        ordinal[depth]++;
        joint = b->next[joint];
    }
}

static void put_loops(const td_model *model)
{
    enum { INDENTATION = 6 };
    for (size_t i = 0; i < td_loop_count(model); i++) {
        const td_loop *loop = td_loop_at(model, i);
        char *text = text_format("%s -- %s  [%s: %s]", loop->predecessor, loop->successor,
                                 loop->name, td_loop_type_text(loop->type));
        put_hanging("loop:", text, INDENTATION);
        free(text);
    }
    for (size_t i = 0; i < td_coupling_count(model); i++) {
        const td_coupling *coupling = td_coupling_at(model, i);
        char *text =
            text_format("%s -- %s  [%s: ratio %s]", coupling->predecessor, coupling->successor,
                        coupling->name, number_clear(coupling->ratio).text);
        put_hanging("coupling:", text, INDENTATION);
        free(text);
    }
}

static void print_tree(const td_model *model)
{
    branches b = branches_new(model);
    size_t root = td_root_link(model);
    fputs("robot name is: ", stdout);
    put_clean(stdout, td_model_name(model));
    const bool narrow = terminal_columns() < 50;
    printf("\n----------%s%s\nroot Link: ", narrow ? "" : " Successfully Parsed XML ",
           narrow ? "" : "---------------");
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

static int run(const session *s, void *context)
{
    const tree_options *options = context;
    if (options->common.json) {
        structure_print_json(s->model);
    } else {
        (options->dot ? tree_print_dot : print_tree)(s->model);
    }
    return EXIT_GOOD;
}

int command_tree(int argc, char **argv)
{
    tree_options options = {.dot = false};
    return run_session_needing(NEEDS_NOTHING, &options_of_tree, argc, argv, &options, run);
}
