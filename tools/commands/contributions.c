/* SPDX-License-Identifier: MIT */
/*
 * tandem contributions: explains the force of a joint. An independent joint's force is split into
 * shares of its followers and of the links. For a dependent joint, the command prints the joints it
 * follows and the constraint force on it.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../urdf/xacro_file.h"
#include "command.h"
#include "commands/contributions.h"
#include "input/bundled.h"
#include "input/combination.h"
#include "input/loops.h"
#include "input/option_value.h"
#include "output/json.h"
#include "output/table.h"
#include "state_command.h"
#include "text.h"

typedef struct subject {
    const session *s;
    const coordinates *c;
    const contributions *e;
    const char *name; /* as given */
    size_t joint;
    int coordinate;       /* index into ẏ; -1: dependent */
    size_t row;           /* index into q̇ */
    const double *factor; /* the row of G of a dependent joint, at y */
    bool passive;
} subject;

typedef struct contributions_options {
    tool_options common;
    const char *joint;
    coordinates tree;
    subject u;
    contributions found; /* at the last state */
    double *G;           /* nv × nyd, at that state */
    double *tau;         /* nyd */
} contributions_options;

static bool is_file(const char *name)
{
    return strcmp(name, "-") == 0 || td_is_bundled(name) || access(name, F_OK) == 0;
}

/* Suggests the right order if the arguments FILE and JOINT were exchanged. */
static void check_words(command_line *line)
{
    const contributions_options *options = line->options;
    const char *file = options->common.file;
    if (!is_file(file) && is_file(options->joint)) {
        option_error(line, "FILE comes first: '%s %s'", options->joint, file);
    }
}

static const command_option command_rows[] = {
    {"q", "JOINT=VALUE", Q_HELP "; other joints: zero, or where loops were assembled",
     option_assign, .at = QUANTITY_Q, .letter = 'q'},
    {"qd", "JOINT=VALUE", QD_HELP, option_assign, .at = QUANTITY_QD},
    {"qdd", "JOINT=VALUE", QDD_HELP, option_assign, .at = QUANTITY_QDD},
    {0},
};
static const option_argument arguments[] = {
    {"JOINT", offsetof(contributions_options, joint), "a JOINT is missing: FILE JOINT",
     .is_name = true},
    {"STATES", offsetof(contributions_options, common.states), .more = "more than one STATES"},
    {0},
};
const option_set options_of_contributions = {
    .rows = command_rows,
    .usage = "FILE JOINT [STATES]",
    .arguments = arguments,
    .check = check_words,
    .about =
        "Show what the force of a joint comes from, in the state given by -q, --qd and --qdd. For "
        "an "
        "independent joint, print the share of each joint that it moves (factor times the torque "
        "of "
        "that joint in the tree) and of each link (from its weight, accelerations and velocities); "
        "both sum to the force that 'tandem id' prints. For a dependent joint, print what it "
        "follows, "
        "and how much of its torque comes from a motor and how much from the coupling. Name a "
        "coordinate of a JOINT with several coordinates by its force or velocity: base.fz, deck.y. "
        "STATES is a CSV table ('-' is standard input) as for 'tandem id'; the result has the same "
        "numbers in columns: tau:JOINT; share:, factor: and torque: for each joint; weight and "
        "similar "
        "ones for each link.",
    .parts = {&load_set, &state_file_set, &model_set, &passive_set, &table_set, &actuated_set}};

static const char *force_unit(const subject *u, size_t joint, size_t qd)
{
    size_t k = qd - td_joint_place_at(u->s->model, joint).qd;
    return coordinate_domain(u->s->model, joint, QUANTITY_TAU, k) == UNIT_SLIDE ? "N" : "N m";
}

/* ---- text ------------------------------------------------------------------------------------ */

/* Formats a term of a sum; scale is the size of the terms. Rounding errors are printed as 0. */
static number number_share(double x, double scale)
{
    return number_brief(isfinite(scale) && fabs(x) <= 1e-13 * scale ? 0 : x);
}

