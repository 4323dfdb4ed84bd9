/* SPDX-License-Identifier: MIT */
/*
 * Tests submechanism lists: their effect on the model, diagnostics of invalid lists, and hostile
 * text: prefixes and damaged copies of a valid list, lack of memory, and aliases that multiply.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "failing.h"
#include "td_test.h"

/* A mechanism of two branches. All origins differ, so that swapped frames are detected. */
static const char robot[] =
    "<robot name='r'><link name='base'/><link name='crank'/><link name='rod'/><link name='lever'/>"
    "<link name='tool'/>"
    "<joint name='j1' type='continuous'><parent link='base'/><child link='crank'/>"
    "  <origin xyz='0.1 0 0' rpy='0 0 1.5707963267948966'/></joint>"
    "<joint name='j2' type='continuous'><parent link='crank'/><child link='rod'/>"
    "  <origin xyz='0.2 0 0'/></joint>"
    "<joint name='j3' type='continuous'><parent link='base'/><child link='lever'/>"
    "  <origin xyz='0 0.3 0' rpy='1.5707963267948966 0 0'/></joint>"
    "<joint name='weld' type='fixed'><parent link='lever'/><child link='tool'/></joint>"
    "<transmission name='t'><joint name='j3'/></transmission></robot>";

static const char good[] =
    "# as HyRoDyn writes it\n"
    "submechanisms:\n"
    "- contextual_name: leg\n"
    "  name: lambda\n"
    "  type: NUMERICAL\n"
    "  file_path: leg.urdf\n"
    "  jointnames: [j1, j2, j3, weld]\n"
    "  jointnames_active: &motors\n"
    "  - j2\n"
    "  - j3\n"
    "  jointnames_independent: [\"j1\"]\n"
    "  jointnames_spanningtree: [j1, j2, j3, weld]\n"
    "  loop_constraints:\n"
    "  - cut_joint: j2\n"
    "    predecessor_body: rod\n"
    "    successor_body: lever\n"
    "    constraint_axes:\n"
    "    - name: loopTY\n"
    "      axis: [0.,0.,0.,0.,1.,0.]\n"
    "    - {name: loopTZ, axis: [0, 0, 0, 0, 0, -2], baumgarte_stabilization_parameter: 0.1}\n"
    "  - cut_joint: strut\n"
    "    type: universal\n"
    "    predecessor_body: base\n"
    "    predecessor_origin: {xyz: [1, 2, 3], rpy: 0 0 1.5707963267948966}\n"
    "    successor_body: tool\n"
    "    successor_origin:\n"
    "      xyz: 4 5 6\n"
    "    axis: [0, 0, 1]\n"
    "    axis2: [1, 0, 0]\n"
    "  - {cut_joint: rope, type: distance, distance: 0.5, predecessor_body: base,\n"
    "     successor_body: rod}\n"
    "  - {cut_joint: hinge, type: revolute, predecessor_body: base, successor_body: rod,\n"
    "     damping: 1, friction: 2, spring_stiffness: 3, spring_reference: 4, axis: 0 1 0}\n"
    "exoskeletons:\n"
    "- {name: sleeve, around: leg, jointnames_spanningtree: *motors, jointnames_dependent: [j2]}\n";

static td_builder *parse_robot(void)
{
    td_builder *builder = NULL;
    td_status status = test_parse_urdf_memory(robot, strlen(robot), "r", NULL, NULL, &builder);
    assert_ok(status);
    return builder;
}

/* Reads a list into the robot's builder, which is returned if kept is not NULL. */
static td_status read_list(const char *text, size_t size, td_diagnostics *list, td_builder **kept)
{
    td_builder *builder = parse_robot();
    td_status status = td_parse_submechanisms_memory(builder, text, size, "s.yml", NULL, list);
    if (kept)
        *kept = builder;
    return status;
}

/* ---- valid lists ----------------------------------------------------------------------------- */

