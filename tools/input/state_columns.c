/* SPDX-License-Identifier: MIT */
/*
 * Interprets the heading of a table of states; see state_columns.h.
 */
#include "input/state_columns.h"

#include <stdlib.h>
#include <string.h>

#include "input/clock.h"
#include "input/column_path.h"
#include "input/quaternions.h"
#include "input/units.h"
#include "input/unused.h"
#include "text.h"

enum { EXPLAINED = 3 }; /* number of unknown names that are explained */

state_columns state_columns_new(const coordinates *c, const char *name, const state_form *form)
{
    state_columns columns = {.c = c, .name = name, .form = form};
    for (enum quantity quantity = QUANTITY_Q; quantity < QUANTITY_COUNT; quantity++) {
        columns.given[quantity] = allocate(c->size[quantity], sizeof(bool));
    }
    for (size_t i = 0; i < form->count; i++) {
        columns.read[form->read[i]] = true;
    }
    return columns;
}

void state_columns_free(state_columns *columns)
{
    for (size_t i = 0; i < columns->strange.count; i++) {
        free(columns->strange.name[i]);
    }
    free(columns->strange.name);
    column_lookup_free(&columns->lookup);
    for (enum quantity quantity = QUANTITY_Q; quantity < QUANTITY_COUNT; quantity++) {
        free(columns->given[quantity]);
    }
    free(columns->column);
    free(columns->kept);
}

/* ---- one column ------------------------------------------------------------------------------ */

/* Returns the reason why a name is not a coordinate, in a new string: an unknown unit in brackets,
   or the text of coordinates_explain. */
static char *explain_name(const state_columns *r, enum quantity quantity, const char *name)
{
    size_t length;
    scoped char *word = unit_word_of_heading(name, &length);
    scoped char *base = text_format("%.*s", (int)length, name);
    const int index = word != NULL ? coordinates_find(r->c, quantity, base) : -1;
    char *known =
        index >= 0 ? unit_words_of(coordinates_domain(r->c, quantity, (size_t)index), (int)quantity)
                   : NULL;
    char *text =
        index >= 0 && *known != '\0'
            ? text_format("unknown unit '%s' (known here: %s)", word, known)
            : coordinates_explain(r->c, quantity, name, r->form->told != 0 && !r->form->no_tree);
    free(known);
    return text;
}

/* Returns another column with the same meaning, or NULL. */
static const state_column *find_same(const state_columns *r, const state_column *column)
{
    for (size_t i = 0; i < r->count; i++) {
        const state_column *other = &r->column[i];
        if (other != column && other->kind == column->kind && other->index == column->index &&
            (column->kind != COLUMN_VALUE || other->quantity == column->quantity)) {
            return other;
        }
    }
    return NULL;
}

/* Uses a column, whose kind and index are set, in unit u (NULL: none given). Prints a message and
   returns false if another column has the same meaning. */
static bool use_column(state_columns *r, state_column *column, const value_unit *u,
                       unit_domain domain, int order)
{
    const size_t i = (size_t)(column - r->column);
    const state_column *other = find_same(r, column);
    if (other != NULL && strcmp(other->name, column->name) == 0) {
        complain("%s: column '%s' occurs twice", r->name, column->name);
    } else if (other != NULL) {
        complain("%s: columns '%s' and '%s' are the same%s", r->name,
                 (other < column ? other : column)->name, (other < column ? column : other)->name,
                 r->form->words != NULL ? " (leave one out with --map COLUMN=)" : "");
    }
    if (other != NULL) {
        column->kind = COLUMN_UNUSED;
        return false;
    }
    r->heading->used[i] = true;
    r->heading->factor[i] = column_factor(&r->lookup, u, domain, order);
    return true;
}

/* Reports a fault of a column. Ends the program if an option caused it. */
static void complain_column(const state_columns *r, const state_column *column, const char *fault)
{
    if (r->by_option) {
        refuse_usage("%s: column '%s': %s", r->name, column->name, fault);
    }
    complain("%s: column '%s': %s", r->name, column->name, fault);
}