static double joints_scale(const contributions *e)
{
    double scale = fabs(e->force);
    for (size_t i = 0; i < e->joint_count; i++) {
        scale += fabs(joint_share_total(&e->joint[i]));
    }
    return scale;
}

/* Returns the line of a source in the robot's file, or 0 if it is unknown: it is only in the text
   that xacro made. */
static int line_of(td_source source)
{
    const size_t suffix = strlen(TD_XACRO_RESULT), length = source.file ? strlen(source.file) : 0;
    const bool result =
        length > suffix && strcmp(source.file + length - suffix, TD_XACRO_RESULT) == 0;
    return result ? 0 : source.line;
}

static void add_line(table *t, td_source source)
{
    if (line_of(source) > 0) {
        table_add(t, "%d", source.line);
    } else {
        table_add(t, "%s", "");
    }
}

static void print_joints(const subject *u)
{
    static const char *const heading[] = {"joint",    "factor", "torque", "unit",  "damping",
                                          "friction", "spring", "rotor",  "share", "line"};
    const contributions *e = u->e;
    double scale = joints_scale(e);
    double largest = 0;
    double sum = 0;
    for (size_t i = 0; i < e->joint_count; i++) {
        largest = fmax(largest, fabs(e->joint[i].factor));
    }
    table t = table_new("lrrlrrrrrr");
    for (size_t i = 0; i < t.columns; i++) {
        table_add(&t, "%s", heading[i]);
    }
    for (size_t i = 0; i < e->joint_count; i++) {
        const joint_share *share = &e->joint[i];
        td_joint_place place = td_joint_place_at(u->s->model, share->joint);
        scoped char *name =
            coordinate_text(u->s->model, share->joint, QUANTITY_TAU, share->qd - place.qd);
        table_add(&t, "%s", name);
        table_add(&t, "%s", number_clear(significant(share->factor, largest)).text);
        table_add(&t, "%s", number_share(share->torque, scale / fabs(share->factor)).text);
        table_add(&t, "%s", force_unit(u, share->joint, share->qd));
        for (size_t k = 0; k < PASSIVE_COUNT; k++) {
            bool none = share->passive[k] == 0;
            table_add(&t, "%s", none ? "" : number_brief(share->passive[k]).text);
        }
        table_add(&t, "%s", number_share(joint_share_total(share), scale).text);
        add_line(&t, place.dependent ? dependence_source(u->s->model, share->joint)
                                     : td_joint_at(u->s->model, share->joint)->source);
        sum += joint_share_total(share);
    }
    table_add(&t, "sum");
    for (size_t i = 1; i < t.columns; i++) {
        bool here = strcmp(heading[i], "share") == 0;
        table_add(&t, "%s", here ? number_share(sum, scale).text : "");
    }
    puts("\nby joint: share = factor · torque in the tree");
    table_print(&t, 2);
}

static void add_link_row(table *t, const char *name, const double *part, double total, double scale)
{
    table_add(t, "%s", name);
    for (size_t k = 0; k < LINK_PART_COUNT; k++) {
        table_add(t, "%s", part == NULL ? "" : number_share(part[k], scale).text);
    }
    table_add(t, "%s", number_share(total, scale).text);
}

