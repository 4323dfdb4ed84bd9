/* SPDX-License-Identifier: MIT */
/*
 * Tests every field of every record (lib/model/fields.h) with other values. A value must appear in
 * the model file, in the URDF and the model loaded from it, and in the MJCF or its refusal. It must
 * also appear in the JSON of tandem info and in the page of tandem view, and tandem diff must find
 * it. Numbers that are not finite must be reported, and numbers that dynamics depend on must change
 * dynamics and vary in random robots. The lists below name the exceptions with reasons. Tested
 * values are every number of a vector, every word of an enum, true and false. The test fails if a
 * new field is missing somewhere.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/diff.h"
#include "model/fields.h"
#include "output/json.h"
#include "output/records.h"
#include "run.h"
#include "td_test.h"
#include "wasm/page.h"

page_state page; /* tv_description describes its robot */

typedef enum consumer { URDF, MJCF, DIFF, JSON, PAGE, CONSUMERS } consumer;
static const char *const consumers[] = {"urdf", "mjcf", "diff", "json", "page"};

/* ---- fields that a consumer does not carry, with reasons ------------------------------------- */

typedef struct excuse {
    const char *record, *keys; /* separated by spaces; a new field is in no list */
    consumer without;
    const char *why;
} excuse;

static const excuse exceptions[] = {
    {"geometry", "name", MJCF, "names of geoms are of no use there"},
    {"geometry", "material", MJCF, "it has the colour"},
    {"geometry", "file", MJCF, "meshes are left out, with a note (docs/export.md)"},
    {"joint", "limit.velocity limit.acceleration limit.deceleration limit.jerk", MJCF,
     "MuJoCo has no such limits"},
    {"joint", "calibration_rising calibration_falling", MJCF, "for drivers alone"},
    {"joint", "soft_lower soft_upper k_position k_velocity", MJCF, "for controllers alone"},
    {"link", "flexible", URDF, "the library writes it"},
    {"link", "flexible", MJCF, "the library writes it"},
    {"link", "flexible", DIFF, "flexible links are compared as such"},
    {"joint", "flexible", URDF, "the library writes it"},
    {"joint", "flexible", DIFF, "flexible links are compared as such"},
    {"joint", "must_depend", URDF, "a model that loads depends as it must"},
    {"joint", "must_depend", MJCF, "a model that loads depends as it must"},
    {"joint", "must_depend", DIFF, "a model that loads depends as it must"},
    {"joint", "command", MJCF, "for controllers alone"},
    {"joint", "command", PAGE, "for controllers alone"},
    {"joint", "motor", URDF, "the library writes it"},
    {"joint", "motor", MJCF, "the library writes it"},
    {"joint", "motor", DIFF, "motors are compared as transmissions"},
    {"joint", "motor", JSON, "the library writes it"},
    {"joint", "motor", PAGE, "the library writes it"},
    {"spring", "name", URDF, "Drake's springs have none"},
    {"spring", "name", DIFF, "Drake's springs have none"},
    {"transmission", "name actuator", MJCF, "actuators are named for their joints"},
    {"transmission", "type offset", MJCF, "for drivers alone"},
    {"transmission", "velocity_limit power_limit", MJCF, "MuJoCo has no such limits"},
    {"transmission", "shaft", URDF, "the library writes it"},
    {"transmission", "shaft", MJCF, "the library writes it"},
    {"transmission", "shaft", DIFF, "the library writes it"},
    {"transmission", "shaft", JSON, "the library writes it"},
    {"transmission", "shaft", PAGE, "the library writes it"},
    {"link", "flexible", PAGE, "the joints of the link have it"},
    {"geometry", "name", PAGE, "no name is shown"},
    {"geometry", "material", PAGE, "its colour is shown"},
    {"joint", "limit.velocity limit.acceleration limit.deceleration limit.jerk", PAGE,
     "for controllers and planners alone"},
    {"joint", "calibration_rising calibration_falling", PAGE, "for drivers alone"},
    {"joint", "soft_lower soft_upper k_position k_velocity", PAGE, "for controllers alone"},
    {"joint", "damping friction spring_reference pitch", PAGE,
     "it moves the robot, and is not shown"},
    {"joint", "must_depend", PAGE, "a model that loads depends as it must"},
    {"loop", "damping friction spring_stiffness spring_reference", PAGE,
     "it moves the robot, and is not shown"},
    {"curve", "value slope curvature end_slope end_curvature kinks", PAGE,
     "of a table its size and its ends are shown"},
    {"flexible", "damping_ratio", PAGE, "it moves the robot, and is not shown"},
    {"spring",
     "name type predecessor successor predecessor_origin.position predecessor_origin.rotation "
     "successor_origin.position successor_origin.rotation length stiffness damping "
     "angular_stiffness angular_damping linear_stiffness linear_damping",
     PAGE, "it moves the robot, and is not shown"},
    {"transmission",
     "name type joint actuator mechanical_reduction rotor_inertia ratio offset "
     "velocity_limit power_limit",
     PAGE, "whether a joint has a motor is shown"},
};