/* Handles an unknown joint. Explains the first ones and lists the others at the end. */
static void refuse_name(state_columns *r, const state_column *column, enum quantity quantity,
                        const char *joint)
{
    if (r->explained < EXPLAINED || r->by_option) {
        scoped char *reason = explain_name(r, quantity, joint);
        complain_column(r, column, reason);
        r->explained++;
    } else {
        names_add(&r->strange, column->name);
    }
}

/* Returns the index of a dependent joint's position in q, or −1. */
static int follower_of(const td_model *model, const char *name)
{
    const size_t joint = td_joint_index(model, name);
    if (joint == TD_NONE) {
        return -1;
    }
    const td_joint_place place = td_joint_place_at(model, joint);
    return place.dependent && place.nq == 1 ? (int)place.q : -1;
}

/* Returns the index of a coordinate, or of a follower (*follower), or −1. */
static int find_coordinate(const state_columns *r, enum quantity quantity, const char *joint,
                           bool *follower)
{
    const int index = coordinates_find(r->c, quantity, joint);
    *follower = index < 0 && r->form->followers && quantity == QUANTITY_Q;
    return *follower ? follower_of(r->c->model, joint) : index;
}

/* Reads a column with a joint's quantity. u: the unit of the heading, or NULL. */
static bool read_value_column(state_columns *r, state_column *column, enum quantity quantity,
                              const char *joint, const value_unit *u)
{
    bool follower;
    const int index = find_coordinate(r, quantity, joint, &follower);
    if (index < 0) {
        refuse_name(r, column, quantity, joint);
        return false;
    }
    const size_t owner = follower ? td_joint_index(r->c->model, joint)
                                  : coordinates_owner(r->c, quantity, (size_t)index);
    const unit_domain domain = follower ? coordinate_domain(r->c->model, owner, QUANTITY_Q, 0)
                                        : coordinates_domain(r->c, quantity, (size_t)index);
    char *fault = unit_fault(td_joint_at(r->c->model, owner), joint, domain, quantity, u);
    if (fault != NULL) {
        complain_column(r, column, fault);
        free(fault);
        return false;
    }
    column->kind = follower ? COLUMN_FOLLOWER : COLUMN_VALUE;
    column->quantity = quantity;
    column->index = (size_t)index;
    if (!use_column(r, column, u, domain, (int)quantity)) {
        return false;
    }
    r->any[quantity] = true;
    if (!follower) {
        r->given[quantity][index] = true;
    }
    return true;
}

/* Returns the index of the first column of a foot. Without one prints a message and returns -1. */
static int find_foot(const state_columns *r, const state_column *column, const char *name)
{
    for (size_t i = 0; i < r->form->foot_count; i++) {
        if (strcmp(r->form->feet[i], name) == 0) {
            return (int)(6 * td_link_count(r->c->model) + FOOT_COLUMNS * i);
        }
    }
    complain("%s: column '%s': '%s' is not a foot; add --foot %s", r->name, column->name, name,
             name);
    return -1;
}

/* Reads a column such as "contact:FOOT". */
static bool read_contact_column(state_columns *r, state_column *column, const char *name,
                                const value_unit *u)
{
    if (u != NULL) {
        complain_column(r, column, "a contact is 0 or 1 and has no unit");
        return false;
    }
    const int first = find_foot(r, column, name);
    column->kind = COLUMN_WRENCH;
    column->index = (size_t)(first + FOOT_CONTACT);
    r->has_wrench = true;
    return first >= 0 && use_column(r, column, NULL, UNIT_TURN, UNIT_FORCE);
}

