/* SPDX-License-Identifier: MIT */
/*
 * Selects the parameters of tandem calibrate by its options; see calibrate.h.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "commands/calibrate.h"
#include "input/coordinate_name.h"
#include "input/link_name.h"
#include "text.h"

/* A joint, or one side of a loop. */
typedef struct owner {
    char *name; /* "elbow", "ring.predecessor" */
    char *text; /* for messages: "joint 'elbow'" */
    const td_source *source;
    const char *origin;    /* path of <origin> */
    const td_joint *joint; /* NULL: of a loop */
} owner;

static void owner_free(owner *o)
{
    free(o->name);
    free(o->text);
}

/* ---- groups of numbers ----------------------------------------------------------------------- */

/* Returns the group of numbers with the same place, or adds it. */
static size_t add_group(parameter_list *p, const number_group *group)
{
    for (size_t i = 0; i < p->groups; i++) {
        const number_group *g = &p->group[i];
        if (g->point == group->point && g->number[0].begin == group->number[0].begin) {
            return i;
        }
    }
    p->group = reallocate(p->group, p->groups + 1, sizeof *p->group);
    p->group[p->groups] = *group;
    return p->groups++;
}

/* Finds the numbers of an attribute. Without them returns TD_NONE, after a message if tells. */
static size_t find_group(parameter_list *p, const owner *o, const char *path, const char *attribute,
                         bool tells)
{
    number_group group = {.count = strcmp(path, "mimic") == 0 ? 1 : 3,
                          .point = TD_NONE,
                          .axis = strcmp(path, "axis") == 0};
    return urdf_find_numbers(&p->file, o->source, path, attribute, group.count, group.number,
                             tells ? o->text : NULL)
               ? add_group(p, &group)
               : TD_NONE;
}

/* ---- parameters ------------------------------------------------------------------------------ */

/* Returns the standard deviation of a parameter before the fit. */
static double prior_of(const calibrate_options *options, unit_domain domain, double scale)
{
    static const double part = 0.1, least = 1e-3, angle = 0.1; /* m, rad */
    const double given = options->prior.of[domain == UNIT_NONE ? UNIT_TURN : domain];
    return isfinite(given) ? given : domain == UNIT_SLIDE ? fmax(part * scale, least) : angle;
}

/* Adds a parameter. scale: a length (m) from which the default prior follows. Returns false after a
   message if it is there already. */
static bool add_parameter(parameter_list *p, const calibrate_options *options,
                          const parameter *next, double scale)
{
    for (size_t i = 0; i < p->count; i++) {
        if (strcmp(p->at[i].name, next->name) == 0) {
            complain("parameter '%s' is chosen twice", next->name);
            free(next->name);
            return false;
        }
    }
    p->at = reallocate(p->at, p->count + 1, sizeof *p->at);
    p->prior = reallocate(p->prior, p->count + 1, sizeof *p->prior);
    p->bound = reallocate(p->bound, p->count + 1, sizeof *p->bound);
    p->prior[p->count] = prior_of(options, next->domain, scale);
    p->bound[p->count] = options->bound * p->prior[p->count];
    p->at[p->count++] = *next;
    return true;
}

static double length_of(const number_group *g)
{
    double square = 0;
    for (size_t i = 0; i < g->count; i++) {
        square += g->number[i].value * g->number[i].value;
    }
    return sqrt(square);
}

/* Adds one number of a group. */
static bool add_number(parameter_list *p, const calibrate_options *options, char *name,
                       unit_domain domain, size_t group, size_t i)
{
    const number_group *g = &p->group[group];
    parameter next = {.name = name, .domain = domain, .group = group, .start = g->number[i].value};
    next.direction[i] = 1;
    return add_parameter(p, options, &next, length_of(g));
}

