/* SPDX-License-Identifier: MIT */
/*
 * Every field of every record (lib/model/fields.h): another value of it is in the model file, in
 * the URDF and what is read from that, in the MJCF or refused there, and found by tandem diff; or
 * the list below says why not. Who adds a field and forgets one of them fails here.
 */
#include <stdio.h>
#include <string.h>

#include "commands/diff.h"
#include "model/fields.h"
#include "run.h"
#include "td_test.h"

typedef enum consumer { URDF, MJCF, DIFF, CONSUMERS } consumer;
static const char *const consumers[] = {"urdf", "mjcf", "diff"};

/* ---- what does not carry a field, and why ---------------------------------------------------- */

static const struct {
    const char *record, *key;
    consumer without;
    const char *why;
} exceptions[] = {
    {"geometry", "name", MJCF, "names of geoms are of no use there"},
    {"geometry", "material", MJCF, "it has the colour"},
    {"geometry", "file", MJCF, "meshes are left out, with a note (docs/export.md)"},
    {"joint", "limit.velocity", MJCF, "MuJoCo has no limit of velocities"},
    {"joint", "limit.acceleration", MJCF, "nor of accelerations"},
    {"joint", "limit.deceleration", MJCF, "nor of these"},
    {"joint", "limit.jerk", MJCF, "nor of their rates"},
    {"joint", "calibration_rising", MJCF, "for drivers alone"},
    {"joint", "calibration_falling", MJCF, "for drivers alone"},
    {"joint", "soft_lower", MJCF, "for controllers alone"},
    {"joint", "soft_upper", MJCF, "for controllers alone"},
    {"joint", "k_position", MJCF, "for controllers alone"},
    {"joint", "k_velocity", MJCF, "for controllers alone"},
    {"link", "flexible", URDF, "the library writes it"},
    {"link", "flexible", MJCF, "the library writes it"},
    {"link", "flexible", DIFF, "flexible links are compared as such"},
    {"joint", "flexible", URDF, "the library writes it"},
    {"joint", "flexible", DIFF, "flexible links are compared as such"},
    {"joint", "must_depend", URDF, "of submechanism lists; makes a warning an error"},
    {"joint", "must_depend", MJCF, "of submechanism lists; makes a warning an error"},
    {"joint", "must_depend", DIFF, "of submechanism lists; makes a warning an error"},
    {"curve", "lower", DIFF, "values are compared, not where they are said to be good"},
    {"curve", "upper", DIFF, "values are compared, not where they are said to be good"},
    {"curve", "kinks", DIFF, "a wish of who reads the table"},
    {"spring", "name", URDF, "Drake's springs have none"},
    {"spring", "name", DIFF, "Drake's springs have none"},
    {"transmission", "name", MJCF, "actuators are named for their joints"},
    {"transmission", "type", MJCF, "for drivers alone"},
    {"transmission", "actuator", MJCF, "actuators are named for their joints"},
};

/* ---- robots that have them all --------------------------------------------------------------- */

#define BODY(name)                                                                                 \
    "link name=\"" name "\" has_inertial=true mass=1 inertial.position=0,0,0.25 "                  \
    "inertia=0.5,0,0,0.6,0,0.7\n"
#define BEGIN "tandem-model 2\nrobot name=\"r\"\nlink name=\"a\"\n"
#define FREE BEGIN BODY("b") "joint name=\"j\" type=floating parent=\"a\" child=\"b\"\n"
#define PAIR                                                                                       \
    BEGIN BODY("b") BODY("c")                                                                      \
        BODY("z") "joint name=\"j\" type=revolute parent=\"a\" child=\"b\" "                       \
                  "limit.lower=-1 limit.upper=1\n"                                                 \
                  "joint name=\"k\" type=prismatic parent=\"a\" child=\"c\" "                      \
                  "limit.lower=-1 limit.upper=1\n"                                                 \
                  "joint name=\"z\" type=revolute parent=\"a\" child=\"z\" limit.lower=-1 "        \
                  "limit.upper=1\n"
#define ENDS " predecessor=\"a\" successor=\"b\""
#define TABLE                                                                                      \
    "follower joint=\"k\"\ncurve leader=\"j\" type=spline degree=5 at=-1,0,1 value=0,0.25,1 "

