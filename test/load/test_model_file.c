/* SPDX-License-Identifier: MIT */
/*
 * Tests model files. A model loaded from the text of another one computes the same numbers to the
 * bit, in all functions, and has the same text. Truncated or damaged texts are refused or load as a
 * model, without other effects.
 */
#include <ftw.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "failing.h"
#include "functions.h"
#include "model/fields.h"

static char *text_of(const td_model *model, size_t *size)
{
    assert_ok(td_model_write(model, NULL, 0, size));
    ck_assert_uint_gt(*size, 0);
    char *text = test_malloc(*size);
    size_t again = 0;
    assert_ok(td_model_write(model, text, *size, &again));
    ck_assert_uint_eq(again, *size);
    return text;
}

static td_model *back_from(const char *text, size_t size)
{
    td_model *model = NULL;
    td_diagnostics *list = test_diagnostics(0);
    td_status status = test_load_model_memory(text, size, "text", NULL, list, &model);
    for (size_t i = 0; status != TD_OK && i < td_diagnostics_size(list); i++)
        printf("# %d: %s\n", td_diagnostics_at(list, i)->source.line,
               td_diagnostics_at(list, i)->message);
    assert_ok(status);
    return model;
}

/* Calls all functions of two models at the same states, in y and in q, singly and in batches. */
static void compare_functions(const td_model *model, const td_model *other)
{
    enum { ROWS = 3 };
    for (int tree = 0; tree < 2; tree++) {
        td_random random = {5};
        states *s = states_new(&random, model, tree, ROWS);
        td_workspace *w[2] = {test_workspace(model), test_workspace(other)};
        double *first = test_malloc(s->room * sizeof *first);
        for (size_t f = 0; f < function_count; f++)
            for (int batch = 0; batch < 2; batch++) {
                td_status status[2], each[2][ROWS] = {{TD_OK}};
                for (int k = 0; k < 2; k++) {
                    states_clear(s, &functions[f], tree, 7);
                    arguments a = s->a;
                    a.model = k ? other : model;
                    a.w = w[k];
                    a.each = each[k];
                    status[k] = function_call(&functions[f], &a, tree, batch);
                    if (!k)
                        memcpy(first, s->memory, s->room * sizeof *first);
                }
                ck_assert_int_eq(status[0], status[1]);
                ck_assert_mem_eq(each[0], each[1], sizeof each[0]);
                ck_assert_msg(memcmp(first, s->memory, s->room * sizeof *first) == 0,
                              "%s of %s differs", functions[f].name, td_model_name(model));
            }
    }
}

/* Checks that a model equals the one loaded from its text. */
static void check_round_trip(const td_model *model)
{
    size_t size, again;
    char *text = text_of(model, &size);
    td_model *back = back_from(text, size);
    char *other = text_of(back, &again);
    ck_assert_uint_eq(size, again);
    ck_assert_mem_eq(text, other, size);
    ck_assert_str_eq(td_model_name(model), td_model_name(back));
    ck_assert_uint_eq(td_link_count(model), td_link_count(back));
    ck_assert_uint_eq(td_joint_count(model), td_joint_count(back));
    ck_assert_uint_eq(td_nu(model), td_nu(back));
    ck_assert_mem_eq(td_reference(model, TD_COORDINATES_TREE),
                     td_reference(back, TD_COORDINATES_TREE), td_nq(model) * sizeof(double));
    for (size_t i = 0; i < td_joint_count(model); i++)
        ck_assert_str_eq(td_joint_at(model, i)->name, td_joint_at(back, i)->name);
    compare_functions(model, back);
}

#if TANDEM_HAS_URDF
TD_LOOP_TEST(bundled_robots_come_back, 0, 2 * td_robot_count())
{
    td_load_options options = td_load_options_default();
    options.base = _i % 2 ? TD_BASE_FLOATING : TD_BASE_FIXED;
    options.gravity[0] = 0.1;
    td_model *model = td_load_robot(td_robots[_i / 2], &options);
    check_round_trip(model);
}

static int files_seen;