static td_model *load_good(void)
{
    td_builder *builder;
    td_load_options options = td_load_options_default();
    options.actuation = TD_ACTUATION_TRANSMISSION;
    options.open_loops = true; /* together they cannot be closed */
    td_model *model = NULL;
    td_diagnostics *list = test_diagnostics(0);
    assert_ok(read_list(good, strlen(good), list, &builder));
    for (size_t i = 0; i < td_diagnostics_size(list); i++)
        printf("# %s\n", td_diagnostics_at(list, i)->message);
    ck_assert_uint_eq(td_diagnostics_size(list), 0);
    test_builder_finish(builder, &options, list, &model);
    for (size_t i = 0; !model && i < td_diagnostics_size(list); i++)
        printf("# %s\n", td_diagnostics_at(list, i)->message);
    ck_assert_ptr_nonnull(model);
    return model;
}

TD_TEST(joints_are_read)
{
    td_model *model = load_good();
    static const struct {
        const char *name;
        int independent;
    } joints[] = {{"j1", 1}, {"j2", 0}, {"j3", 0}, {"weld", -1}};
    for (size_t i = 0; i < 4; i++) {
        size_t joint = td_joint_index(model, joints[i].name);
        ck_assert_int_eq(td_joint_at(model, joint)->independent, joints[i].independent);
    }
    ck_assert_uint_eq(td_transmission_count(model), 2); /* j3 had one */
    const td_transmission *added = td_transmission_at(model, 1);
    ck_assert_str_eq(added->name, "leg");
    ck_assert_str_eq(added->joint, "j2");
    ck_assert_str_eq(added->source.file, "s.yml");
    ck_assert_int_eq(added->source.line, 9);
}

TD_TEST(loops_are_read)
{
    td_model *model = load_good();
    ck_assert_uint_eq(td_loop_count(model), 4);
    const td_loop *mask = td_loop_at(model, 0), *cross = td_loop_at(model, 1);
    ck_assert_int_eq(mask->type, TD_LOOP_MASK);
    ck_assert_uint_eq(mask->mask, 16 | 32);
    ck_assert_str_eq(mask->predecessor, "rod");
    ck_assert_int_eq(mask->source.line, 14);
    ck_assert_int_eq(mask->source.column, 5);
    ck_assert_str_eq(mask->source.element, "/submechanisms[1]/loop_constraints[1]");
    ck_assert_int_eq(cross->type, TD_LOOP_UNIVERSAL);
    const double quarter[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1};
    td_assert_close(9, cross->predecessor_origin.rotation, quarter, 1e-15, 1);
    ck_assert(cross->predecessor_origin.position[2] == 3);
    ck_assert(cross->successor_origin.position[0] == 4 && cross->successor_origin.rotation[0] == 1);
    ck_assert(cross->axis[2] == 1 && cross->second_axis[0] == 1);
    ck_assert(td_loop_at(model, 2)->distance == 0.5);
    ck_assert(td_loop_at(model, 2)->successor_origin.position[0] == 0);
    const td_loop *hinge = td_loop_at(model, 3);
    ck_assert(hinge->damping == 1 && hinge->friction == 2 && hinge->spring_stiffness == 3);
    ck_assert(hinge->spring_reference == 4 && hinge->axis[1] == 1);
}

/* Without origins, the loop closes with all joints at zero. */
TD_TEST(frames_coincide_at_zero)
{
    td_model *model = load_good();
    const td_loop *loop = td_loop_at(model, 0);
    /* the rod's origin is at 0.1 0.2 0 with axes rotated about z; the lever's at 0 0.3 0 with its y
       upward */
    const double position[3] = {0.1, 0, 0.1};
    const double rotation[9] = {0, -1, 0, 0, 0, 1, -1, 0, 0};
    td_assert_close(3, loop->successor_origin.position, position, 1e-15, 1);
    td_assert_close(9, loop->successor_origin.rotation, rotation, 1e-15, 1);
}

/* ---- invalid lists --------------------------------------------------------------------------- */

#define LOOP(content) "submechanisms: [{loop_constraints: [{" content "}]}]"
#define LINKS "cut_joint: c, predecessor_body: base, successor_body: rod"