/* Adds the length of an origin. */
static bool add_length(parameter_list *p, const calibrate_options *options, const owner *o,
                       bool tells)
{
    const size_t group = find_group(p, o, o->origin, "xyz", tells);
    const double length = group != TD_NONE ? length_of(&p->group[group]) : 0;
    if (length == 0 && tells && group != TD_NONE) {
        complain("%s is at the origin of its parent, and a length of zero has no direction; use "
                 "--origin %s",
                 o->text, o->name);
    }
    if (length == 0) {
        return false;
    }
    parameter next = {.name = text_format("%s.length", o->name),
                      .domain = UNIT_SLIDE,
                      .group = group,
                      .start = length};
    for (size_t i = 0; i < 3; i++) {
        next.direction[i] = p->group[group].number[i].value / length;
    }
    return add_parameter(p, options, &next, length);
}

/* Adds the two directions in which an axis can tilt. */
static bool add_axis(parameter_list *p, const calibrate_options *options, const owner *o)
{
    static const char *const word[] = {"x", "y", "z"};
    const size_t group = find_group(p, o, "axis", "xyz", true);
    if (group == TD_NONE) {
        return false;
    }
    double n[3], first[3] = {0};
    const double length = length_of(&p->group[group]);
    size_t largest = 0;
    for (size_t i = 0; i < 3; i++) {
        n[i] = p->group[group].number[i].value / length;
        largest = fabs(n[i]) > fabs(n[largest]) ? i : largest;
    }
    bool good = true;
    for (size_t i = 0, done = 0; i < 3 && good; i++) {
        if (i == largest) {
            continue;
        }
        parameter next = {.name = text_format("%s.axis.%s", o->name, word[i]),
                          .domain = UNIT_TURN,
                          .group = group};
        double square = 0, along = 0;
        for (size_t k = 0; k < 3; k++) { /* the part of direction i normal to n and to the first */
            next.direction[k] = (k == i) - n[i] * n[k];
            along += next.direction[k] * first[k];
        }
        for (size_t k = 0; k < 3; k++) {
            next.direction[k] -= done > 0 ? along * first[k] : 0;
            square += next.direction[k] * next.direction[k];
        }
        for (size_t k = 0; k < 3; k++) {
            first[k] = next.direction[k] / sqrt(square);
            next.direction[k] = length * first[k];
        }
        done++;
        good = add_parameter(p, options, &next, 0);
    }
    return good;
}

/* Adds the offset or the multiplier of a joint that follows another one. */
static bool add_mimic(parameter_list *p, const calibrate_options *options, const owner *o,
                      const char *attribute)
{
    const size_t index = td_joint_index(p->s->model, o->joint->name);
    const size_t group = find_group(p, o, "mimic", attribute, true);
    const unit_domain domain = strcmp(attribute, "offset") == 0
                                   ? coordinate_domain(p->s->model, index, QUANTITY_Q, 0)
                                   : UNIT_NONE;
    return group != TD_NONE &&
           add_number(p, options, text_format("%s.%s", o->name, attribute), domain, group, 0);
}

/* Adds the zero position of a joint that follows none: its origin moves along or about its axis. */
static bool add_zero(parameter_list *p, const calibrate_options *options, const owner *o)
{
    const td_model *model = p->s->model;
    const td_joint_kind *kind = o->joint != NULL ? td_joint_kind_of(o->joint->type) : NULL;
    if (kind == NULL || kind->nq != 1 || kind->pitched) {
        complain("%s does not have one angle or one displacement, so it has no offset", o->text);
        return false;
    }
    parameter next = {
        .name = text_format("%s.offset", o->name),
        .domain = coordinate_domain(model, td_joint_index(model, o->joint->name), QUANTITY_Q, 0)};
    next.turns = next.domain == UNIT_TURN;
    next.group = find_group(p, o, "origin", next.turns ? "rpy" : "xyz", true);
    if (next.group == TD_NONE || isnan(options->joint_noise.of[next.domain])) {
        if (next.group != TD_NONE) {
            complain("%s follows no joint: its zero position shows only in measured positions of "
                     "joints (columns q:JOINT, --joint-noise)",
                     o->text);
        }
        free(next.name);
        return false;
    }
    for (size_t i = 0; i < 3; i++) {
        next.axis[i] = o->joint->axis[i];
        for (size_t k = 0; k < 3 && !next.turns; k++) {
            next.direction[i] += o->joint->origin.rotation[3 * i + k] * o->joint->axis[k];
        }
    }
    return add_parameter(p, options, &next, 0);
}