static int visit(const char *path, const struct stat *info, int kind, struct FTW *where)
{
    (void)info, (void)where;
    td_model *model = NULL;
    size_t length = strlen(path);
    if (kind != FTW_F || length < 5 || strcmp(path + length - 5, ".urdf") != 0 ||
        test_load_urdf(path, NULL, NULL, &model) != TD_OK)
        return 0;
    check_round_trip(model);
    files_seen++;
    return 0;
}

TD_TEST(real_robots_come_back)
{
    char path[4096];
    if (!td_data_directory())
        return;
    snprintf(path, sizeof path, "%s/models", td_data_directory());
    nftw(path, visit, 16, FTW_PHYS);
    printf("# %d files\n", files_seen);
}
#endif

TD_LOOP_TEST(random_robots_with_options_come_back, 0, 12)
{
    td_random random = {(uint64_t)_i + 1};
    td_builder *builder = regular_robot(&random, 12, 4, false, TD_BASE_FIXED);
    td_load_options options = td_load_options_default();
    td_model *plain = NULL, *model = NULL;
    assert_ok(test_builder_finish(builder, NULL, NULL, &plain));
    const char *actuated[2] = {NULL, NULL};
    td_joint_position locked = {NULL, 0.25}, start = {NULL, 0.125};
    for (size_t i = 0, k = 0; i < td_joint_count(plain) && k < 2; i++)
        if (td_joint_place_at(plain, i).ny == 1 && td_joint_place_at(plain, i).nq == 1)
            actuated[k++] = td_joint_at(plain, i)->name;
    ck_assert_ptr_nonnull(actuated[1]);
    locked.joint = actuated[1];
    start.joint = actuated[0];
    options.base = _i % 2 ? TD_BASE_FLOATING : TD_BASE_FIXED;
    options.plan = _i % 3 ? TD_PLAN_REDUCED : TD_PLAN_CLUSTER;
    options.gravity[1] = -0.0;
    options.gravity[2] = 1.0 / 3;
    options.loop_evaluations = _i % 2 ? SIZE_MAX : 7;
    options.max_cluster = 1234;
    options.max_elastic = SIZE_MAX;
    options.ignore_limits = _i % 2;
    options.actuation = TD_ACTUATION_LIST;
    options.actuated = actuated;
    options.actuated_count = 1;
    options.locked = &locked;
    options.locked_count = 1;
    options.start = &start;
    options.start_count = 1;
    assert_ok(test_builder_finish(builder, &options, NULL, &model));
    check_round_trip(model);
}

/* ---- contents -------------------------------------------------------------------------------- */

/* Builds a robot with a value in every field that text might alter. */
/* Adds a joint that follows the other one through curves of all forms. */
static void add_follower(td_builder *builder)
{
    static const double numbers[] = {0, 1.0 / 3, 2, 4}, values[] = {0, 0.5, 1, 3};
    td_link link = td_link_default("c");
    link.has_inertial = true;
    link.mass = 1;
    td_joint joint = td_joint_default("k", TD_JOINT_PRISMATIC, "b", "c");
    td_curve curve[4] = {
        td_curve_default(TD_CURVE_POLYNOMIAL, "j"), td_curve_default(TD_CURVE_SINE, "j"),
        td_curve_default(TD_CURVE_SPLINE, "j"), td_curve_default(TD_CURVE_SPLINE, "j")};
    td_follower follower = td_follower_default("k");
    curve[0].coefficient = values, curve[0].coefficients = 3;
    curve[0].upper = 2;
    curve[1].amplitude = 0.1, curve[1].phase = 1.0 / 7;
    for (int k = 2; k < 4; k++) {
        curve[k].at = numbers, curve[k].value = values;
        curve[k].slope = values, curve[k].curvature = numbers;
        curve[k].points = 4;
        curve[k].ends = k == 2 ? TD_CURVE_ENDS_CLAMPED : TD_CURVE_ENDS_HERMITE;
        curve[k].degree = 5;
        curve[k].end_slope[1] = 0.5;
    }
    curve[3].kinks = true;
    follower.curve = curve, follower.curves = 4;
    follower.offset = 0.25;
    assert_ok(td_builder_add_link(builder, &link));
    assert_ok(td_builder_add_joint(builder, &joint));
    assert_ok(td_builder_add_follower(builder, &follower));
}