/* Fields for which a consumer carries only some values. */
static const excuse partial[] = {
    {"joint", "independent", PAGE, "it has what comes of it"},
    {"loop", "axis second_axis", PAGE, "it has what comes of it"},
    {"joint", "flexible", MJCF, "the library writes it"},
    {"joint", "independent", MJCF, "it has what comes of it"},
    {"joint", "independent", DIFF, "it compares what comes of it"},
    {"transmission", "mechanical_reduction ratio", MJCF, "its sign means nothing there"},
    {"transmission", "damping friction", PAGE, "it has the shaft that they cause"},
};

/* Numbers that are accepted although they are not finite. */
static const struct {
    const char *record, *keys, *values, *why;
} allowed[] = {
    {"geometry", "size origin.position origin.rotation rgba", "nan inf -inf",
     "it is kept for other programs"},
    {"joint", "limit.lower limit.upper limit.effort limit.velocity reference", "nan", "not given"},
    {"joint", "limit.effort limit.velocity", "inf", "no limit"},
    {"joint", "limit.acceleration limit.deceleration limit.jerk", "nan inf -inf",
     "for planners, which check them"},
    {"joint", "calibration_rising calibration_falling", "nan inf -inf", "for drivers alone"},
    {"joint", "soft_lower soft_upper k_position k_velocity", "nan inf -inf",
     "for controllers alone"},
    {"transmission", "effort_limit velocity_limit power_limit", "nan", "not given"},
    {"curve", "lower", "-inf", "no end"},
    {"curve", "upper", "inf", "no end"},
    {"flexible", "bending_stiffness torsional_stiffness", "nan", "rigid"},
};

/* ---- robots with all fields ------------------------------------------------------------------ */

#define BODY(name)                                                                                 \
    "link name=\"" name "\" has_inertial=true mass=1 inertial.position=0,0,0.25 "                  \
    "inertia=0.5,0,0,0.6,0,0.7\n"
#define BEGIN "tandem-model 2\nrobot name=\"r\"\nlink name=\"a\" mass=1 inertia=0.5,0,0,0.6,0,0.7\n"
#define FREE                                                                                       \
    BEGIN BODY("b") BODY("c") "joint name=\"j\" type=floating parent=\"a\" child=\"b\"\n"          \
                              "joint name=\"k\" type=floating parent=\"a\" child=\"c\"\n"
#define PAIR                                                                                       \
    BEGIN BODY("b") BODY("c")                                                                      \
        BODY("z") "joint name=\"j\" type=revolute parent=\"a\" child=\"b\" "                       \
                  "limit.lower=-1 limit.upper=1\n"                                                 \
                  "joint name=\"k\" type=prismatic parent=\"a\" child=\"c\" "                      \
                  "limit.lower=-1 limit.upper=1\n"                                                 \
                  "joint name=\"z\" type=revolute parent=\"a\" child=\"z\" limit.lower=-1 "        \
                  "limit.upper=1\n"
#define ENDS " predecessor=\"a\" successor=\"b\""
#define BETWEEN " predecessor=\"b\" successor=\"c\""
#define TABLE "follower joint=\"k\"\ncurve leader=\"j\" type=spline at=-1,0,1 "

/* A robot, and the first kind of its records that are changed. TD_RECORD_KINDS: none, except by
   dynamic_numbers_are_used, which changes all. */
static const struct {
    const char *text;
    td_record_kind first;
} robots[] = {
    {PAIR
     "link name=\"d\" has_inertial=true mass=1 inertia=0.5,0,0,0.6,0,0.7\n"
     "geometry name=\"g\" shape=box size=0.5,0.5,0.5 material=\"m\" rgba=1,0,0,1\n"
     "geometry shape=mesh file=\"m.stl\"\n"
     "geometry shape=box size=0.5,0.5,0.5 collision=true\n" BODY("e") BODY(
         "f") "joint name=\"l\" type=continuous parent=\"a\" child=\"d\" mimic=\"j\" independent=0 "
              "must_depend=true pitch=0.125\n"
              "joint name=\"m\" type=screw parent=\"a\" child=\"e\" pitch=0.125\n"
              "joint name=\"n\" type=ball parent=\"a\" child=\"f\"\n"
              "coupling name=\"x\" predecessor=\"c\" successor=\"e\" ratio=2\n"
              "spring name=\"s\" type=line" ENDS " length=0.5 stiffness=1 "
              "predecessor_origin.position=1,0,0\n"
              "transmission name=\"t\" type=\"u\" joint=\"j\" actuator=\"v\" rotor_inertia=0.5\n",
     TD_RECORD_LINK},
    {PAIR "spring type=bushing" ENDS "\n", TD_RECORD_SPRING},
    {PAIR "follower joint=\"k\"\ncurve leader=\"j\" coefficient=0,0.5,0.25\n", TD_RECORD_FOLLOWER},
    {PAIR "follower joint=\"k\"\ncurve leader=\"j\" type=sine amplitude=0.5 coefficient=0,0.5 "
          "at=-1,0,1 value=0,0.25,1\n",
     TD_RECORD_FOLLOWER},
    {PAIR TABLE "value=0,0.25,1 degree=5 ends=clamped\n", TD_RECORD_FOLLOWER},
    {PAIR TABLE "value=0,0.25,1 degree=5 ends=hermite slope=0,0,0 curvature=0,0,0\n",
     TD_RECORD_FOLLOWER},
    {PAIR TABLE "value=0,0.25,0 slope=0.5,0,0 kinks=true\n", TD_RECORD_FOLLOWER},
    {PAIR "flexible link=\"b\" length=1 bending_stiffness=10,10 torsional_stiffness=10 "
          "mass_per_length=1 rotary_inertia=0.5 across=0,1,0 segments=2\n",
     TD_RECORD_FLEXIBLE},
    {PAIR "flexible link=\"b\" length=1 bending_stiffness=10,20 mass_per_length=1 axis=0,1,0 "
          "across=1,0,0 segments=2 start_clamped=false end_clamped=false\n",
     TD_RECORD_FLEXIBLE},
    {FREE, TD_RECORD_JOINT},
    {FREE "loop name=\"l\" type=revolute" BETWEEN " distance=0.5 mask=7\n", TD_RECORD_LOOP},
    {FREE "loop name=\"l\" type=universal" BETWEEN "\n", TD_RECORD_LOOP},
    {FREE "loop name=\"l\" type=distance" BETWEEN
          " distance=0.5 successor_origin.position=0.5,0,0\n",
     TD_RECORD_LOOP},
    {FREE "loop name=\"l\" type=mask" BETWEEN " mask=7\n", TD_RECORD_LOOP},
    {BEGIN BODY("b")
         BODY("c") "joint name=\"j\" type=continuous parent=\"a\" child=\"b\" axis=0,1,0 "
                   "spring_stiffness=1\n"
                   "joint name=\"k\" type=continuous parent=\"b\" child=\"c\" axis=0,1,0 "
                   "origin.position=1,0,0 "
                   "mimic=\"j\" multiplier=0.5\n"
                   "spring type=line predecessor=\"a\" successor=\"c\" "
                   "predecessor_origin.position=1,0,1 "
                   "length=0.5 stiffness=1\n"
                   "spring type=bushing predecessor=\"a\" successor=\"c\" linear_stiffness=1,2,3\n",
     TD_RECORD_KINDS},
    {FREE "loop name=\"l\" type=revolute" BETWEEN " spring_stiffness=1\n", TD_RECORD_KINDS},
};