/* Adds what --offset or --multiplier chooses. */
static bool add_offset(parameter_list *p, const calibrate_options *options, const owner *o,
                       const char *attribute)
{
    if (o->joint != NULL && o->joint->mimic != NULL) {
        return add_mimic(p, options, o, attribute);
    }
    if (strcmp(attribute, "multiplier") == 0) {
        complain("%s follows no joint, so it has no multiplier", o->text);
        return false;
    }
    return add_zero(p, options, o);
}

/* Adds numbers of an origin: x, y and z without a component. */
static bool add_origin(parameter_list *p, const calibrate_options *options, const owner *o,
                       const char *component)
{
    static const char *const word[] = {"x", "y", "z", "roll", "pitch", "yaw"};
    bool good = true, found = false;
    for (size_t i = 0; i < 6 && good; i++) {
        if (component != NULL ? strcmp(component, word[i]) != 0 : i >= 3) {
            continue;
        }
        found = true;
        const size_t group = find_group(p, o, o->origin, i < 3 ? "xyz" : "rpy", true);
        good = group != TD_NONE && add_number(p, options, text_format("%s.%s", o->name, word[i]),
                                              i < 3 ? UNIT_SLIDE : UNIT_TURN, group, i % 3);
    }
    if (!found) {
        complain("--origin %s.%s: the numbers of an origin are x, y, z, roll, pitch and yaw",
                 o->name, component);
    }
    return good && found;
}

/* Adds the place of a point on its link. */
static bool add_point(parameter_list *p, const calibrate_options *options, const char *name)
{
    static const char *const word[] = {"x", "y", "z"};
    size_t point = 0;
    while (point < p->points->count && strcmp(p->points->marker[point].name, name) != 0) {
        point++;
    }
    if (point == p->points->count) {
        complain("--marker %s: no such point in %s", name, p->points->name);
        return false;
    }
    number_group group = {.count = 3, .point = point};
    bool good = true;
    for (size_t i = 0; i < 3; i++) {
        group.number[i].value = p->points->marker[point].point[i];
    }
    const size_t index = add_group(p, &group);
    for (size_t i = 0; i < 3 && good; i++) {
        good =
            add_number(p, options, text_format("point %s.%s", name, word[i]), UNIT_SLIDE, index, i);
    }
    return good;
}

/* ---- selection ------------------------------------------------------------------------------- */

static owner owner_of_joint(const td_joint *joint)
{
    return (owner){.name = text_format("%s", joint->name),
                   .text = text_format("joint '%s'", joint->name),
                   .source = &joint->source,
                   .origin = "origin",
                   .joint = joint};
}

static owner owner_of_loop(const td_loop *loop, bool successor)
{
    const char *side = successor ? "successor" : "predecessor";
    return (owner){.name = text_format("%s.%s", loop->name, side),
                   .text = text_format("the %s of loop '%s'", side, loop->name),
                   .source = &loop->source,
                   .origin = successor ? "successor/origin" : "predecessor/origin"};
}

/* Finds a joint, or LOOP.predecessor or LOOP.successor. */
static bool find_exactly(const td_model *model, const char *name, owner *o)
{
    const size_t joint = td_joint_index(model, name);
    if (joint != TD_NONE) {
        *o = owner_of_joint(td_joint_at(model, joint));
        return true;
    }
    for (size_t i = 0; i < 2 * td_loop_count(model); i++) {
        *o = owner_of_loop(td_loop_at(model, i / 2), i % 2 == 1);
        if (strcmp(o->name, name) == 0) {
            return true;
        }
        owner_free(o);
    }
    return false;
}