static void print_links(const subject *u)
{
    const contributions *e = u->e;
    double scale = fabs(e->force);
    link_share sum = {.link = 0};
    for (size_t i = 0; i < e->link_count; i++) {
        for (size_t k = 0; k < LINK_PART_COUNT; k++) {
            sum.part[k] += e->link[i].part[k];
            scale += fabs(e->link[i].part[k]);
        }
    }
    table t = table_new("lrrrr");
    table_add(&t, "link");
    for (size_t k = 0; k < LINK_PART_COUNT; k++) {
        table_add(&t, "%s", link_part_text((enum link_part)k));
    }
    table_add(&t, "share");
    for (size_t i = 0; i < e->link_count; i++) {
        const link_share *share = &e->link[i];
        add_link_row(&t, td_link_at(u->s->model, share->link)->name, share->part,
                     link_share_total(share), scale);
    }
    if (e->passive != 0) {
        add_link_row(&t, "(passive)", NULL, e->passive, scale);
    }
    if (e->other != 0) {
        add_link_row(&t, "(other)", NULL, e->other, scale);
    }
    add_link_row(&t, "sum", sum.part, link_share_total(&sum) + e->passive + e->other, scale);
    puts("\nby link: weight, accelerations, velocities");
    table_print(&t, 2);
}

static void put_bound(const subject *u, const char *what, double value, size_t by)
{
    const char *name = by != TD_NONE ? td_joint_at(u->s->model, by)->name : "";
    printf("  %-9s %s", what, isfinite(value) ? number_brief(value).text : "none");
    if (by != TD_NONE && by != u->joint) {
        fputs(" by ", stdout);
        put_clean(stdout, name);
    }
    fputc('\n', stdout);
}

static void print_limits(const subject *u)
{
    if (td_joint_place_at(u->s->model, u->joint).nv != 1) {
        return;
    }
    td_effective_limit limit = td_effective_limit_at(u->s->model, u->joint);
    puts("\nlimits, including the limits of followers");
    put_bound(u, "lower", limit.lower, limit.lower_joint);
    put_bound(u, "upper", limit.upper, limit.upper_joint);
    put_bound(u, "velocity", limit.velocity, limit.velocity_joint);
    put_bound(u, "effort", limit.effort, limit.effort_joint);
}

static void print_independent(const subject *u)
{
    put_clean(stdout, u->name);
    printf(": tau_y = %s %s\n", number_share(u->e->force, joints_scale(u->e)).text,
           force_unit(u, u->joint, u->row));
    print_joints(u);
    print_links(u);
    print_limits(u);
}

/* Prints the independent coordinates that a dependent joint follows, and their shares of its
   torque. */
static void print_leaders(const subject *u, double torque)
{
    double scale = fabs(u->e->tau[u->row]) + fabs(u->e->motor[u->row]);
    double largest = largest_of(u->factor, u->c->size[QUANTITY_QD]);
    table t = table_new("lrrl");
    table_add(&t, "joint");
    table_add(&t, "factor");
    table_add(&t, "share");
    table_add(&t, "unit");
    for (size_t k = 0; k < u->c->size[QUANTITY_QD]; k++) {
        if (significant(u->factor[k], largest) != 0) {
            size_t leader = coordinates_joint(u->c, k);
            td_joint_place place = td_joint_place_at(u->s->model, leader);
            size_t qd = place.qd + joint_component(place, QUANTITY_QD, false, k - place.yd);
            table_add(&t, "%s", u->c->name[QUANTITY_QD][k]);
            table_add(&t, "%s", number_clear(u->factor[k]).text);
            table_add(&t, "%s", number_share(u->factor[k] * torque, scale).text);
            table_add(&t, "%s", force_unit(u, leader, qd));
        }
    }
    puts("\nit follows these joints, and loads them with factor · torque");
    table_print(&t, 2);
}

/* If a joint in the sum depends on loops, prints which: "; rocker solved by loop 'a' (line 3)". */
static void print_solved(const subject *u, const combination *sum)
{
    const size_t solved = combination_solved(u->s->model, sum);
    if (solved == TD_NONE || solved == u->joint) {
        return;
    }
    scoped char *text = dependence_text(u->s->model, solved);
    const td_source source = dependence_source(u->s->model, solved);
    fputs("; ", stdout);
    put_clean(stdout, td_joint_at(u->s->model, solved)->name);
    fputc(' ', stdout);
    put_clean(stdout, text);
    if (line_of(source) > 0) {
        printf(" (line %d)", source.line);
    }
}