/* Special values for lines that contain this text, instead of the rules below: the part of the
   field, and the value. */
static const struct {
    const char *key, *in;
    size_t part;
    const char *value;
} special[] = {
    {"mask", "", 0, "6"},
    {"mask", "", 0, "5"},
    {"mask", "", 0, "3"},
    {"mask", "", 0, "15"},
    {"mask", "", 0, "23"},
    {"mask", "", 0, "39"},
    {"independent", "", 0, "-1"},
    {"independent", "", 0, "0"},
    {"independent", "", 0, "1"},
    {"size", "", 0, "0.375,0.5,0.5"},
    {"size", "", 0, "2,0.5,0.5"},
    {"size", "", 1, "0.5,0.375,0.5"},
    {"size", "", 1, "0.5,2,0.5"},
    {"size", "", 2, "0.5,0.5,0.375"},
    {"size", "", 2, "0.5,0.5,2"},
    {"reference", "type=revolute", 0, "0.375,nan,nan,nan,nan,nan,nan"},
    {"reference", "type=revolute", 0, "-0.5,nan,nan,nan,nan,nan,nan"},
    {"reference", "type=floating", 0, "0.375,0,0,0,0,0,1"},
    {"reference", "type=floating", 1, "0,0.375,0,0,0,0,1"},
    {"reference", "type=floating", 2, "0,0,0.375,0,0,0,1"},
    {"reference", "type=floating", 3, "0,0,0,0.6,0,0,0.8"},
    {"reference", "type=floating", 4, "0,0,0,0,0.6,0,0.8"},
    {"reference", "type=floating", 5, "0,0,0,0,0,0.6,0.8"},
    {"reference", "type=floating", 6, "0,0,0,0,0,0.6,-0.8"},
    {"reference", "none", 0, ""},
};

/* ---- values of fields ------------------------------------------------------------------------ */

/* A field has parts that a consumer might lose: numbers of a vector, rotations about three axes,
   words of an enum, true and false. */
enum { PARTS = 16, LONGEST = 256, CANDIDATES = 128 };

typedef struct candidate {
    char value[LONGEST];
    size_t part;
} candidate;

typedef struct candidates {
    candidate list[CANDIDATES];
    size_t count;
} candidates;

static const char *const numbers[] = {"0", "0.0625", "0.375", "-0.5", "1", "1.5", "2", "-1.5"};

#define COUNT(list) (sizeof(list) / sizeof *(list))

static bool is_rotation(const td_field *f)
{
    return f->kind == TD_FIELD_DOUBLES && f->count == 9;
}

static bool is_direction(const td_field *f)
{
    return f->kind == TD_FIELD_DOUBLES && f->count == 3 && f->unit &&
           strcmp(f->unit, "direction") == 0;
}

static size_t part_count(const td_field *f)
{
    size_t words = 0;
    switch (f->kind) {
    case TD_FIELD_DOUBLES:
        return is_rotation(f) ? 3 : f->count;
    case TD_FIELD_BOOL:
        return 2;
    case TD_FIELD_WORD:
        while (f->word((unsigned)words))
            words++;
        return words;
    default: /* arrays have as many elements as the robots have */
        return 1;
    }
}

