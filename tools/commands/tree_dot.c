/* SPDX-License-Identifier: MIT */
/*
 * tandem tree --dot: prints the tree as a graph for Graphviz. Links and joints are nodes. A
 * follower's node contains its relation, so that labels cannot overlap, and has a dashed arrow to
 * its leader. Loop joints and couplings of two links are nodes between the links.
 */
#include <stdio.h>
#include <stdlib.h>

#include "commands/tree.h"
#include "input/coordinate_name.h"
#include "input/follower.h"
#include "text.h"

/* Prints the contents of a quoted string (a label or a node's name) with control characters made
   visible, as in all commands. */
static void put_escaped(const char *text)
{
    char *clean = text_clean(text);
    for (const char *at = clean; *at != '\0'; at++) {
        if (*at == '"' || *at == '\\') {
            fputc('\\', stdout);
        }
        fputc(*at, stdout);
    }
    free(clean);
}

static void put_quoted(const char *text)
{
    fputc('"', stdout);
    put_escaped(text);
    fputc('"', stdout);
}

/* Prints a node's name with a letter in front, since links, joints and loops may have equal names.
 */
static void put_node(char kind, const char *name)
{
    printf("\"%c:", kind);
    put_escaped(name);
    fputc('"', stdout);
}

static void put_edge(char tail_kind, const char *tail, char head_kind, const char *head,
                     const char *attributes)
{
    fputs("  ", stdout);
    put_node(tail_kind, tail);
    fputs(" -> ", stdout);
    put_node(head_kind, head);
    printf("%s;\n", attributes);
}

/* Prints the name of a node and its label of two lines, up to its attributes. */
static void put_label(char kind, const char *name, const char *detail)
{
    fputs("  ", stdout);
    put_node(kind, name);
    fputs(" [label=\"", stdout);
    put_escaped(name);
    fputs("\\n", stdout);
    put_escaped(detail);
}

/* Which kinds the graph contains, for its legend. */
typedef struct kinds {
    bool motors, followers, loops;
} kinds;

static bool is_motor(const td_model *model, size_t joint, size_t loop)
{
    for (size_t i = 0; i < td_nu(model); i++) {
        td_actuator motor = td_actuator_at(model, i);
        if ((joint != TD_NONE && motor.joint == joint) || (loop != TD_NONE && motor.loop == loop)) {
            return true;
        }
    }
    return false;
}

/* Prints the relation to the direct leader, as in the file. Prints nothing if the follower moves
   exactly like its leader. */
static void put_relation(const td_joint *joint)
{
    if (joint->multiplier != 1 || joint->offset != 0) {
        fputs("\\n= ", stdout);
    }
    if (joint->multiplier == -1) {
        fputc('-', stdout);
    } else if (joint->multiplier != 1) {
        printf("%s · ", number_clear(joint->multiplier).text);
    }
    if (joint->multiplier != 1 || joint->offset != 0) {
        put_escaped(joint->mimic);
    }
    if (joint->offset != 0) {
        printf(" %c %s", joint->offset < 0 ? '-' : '+',
               number_clear(joint->offset < 0 ? -joint->offset : joint->offset).text);
    }
}

static void put_joint(const td_model *model, size_t index, kinds *found)
{
    const td_joint *joint = td_joint_at(model, index);
    const td_joint_place place = td_joint_place_at(model, index);
    if (place.parent_link == TD_NONE) {
        return; /* an added floating base has no parent link */
    }
    const bool follows = place.dependents != 0, motor = is_motor(model, index, TD_NONE);
    put_label('j', joint->name, joint_type_text(joint));
    if (joint->mimic != NULL) {
        put_relation(joint);
    } else if (follows_curves(model, index)) {
        scoped char *formula = follower_text(model, index);
        fputs("\\n= ", stdout);
        put_escaped(formula);
    }
    fputs("\", shape=box", stdout);
    if (place.nq == 0) {
        fputs(", style=rounded, color=gray60, fontcolor=gray50", stdout);
    } else {
        printf(", style=\"rounded%s%s\"", follows ? ",dashed" : "", motor ? ",filled" : "");
    }
    fputs(motor ? ", fillcolor=\"#bfdcf5\"];\n" : "];\n", stdout);
    found->motors = found->motors || motor;
    found->followers = found->followers || follows;
    put_edge('l', joint->parent, 'j', joint->name, " [arrowhead=none]");
    put_edge('j', joint->name, 'l', joint->child, "");
    static const char arrow[] = " [style=dashed, color=\"#0060a0\", constraint=false]";
    if (joint->mimic != NULL && td_joint_index(model, joint->mimic) != TD_NONE) {
        put_edge('j', joint->name, 'j', joint->mimic, arrow);
    }
    const td_follower *follower =
        follows_curves(model, index) ? td_follower_at(model, td_follower_of(model, index)) : NULL;
    for (size_t i = 0; follower != NULL && i < follower->curves; i++) {
        put_edge('j', joint->name, 'j', td_curve_at(follower, i)->leader, arrow);
    }
}