/* Each list causes one diagnostic: its code, and a part of its message. */
static const struct {
    const char *text, *code, *message;
} wrong[] = {
    {"", "URDF-Y001", "empty"},
    {"submechanisms: [", "URDF-Y001", "not well-formed YAML"},
    {"submechanisms: []\n---\nsubmechanisms: []\n", "URDF-Y001", "second document"},
    {"submechanisms: &a [*a]", "URDF-Y001", "inside its own anchor"},
    {"submechanisms: *a", "URDF-Y001", "has no anchor"},
    {"[1]: 2", "URDF-Y003", "a key is not a word"},
    {"submechanisms: \"a\\0b\"", "URDF-Y003", "NUL"},
    {"word", "URDF-Y003", "not a map"},
    {"submechanisms: word", "URDF-Y003", "not a list"},
    {"submechanisms: [word]", "URDF-Y003", "an item of 'submechanisms' is not a map"},
    {"submechanisms: [{jointnames_active: j1}]", "URDF-Y003", "not a list"},
    {"submechanisms: [{jointnames_active: [[j1]]}]", "URDF-Y003", "not a word"},
    {"exoskeletons: []", "URDF-Y006", "no 'submechanisms'"},
    {"submechanisms: []\ncolour: red\n", "URDF-Y004", "unknown key 'colour'"},
    {"submechanisms: [{joint_names: [j1]}]", "URDF-Y005", "unknown key 'joint_names'"},
    {"submechanisms: []\nsubmechanisms: []\n", "URDF-Y007", "the first one is on line 1"},
    {"submechanisms: [{jointnames_active: [j9]}]", "URDF-Y008", "joint 'j9' does not exist"},
    {"submechanisms: [{jointnames_independent: [j1], jointnames_dependent: [j1]}]", "URDF-Y009",
     "is declared dependent here"},
    {"submechanisms: [{type: rrPr, jointnames_independent: [j1],"
     " jointnames_spanningtree: [j1, j2]}]",
     "URDF-Y010", "the loops that determine joint 'j2' are unknown"},
    {"submechanisms: [{jointnames_independent: [floating_base_rot_x]}]", "URDF-Y011", "ignored"},
    {LOOP("type: fixed, cut_joint: c, predecessor_body: base"), "URDF-Y006", "'successor_body'"},
    {LOOP(LINKS), "URDF-J002", "has no type"},
    {LOOP(LINKS ", type: screw"), "URDF-J001", "'screw'"},
    {LOOP(LINKS ", type: fixed, constraint_axes: [{axis: [0,0,0,0,0,1]}]"), "URDF-N006", "both"},
    {LOOP(LINKS ", constraint_axes: [{axis: [0,0,0,0,1,1]}]"), "URDF-C011", "not an axis of"},
    {LOOP(LINKS ", constraint_axes: [{axis: [0,0,0]}]"), "URDF-N002", "has 3 numbers where 6"},
    {LOOP(LINKS ", constraint_axes: [{name: x}]"), "URDF-Y006", "no 'axis'"},
    {LOOP(LINKS ", type: revolute, axis: [0, 0, one]"), "URDF-N001", "'one' is not a number"},
    {LOOP(LINKS ", type: revolute, axis: [0, 0, .inf]"), "URDF-N001", "not a number"},
    {LOOP(LINKS ", type: revolute, damping: nan"), "URDF-N001", "not finite"},
    {LOOP(LINKS ", type: revolute, axis: 0 1"), "URDF-N002", "has 2 numbers where 3 are"},
    {LOOP(LINKS ", type: distance"), "URDF-N004", "has no 'distance'"},
    {LOOP(LINKS ", type: revolute, axis2: 0 0 1"), "URDF-C013", "ignored"},
    {LOOP(LINKS ", type: fixed, successor_origin: 0 0 0"), "URDF-Y003", "not a map"},
};