static void add(candidates *c, size_t part, const char *value)
{
    ck_assert_uint_lt(part, PARTS);
    ck_assert_uint_lt(c->count, CANDIDATES);
    c->list[c->count].part = part;
    snprintf(c->list[c->count++].value, LONGEST, "%s", value);
}

/* Proposes value with its k-th number replaced, or with one more number. */
static void add_number(candidates *c, size_t part, const char *value, size_t k, const char *number)
{
    char text[LONGEST];
    const char *at = value;
    for (size_t i = 0; i < k && at; i++) {
        at = strchr(at, ',');
        at = at ? at + 1 : NULL;
    }
    const char *end = at ? at + strcspn(at, ",") : NULL;
    if (at)
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - value), value, number, end);
    else
        snprintf(text, sizeof text, "%s,%s", value, number);
    add(c, part, text);
}

static size_t length_of(const char *value)
{
    size_t n = *value != 0;
    for (; *value; value++)
        n += *value == ',';
    return n;
}

/* Proposes the special values of a field for a line. Returns whether there are any. */
static bool propose_special(candidates *c, const td_field *f, const char *line)
{
    bool found = false;
    for (size_t i = 0; i < COUNT(special); i++)
        if (strcmp(special[i].key, f->key) == 0) {
            const char *at = strstr(line, special[i].in);
            found = true;
            if (at && at < strchr(line, '\n'))
                add(c, special[i].part, special[i].value);
        }
    return found;
}

/* Proposes values for a field that has a value in a line. */
static void propose(candidates *c, const td_field *f, const char *line, const char *value)
{
    static const char *const names[] = {"a", "b", "c", "d", "j", "k", "z", "y"};
    static const char *const integers[] = {"-1", "0", "1", "2", "3", "5"};
    static const char *const turns[] = {"1,0,0,0,0.6,-0.8,0,0.8,0.6", "0.6,0,0.8,0,1,0,-0.8,0,0.6",
                                        "0.6,-0.8,0,0.8,0.6,0,0,0,1", "1,0,0,0,0,-1,0,1,0",
                                        "0,0,1,0,1,0,-1,0,0",         "0,-1,0,1,0,0,0,0,1"};
    static const char *const directions[] = {"1,0,0",  "0,1,0",  "0,0,1",         "-1,0,0",
                                             "0,-1,0", "0,0,-1", "0.48,0.6,0.64", "0.6,0.48,-0.64"};
    c->count = 0;
    if (propose_special(c, f, line))
        return;
    switch (f->kind) {
    case TD_FIELD_STRING:
        for (size_t i = 0; i < COUNT(names); i++) {
            char quoted[8];
            snprintf(quoted, sizeof quoted, "\"%s\"", names[i]);
            add(c, 0, quoted);
        }
        break;
    case TD_FIELD_DOUBLES:
    case TD_FIELD_ARRAY:
        for (size_t i = 0; i < COUNT(turns) && is_rotation(f); i++)
            add(c, i % 3, turns[i]);
        for (size_t i = 0; i < COUNT(directions) && is_direction(f); i++)
            add(c, i % 3, directions[i]);
        for (size_t k = 0; k < length_of(value) && !is_rotation(f) && !is_direction(f); k++)
            for (size_t i = 0; i < COUNT(numbers); i++)
                add_number(c, k, value, k, numbers[i]);
        if (f->kind == TD_FIELD_ARRAY && *value)
            add_number(c, 0, value, length_of(value), "0.125");
        break;
    case TD_FIELD_INT:
    case TD_FIELD_UNSIGNED:
    case TD_FIELD_SIZE:
        for (size_t i = 0; i < COUNT(integers); i++)
            add(c, 0, integers[i]);
        break;
    case TD_FIELD_BOOL:
        add(c, 0, "false");
        add(c, 1, "true");
        break;
    case TD_FIELD_WORD:
        for (unsigned i = 0; f->word(i); i++)
            add(c, i, f->word(i));
        break;
    }
}

/* ---- texts ----------------------------------------------------------------------------------- */

static td_record_kind kind_of(const char *line)
{
    const size_t length = strcspn(line, " \n");
    for (td_record_kind kind = TD_RECORD_LINK; kind < TD_RECORD_KINDS; kind++)
        if (strlen(td_record_forms[kind].word) == length &&
            strncmp(line, td_record_forms[kind].word, length) == 0)
            return kind;
    return TD_RECORD_KINDS;
}

/* Finds ` key=` in a line. Returns NULL if it is missing; *length includes the value. */
static const char *find_key(const char *line, const char *key, size_t *length)
{
    const size_t size = strlen(key);
    const char *end = strchr(line, '\n');
    for (const char *at = strchr(line, ' '); at && at < end; at = strchr(at + 1, ' '))
        if (strncmp(at + 1, key, size) == 0 && at[size + 1] == '=') {
            *length = 1 + strcspn(at + 1, " \n");
            return at;
        }
    return NULL;
}

/* Finds the n-th line of a kind, counted from 0. */
static const char *find_line(const char *text, td_record_kind kind, int n)
{
    for (; *text; text = strchr(text, '\n') + 1)
        if (kind_of(text) == kind && n-- == 0)
            return text;
    return NULL;
}

