/* SPDX-License-Identifier: MIT */
/*
 * Which columns of a recording are what: by --map, or by their names (t, time, JOINT, q:JOINT,
 * qd:JOINT, qdd:JOINT), and in which unit: by --unit, or by their headings ("elbow [deg]").
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "paragraph.h"
#include "recording/recording.h"
#include "table/unused.h"
#include "text.h"
#include "units.h"

typedef struct mapper {
    recording *r;
    const recording_options *options;
    double size[UNIT_DOMAINS][UNIT_ORDERS]; /* of units given for all columns */
    bool *map_used, *unit_used;
    int time_column;
    double time_factor;
    name_list unused;
} mapper;

/* What follows "COLUMN=" in a word; NULL where it is about another column. The name of a column may
   hold equals signs. */
static const char *behind(const char *word, const char *column)
{
    const size_t length = strlen(column);
    return strncmp(word, column, length) == 0 && word[length] == '=' &&
                   strchr(word + length + 1, '=') == NULL
               ? word + length + 1
               : NULL;
}

/* The last word of the list that is about the column; base: its heading without the unit. */
static const char *find_word(const word_list *list, bool *used, const char *heading,
                             const char *base)
{
    const char *found = NULL;
    for (size_t i = 0; i < list->count; i++) {
        const char *value = behind(list->word[i], heading);
        value = value != NULL ? value : behind(list->word[i], base);
        if (value != NULL) {
            found = value;
            used[i] = true;
        }
    }
    return found;
}

/* ---- units ----------------------------------------------------------------------------------- */

static const value_unit *known_unit(const char *word)
{
    const value_unit *u = unit_find(word);
    if (u == NULL) {
        char *words = unit_words();
        complain("--unit: there is no unit '%s'; known: %s", word, words);
        free(words);
    }
    return u;
}

/* Units without a column. */
static bool read_units(mapper *m)
{
    for (int d = 0; d < UNIT_DOMAINS; d++) {
        for (int k = 0; k < UNIT_ORDERS; k++) {
            m->size[d][k] = 1;
        }
    }
    for (size_t i = 0; i < m->options->unit.count; i++) {
        const char *word = m->options->unit.word[i];
        if (strchr(word, '=') != NULL) {
            continue;
        }
        const value_unit *u = known_unit(word);
        if (u == NULL) {
            return false;
        }
        m->size[u->domain][u->order] = u->size;
        m->unit_used[i] = true;
    }
    return true;
}

/* ---- joints ---------------------------------------------------------------------------------- */

/* "q:" and the like before a name; QUANTITY_COUNT for none. */
static enum quantity prefix_of(const char **name)
{
    for (enum quantity quantity = QUANTITY_Q; quantity <= QUANTITY_QDD; quantity++) {
        const size_t length = strlen(quantity_text(quantity));
        if (strncmp(*name, quantity_text(quantity), length) == 0 && (*name)[length] == ':') {
            *name += length + 1;
            return quantity;
        }
    }
    return QUANTITY_COUNT;
}

/* The index of a dependent joint's position in q, −1 where the name is none of one. */
static int follower_of(const td_model *model, const char *name)
{
    const int joint = td_joint_index(model, name);
    if (joint < 0) {
        return -1;
    }
    const td_joint_place place = td_joint_place_at(model, (size_t)joint);
    return place.dependent && place.nq == 1 ? place.q : -1;
}

static unit_domain follower_domain(const td_model *model, const char *name)
{
    return coordinate_domain(model, (size_t)td_joint_index(model, name), QUANTITY_Q, 0);
}

static bool add_channel(mapper *m, channel next)
{
    recording *r = m->r;
    for (size_t k = 0; k < r->channels; k++) {
        const channel *other = &r->channel[k];
        if (other->quantity == next.quantity && other->index == next.index &&
            other->follower == next.follower) {
            complain("%s: columns '%s' and '%s' are the same quantity of one joint (--map COLUMN= "
                     "leaves one out)",
                     r->name, other->name, next.name);
            free(next.name);
            return false;
        }
    }
    r->channel = reallocate(r->channel, r->channels + 1, sizeof *r->channel);
    r->channel[r->channels++] = next;
    return true;
}