/* Reads a column such as "wrench:LINK.fx", or "plate:FOOT.fx" (plate). text: after the colon. */
static bool read_wrench_column(state_columns *r, state_column *column, const char *text,
                               const value_unit *u, bool plate)
{
    if (r->form->framed && !plate) {
        complain("%s: column 'wrench:%s' is in aligned axes, but --wrench is not; give --wrench "
                 "with frame:aligned",
                 r->name, text);
        return false;
    }
    const char *dot = strrchr(text, '.');
    size_t k = 0;
    while (dot != NULL && k < 6 && strcmp(dot + 1, wrench_part[k]) != 0) {
        k++;
    }
    if (dot == NULL || k == 6) {
        const char *kind = plate ? "plate" : "wrench";
        complain("%s: column '%s:%s' is not %s:LINK followed by .mx .my .mz .fx .fy or .fz",
                 r->name, kind, text, kind);
        return false;
    }
    scoped char *name = text_format("%.*s", (int)(dot - text), text);
    const int link = plate ? -1 : find_link(r->c->model, name);
    const int first = plate ? find_foot(r, column, name) : 6 * link;
    if (first < 0) {
        return false;
    }
    const unit_domain domain = k < 3 ? UNIT_TURN : UNIT_SLIDE;
    if (u != NULL && (u->domain != domain || u->order != UNIT_FORCE)) {
        scoped char *known = unit_words_of(domain, UNIT_FORCE);
        char *fault =
            text_format("a %s must be in %s, not %s", k < 3 ? "moment" : "force", known, u->word);
        complain_column(r, column, fault);
        free(fault);
        return false;
    }
    column->kind = COLUMN_WRENCH;
    column->index = (size_t)first + k;
    r->has_wrench = true;
    return use_column(r, column, u, domain, UNIT_FORCE);
}

/* Refuses a column with only a joint's name if the command does not read positions. */
static bool refuse_joint(const state_columns *r, const char *text)
{
    const enum quantity first = r->form->read[0];
    if (first == QUANTITY_Q || coordinates_find(r->c, QUANTITY_Q, text) < 0) {
        return false;
    }
    complain("%s: column '%s' is only a joint name; write '%s:' before it", r->name, text,
             quantity_text(first));
    return true;
}

/* Reports that no column is known: lists the columns, unknown units in brackets, and the remedy. */
static void refuse_columns(const state_columns *r, const char *known)
{
    enum { NAMED = 8 };
    char *names = text_format("%s", ""), *words = text_format("%s", "");
    for (size_t i = 0; i < r->count; i++) {
        size_t length;
        char *const word = unit_word_of_heading(r->column[i].name, &length);
        if (i < NAMED) {
            char *const longer =
                text_format("%s%s'%s'", names, i > 0 ? ", " : "", r->column[i].name);
            free(names);
            names = longer;
        }
        if (word != NULL && unit_find(word) == NULL && *words == '\0') {
            free(words);
            words = text_format("; '%s' is not a known unit", word);
        }
        free(word);
    }
    char *const more =
        r->count > NAMED ? text_format(" and %zu more", r->count - NAMED) : text_format("%s", "");
    char *const clean_names = text_clean(names), *const clean_words = text_clean(words);
    complain("%s: no column names one of this robot's %s; the columns are %s%s%s%s", r->name, known,
             clean_names, more, clean_words,
             r->form->words != NULL ? " (name one with --map COLUMN=JOINT)" : "");
    free(names), free(words), free(more), free(clean_names), free(clean_words);
}

/* Returns whether some command writes a column with this name. */
static bool is_result(const char *text)
{
    static const char *const names[] = {"energy", "work", "event", "residual", "status", "reached"};
    static const char *const prefixes[] = {
        "u:",         "energy:",   "com:",        "linear:",      "angular:",    "H:",
        "x:",         "y:",        "z:",          "qx:",          "qy:",         "qz:",
        "qw:",        "wx:",       "wy:",         "wz:",          "vx:",         "vy:",
        "vz:",        "reaction:", "constraint:", "dtau_y_dy:",   "dtau_y_dyd:", "dtau_dq:",
        "dtau_dqd:",  "dydd_dy:",  "dydd_dyd:",   "dydd_dtau_y:", "dqdd_dq:",    "dqdd_dqd:",
        "dqdd_dtau:", "A:",        "B:",          "Ad:",          "Bd:",         "K:",
        "share:",     "factor:",   "torque:",     "motor:",       "gravity:",    "inertia:",
        "velocity:",  "other:",    "turn:",       "shift:",       "compliance:", "stiffness:",
        "residual:",  "cop:",      "zmp:",        "foot:"};
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        found = found || strcmp(text, names[i]) == 0;
    }
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        found = found || strncmp(text, prefixes[i], strlen(prefixes[i])) == 0;
    }
    return found;
}