/* Reads the value of a field in a line, or its default. */
static void value_of(const char *line, td_record_kind kind, const td_field *f, char value[LONGEST])
{
    const td_any_record ours = td_record_default(kind);
    const void *standard = (const char *)&ours + f->offset;
    size_t length = 0;
    const char *at = find_key(line, f->key, &length);
    *value = 0;
    if (at) {
        const size_t key = strlen(f->key) + 2;
        ck_assert_uint_lt(length, LONGEST);
        snprintf(value, LONGEST, "%.*s", (int)(length - key), at + key);
        return;
    }
    switch (f->kind) {
    case TD_FIELD_DOUBLES:
        for (size_t i = 0; i < f->count; i++) {
            const size_t size = strlen(value);
            snprintf(value + size, LONGEST - size, "%s%.17g", i ? "," : "",
                     ((const double *)standard)[i]);
        }
        break;
    case TD_FIELD_INT:
        snprintf(value, LONGEST, "%d", *(const int *)standard);
        break;
    case TD_FIELD_UNSIGNED:
        snprintf(value, LONGEST, "%u", *(const unsigned *)standard);
        break;
    case TD_FIELD_SIZE:
        snprintf(value, LONGEST, "%zu", *(const size_t *)standard);
        break;
    case TD_FIELD_BOOL:
        snprintf(value, LONGEST, "%s", *(const bool *)standard ? "true" : "false");
        break;
    case TD_FIELD_WORD:
        snprintf(value, LONGEST, "%s", f->word(*(const unsigned *)standard));
        break;
    case TD_FIELD_STRING:
    case TD_FIELD_ARRAY:
        break;
    }
}

/* Returns whether texts are equal, or numbers that differ by rounding only. */
static bool same_value(const char *a, const char *b)
{
    for (;;) {
        if (strcmp(a, b) == 0)
            return true;
        char *end_a, *end_b;
        const double x = strtod(a, &end_a), y = strtod(b, &end_b);
        if (end_a == a || end_b == b || *end_a != *end_b ||
            !((isnan(x) && isnan(y)) || x == y ||
              (isfinite(x) && fabs(x - y) <= 1e-12 * fmax(1, fabs(x)))))
            return false;
        if (!*end_a)
            return true;
        a = end_a + 1, b = end_b + 1;
    }
}

/* Returns whether the n-th records of a kind exist and have the same value of a field. */
static bool agree(const char *a, const char *b, td_record_kind kind, int n, const td_field *f)
{
    const char *line[] = {find_line(a, kind, n), find_line(b, kind, n)};
    char value[2][LONGEST];
    if (!line[0] || !line[1])
        return false;
    for (int i = 0; i < 2; i++)
        value_of(line[i], kind, f, value[i]);
    return same_value(value[0], value[1]);
}

/* Returns text with another value of a field in the given line. A link or joint is renamed
   everywhere. */
static char *changed(const char *text, const char *line, const char *key, const char *value)
{
    size_t length = 0, size = 2 * strlen(text) + strlen(value) + 100;
    char *result = calloc(size, 1), *to = result;
    const char *at = find_key(line, key, &length), *end = strchr(line, '\n');
    if (at && strcmp(key, "name") == 0 && *value == '"') {
        const char *old = at + 6;
        const size_t old_size = length - 6;
        for (const char *from = text; *from;)
            if (strncmp(from, old, old_size) == 0) {
                to += sprintf(to, "%s", value);
                from += old_size;
            } else
                *to++ = *from++;
        return result;
    }
    if (!at)
        at = end;
    sprintf(to, "%.*s%.*s %s=%s%s", (int)(at - text), text, (int)(end - at - (long)length),
            at + length, key, value, end);
    return result;
}

/* ---- models and their exports ---------------------------------------------------------------- */

typedef struct made {
    td_model *model;
    char *text, *urdf; /* the model file; the model file of the exported URDF, NULL if refused */
    char *output[CONSUMERS];
    size_t notes; /* of the MJCF export */
    size_t warnings;
} made;

static char *written(const td_model *model)
{
    size_t size;
    td_model_write(model, NULL, 0, &size);
    char *text = calloc(size + 1, 1);
    ck_assert_int_eq(td_model_write(model, text, size, &size), TD_OK);
    return text;
}

static char *exported(const td_model *model, td_export_format format, size_t *notes)
{
    td_export_options options = td_export_options_default();
    td_diagnostics *list = new_diagnostics(0);
    size_t size = 0;
    options.format = format;
    char *text = NULL;
    if (td_model_export(model, &options, list, NULL, 0, &size) == TD_OK) {
        text = calloc(size + 1, 1);
        ck_assert_int_eq(td_model_export(model, &options, NULL, text, size, &size), TD_OK);
    }
    *notes = td_diagnostics_size(list);
    td_diagnostics_free(list);
    return text;
}

/* Loads a text and counts its warnings. */
static bool load(const char *text, made *m)
{
    *m = (made){0};
    td_diagnostics *list = new_diagnostics(0);
    const td_status status = td_load_model_memory(text, strlen(text), NULL, NULL, list, &m->model);
    for (size_t i = 0; i < td_diagnostics_size(list); i++)
        m->warnings += td_diagnostics_at(list, i)->severity != TD_SEVERITY_NOTE;
    td_diagnostics_free(list);
    return status == TD_OK;
}