/* A robot, and the first kind of its records that are changed. */
static const struct {
    const char *text;
    td_record_kind first;
} robots[] = {
    {PAIR
     "link name=\"d\" has_inertial=true mass=1 inertia=0.5,0,0,0.6,0,0.7\n"
     "geometry name=\"g\" shape=box size=0.5,0.5,0.5 material=\"m\" rgba=1,0,0,1\n"
     "geometry shape=mesh file=\"m.stl\"\n" BODY("e") BODY(
         "f") "joint name=\"l\" type=continuous parent=\"a\" child=\"d\" mimic=\"j\"\n"
              "joint name=\"m\" type=screw parent=\"a\" child=\"e\" pitch=0.125\n"
              "joint name=\"n\" type=ball parent=\"a\" child=\"f\"\n"
              "coupling name=\"x\" predecessor=\"c\" successor=\"e\" ratio=2\n"
              "spring name=\"s\" type=line" ENDS " length=0.5 stiffness=1 "
              "predecessor_origin.position=1,0,0\n"
              "transmission name=\"t\" type=\"u\" joint=\"j\" actuator=\"v\" rotor_inertia=0.5\n",
     TD_RECORD_LINK},
    {PAIR "spring type=bushing" ENDS "\n", TD_RECORD_SPRING},
    {PAIR "follower joint=\"k\"\ncurve leader=\"j\" coefficient=0,0.5,0.25\n", TD_RECORD_FOLLOWER},
    {PAIR "follower joint=\"k\"\ncurve leader=\"j\" type=sine amplitude=0.5\n", TD_RECORD_FOLLOWER},
    {PAIR TABLE "ends=clamped\n", TD_RECORD_FOLLOWER},
    {PAIR TABLE "ends=hermite slope=0,0,0 curvature=0,0,0\n", TD_RECORD_FOLLOWER},
    {PAIR "flexible link=\"b\" length=1 bending_stiffness=10,10 torsional_stiffness=10 "
          "mass_per_length=1 rotary_inertia=0.5 across=0,1,0 segments=2\n",
     TD_RECORD_FLEXIBLE},
    {FREE "loop name=\"l\" type=revolute" ENDS "\n", TD_RECORD_LOOP},
    {FREE "loop name=\"l\" type=universal" ENDS "\n", TD_RECORD_LOOP},
    {FREE "loop name=\"l\" type=distance" ENDS " distance=0.5 successor_origin.position=0.5,0,0\n",
     TD_RECORD_LOOP},
    {FREE "loop name=\"l\" type=mask" ENDS " mask=7\n", TD_RECORD_LOOP},
};

/* Values that fields may have; one that does not load is no matter if another one does. */
static const char *const values[] = {
    "\"a\"",
    "\"b\"",
    "\"c\"",
    "\"d\"",
    "\"j\"",
    "\"k\"",
    "\"z\"",
    "\"y\"",
    "true",
    "false",
    "0",
    "1",
    "2",
    "3",
    "5",
    "0.375",
    "-0.5",
    "1.5",
    "0.625,0.75",
    "0,0.6,0.8",
    "0.6,0.8,0",
    "1,0.5,0.5",
    "-1,0.25,1",
    "0,1,0,0.5",
    "0.0625,0,0,0.0625,0,0.0625",
    "0.6,0,0,0.6,0,0.6",
    "0,-1,0,1,0,0,0,0,1",
    "0.125,nan,nan,nan,nan,nan,nan",
    "0,0,0,1,nan,nan,nan",
    "0.6,0,0,0.8,nan,nan,nan",
    "box",
    "sphere",
    "mesh",
    "cylinder",
    "revolute",
    "continuous",
    "prismatic",
    "fixed",
    "spherical",
    "line",
    "bushing",
    "natural",
    "clamped",
    "hermite",
    "sine",
    "polynomial",
};

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

/* where ` key=` stands in a line, NULL where it does not; *length: of it and its value */
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

/* the n-th line of a kind, from 0 */
static const char *find_line(const char *text, td_record_kind kind, int n)
{
    for (; *text; text = strchr(text, '\n') + 1)
        if (kind_of(text) == kind && n-- == 0)
            return text;
    return NULL;
}

/* Whether the n-th records of a kind have another value of a field, or one of them is not there. */
static bool differs(const char *a, const char *b, td_record_kind kind, int n, const char *key)
{
    size_t length[2] = {0};
    const char *line[] = {find_line(a, kind, n), find_line(b, kind, n)};
    if (!line[0] || !line[1])
        return true;
    const char *at[] = {find_key(line[0], key, &length[0]), find_key(line[1], key, &length[1])};
    return length[0] != length[1] || (at[0] && strncmp(at[0], at[1], length[0]) != 0);
}

/* text with another value of a field in the line at line; that of a link or joint itself
   wherever the name is */