static bool is_own_result(const state_columns *r, const char *text)
{
    for (size_t i = 0; i < r->form->results; i++) {
        if (strcmp(r->form->result[i], text) == 0) {
            return true;
        }
    }
    return false;
}

static bool read_time_column(state_columns *r, state_column *column, const value_unit *u)
{
    if (r->has_time) {
        complain("%s: column '%s' is a second column of times%s", r->name, column->name,
                 r->form->words != NULL ? " (leave one out with --map COLUMN=)" : "");
        return false;
    }
    if (u != NULL && u->domain != UNIT_TIME) {
        scoped char *fault = text_format("%s is not a unit of time", u->word);
        complain_column(r, column, fault);
        return false;
    }
    r->has_time = true;
    column->kind = COLUMN_TIME;
    column->known = true;
    number_use_clock(r->heading, (size_t)(column - r->column),
                     u != NULL ? u : r->lookup.general[UNIT_TIME][0]);
    return true;
}

/* Reads a column that has only a joint's name. It is a position, unless its unit is for velocity or
   acceleration. */
static bool read_bare_column(state_columns *r, state_column *column, const char *joint,
                             const value_unit *u)
{
    const enum quantity quantity =
        u != NULL && u->domain != UNIT_TIME ? (enum quantity)u->order : QUANTITY_Q;
    return !r->read[quantity] || read_value_column(r, column, quantity, joint, u);
}

/* Reads a column by its name. text: the heading without its unit u, or the target of --map, which
   must be valid (must). Joints in messages of ROS may be of other robots or followers. */
static bool read_named_column(state_columns *r, state_column *column, const char *text,
                              const value_unit *u, bool must)
{
    column->known = true;
    for (enum quantity quantity = QUANTITY_Q; quantity < QUANTITY_COUNT; quantity++) {
        size_t length = strlen(quantity_text(quantity));
        if (strncmp(text, quantity_text(quantity), length) == 0 && text[length] == ':') {
            const char *joint = text + length + 1;
            bool follower;
            column->known = !r->read[quantity] || must || !r->heading->messages ||
                            find_coordinate(r, quantity, joint, &follower) >= 0;
            return !r->read[quantity] || !column->known ||
                   read_value_column(r, column, quantity, joint, u);
        }
    }
    if (r->form->wrenches && strncmp(text, "wrench:", 7) == 0) {
        return read_wrench_column(r, column, text + 7, u, false);
    }
    if (r->form->foot_count > 0 && strncmp(text, "plate:", 6) == 0) {
        return read_wrench_column(r, column, text + 6, u, true);
    }
    if (r->form->foot_count > 0 && strncmp(text, "contact:", 8) == 0) {
        return read_contact_column(r, column, text + 8, u);
    }
    /* in tables with q:JOINT a column such as work is a result, even if a joint has that name */
    bool follower;
    const bool joint = r->form->read[0] == QUANTITY_Q &&
                       (must || find_coordinate(r, QUANTITY_Q, text, &follower) >= 0);
    if (is_result(text) && !(joint && (r->bare || must))) {
        if (r->form->reached && strcmp(text, "reached") == 0) {
            r->reached = column;
            r->heading->used[column - r->column] = r->heading->array;
        }
        return true;
    }
    if (joint) {
        return read_bare_column(r, column, text, u);
    }
    column->known = false;
    return !refuse_joint(r, text);
}