static bool make(const char *text, made *m)
{
    if (!load(text, m))
        return false;
    size_t notes;
    m->text = written(m->model);
    char *urdf = exported(m->model, TD_EXPORT_URDF, &notes);
    td_model *back = NULL;
    if (urdf && td_load_urdf_memory(urdf, strlen(urdf), NULL, NULL, NULL, &back) == TD_OK)
        m->urdf = written(back);
    td_model_free(back);
    free(urdf);
    m->output[MJCF] = exported(m->model, TD_EXPORT_MJCF, &m->notes);
    m->output[JSON] = json_string(json_records(m->model), true);
    page.model = m->model;
    m->output[PAGE] = tv_description();
    return true;
}

static void release(made *m)
{
    td_model_free(m->model);
    free(m->text), free(m->urdf);
    for (consumer c = 0; c < CONSUMERS; c++)
        free(m->output[c]);
}

static bool has_difference(const td_model *before, const td_model *after)
{
    comparison c;
    diff_begin(&c, before, after, 1e-9);
    diff_match(&c);
    diff_records(&c);
    const bool found = c.count > 0;
    diff_end(&c);
    return found;
}

/* ---- the test -------------------------------------------------------------------------------- */

/* A field of the n-th record of a kind, and which of its values consumers have carried so far. */
typedef struct context {
    td_record_kind kind;
    int n;
    const td_field *field;
    made done[CANDIDATES]; /* exports of the original robot and of changed ones */
    size_t count;
    size_t tried[PARTS], carried[PARTS][CONSUMERS]; /* counts of values */
    char lost[CONSUMERS][LONGEST];                  /* a value that was lost */
} context;

static bool is_new(const context *c, const made *m, consumer who)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->done[i].output[who] && strcmp(c->done[i].output[who], m->output[who]) == 0)
            return false;
    return true;
}

static bool is_carried(const context *c, const made *m, consumer who)
{
    const made *base = &c->done[0];
    switch (who) {
    case URDF: /* refused, or read back unchanged */
        return !m->urdf || (agree(base->text, base->urdf, c->kind, c->n, c->field) &&
                            agree(m->text, m->urdf, c->kind, c->n, c->field));
    case DIFF:
        return has_difference(base->model, m->model);
    case MJCF:
        return !m->output[MJCF] || m->notes != base->notes || is_new(c, m, MJCF);
    default:
        return is_new(c, m, who);
    }
}

/* Tries a value of a part, if it is valid. Returns whether the context keeps the exports. */
static bool try_value(context *c, made *m, const candidate *value)
{
    if (m->warnings > c->done[0].warnings)
        return false;
    for (size_t i = 0; i < c->count; i++)
        if (agree(c->done[i].text, m->text, c->kind, c->n, c->field))
            return false;
    c->tried[value->part]++;
    for (consumer who = 0; who < CONSUMERS; who++)
        if (is_carried(c, m, who))
            c->carried[value->part][who]++;
        else
            snprintf(c->lost[who], LONGEST, "%s", value->value);
    return true;
}

/* For every part of a field: whether some record had another value of it, and whether consumers
   carried all those values. */
static bool tried[TD_RECORD_KINDS][TD_MOST_FIELDS][PARTS];
static bool carried[TD_RECORD_KINDS][TD_MOST_FIELDS][PARTS][CONSUMERS];

static bool is_listed(const char *keys, const char *key)
{
    const size_t length = strlen(key);
    for (const char *at = keys; at; at = strchr(at, ' '), at += at != NULL)
        if (strcspn(at, " ") == length && strncmp(at, key, length) == 0)
            return true;
    return false;
}

static bool is_excused(const excuse *list, size_t count, const char *record, const char *key,
                       consumer c)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].record, record) == 0 && list[i].without == c &&
            is_listed(list[i].keys, key))
            return true;
    return false;
}

/* Returns how many consumers carry some values of a field in this line and lose others. */
static int change_field(const char *text, const char *line, const made *base, int n, size_t f)
{
    static context c;
    static candidates values;
    char old[LONGEST];
    int wrong = 0;
    c = (context){.kind = kind_of(line), .n = n, .done = {*base}, .count = 1};
    c.field = &td_record_forms[c.kind].field[f];
    value_of(line, c.kind, c.field, old);
    propose(&values, c.field, line, old);
    for (size_t v = 0; v < values.count; v++) {
        char *other = changed(text, line, c.field->key, values.list[v].value);
        made m;
        if (make(other, &m)) {
            if (try_value(&c, &m, &values.list[v]))
                c.done[c.count++] = m;
            else
                release(&m);
        }
        free(other);
    }
    for (size_t part = 0; part < PARTS; part++) {
        tried[c.kind][f][part] |= c.tried[part] > 0;
        for (consumer who = 0; who < CONSUMERS; who++) {
            const size_t count = c.carried[part][who];
            if (count > 0 && count < c.tried[part] &&
                !is_excused(partial, COUNT(partial), td_record_forms[c.kind].word, c.field->key,
                            who)) {
                printf("# %s %d %s, part %zu: %s has not all values, such as %s\n",
                       td_record_forms[c.kind].word, n, c.field->key, part, consumers[who],
                       c.lost[who]);
                wrong++;
            }
            carried[c.kind][f][part][who] |= count > 0;
        }
    }
    for (size_t i = 1; i < c.count; i++)
        release(&c.done[i]);
    return wrong;
}