TD_LOOP_TEST(wrong_lists_are_reported, 0, sizeof wrong / sizeof *wrong)
{
    td_diagnostics *list = test_diagnostics(0);
    const char *text = wrong[_i].text;
    td_status status = read_list(text, strlen(text), list, NULL);
    for (size_t i = 0; i < td_diagnostics_size(list); i++)
        printf("# %s\n", td_diagnostics_at(list, i)->message);
    ck_assert_uint_eq(td_diagnostics_size(list), 1);
    const td_diagnostic *d = td_diagnostics_at(list, 0);
    ck_assert_str_eq(d->code, wrong[_i].code);
    ck_assert_msg(strstr(d->message, wrong[_i].message) != NULL, "'%s'", d->message);
    ck_assert_str_eq(d->source.file, "s.yml");
    ck_assert_int_ge(d->source.line, 1);
    ck_assert_int_eq(status, d->severity == TD_SEVERITY_ERROR ? TD_ERROR_MODEL : TD_OK);
}

TD_TEST(all_errors_are_collected)
{
    static const char text[] = "submechanisms:\n"
                               "- jointnames_active: [j8, j9]\n"
                               "  loop_constraints:\n"
                               "  - {cut_joint: c, type: revolute, axis: [1, 2]}\n";
    td_diagnostics *list = test_diagnostics(0);
    ck_assert_int_eq(read_list(text, strlen(text), list, NULL), TD_ERROR_MODEL);
    ck_assert_uint_eq(td_diagnostics_count(list, TD_SEVERITY_ERROR), 5);
    const td_diagnostic *last = td_diagnostics_at(list, 4);
    ck_assert_str_eq(last->source.element, "/submechanisms[1]/loop_constraints[1]/axis");
    ck_assert_int_eq(last->source.line, 4);
}

/* ---- files ----------------------------------------------------------------------------------- */

TD_TEST(option_names_a_file)
{
    char path[] = "/tmp/tandem-test-XXXXXX";
    int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(write(file, good, strlen(good)), (ssize_t)strlen(good));
    close(file);
    td_load_options options = td_load_options_default();
    options.submechanisms = path;
    td_builder *builder = NULL;
    assert_ok(test_parse_urdf_memory(robot, strlen(robot), "r", &options, NULL, &builder));
    options.open_loops = true;
    td_model *model = model_of_builder(builder, &options);
    ck_assert_uint_eq(td_loop_count(model), 4);
    remove(path);
    ck_assert_int_eq(test_load_urdf_memory(robot, strlen(robot), "r", &options, NULL, &model),
                     TD_ERROR_IO);
    ck_assert_ptr_null(model);
}

TD_TEST(arguments_are_checked)
{
    td_builder *builder = parse_robot();
    td_load_options options = td_load_options_default();
    options.size_of--;
    ck_assert_int_eq(td_parse_submechanisms_memory(NULL, "a", 1, "s", NULL, NULL),
                     TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_parse_submechanisms_memory(builder, NULL, 1, "s", NULL, NULL),
                     TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_parse_submechanisms_memory(builder, "a", 1, "s", &options, NULL),
                     TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_parse_submechanisms_memory(builder, NULL, 0, "s", NULL, NULL),
                     TD_ERROR_MODEL);
}

/* ---- hostile text ---------------------------------------------------------------------------- */

static void survive(const char *text, size_t size)
{
    td_builder *builder;
    td_model *model;
    td_status status = read_list(text, size, NULL, &builder);
    ck_assert(status == TD_OK || status == TD_ERROR_MODEL);
    td_status finish = test_builder_finish(builder, NULL, NULL, &model);
    ck_assert(status == TD_OK || finish == TD_ERROR_MODEL); /* never a partial model */
}

TD_TEST(prefixes_are_survived)
{
    for (size_t size = 0; size <= strlen(good); size++) {
        char *copy = test_malloc(size + 1); /* so that sanitizers detect reads beyond the end */
        memcpy(copy, good, size);
        survive(copy, size);
    }
}