/* Reads a column. time: the column of times, found by its name. */
static bool read_column(state_columns *r, size_t i, int time)
{
    state_column *column = &r->column[i];
    const char *base = r->heading->column[i];
    const value_unit *u = r->heading->unit[i];
    r->kept[i] = r->form->keep && !is_own_result(r, column->name);
    r->by_option = column_unit(&r->lookup, column->name, base, &u);
    const char *target = column_target(&r->lookup, column->name, base);
    r->by_option = r->by_option || target != NULL;
    if (target != NULL && *target == '\0') {
        column->known = true;
        return true;
    }
    if ((int)i == time || (target != NULL && strcmp(target, "t") == 0)) {
        return read_time_column(r, column, u);
    }
    return read_named_column(r, column, target != NULL ? target : base, u, target != NULL);
}

/* Finds the column of times by its name. Ignores joints and columns that --map assigns. Returns -1
   if --map names the column of times. */
static int find_time(state_columns *r)
{
    bool *skipped = allocate(r->count, sizeof *skipped), mapped = false;
    for (size_t i = 0; i < r->count; i++) {
        const char *base = r->heading->column[i];
        const char *target = column_target(&r->lookup, r->heading->text[i], base);
        bool follower;
        skipped[i] = target != NULL ||
                     (clock_rank(base) < 3 && find_coordinate(r, QUANTITY_Q, base, &follower) >= 0);
        mapped = mapped || (target != NULL && strcmp(target, "t") == 0);
    }
    const int found = mapped ? -1 : number_find_time(r->heading, skipped);
    free(skipped);
    return found;
}

/* ---- paths ----------------------------------------------------------------------------------- */

typedef struct path_search {
    const state_columns *r;
    enum quantity quantity;
    char *joint;
} path_search;

static bool try_path(void *context, enum quantity quantity, const char *name)
{
    path_search *s = context;
    bool follower;
    if (find_coordinate(s->r, quantity, name, &follower) < 0) {
        return false;
    }
    s->quantity = quantity;
    s->joint = text_format("%s", name);
    return true;
}

/* Refuses columns whose paths end with the same joint: "'a', 'b' and 'c'". */
static bool refuse_paths(const state_columns *r, const path_search *each, size_t i)
{
    char *text = text_format("%s", "");
    for (size_t k = 0; k < r->count; k++) {
        if (each[k].joint != NULL && each[k].quantity == each[i].quantity &&
            strcmp(each[k].joint, each[i].joint) == 0) {
            char *longer =
                text_format("%s%s'%s'", text, *text != '\0' ? ", " : "", r->column[k].name);
            free(text);
            text = longer;
        }
    }
    complain("%s: %s:%s could be any of the columns %s%s", r->name, quantity_text(each[i].quantity),
             each[i].joint, text,
             r->form->words != NULL ? " (leave one out with --map COLUMN=)" : "");
    free(text);
    return false;
}

/* Reads columns whose paths end with a joint that has no column of its own. */
static bool read_paths(state_columns *r)
{
    scoped path_search *each = allocate(r->count, sizeof *each);
    bool good = true;
    for (size_t i = 0; i < r->count; i++) {
        state_column *column = &r->column[i];
        path_search s = {.r = r};
        bool follower;
        if (column->kind != COLUMN_UNUSED || column->known ||
            !column_path_find(r->heading->column[i], try_path, &s)) {
            continue;
        }
        const int index = find_coordinate(r, s.quantity, s.joint, &follower);
        column->known = true;
        if (r->read[s.quantity] && (follower || !r->given[s.quantity][index])) {
            each[i] = s;
        } else {
            column->known = !r->read[s.quantity];
            free(s.joint);
        }
    }
    for (size_t i = 0; i < r->count && good; i++) {
        for (size_t k = 0; k < i && good && each[i].joint != NULL; k++) {
            good = each[k].joint == NULL || each[k].quantity != each[i].quantity ||
                   strcmp(each[k].joint, each[i].joint) != 0 || refuse_paths(r, each, i);
        }
    }
    for (size_t i = 0; i < r->count; i++) {
        const value_unit *u = r->heading->unit[i];
        r->by_option = each[i].joint != NULL &&
                       column_unit(&r->lookup, r->column[i].name, r->heading->column[i], &u);
        good = good && (each[i].joint == NULL ||
                        read_value_column(r, &r->column[i], each[i].quantity, each[i].joint, u));
        free(each[i].joint);
    }
    return good;
}