TD_TEST(every_field_is_carried)
{
    int wrong = 0;
    for (size_t i = 0; i < COUNT(robots); i++) {
        char text[4096];
        made base;
        int count[TD_RECORD_KINDS + 1] = {0};
        snprintf(text, sizeof text, "%send\n", robots[i].text);
        ck_assert_msg(make(text, &base), "robot %zu does not load", i);
        ck_assert_ptr_nonnull(base.urdf);
        for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
            const td_record_kind kind = kind_of(line);
            const int n = count[kind]++;
            if (kind == TD_RECORD_KINDS || kind < robots[i].first)
                continue;
            for (size_t f = 0; f < td_record_forms[kind].fields; f++)
                if (td_record_forms[kind].field[f].use != TD_USE_PLACE)
                    wrong += change_field(text, line, &base, n, f);
        }
        release(&base);
    }
    for (td_record_kind kind = TD_RECORD_LINK; kind < TD_RECORD_KINDS; kind++)
        for (size_t f = 0; f < td_record_forms[kind].fields; f++) {
            const td_field *field = &td_record_forms[kind].field[f];
            const char *word = td_record_forms[kind].word;
            /* a link has one joint, so another child is impossible: names of links are changed
               instead */
            if (field->use == TD_USE_PLACE || strcmp(field->key, "child") == 0)
                continue;
            for (size_t part = 0; part < part_count(field); part++) {
                if (!tried[kind][f][part]) {
                    printf("# %s %s, part %zu: no value of it loads; add one\n", word, field->key,
                           part);
                    wrong++;
                    continue;
                }
                for (consumer c = 0; c < CONSUMERS; c++)
                    if (carried[kind][f][part][c] ==
                        is_excused(exceptions, COUNT(exceptions), word, field->key, c)) {
                        printf("# %s %s, part %zu: %s in %s\n", word, field->key, part,
                               carried[kind][f][part][c] ? "is" : "is not", consumers[c]);
                        wrong++;
                    }
            }
        }
    fflush(stdout);
    ck_assert_int_eq(wrong, 0);
}

/* ---- numbers --------------------------------------------------------------------------------- */

static const char *const not_finite[] = {"nan", "inf", "-inf"};

/* Returns whether each number of a field, replaced by value, is rejected or reported. */
static bool is_reported(const char *text, const char *line, const td_field *f, const char *value,
                        size_t warnings)
{
    static candidates values;
    char old[LONGEST];
    bool reported = true;
    values.count = 0;
    value_of(line, kind_of(line), f, old);
    for (size_t k = 0; k < length_of(old); k++)
        add_number(&values, 0, old, k, value);
    for (size_t v = 0; v < values.count; v++) {
        char *other = changed(text, line, f->key, values.list[v].value);
        made m;
        if (load(other, &m)) {
            reported = reported && m.warnings > warnings;
            release(&m);
        }
        free(other);
    }
    return reported && values.count > 0;
}

static bool is_allowed(const char *record, const char *key, const char *value)
{
    for (size_t i = 0; i < COUNT(allowed); i++)
        if (strcmp(allowed[i].record, record) == 0 && is_listed(allowed[i].keys, key) &&
            is_listed(allowed[i].values, value))
            return true;
    return false;
}

/* Numbers that are not finite are rejected or reported in records that use the field. */
TD_TEST(numbers_are_checked)
{
    static bool reported[TD_RECORD_KINDS][TD_MOST_FIELDS][COUNT(not_finite)];
    int wrong = 0;
    for (size_t i = 0; i < COUNT(robots); i++) {
        char text[4096];
        made base;
        snprintf(text, sizeof text, "%send\n", robots[i].text);
        ck_assert(load(text, &base));
        for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
            const td_record_kind kind = kind_of(line);
            if (kind == TD_RECORD_KINDS || kind < robots[i].first)
                continue;
            for (size_t f = 0; f < td_record_forms[kind].fields; f++) {
                const td_field *field = &td_record_forms[kind].field[f];
                const bool has_numbers =
                    field->kind == TD_FIELD_DOUBLES || field->kind == TD_FIELD_ARRAY;
                for (size_t v = 0; v < COUNT(not_finite) && has_numbers; v++)
                    if (!reported[kind][f][v])
                        reported[kind][f][v] =
                            is_reported(text, line, field, not_finite[v], base.warnings);
            }
        }
        release(&base);
    }
    for (td_record_kind kind = TD_RECORD_LINK; kind < TD_RECORD_KINDS; kind++)
        for (size_t f = 0; f < td_record_forms[kind].fields; f++) {
            const td_field *field = &td_record_forms[kind].field[f];
            for (size_t v = 0; v < COUNT(not_finite); v++)
                if ((field->kind == TD_FIELD_DOUBLES || field->kind == TD_FIELD_ARRAY) &&
                    reported[kind][f][v] ==
                        is_allowed(td_record_forms[kind].word, field->key, not_finite[v])) {
                    printf("# %s %s=%s %s\n", td_record_forms[kind].word, field->key, not_finite[v],
                           reported[kind][f][v] ? "is reported; shorten the list"
                                                : "is accepted; check it in lib/load/");
                    wrong++;
                }
        }
    fflush(stdout);
    ck_assert_int_eq(wrong, 0);
}