static void print_dependent(const subject *u)
{
    const contributions *e = u->e;
    size_t i = u->row;
    double scale = fabs(e->tau[i]) + fabs(e->motor[i]);
    combination sum = combination_of(u->s->model, u->joint);
    char *text = dependence_text(u->s->model, u->joint);
    td_source source = dependence_source(u->s->model, u->joint);
    const char *unit = force_unit(u, u->joint, i);
    put_clean(stdout, u->name);
    fputc(' ', stdout);
    put_clean(stdout, text);
    if (line_of(source) > 0) {
        printf(" (line %d)", source.line);
    }
    print_solved(u, &sum);
    puts(sum.count == 0 ? ": held" : ": dependent");
    free(text);
    printf("\ntorque      %s %s, required by its motion in the tree\n",
           number_share(e->tau[i], scale).text, unit);
    printf("motor       %s %s, from %s\n", number_share(e->motor[i], scale).text, unit,
           e->motors ? "the actuated joints" : "forces at the independent joints only");
    printf("constraint  %s %s, tau_c: applied by the closure\n",
           number_share(e->tau_c[i], scale).text, unit);
    if (sum.count > 0) {
        print_leaders(u, e->tau[i]);
    }
    combination_free(&sum);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static cJSON *json_line(td_source source)
{
    const int line = line_of(source);
    return line > 0 ? json_count((size_t)line) : cJSON_CreateNull();
}

static cJSON *json_joint_shares(const subject *u)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < u->e->joint_count; i++) {
        const joint_share *share = &u->e->joint[i];
        td_joint_place place = td_joint_place_at(u->s->model, share->joint);
        scoped char *name =
            coordinate_text(u->s->model, share->joint, QUANTITY_TAU, share->qd - place.qd);
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToObject(item, "joint", json_text(name));
        cJSON_AddItemToObject(item, "factor", json_number(share->factor));
        cJSON_AddItemToObject(item, "torque", json_number(share->torque));
        for (size_t k = 0; u->passive && k < PASSIVE_COUNT; k++) {
            cJSON_AddItemToObject(item, passive_part_text((enum passive_part)k),
                                  json_number(share->passive[k]));
        }
        cJSON_AddItemToObject(item, "share", json_number(joint_share_total(share)));
        cJSON_AddItemToObject(item, "constraint", json_number(u->e->tau_c[share->qd]));
        cJSON_AddItemToObject(item, "line",
                              json_line(place.dependent
                                            ? dependence_source(u->s->model, share->joint)
                                            : td_joint_at(u->s->model, share->joint)->source));
        cJSON_AddItemToArray(list, item);
    }
    return list;
}

static cJSON *json_link_shares(const subject *u)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < u->e->link_count; i++) {
        const link_share *share = &u->e->link[i];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToObject(item, "link", json_text(td_link_at(u->s->model, share->link)->name));
        for (size_t k = 0; k < LINK_PART_COUNT; k++) {
            cJSON_AddItemToObject(item, link_part_text((enum link_part)k),
                                  json_number(share->part[k]));
        }
        cJSON_AddItemToObject(item, "share", json_number(link_share_total(share)));
        cJSON_AddItemToArray(list, item);
    }
    return list;
}

static void add_bound(cJSON *item, const subject *u, const char *what, double value, size_t by)
{
    scoped char *key = text_format("%s_by", what);
    cJSON_AddItemToObject(item, what, json_number(value));
    cJSON_AddItemToObject(item, key,
                          json_text(by == TD_NONE ? NULL : td_joint_at(u->s->model, by)->name));
}