static td_model *full_robot(void)
{
    td_builder *builder = test_builder("two\nlines \"quoted\" \\ back\x01 ünï");
    td_source source = {"a file", 3, 7, "/robot[@name=\"x\"]"};
    td_builder_set_source(builder, &source);
    td_geometry geometry[2] = {td_geometry_default(TD_SHAPE_MESH),
                               td_geometry_default(TD_SHAPE_BOX)};
    geometry[0].file = "package://x/y.dae";
    geometry[1].collision = true;
    geometry[1].rgba[2] = 0.25;
    td_link link = td_link_default("a");
    link.geometry = geometry;
    link.geometry_count = 2;
    assert_ok(td_builder_add_link(builder, &link));
    link = td_link_default("b");
    link.has_inertial = true;
    link.mass = 0.1;
    link.inertia[0] = link.inertia[3] = link.inertia[5] = 1e-300;
    assert_ok(td_builder_add_link(builder, &link));
    td_joint joint = td_joint_default("j", TD_JOINT_REVOLUTE, "a", "b");
    joint.origin.position[1] = -0.0;
    joint.axis[1] = 1.0 / 3;
    joint.limit.lower = -INFINITY;
    joint.limit.upper = 0x1.fffffffffffffp+1023;
    joint.offset = 5e-324;
    assert_ok(td_builder_add_joint(builder, &joint));
    td_transmission transmission = td_transmission_default("t", "j");
    transmission.type = "";
    assert_ok(td_builder_add_transmission(builder, &transmission));
    add_follower(builder);
    return model_of_builder(builder, NULL);
}

TD_TEST(records_come_back)
{
    td_model *model = full_robot();
    check_round_trip(model);
    size_t size;
    char *text = text_of(model, &size);
    td_model *back = back_from(text, size);
    ck_assert_str_eq(td_model_name(back), "two\nlines \"quoted\" \\ back\x01 ünï");
    const td_link *link = td_link_at(back, 0);
    ck_assert_uint_eq(link->geometry_count, 2);
    ck_assert_str_eq(td_geometry_at(link, 0)->file, "package://x/y.dae");
    ck_assert(td_geometry_at(link, 1)->collision && td_geometry_at(link, 1)->rgba[2] == 0.25);
    ck_assert(isnan(td_geometry_at(link, 1)->rgba[0]));
    const td_joint *joint = td_joint_at(back, 0);
    ck_assert(signbit(joint->origin.position[1]) && joint->offset == 5e-324);
    ck_assert(joint->limit.upper == 0x1.fffffffffffffp+1023);
    ck_assert_str_eq(td_transmission_at(back, 0)->type, "");
    ck_assert_ptr_null(td_transmission_at(back, 0)->actuator);
    const td_follower *follower = td_follower_at(back, 0);
    ck_assert_uint_eq(follower->curves, 4);
    ck_assert_double_eq(td_curve_at(follower, 2)->at[1], 1.0 / 3);
    ck_assert_ptr_null(td_curve_at(follower, 2)->slope);
    ck_assert_double_eq(td_curve_at(follower, 3)->curvature[3], 4);
    ck_assert_double_eq(td_curve_at(follower, 0)->lower, -INFINITY);
}

/* A locale with a decimal comma changes nothing, if the machine has one. */
TD_TEST(locales_do_not_matter)
{
    td_model *model = full_robot();
    size_t size, other;
    char *text = text_of(model, &size);
    if (setlocale(LC_NUMERIC, "de_DE.UTF-8") || setlocale(LC_NUMERIC, "fr_FR.UTF-8")) {
        char *again = text_of(model, &other);
        ck_assert_uint_eq(size, other);
        ck_assert_mem_eq(text, again, size);
        back_from(again, other);
        setlocale(LC_NUMERIC, "C");
    }
}

