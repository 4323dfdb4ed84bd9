/* SPDX-License-Identifier: MIT */
/*
 * tandem dot: the tree as a graph for Graphviz. Links are boxes and joints arrows between them; a
 * dashed arrow goes from the link that a follower moves to the one that its leader moves, and a
 * dashed line joins the ends of a loop.
 */
#include <stdio.h>

#include "command.h"
#include "options.h"
#include "structure.h"
#include "text.h"

static const struct argp_child children[] = {{&model_argp, 0, NULL, 0}, {0}};
const struct argp dot_argp = {
    NULL,
    NULL,
    "FILE",
    "Print the tree as a graph: tandem dot FILE | dot -Tsvg > robot.svg. Mimic relations are "
    "dashed arrows from follower to leader. With --json, its links and joints as 'tandem tree' has "
    "them.",
    children,
    NULL,
    NULL};

/* The inside of a quoted string, of a label as well as of a node's name. */
static void put_escaped(const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\') {
            fputc('\\', stdout);
            fputc(*text, stdout);
        } else if (*text == '\n') {
            fputs("\\n", stdout);
        } else {
            fputc(*text, stdout);
        }
    }
}

static void put_quoted(const char *text)
{
    fputc('"', stdout);
    put_escaped(text);
    fputc('"', stdout);
}

static void put_edge(const char *tail, const char *head, const char *label, const char *detail)
{
    fputs("  ", stdout);
    put_quoted(tail);
    fputs(" -> ", stdout);
    put_quoted(head);
    fputs(" [label=\"", stdout);
    put_escaped(label);
    fputs("\\n", stdout);
    put_escaped(detail);
    fputc('"', stdout);
}

static void put_joint(const td_model *model, size_t index)
{
    const td_joint *joint = td_joint_at(model, index);
    if (td_joint_place_at(model, index).parent_link < 0) {
        return; /* an added floating base hangs from the world */
    }
    put_edge(joint->parent, joint->child, joint->name, joint_type_text(joint->type));
    fputs(joint->type == TD_JOINT_FIXED ? ", color=gray50, fontcolor=gray50];\n" : "];\n", stdout);
}

/* The direct relation, as the file has it: a chain shows as a chain. */
static void put_mimic(const td_model *model, size_t index)
{
    const td_joint *joint = td_joint_at(model, index);
    int leader = joint->mimic != NULL ? td_joint_index(model, joint->mimic) : -1;
    if (leader < 0) {
        return;
    }
    const td_joint *lead = td_joint_at(model, (size_t)leader);
    char detail[96];
    snprintf(detail, sizeof detail, "×%s %s%s", number_clear(joint->multiplier).text,
             joint->offset < 0 ? "" : "+", number_clear(joint->offset).text);
    put_edge(joint->child, lead->child, "mimic", detail);
    fputs(", style=dashed, color=blue, fontcolor=blue, constraint=false];\n", stdout);
}

static void put_loops(const td_model *model)
{
    for (size_t i = 0; i < td_loop_count(model); i++) {
        const td_loop *loop = td_loop_at(model, i);
        put_edge(loop->predecessor, loop->successor, loop->name, td_loop_type_text(loop->type));
        fputs(", style=dashed, color=red, fontcolor=red, dir=none, constraint=false];\n", stdout);
    }
    for (size_t i = 0; i < td_coupling_count(model); i++) {
        const td_coupling *coupling = td_coupling_at(model, i);
        char detail[64];
        snprintf(detail, sizeof detail, "coupling ×%s", number_clear(coupling->ratio).text);
        put_edge(coupling->predecessor, coupling->successor, coupling->name, detail);
        fputs(", style=dashed, color=purple, fontcolor=purple, dir=none, constraint=false];\n",
              stdout);
    }
}

static void print_dot(const td_model *model)
{
    fputs("digraph ", stdout);
    put_quoted(td_model_name(model));
    fputs(" {\n  node [shape=box];\n", stdout);
    for (size_t i = 0; i < td_link_count(model); i++) {
        const char *name = td_link_at(model, i)->name;
        fputs("  ", stdout);
        put_quoted(name);
        fputs(" [label=", stdout);
        put_quoted(name);
        bool root = i == td_root_link(model);
        fputs(root ? ", style=bold];\n" : "];\n", stdout);
    }
    for (size_t i = 0; i < td_joint_count(model); i++) {
        put_joint(model, i);
    }
    for (size_t i = 0; i < td_joint_count(model); i++) {
        put_mimic(model, i);
    }
    put_loops(model);
    fputs("}\n", stdout);
}

int command_dot(int argc, char **argv)
{
    return structure_command(&dot_argp, argc, argv, print_dot);
}