/* Finds a joint or one side of a loop. component: accepts NAME.COMPONENT, and receives the
   component; may be NULL. Prints a message and returns false without one. */
static bool find_owner(const session *s, const char *name, const char **component, owner *o)
{
    const char *dot = strrchr(name, '.');
    bool found = find_exactly(s->model, name, o);
    if (!found && component != NULL && dot != NULL) {
        scoped char *before = text_format("%.*s", (int)(dot - name), name);
        found = find_exactly(s->model, before, o);
        *component = dot + 1;
    }
    if (!found) {
        scoped char *text = unknown_joint(s->model, name);
        complain("%s", text);
    }
    return found;
}

/* Adds the lengths of all joints and loops that may move a point. */
static void add_lengths(parameter_list *p, const calibrate_options *options)
{
    const td_model *model = p->s->model;
    const size_t joints = td_joint_count(model), loops = td_loop_count(model);
    scoped bool *moves = allocate(joints, sizeof *moves);
    for (size_t i = 0; i < p->points->count; i++) {
        size_t joint = td_link_parent_joint(model, p->points->marker[i].link);
        for (; joint != TD_NONE; joint = td_joint_place_at(model, joint).parent_joint) {
            moves[joint] = true;
        }
    }
    for (size_t i = 0; i < joints + 2 * loops; i++) {
        if (i >= joints || moves[i] || loops > 0) {
            const size_t k = i - joints;
            owner o = i < joints ? owner_of_joint(td_joint_at(model, i))
                                 : owner_of_loop(td_loop_at(model, k / 2), k % 2 == 1);
            add_length(p, options, &o, false);
            owner_free(&o);
        }
    }
}

/* Adds what one word of an option chooses. kind: the option's name. */
static bool select_word(parameter_list *p, const calibrate_options *options, const char *kind,
                        const char *word)
{
    const bool origin = strcmp(kind, "origin") == 0;
    const char *component = NULL;
    owner o;
    if (strcmp(kind, "marker") == 0) {
        return add_point(p, options, word);
    }
    if (!find_owner(p->s, word, origin ? &component : NULL, &o)) {
        return false;
    }
    const bool good = origin                        ? add_origin(p, options, &o, component)
                      : strcmp(kind, "length") == 0 ? add_length(p, options, &o, true)
                      : strcmp(kind, "axis") == 0   ? add_axis(p, options, &o)
                                                    : add_offset(p, options, &o, kind);
    owner_free(&o);
    return good;
}

/* Adds what all options choose. *given receives the number of words. */
static bool select_words(parameter_list *p, const calibrate_options *options, size_t *given)
{
    const struct {
        const char *kind;
        const word_list *list;
    } each[] = {{"length", &options->lengths},
                {"origin", &options->origins},
                {"axis", &options->axes},
                {"offset", &options->offsets},
                {"multiplier", &options->multipliers},
                {"marker", &options->markers}};
    *given = 0;
    for (size_t k = 0; k < sizeof each / sizeof *each; k++) {
        for (size_t i = 0; i < each[k].list->count; i++) {
            ++*given;
            if (!select_word(p, options, each[k].kind, each[k].list->word[i])) {
                return false;
            }
        }
    }
    return true;
}

int parameters_select(parameter_list *p, const session *s, const marker_list *points,
                      const calibrate_options *options)
{
    *p = (parameter_list){.s = s, .load = &options->common.load, .points = points};
    if (!urdf_text_read(&p->file, options->common.file)) {
        return EXIT_FILE;
    }
    size_t given;
    if (!select_words(p, options, &given)) {
        return EXIT_USAGE;
    }
    if (given == 0) {
        add_lengths(p, options);
    }
    if (p->count == 0) {
        complain("%s: no joint that moves a point has an origin with a length; choose parameters "
                 "with --origin, --axis or --marker",
                 s->file);
        return EXIT_USAGE;
    }
    return EXIT_GOOD;
}