TD_TEST(other_options_take_their_place)
{
    td_model *model = full_robot(), *floating = NULL;
    size_t size;
    char *text = text_of(model, &size);
    td_load_options options = td_load_options_default();
    options.base = TD_BASE_FLOATING;
    assert_ok(test_load_model_memory(text, size, NULL, &options, NULL, &floating));
    ck_assert_uint_eq(td_nyd(floating), td_nyd(model) + 6);
    options.max_bytes = size - 1;
    ck_assert_int_eq(test_load_model_memory(text, size, NULL, &options, NULL, &floating),
                     TD_ERROR_IO);
    ck_assert_ptr_null(floating);
}

/* Sizes of record members that files do not contain. All other members have a row in the table of
   fields; this test fails if a new member is missing there. */
static const struct {
    td_record_kind kind;
    size_t size, without;
} sizes[] = {
    {TD_RECORD_OPTIONS, sizeof(td_load_options),
     /* size_of, actuated, closures, locked, start, caps, submechanisms, closing_frames, xacro */
     10 * sizeof(size_t) + 7 * sizeof(void *) + sizeof(double)},
    {TD_RECORD_LOCK, sizeof(td_joint_position), 0},
    {TD_RECORD_START, sizeof(td_joint_position), 0},
    {TD_RECORD_LINK, sizeof(td_link), 2 * sizeof(size_t) + sizeof(void *)}, /* size_of, geometry */
    {TD_RECORD_GEOMETRY, sizeof(td_geometry), sizeof(size_t)},
    {TD_RECORD_JOINT, sizeof(td_joint), sizeof(size_t)},
    {TD_RECORD_LOOP, sizeof(td_loop), sizeof(size_t)},
    {TD_RECORD_COUPLING, sizeof(td_coupling), sizeof(size_t)},
    /* size_of, curve, curves */
    {TD_RECORD_FOLLOWER, sizeof(td_follower), 2 * sizeof(size_t) + sizeof(void *)},
    {TD_RECORD_CURVE, sizeof(td_curve), 3 * sizeof(size_t)}, /* size_of and counts */
    {TD_RECORD_TRANSMISSION, sizeof(td_transmission), sizeof(size_t)},
    /* size_of, padding after two booleans */
    {TD_RECORD_FLEXIBLE, sizeof(td_flexible), sizeof(size_t) + 2},
};

static size_t field_size(const td_field *f)
{
    const size_t size[] = {
        [TD_FIELD_STRING] = sizeof(char *), [TD_FIELD_DOUBLES] = sizeof(double),
        [TD_FIELD_INT] = sizeof(int),       [TD_FIELD_UNSIGNED] = sizeof(unsigned),
        [TD_FIELD_SIZE] = sizeof(size_t),   [TD_FIELD_BOOL] = sizeof(bool),
        [TD_FIELD_WORD] = sizeof(unsigned), [TD_FIELD_ARRAY] = sizeof(double *),
    };
    return size[f->kind] * (f->kind == TD_FIELD_ARRAY ? 1 : f->count);
}

TD_LOOP_TEST(every_member_is_a_field, 0, sizeof sizes / sizeof *sizes)
{
    const td_record_form *form = &td_record_forms[sizes[_i].kind];
    char *taken = test_calloc(1, sizes[_i].size);
    for (size_t k = 0; k < form->fields; k++)
        for (size_t b = 0; b < field_size(&form->field[k]); b++) {
            ck_assert_int_eq(taken[form->field[k].offset + b], 0);
            taken[form->field[k].offset + b] = 1;
        }
    /* a gap after a field, up to the next multiple of eight, may be padding */
    size_t padding = 0, left = 0;
    for (size_t b = 0; b < sizes[_i].size; b++) {
        left += !taken[b];
        size_t start = b;
        while (start > 0 && start % sizeof(size_t) && !taken[start])
            start--;
        padding += !taken[b] && taken[start];
    }
    ck_assert_msg(left <= sizes[_i].without + padding && left >= sizes[_i].without,
                  "%s: %zu bytes without a field, %zu and %zu of padding expected", form->word,
                  left, sizes[_i].without, padding);
}