/* The tests of dynamics compare random robots. Each number that dynamics depend on varies there. */
TD_TEST(random_robots_have_all_numbers)
{
    static const td_record_kind kinds[] = {TD_RECORD_JOINT, TD_RECORD_TRANSMISSION};
    bool seen[COUNT(kinds)][TD_MOST_FIELDS] = {{false}};
    for (uint64_t seed = 0; seed < 20; seed++) {
        td_random random = {seed};
        const td_model *model =
            model_of_builder(td_random_robot(&random, 12, 3, seed % 2 == 0), NULL);
        for (size_t k = 0; k < COUNT(kinds); k++) {
            const td_record_form *form = &td_record_forms[kinds[k]];
            const td_any_record ours = td_record_default(kinds[k]);
            const size_t count = k == 0 ? td_joint_count(model) : td_transmission_count(model);
            for (size_t i = 0; i < count; i++)
                for (size_t f = 0; f < form->fields; f++) {
                    const void *record = k == 0 ? (const void *)td_joint_at(model, i)
                                                : (const void *)td_transmission_at(model, i);
                    const size_t at = form->field[f].offset;
                    seen[k][f] |= form->field[f].kind == TD_FIELD_DOUBLES &&
                                  memcmp((const char *)record + at, (const char *)&ours + at,
                                         form->field[f].count * sizeof(double)) != 0;
                }
        }
    }
    for (size_t k = 0; k < COUNT(kinds); k++)
        for (size_t f = 0; f < td_record_forms[kinds[k]].fields; f++) {
            const td_field *field = &td_record_forms[kinds[k]].field[f];
            if (kinds[k] == TD_RECORD_TRANSMISSION && is_listed("damping friction", field->key))
                continue; /* dynamics/test_transmissions.c draws them */
            ck_assert_msg(seen[k][f] || field->kind != TD_FIELD_DOUBLES ||
                              field->use != TD_USE_DYNAMIC,
                          "%s.%s: random robots have the default alone (test/td_test.c)",
                          td_record_forms[kinds[k]].word, field->key);
        }
}

/* ---- dynamics -------------------------------------------------------------------------------- */

enum { MOST = 32 };

/* The forces of a motion with all passive forces, and the motors' inputs for them. */
typedef struct effects {
    size_t ny, nyd, nu;
    double tau[MOST], u[MOST], energy[2];
} effects;

static effects effects_of(const td_model *model)
{
    effects e = {.ny = td_ny(model), .nyd = td_nyd(model), .nu = td_nu(model)};
    double y[MOST], yd[MOST], ydd[MOST], rest[MOST];
    td_workspace *w;
    td_random random = {7};
    assert_ok(td_workspace_new(model, NULL, &w));
    ck_assert_uint_le(e.ny, MOST);
    td_draw_configuration(&random, model, false, 0.25, y);
    td_random_fill(&random, e.nyd, yd);
    td_random_fill(&random, e.nyd, ydd);
    const td_forces forces = with_passive_forces();
    td_inverse_dynamics(model, w, y, yd, ydd, &forces, e.tau);
    td_energy(model, w, y, yd, TD_SCOPE_ALL, e.energy);
    td_forces_to_actuators(model, w, y, e.tau, NULL, e.u, rest);
    td_workspace_free(w);
    return e;
}

/* Every number with TD_USE_DYNAMIC changes dynamics in some robot. */
TD_TEST(dynamic_numbers_are_used)
{
    static bool changes[TD_RECORD_KINDS][TD_MOST_FIELDS];
    int wrong = 0;
    for (size_t i = 0; i < COUNT(robots); i++) {
        char text[4096], old[LONGEST];
        made base;
        snprintf(text, sizeof text, "%send\n", robots[i].text);
        ck_assert(load(text, &base));
        const effects before = effects_of(base.model);
        for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
            const td_record_kind kind = kind_of(line);
            if (kind == TD_RECORD_KINDS)
                continue;
            for (size_t f = 0; f < td_record_forms[kind].fields; f++) {
                static candidates values;
                const td_field *field = &td_record_forms[kind].field[f];
                if (field->kind != TD_FIELD_DOUBLES || field->use != TD_USE_DYNAMIC)
                    continue;
                value_of(line, kind, field, old);
                propose(&values, field, line, old);
                for (size_t v = 0; v < values.count && !changes[kind][f]; v++) {
                    char *other = changed(text, line, field->key, values.list[v].value);
                    made m;
                    if (load(other, &m)) {
                        const effects after = effects_of(m.model);
                        changes[kind][f] = memcmp(&before, &after, sizeof after) != 0;
                        release(&m);
                    }
                    free(other);
                }
            }
        }
        release(&base);
    }
    for (td_record_kind kind = TD_RECORD_LINK; kind < TD_RECORD_KINDS; kind++)
        for (size_t f = 0; f < td_record_forms[kind].fields; f++) {
            const td_field *field = &td_record_forms[kind].field[f];
            if (field->kind == TD_FIELD_DOUBLES && field->use == TD_USE_DYNAMIC &&
                !changes[kind][f]) {
                printf("# %s %s changes no dynamics\n", td_record_forms[kind].word, field->key);
                wrong++;
            }
        }
    fflush(stdout);
    ck_assert_int_eq(wrong, 0);
}