static void add_independent(cJSON *root, const subject *u)
{
    cJSON_AddItemToObject(root, "tau", json_named(&u->name, &u->e->force, 1));
    cJSON_AddItemToObject(root, "joints", json_joint_shares(u));
    cJSON_AddItemToObject(root, "links", json_link_shares(u));
    cJSON_AddItemToObject(root, "other", json_number(u->e->other));
    if (td_joint_place_at(u->s->model, u->joint).nv == 1) {
        td_effective_limit limit = td_effective_limit_at(u->s->model, u->joint);
        cJSON *item = cJSON_CreateObject();
        add_bound(item, u, "lower", limit.lower, limit.lower_joint);
        add_bound(item, u, "upper", limit.upper, limit.upper_joint);
        add_bound(item, u, "velocity", limit.velocity, limit.velocity_joint);
        add_bound(item, u, "effort", limit.effort, limit.effort_joint);
        cJSON_AddItemToObject(root, "limit", item);
    }
}

/* Adds the leaders and factors of a joint that follows dependent joints. */
static void add_follows(cJSON *root, const subject *u, const combination *sum)
{
    cJSON *list = cJSON_AddArrayToObject(root, "follows");
    for (size_t k = 0; k < sum->count; k++) {
        cJSON *term = cJSON_CreateObject();
        const char *name = td_joint_at(u->s->model, (size_t)sum->joint[k])->name;
        cJSON_AddItemToObject(term, "joint", json_text(name));
        cJSON_AddItemToObject(term, "factor", json_number(sum->factor[k]));
        cJSON_AddItemToArray(list, term);
    }
    cJSON_AddItemToObject(root, "constant", json_number(sum->offset));
}

static void add_dependent(cJSON *root, const subject *u)
{
    size_t i = u->row;
    combination sum = combination_of(u->s->model, u->joint);
    bool solved = combination_solved(u->s->model, &sum) != TD_NONE;
    cJSON_AddItemToObject(root, "solved_by_loops", cJSON_CreateBool(solved));
    cJSON *terms = cJSON_AddArrayToObject(root, "terms");
    for (size_t k = 0; k < u->c->size[QUANTITY_QD]; k++) {
        if (u->factor[k] != 0) {
            cJSON *term = cJSON_CreateObject();
            cJSON_AddItemToObject(term, "joint", json_text(u->c->name[QUANTITY_QD][k]));
            cJSON_AddItemToObject(term, "factor", json_number(u->factor[k]));
            cJSON_AddItemToObject(term, "share", json_number(u->factor[k] * u->e->tau[i]));
            cJSON_AddItemToArray(terms, term);
        }
    }
    cJSON_AddItemToObject(root, "offset", json_number(solved ? (double)NAN : sum.offset));
    if (solved && !solved_by_loops(u->s->model, u->joint)) {
        add_follows(root, u, &sum);
    }
    cJSON_AddItemToObject(root, "line", json_line(dependence_source(u->s->model, u->joint)));
    cJSON_AddItemToObject(root, "torque", json_number(u->e->tau[i]));
    cJSON_AddItemToObject(root, "motor", json_number(u->e->motor[i]));
    cJSON_AddItemToObject(root, "forces_at", json_text(u->e->motors ? "actuated" : "independent"));
    cJSON_AddItemToObject(root, "constraint", json_number(u->e->tau_c[i]));
    combination_free(&sum);
}

/* ---- run ------------------------------------------------------------------------------------- */

/* Returns the index of the coordinate whose force or velocity has this name, or -1. */
static int find_velocity(const coordinates *c, const char *name)
{
    const int force = coordinates_find(c, QUANTITY_TAU, name);
    return force >= 0 ? force : coordinates_find(c, QUANTITY_QD, name);
}

/* Finds the coordinate in the tree and whether it is independent. Prints a message and returns
   false if no force in the tree has this name. */