/* ---- refusals -------------------------------------------------------------------------------- */

TD_TEST(registered_closures_do_not_travel)
{
    td_builder *builder = test_builder("pair");
    for (int k = 0; k < 3; k++) {
        td_link link = td_link_default((const char *[]){"a", "b", "c"}[k]);
        link.has_inertial = true;
        link.mass = link.inertia[0] = link.inertia[3] = link.inertia[5] = 1;
        td_builder_add_link(builder, &link);
    }
    td_joint joint = td_joint_default("j", TD_JOINT_CONTINUOUS, "a", "b");
    td_builder_add_joint(builder, &joint);
    joint = td_joint_default("k", TD_JOINT_CONTINUOUS, "b", "c");
    td_builder_add_joint(builder, &joint);
    const char *leader = "j", *follower = "k";
    const td_closure_function f = {sizeof f, "twice",         1,    1,   &follower,
                                   &leader,  doubled_closure, NULL, NULL};
    td_load_options options = td_load_options_default();
    options.closures = &f;
    options.closure_count = 1;
    td_model *model = model_of_builder(builder, &options);
    char text[8];
    size_t size = 9;
    ck_assert_int_eq(td_model_write(model, text, sizeof text, &size), TD_ERROR_FUNCTION);
    ck_assert_uint_eq(size, 0);
}

TD_TEST(arguments_are_checked)
{
    td_model *model = full_robot(), *back = model;
    char text[4096];
    size_t size, longer;
    ck_assert_int_eq(td_model_write(NULL, text, 9, &size), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_model_write(model, text, 9, NULL), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_model_write(model, NULL, 9, &size), TD_ERROR_ARGUMENT);
    assert_ok(td_model_write(model, NULL, 0, &size));
    ck_assert_uint_lt(size, sizeof text);
    memset(text, 1, sizeof text);
    ck_assert_int_eq(td_model_write(model, text, size - 1, &longer), TD_ERROR_ARGUMENT);
    ck_assert_uint_eq(longer, size);
    ck_assert_int_eq(text[size - 1], 1);
    ck_assert_int_eq(test_load_model_memory(NULL, 9, NULL, NULL, NULL, &back), TD_ERROR_ARGUMENT);
    ck_assert_ptr_null(back);
    ck_assert_int_eq(test_load_model_memory(text, 9, NULL, NULL, NULL, NULL), TD_ERROR_ARGUMENT);
}

#define HEAD2 "tandem-model 2\nrobot name=\"r\"\nlink name=\"a\"\n"
#define HEAD "tandem-model 1\nrobot name=\"r\"\nlink name=\"a\"\n"