/* ---- all columns ----------------------------------------------------------------------------- */

/* Returns whether the whole heading, including a possible unit, is the name of a coordinate. */
static bool is_whole_name(const state_columns *r, const char *text)
{
    bool follower;
    for (enum quantity quantity = QUANTITY_Q; quantity < QUANTITY_COUNT; quantity++) {
        const size_t length = strlen(quantity_text(quantity));
        if (strncmp(text, quantity_text(quantity), length) == 0 && text[length] == ':') {
            return find_coordinate(r, quantity, text + length + 1, &follower) >= 0;
        }
    }
    return find_coordinate(r, QUANTITY_Q, text, &follower) >= 0;
}

/* Returns whether each column is a time or a quantity of this robot that the command does not read,
   such as forces. */
static bool only_others(const state_columns *r)
{
    bool only = true;
    for (size_t i = 0; i < r->count; i++) {
        only =
            only && (r->column[i].kind == COLUMN_TIME || is_whole_name(r, r->heading->column[i]));
    }
    return only;
}

/* Returns whether a column is part of a state. A table with only times means the default state. A
   table with only unknown columns, such as a table of another robot, would silently mean the
   default state in each row: prints a message and returns false. */
static bool any_column(const state_columns *r)
{
    bool any = r->has_wrench;
    char *known = text_format("%s", "");
    for (size_t i = 0; i < r->form->count; i++) {
        any = any || r->any[r->form->read[i]];
        char *longer =
            text_format("%s%s%s:JOINT", known, i > 0 ? ", " : "", quantity_text(r->form->read[i]));
        free(known);
        known = longer;
    }
    any = any || only_others(r);
    if (!any) {
        refuse_columns(r, known);
    }
    free(known);
    return any;
}

/* Keeps brackets that are part of a joint's name, such as 'x [deg]', from being read as units. */
static void keep_whole_names(state_columns *r)
{
    const number_heading *h = r->heading;
    for (size_t i = 0; i < r->count; i++) {
        if (h->unit[i] != NULL && is_whole_name(r, h->text[i])) {
            h->unit[i] = NULL;
            free(h->column[i]);
            h->column[i] = text_format("%s", h->text[i]);
        }
    }
}

/* Determines the meaning of all columns. Prints a message and returns false on failure. */
static bool read_all(state_columns *r)
{
    keep_whole_names(r);
    const int time = find_time(r);
    bool good = time >= -1;
    for (size_t i = 0; i < r->count; i++) {
        r->bare = r->bare && strncmp(r->heading->column[i], "q:", 2) != 0;
    }
    for (size_t i = 0; i < r->count && time >= -1; i++) {
        good = read_column(r, i, time) && good;
    }
    tell_unused(r->name, "not joints of this robot", r->strange.name, r->strange.count);
    good = good && read_paths(r);
    if (good) {
        column_lookup_used(&r->lookup, r->heading->text, r->count);
    }
    return good && any_column(r);
}

bool state_columns_read(state_columns *r, const number_heading *heading, double *neutral)
{
    r->heading = heading;
    r->count = heading->columns;
    r->column = allocate(r->count, sizeof *r->column);
    r->kept = allocate(r->count, sizeof *r->kept);
    r->bare = true;
    for (size_t i = 0; i < r->count; i++) {
        r->column[i] = (state_column){.kind = COLUMN_UNUSED, .name = heading->text[i]};
    }
    column_lookup_new(&r->lookup, r->form->words, r->name);
    if (heading->plain ? !state_columns_place(r) : !read_all(r)) {
        return false;
    }
    complete_quaternions(r->c, r->given[QUANTITY_Q], neutral);
    state_columns_tell(r, neutral);
    return true;
}