static bool find_subject(subject *u, const coordinates *tree)
{
    const td_model *model = u->s->model;
    const int row = find_velocity(tree, u->name);
    if (row < 0) {
        scoped char *reason = coordinates_explain(tree, QUANTITY_TAU, u->name, false);
        complain("%s", reason);
        return false;
    }
    u->row = (size_t)row;
    u->joint = coordinates_joint(tree, u->row);
    u->name = tree->name[QUANTITY_TAU][row];
    const size_t k = u->row - td_joint_place_at(model, u->joint).qd;
    const bool dependent = (td_joint_place_at(model, u->joint).dependents >> k & 1) != 0;
    u->coordinate = dependent ? -1 : find_velocity(u->c, u->name);
    return true;
}

/* ---- outputs --------------------------------------------------------------------------------- */

/* Outputs of an independent and of a dependent joint. */
enum { TAU, JOINTS, LINKS, OTHER };
enum { TORQUE, MOTOR, CONSTRAINT, LEADERS };

static const char *const joint_parts[] = {"share",    "factor", "torque", "damping",
                                          "friction", "spring", "rotor"};
enum { SHARE, FACTOR, JOINT_TORQUE, PASSIVE_PARTS };

static void declare_number(outputs *o, const char *key, const char *const *name)
{
    outputs_add(
        o,
        (output){.kind = OUTPUT_NUMBER, .key = key, .prefix = key, .column = name, .columns = 1});
}

static bool declare(outputs *o, const session *s, void *context)
{
    static const char *const leader_parts[] = {"factor", "share"};
    static const char *link_parts[LINK_PART_COUNT];
    contributions_options *options = context;
    const size_t links = td_link_count(s->model), nyd = o->c->size[QUANTITY_QD];
    options->tree = coordinates_new(s->model, true);
    options->u =
        (subject){.s = s, .c = o->c, .name = options->joint, .passive = options->common.passive};
    subject *u = &options->u;
    if (!find_subject(u, &options->tree)) {
        return false;
    }
    options->G = outputs_keep(o, allocate(td_nv(s->model) * nyd, sizeof *options->G));
    options->tau = outputs_keep(o, allocate(nyd, sizeof *options->tau));
    u->factor = options->G + u->row * nyd;
    if (u->coordinate < 0) {
        declare_number(o, "torque", &u->name);
        declare_number(o, "motor", &u->name);
        declare_number(o, "constraint", &u->name);
        outputs_add(o, (output){.kind = OUTPUT_MATRIX,
                                .key = "terms",
                                .row = leader_parts,
                                .rows = 2,
                                .column = o->c->name[QUANTITY_QD],
                                .columns = nyd});
        return true;
    }
    const char **name = outputs_keep(o, allocate(links, sizeof *name));
    for (size_t i = 0; i < links; i++) {
        name[i] = td_link_at(s->model, i)->name;
    }
    for (size_t k = 0; k < LINK_PART_COUNT; k++) {
        link_parts[k] = link_part_text((enum link_part)k);
    }
    declare_number(o, "tau", &u->name);
    o->each[TAU].kind = OUTPUT_NAMED;
    outputs_add(o, (output){.kind = OUTPUT_MATRIX,
                            .key = "joints",
                            .row = joint_parts,
                            .rows = PASSIVE_PARTS + (u->passive ? PASSIVE_COUNT : 0),
                            .column = options->tree.name[QUANTITY_TAU],
                            .columns = options->tree.size[QUANTITY_TAU]});
    outputs_add(o, (output){.kind = OUTPUT_MATRIX,
                            .key = "links",
                            .row = link_parts,
                            .rows = LINK_PART_COUNT,
                            .column = name,
                            .columns = links});
    declare_number(o, "other", &u->name);
    return true;
}

static void put_dependent(const contributions_options *options, double *const *out)
{
    const subject *u = &options->u;
    const contributions *e = &options->found;
    const size_t nyd = u->c->size[QUANTITY_QD];
    *out[TORQUE] = e->tau[u->row];
    *out[MOTOR] = e->motor[u->row];
    *out[CONSTRAINT] = e->tau_c[u->row];
    for (size_t k = 0; k < nyd; k++) {
        out[LEADERS][k] = u->factor[k];
        out[LEADERS][nyd + k] = u->factor[k] * e->tau[u->row];
    }
}