static const struct {
    const char *text, *code, *message;
    int line;
} bad[] = {
    {"", "TD-E004", "this is not a model file: it does not begin with 'tandem-model'", 1},
    {"<robot/>", "TD-E004", "this is not a model file: it does not begin with 'tandem-model'", 1},
    {"tandem-model", "TD-E004", "this is not a model file: it does not begin with 'tandem-model'",
     1},
    {"tandem-model 3\n", "TD-E005", "a model file of version 3; this library reads versions 1 to 2",
     1},
    {"tandem-model 0\n", "TD-E005", "a model file of version 0; this library reads versions 1 to 2",
     1},
    {"tandem-model 1 \n", "TD-E004", "extra text after the version", 1},
    {"tandem-model 99999999999999999999\n", "TD-E004", "not an integer in the allowed range", 1},
    {"tandem-model 1\nend\n", "TD-E004", "there is no robot", 2},
    {"tandem-model 1\nlink name=\"a\"\nend\n", "TD-E004", "a record before the robot", 2},
    {HEAD, "TD-E004", "the text ends too early", 4},
    {HEAD "end", "TD-E004", "the text ends too early", 4},
    {HEAD "end\n\n", "TD-E004", "extra text after the end", 4},
    {HEAD "robot name=\"r\"\nend\n", "TD-E004", "a second robot", 4},
    {HEAD "options\noptions\nend\n", "TD-E004", "repeated options", 5},
    {HEAD "options gravity=0,nan,0\nend\n", "TD-E004", "an option is out of range", 0},
    {HEAD "options gravity=0,0\nend\n", "TD-E004", "too few numbers for 'gravity'", 4},
    {HEAD "options gravity=0,0,0,0\nend\n", "TD-E004",
     "no field or end of line where one is required", 4},
    {HEAD "options gravity=0,0,1e999\nend\n", "TD-E004", "not a number", 4},
    {HEAD "options gravity=0,0,0x1\nend\n", "TD-E004", "not a number", 4},
    {HEAD "options gravity=0,0, 1\nend\n", "TD-E004", "not a number", 4},
    {HEAD "options loop_evaluations=-1\nend\n", "TD-E004", "not an integer in the allowed range",
     4},
    {HEAD "options loop_evaluations=18446744073709551616\nend\n", "TD-E004",
     "not an integer in the allowed range", 4},
    {HEAD "options base=flying\nend\n", "TD-E004", "an unknown word 'flying'", 4},
    {HEAD "options strict=1\nend\n", "TD-E004", "an unknown word ''", 4},
    {HEAD "lock position=1\nend\n", "TD-E004", "a joint without a name", 4},
    {HEAD "actuated\nend\n", "TD-E004", "a joint without a name", 4},
    {HEAD "rope name=\"x\"\nend\n", "TD-E004", "an unknown record 'rope'", 4},
    {HEAD "link nam=\"x\"\nend\n", "TD-E004", "an unknown field 'nam'", 4},
    {HEAD "link name=\"x\" name=\"y\"\nend\n", "TD-E004", "a repeated field 'name'", 4},
    {HEAD "link name=\"x\" mass=1 name=\"y\"\nend\n", "TD-E004", "a repeated field 'name'", 4},
    {HEAD "link name=x\nend\n", "TD-E004", "a string does not begin with a quotation mark", 4},
    {HEAD "link name=\"x\nend\n", "TD-E004", "a string does not end", 4},
    {HEAD "link name=\"\\x00\"\nend\n", "TD-E004", "an unknown escape in a string", 4},
    {HEAD "link name=\"\\n\"\nend\n", "TD-E004", "an unknown escape in a string", 4},
    {HEAD "link  name=\"x\"\nend\n", "TD-E004", "a field without a value", 4},
    {HEAD "link name\nend\n", "TD-E004", "a field without a value", 4},
    {HEAD "joint name=\"j\"\ngeometry\nend\n", "TD-E004", "geometry without a preceding link", 5},
    {HEAD "follower joint=\"j\"\nend\n", "TD-E004", "an unknown record 'follower'", 4},
    {HEAD2 "curve leader=\"j\"\nend\n", "TD-E004", "a curve without a preceding follower", 4},
    {HEAD2 "follower joint=\"j\"\ncurve at=1,2 value=1\nend\n", "TD-E004",
     "too few or too many numbers for 'value'", 5},
    {HEAD2 "follower joint=\"j\"\ncurve at=1,\nend\n", "TD-E004", "not a number", 5},
    {HEAD2 "follower joint=\"j\"\ncurve type=spline\nend\n", "URDF-M011",
     "joint 'j' of a follower record does not exist", 0},
    {HEAD "joint name=\"j\" independent=2147483648\nend\n", "TD-E004",
     "not an integer in the allowed range", 4},
    {HEAD "joint name=\"j\" parent=\"a\" child=\"b\"\nend\n", "URDF-S007",
     "the child link 'b' of joint 'j' does not exist", 0},
};

TD_LOOP_TEST(damaged_texts_are_refused, 0, sizeof bad / sizeof *bad)
{
    td_diagnostics *list = test_diagnostics(0);
    td_model *model = NULL;
    const char *text = bad[_i].text;
    ck_assert_int_eq(test_load_model_memory(text, strlen(text), "x", NULL, list, &model),
                     TD_ERROR_MODEL);
    ck_assert_ptr_null(model);
    ck_assert_uint_ge(td_diagnostics_size(list), 1);
    const td_diagnostic *d = td_diagnostics_at(list, 0);
    ck_assert_str_eq(d->code, bad[_i].code);
    ck_assert_str_eq(d->message, bad[_i].message);
    ck_assert_int_eq(d->source.line, bad[_i].line);
}