static char *changed(const char *text, const char *line, const char *key, const char *value)
{
    size_t length = 0, size = 2 * strlen(text) + strlen(value) + 100;
    char *result = test_calloc(size, 1), *to = result;
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

/* ---- models and what is made of them --------------------------------------------------------- */

typedef struct made {
    td_model *model;
    char *text, *urdf, *mjcf; /* written; the model file of the URDF; NULL where it is refused */
    size_t notes;             /* of the MJCF */
} made;

static char *written(const td_model *model)
{
    size_t size;
    td_model_write(model, NULL, 0, &size);
    char *text = test_calloc(size + 1, 1);
    assert_ok(td_model_write(model, text, size, &size));
    return text;
}

static char *exported(const td_model *model, td_export_format format, size_t *notes)
{
    td_export_options options = td_export_options_default();
    td_diagnostics *list = test_diagnostics(0);
    size_t size = 0;
    options.format = format;
    char *text = NULL;
    if (td_model_export(model, &options, list, NULL, 0, &size) == TD_OK) {
        text = test_calloc(size + 1, 1);
        assert_ok(td_model_export(model, &options, NULL, text, size, &size));
    }
    *notes = td_diagnostics_size(list);
    return text;
}

static bool make(const char *text, made *m)
{
    *m = (made){0};
    if (test_load_model_memory(text, strlen(text), NULL, NULL, NULL, &m->model) != TD_OK)
        return false;
    size_t notes;
    m->text = written(m->model);
    char *urdf = exported(m->model, TD_EXPORT_URDF, &notes);
    td_model *back = NULL;
    if (urdf && test_load_urdf_memory(urdf, strlen(urdf), NULL, NULL, NULL, &back) == TD_OK)
        m->urdf = written(back);
    m->mjcf = exported(m->model, TD_EXPORT_MJCF, &m->notes);
    return true;
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

static void look(const made *base, const made *m, td_record_kind kind, int n, const char *key,
                 bool carried[CONSUMERS])
{
    ck_assert_ptr_nonnull(base->urdf);
    carried[URDF] = carried[URDF] || !m->urdf || differs(base->urdf, m->urdf, kind, n, key);
    carried[MJCF] = carried[MJCF] || !m->mjcf || !base->mjcf || m->notes != base->notes ||
                    strcmp(base->mjcf, m->mjcf) != 0;
    carried[DIFF] = carried[DIFF] || has_difference(base->model, m->model);
}

/* ---- the test -------------------------------------------------------------------------------- */

static bool tried[TD_RECORD_KINDS][TD_MOST_FIELDS];
static bool carried[TD_RECORD_KINDS][TD_MOST_FIELDS][CONSUMERS];

static void change_line(const char *text, const char *line, const made *base, int n)
{
    const td_record_kind kind = kind_of(line);
    const td_record_form *form = &td_record_forms[kind];
    for (size_t f = 0; f < form->fields; f++) {
        const char *key = form->field[f].key;
        for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
            char *other = changed(text, line, key, values[v]);
            made m;
            if (form->field[f].use != TD_USE_PLACE && make(other, &m)) {
                if (differs(base->text, m.text, kind, n, key)) {
                    tried[kind][f] = true;
                    look(base, &m, kind, n, key, carried[kind][f]);
                }
            }
        }
    }
}

static const char *exception(const char *record, const char *key, consumer c)
{
    for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
        if (strcmp(exceptions[i].record, record) == 0 && strcmp(exceptions[i].key, key) == 0 &&
            exceptions[i].without == c)
            return exceptions[i].why;
    return NULL;
}

TD_TEST(every_field_is_carried)
{
    int wrong = 0;
    for (size_t i = 0; i < sizeof robots / sizeof *robots; i++) {
        char text[4096];
        made base;
        int count[TD_RECORD_KINDS + 1] = {0};
        snprintf(text, sizeof text, "%send\n", robots[i].text);
        ck_assert_msg(make(text, &base), "robot %zu does not load", i);
        for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
            const td_record_kind kind = kind_of(line);
            const int n = count[kind]++;
            if (kind < TD_RECORD_KINDS && kind >= robots[i].first)
                change_line(text, line, &base, n);
        }
    }
    for (td_record_kind kind = TD_RECORD_LINK; kind < TD_RECORD_KINDS; kind++)
        for (size_t f = 0; f < td_record_forms[kind].fields; f++) {
            const td_field *field = &td_record_forms[kind].field[f];
            const char *word = td_record_forms[kind].word;
            if (field->use == TD_USE_PLACE)
                continue;
            /* a link has one joint, so that no other child is one: names of links are changed */
            if (!tried[kind][f] && strcmp(field->key, "child") != 0) {
                printf("# %s %s: no value of it loads; add one\n", word, field->key);
                wrong++;
                continue;
            }
            for (consumer c = 0; c < CONSUMERS && tried[kind][f]; c++)
                if (carried[kind][f][c] == (exception(word, field->key, c) != NULL)) {
                    printf("# %s %s: %s in %s\n", word, field->key,
                           carried[kind][f][c] ? "is" : "is not", consumers[c]);
                    wrong++;
                }
        }
    ck_assert_int_eq(wrong, 0);
}