static void put_independent(const contributions_options *options, double *const *out)
{
    const subject *u = &options->u;
    const contributions *e = &options->found;
    const size_t nv = options->tree.size[QUANTITY_TAU], links = td_link_count(u->s->model);
    const size_t rows = PASSIVE_PARTS + (u->passive ? PASSIVE_COUNT : 0);
    memset(out[JOINTS], 0, rows * nv * sizeof **out);
    memset(out[LINKS], 0, LINK_PART_COUNT * links * sizeof **out);
    *out[TAU] = e->force;
    *out[OTHER] = e->other;
    for (size_t i = 0; i < e->joint_count; i++) {
        const joint_share *share = &e->joint[i];
        double *column = out[JOINTS] + share->qd;
        column[SHARE * nv] = joint_share_total(share);
        column[FACTOR * nv] = share->factor;
        column[JOINT_TORQUE * nv] = share->torque;
        for (size_t k = 0; PASSIVE_PARTS + k < rows; k++) {
            column[(PASSIVE_PARTS + k) * nv] = share->passive[k];
        }
    }
    for (size_t i = 0; i < e->link_count; i++) {
        for (size_t k = 0; k < LINK_PART_COUNT; k++) {
            out[LINKS][k * links + e->link[i].link] = e->link[i].part[k];
        }
    }
}

static td_status compute(const session *s, const coordinates *c, const given_state *x,
                         void *context, double *const *out)
{
    contributions_options *options = context;
    const subject *u = &options->u;
    robot_state state = {.value = {(double *)(uintptr_t)x->q, (double *)(uintptr_t)x->qd,
                                   (double *)(uintptr_t)x->third, options->tau}};
    (void)c;
    contributions_free(&options->found);
    td_status status = find_contributions(s, &state, &x->forces, u->coordinate, &options->found);
    if (status == TD_OK) {
        status = td_closure_jacobian(s->model, s->workspace, x->q, options->G);
    }
    if (status == TD_OK) {
        (u->coordinate < 0 ? put_dependent : put_independent)(options, out);
    }
    return status;
}

static void print(const outputs *o, const session *s, const robot_state *x, const void *context,
                  const double *const *value)
{
    const contributions_options *options = context;
    (void)o, (void)s, (void)x, (void)value;
    subject u = options->u;
    u.e = &options->found;
    (u.coordinate < 0 ? print_dependent : print_independent)(&u);
}

static void add_json(cJSON *root, const outputs *o, const session *s, const void *context)
{
    const contributions_options *options = context;
    (void)o, (void)s;
    subject u = options->u;
    u.e = &options->found;
    (u.coordinate < 0 ? add_dependent : add_independent)(root, &u);
}

static void add_head(cJSON *root, const session *s, const void *context)
{
    const contributions_options *options = context;
    loads_add_json(s->loads, root);
    cJSON_AddItemToObject(root, "joint", json_text(options->u.name));
    cJSON_AddBoolToObject(root, "dependent", options->u.coordinate < 0);
    cJSON_AddBoolToObject(root, "passive", options->u.passive);
}

int command_contributions(int argc, char **argv)
{
    static const state_command command = {.set = &options_of_contributions,
                                          .needs = NEEDS_WORKSPACE,
                                          .used = USES_ALL,
                                          .no_tree = true,
                                          .wrenches = true,
                                          .declare = declare,
                                          .compute = compute,
                                          .head = add_head,
                                          .print = print,
                                          .add_json = add_json};
    contributions_options options = {.common = {.takes_states = true}, .joint = NULL};
    const int code = run_state_command(&command, argc, argv, &options);
    contributions_free(&options.found);
    if (options.tree.model != NULL) {
        coordinates_free(&options.tree);
    }
    return code;
}