/* Every proper prefix of a text is refused, and so is a text with a zero byte. */
TD_TEST(texts_that_are_cut_off_are_refused)
{
    td_model *model = full_robot(), *back = NULL;
    size_t size;
    char *text = text_of(model, &size);
    for (size_t n = 0; n < size; n++) {
        char *part = test_malloc(n + !n);
        memcpy(part, text, n);
        ck_assert_int_eq(test_load_model_memory(part, n, NULL, NULL, NULL, &back), TD_ERROR_MODEL);
        char kept = text[n];
        text[n] = '\0';
        ck_assert_int_eq(test_load_model_memory(text, size, NULL, NULL, NULL, &back),
                         TD_ERROR_MODEL);
        text[n] = kept;
    }
}

/* Bytes are changed, removed, inserted and moved at random. Loading must return a status without
   other effects. */
TD_TEST(spoilt_texts_do_no_harm)
{
    static const char bytes[] = "\"\\ \n=,.-+0123456789eEnaif_xlinkjot\x80\xff";
    td_random random = {11};
    td_model *model = full_robot();
    size_t size;
    char *text = text_of(model, &size), *spoilt = test_malloc(size + 64);
    int good = 0;
    for (int n = 0; n < 20000; n++) {
        size_t length = size;
        memcpy(spoilt, text, size);
        for (size_t k = 0; k <= td_random_below(&random, 3); k++) {
            size_t at = td_random_below(&random, length), far = td_random_below(&random, length);
            char byte = bytes[td_random_below(&random, sizeof bytes - 1)];
            switch (td_random_below(&random, 4)) {
            case 0:
                spoilt[at] = byte;
                break;
            case 1:
                memmove(spoilt + at, spoilt + at + 1, --length - at);
                break;
            case 2:
                memmove(spoilt + at + 1, spoilt + at, length++ - at);
                spoilt[at] = byte;
                break;
            default:
                memmove(spoilt + (at < far ? at : far), spoilt + far,
                        length - (at < far ? far : at) < 40 ? 0 : 16);
            }
        }
        td_model *back = NULL;
        td_status status = test_load_model_memory(spoilt, length, NULL, NULL, NULL, &back);
        ck_assert(status == TD_OK || status == TD_ERROR_MODEL);
        ck_assert((status == TD_OK) == (back != NULL));
        good += back != NULL;
    }
    ck_assert_int_gt(good, 100);
}

static td_status read_with(const char *text, long allocations, long *leaked)
{
    td_diagnostics *list = new_diagnostics(0);
    td_model *model = NULL;
    long before = failing_pieces;
    failing_left = allocations;
    td_status status = td_load_model_memory(text, strlen(text), "r", NULL, list, &model);
    failing_left = -1;
    ck_assert((model != NULL) == (status == TD_OK));
    td_model_free(model);
    td_diagnostics_free(list);
    *leaked = failing_pieces - before + 1;
    return status;
}

TD_TEST(every_allocation_may_fail)
{
    static const char text[] =
        HEAD "options base=floating actuation=list\nlock joint=\"j\" position=1\n"
             "actuated joint=\"k\"\nlink name=\"b\" source.file=\"f\"\ngeometry file=\"g\"\n"
             "geometry\nlink name=\"c\" mass=1\njoint name=\"j\" type=revolute parent=\"a\" "
             "child=\"b\"\njoint name=\"k\" type=prismatic parent=\"b\" child=\"c\" mimic=\"j\"\n"
             "transmission name=\"t\" joint=\"j\"\nend\n";
    failing_each(read_with, text, TD_OK);
    failing_each(read_with, HEAD "rope\n", TD_ERROR_MODEL);
}