/* A column of a joint. u: its unit, NULL where none is given. */
static bool add_joint(mapper *m, size_t column, const char *heading, const char *target,
                      const value_unit *u, bool must)
{
    const coordinates *c = m->r->c;
    const char *joint = target;
    enum quantity quantity = prefix_of(&joint);
    if (quantity == QUANTITY_COUNT) {
        quantity = u != NULL && u->domain != UNIT_TIME ? (enum quantity)u->order : QUANTITY_Q;
    }
    const int index = coordinates_find(c, quantity, joint);
    const int follower = index < 0 && quantity == QUANTITY_Q ? follower_of(c->model, joint) : -1;
    if (index < 0 && follower < 0) {
        if (must || joint != target) {
            char *reason = coordinates_explain(c, quantity, joint, false);
            complain("%s: column '%s': %s", m->r->name, heading, reason);
            free(reason);
            return false;
        }
        names_add(&m->unused, heading);
        return true;
    }
    const unit_domain domain = follower >= 0 ? follower_domain(c->model, joint)
                                             : coordinates_domain(c, quantity, (size_t)index);
    if (u != NULL && (u->domain != domain || u->order != (int)quantity)) {
        static const char *const what[] = {"position", "velocity", "acceleration"};
        static const char *const whose[] = {[UNIT_TURN] = "a joint that turns",
                                            [UNIT_SLIDE] = "a joint that slides",
                                            [UNIT_NONE] = "a quaternion, which has none"};
        complain("%s: column '%s': %s is no unit of the %s of %s", m->r->name, heading, u->word,
                 what[quantity], whose[domain]);
        return false;
    }
    const double size = domain == UNIT_NONE ? 1 : m->size[domain][quantity];
    return add_channel(m, (channel){.name = text_format("%s", heading),
                                    .column = column,
                                    .quantity = quantity,
                                    .follower = follower >= 0,
                                    .index = (size_t)(follower >= 0 ? follower : index),
                                    .factor = u != NULL ? u->size : size});
}

static bool set_time(mapper *m, size_t column, const char *heading, const value_unit *u)
{
    if (m->time_column >= 0) {
        complain("%s: a second column of times, '%s' (--map COLUMN= leaves one out)", m->r->name,
                 heading);
        return false;
    }
    if (u != NULL && u->domain != UNIT_TIME) {
        complain("%s: column '%s': %s is no unit of time", m->r->name, heading, u->word);
        return false;
    }
    m->time_column = (int)column;
    m->time_factor = u != NULL ? u->size : m->size[UNIT_TIME][0];
    return true;
}

static bool map_column(mapper *m, size_t column, const char *heading)
{
    size_t length;
    const value_unit *u = unit_of_heading(heading, &length);
    char *base = text_format("%.*s", (int)length, heading);
    const char *target = find_word(&m->options->map, m->map_used, heading, base);
    const char *word = find_word(&m->options->unit, m->unit_used, heading, base);
    bool good = word == NULL || (u = known_unit(word)) != NULL;
    const char *name = target != NULL ? target : base;
    if (good && *name == '\0') {
        names_add(&m->unused, heading);
    } else if (good && u != NULL && u->order == UNIT_FORCE && target == NULL) {
        names_add(&m->unused, heading); /* a force is no motion */
    } else if (good && (strcmp(name, "t") == 0 || (target == NULL && is_time_heading(name)))) {
        good = set_time(m, column, heading, u);
    } else if (good) {
        good = add_joint(m, column, heading, name, u, target != NULL);
    }
    free(base);
    return good;
}

/* Options about columns that do not occur. */
static bool all_used(const mapper *m, const word_list *list, const bool *used, const char *option,
                     size_t count, char *const *heading)
{
    for (size_t i = 0; i < list->count; i++) {
        if (used[i]) {
            continue;
        }
        const char *word = list->word[i];
        const char *equals = strrchr(word, '=');
        if (equals == NULL) {
            complain("--%s %s: COLUMN=%s expected", option, word,
                     strcmp(option, "map") == 0 ? "JOINT" : "UNIT");
            return false;
        }
        char *column = text_format("%.*s", (int)(equals - word), word);
        const char *near = nearest_name(column, (const char *const *)heading, count);
        complain("--%s %s: %s has no column '%s'%s%s%s", option, word, m->r->name, column,
                 near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                 near != NULL ? "'?" : "");
        free(column);
        return false;
    }
    return true;
}

bool recording_map(recording *r, const recording_options *options, size_t count,
                   char *const *heading, int *time_column, double *time_factor)
{
    mapper m = {.r = r,
                .options = options,
                .map_used = allocate(options->map.count, sizeof(bool)),
                .unit_used = allocate(options->unit.count, sizeof(bool)),
                .time_column = -1};
    bool good = read_units(&m);
    for (size_t i = 0; i < count && good; i++) {
        good = map_column(&m, i, heading[i]);
    }
    good = good && all_used(&m, &options->map, m.map_used, "map", count, heading) &&
           all_used(&m, &options->unit, m.unit_used, "unit", count, heading);
    if (good && m.time_column < 0 && isnan(options->sampled)) {
        complain(
            "%s: there is no column 't' or 'time': --map COLUMN=t names it, --sampled HZ stands "
            "for it",
            r->name);
        good = false;
    } else if (good && m.time_column >= 0 && !isnan(options->sampled)) {
        complain("%s: --sampled is for recordings without times (--map COLUMN= leaves them out)",
                 r->name);
        good = false;
    }
    bool any = false;
    for (size_t k = 0; k < r->channels; k++) {
        any = any || !r->channel[k].follower;
    }
    if (good && !any) {
        complain("%s: no column is a joint's position: --map COLUMN=JOINT names one", r->name);
        good = false;
    }
    if (good) {
        tell_unused(r->name, m.unused.name, m.unused.count);
    }
    *time_column = m.time_column;
    *time_factor = m.time_factor;
    for (size_t i = 0; i < m.unused.count; i++) {
        free(m.unused.name[i]);
    }
    free(m.unused.name);
    free(m.map_used);
    free(m.unit_used);
    return good;
}