TD_TEST(damaged_texts_are_survived)
{
    static const char bytes[] = "{}[]:,-&*!|>'\"%@`?#~\t\n\0\377\200 aZ0";
    td_random random = {11};
    for (int round = 0; round < 4000; round++) {
        char text[sizeof good];
        memcpy(text, good, sizeof good);
        for (size_t k = td_random_below(&random, 4) + 1; k > 0; k--)
            text[td_random_below(&random, strlen(good))] =
                bytes[td_random_below(&random, sizeof bytes - 1)];
        survive(text, strlen(good));
    }
}

static void expect_too_large(const char *text, size_t size, const td_load_options *options,
                             const char *what, td_status expected)
{
    td_builder *builder = parse_robot();
    td_diagnostics *list = test_diagnostics(0);
    ck_assert_int_eq(td_parse_submechanisms_memory(builder, text, size, "s", options, list),
                     expected);
    ck_assert_uint_eq(td_diagnostics_size(list), 1);
    ck_assert_str_eq(td_diagnostics_at(list, 0)->code, "URDF-Y002");
    ck_assert_ptr_nonnull(strstr(td_diagnostics_at(list, 0)->message, what));
}

TD_TEST(caps_hold)
{
    td_load_options options = td_load_options_default();
    char deep[100000];
    memset(deep, '[', sizeof deep);
    expect_too_large(deep, sizeof deep, NULL, "64 levels", TD_ERROR_MODEL);
    options.max_elements = 50;
    expect_too_large(good, strlen(good), &options, "50 nodes", TD_ERROR_MODEL);
    options = td_load_options_default();
    options.max_bytes = 100;
    expect_too_large(good, strlen(good), &options, "100 bytes", TD_ERROR_IO);
}

/* Each list has ten times as many nodes as the previous one: finally 10^9. */
TD_TEST(aliases_do_not_multiply)
{
    char text[2000] = "a0: &a0 [x]\n";
    for (int i = 1; i < 10; i++) {
        size_t at = strlen(text);
        at += (size_t)snprintf(text + at, sizeof text - at, "a%d: &a%d [", i, i);
        for (int k = 0; k < 10; k++)
            at += (size_t)snprintf(text + at, sizeof text - at, "*a%d,", i - 1);
        snprintf(text + at, sizeof text - at, "]\n");
    }
    expect_too_large(text, strlen(text), NULL, "nodes", TD_ERROR_MODEL);
}

/* Check's time limit detects a search that takes too long. */
TD_TEST(many_keys_and_names_end)
{
    const size_t count = 50000;
    char *text = test_malloc(count * 64), *at = text;
    at += sprintf(at, "submechanisms:\n- jointnames_active: [");
    for (size_t i = 0; i < count; i++)
        at += sprintf(at, "joint_%zu,", i);
    at += sprintf(at, "]\n");
    for (size_t i = 0; i < count; i++)
        at += sprintf(at, "  jointnames_activ%zu: 1\n", i);
    survive(text, (size_t)(at - text));
}

/* ---- lack of memory -------------------------------------------------------------------------- */

static td_status read_with(const char *text, long allocations, long *leaked)
{
    const size_t kept = owned_count();
    td_builder *builder = parse_robot();
    td_diagnostics *list = test_diagnostics(0);
    long before = failing_pieces;
    failing_left = allocations;
    td_status status = td_parse_submechanisms_memory(builder, text, strlen(text), "s", NULL, list);
    failing_left = -1;
    release_since(&kept);
    *leaked = failing_pieces - before;
    return status;
}

TD_TEST(every_allocation_may_fail)
{
    failing_each(read_with, good, TD_OK);
    failing_each(read_with,
                 "{closed_loop: [[j2, tool]], type: [6d], name_mot: [j1, j2], "
                 "joint_name: [j3, j2], joint_type: [UJOINT_XY, SPHERICAL]}",
                 TD_OK);
}

TD_TEST(every_allocation_may_fail_on_a_bad_list)
{
    failing_each(read_with,
                 "submechanisms: [{jointnames_active: [j9], colour: red, loop_constraints: [{}]}]",
                 TD_ERROR_MODEL);
    failing_each(read_with, "submechanisms: [", TD_ERROR_MODEL);
}