/* Prints a connection of two links that is not in the tree. */
static void put_bridge(char kind, const char *name, const char *detail, bool motor,
                       const char *color, const char *predecessor, const char *successor)
{
    char edge[64], node[128];
    snprintf(edge, sizeof edge, " [dir=none, style=dashed, color=\"%s\"]", color);
    snprintf(node, sizeof node, "\", shape=octagon, color=\"%s\", fontcolor=\"%s\"%s];\n", color,
             color, motor ? ", style=filled, fillcolor=\"#bfdcf5\"" : "");
    put_label(kind, name, detail);
    fputs(node, stdout);
    put_edge('l', predecessor, kind, name, edge);
    put_edge('l', successor, kind, name, edge);
}

static void put_loops(const td_model *model, kinds *found)
{
    for (size_t i = 0; i < td_loop_count(model); i++) {
        const td_loop *loop = td_loop_at(model, i);
        const bool motor = is_motor(model, TD_NONE, i);
        put_bridge('o', loop->name, td_loop_type_text(loop->type), motor, "#b02020",
                   loop->predecessor, loop->successor);
        found->motors = found->motors || motor;
        found->loops = true;
    }
    for (size_t i = 0; i < td_coupling_count(model); i++) {
        const td_coupling *coupling = td_coupling_at(model, i);
        char detail[64];
        snprintf(detail, sizeof detail, "coupling × %s", number_clear(coupling->ratio).text);
        put_bridge('c', coupling->name, detail, false, "#7030a0", coupling->predecessor,
                   coupling->successor);
    }
}

/* Prints the meaning of the colors and dashes that occur. */
static void put_legend(kinds found)
{
    if (!found.motors && !found.followers && !found.loops) {
        return;
    }
    fputs("  label=\"", stdout);
    const char *between = "";
    if (found.motors) {
        fputs("blue: motor", stdout);
        between = ", ";
    }
    if (found.followers) {
        printf("%sdashed: follows other joints", between);
        between = ", ";
    }
    if (found.loops) {
        printf("%sred: closes a loop", between);
    }
    fputs("\";\n", stdout);
}

void tree_print_dot(const td_model *model)
{
    kinds found = {false, false, false};
    fputs("digraph ", stdout);
    put_quoted(td_model_name(model));
    fputs(" {\n  rankdir=LR; ranksep=0.3; nodesep=0.15;\n"
          "  node [fontname=\"Helvetica\", fontsize=11, margin=\"0.08,0.04\", height=0.3];\n"
          "  edge [arrowsize=0.6]; fontname=\"Helvetica\"; fontsize=11;\n",
          stdout);
    for (size_t i = 0; i < td_link_count(model); i++) {
        const char *name = td_link_at(model, i)->name;
        fputs("  ", stdout);
        put_node('l', name);
        fputs(" [label=", stdout);
        put_quoted(name);
        bool root = i == td_root_link(model);
        printf(", shape=box, style=\"filled%s\", fillcolor=gray92];\n", root ? ",bold" : "");
    }
    for (size_t i = 0; i < td_joint_count(model); i++) {
        put_joint(model, i, &found);
    }
    put_loops(model, &found);
    put_legend(found);
    fputs("}\n", stdout);
}
