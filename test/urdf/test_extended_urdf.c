/* SPDX-License-Identifier: MIT */
/*
 * Tests robot.yaml of Extended URDF beside a URDF. The robot equals the one whose URDF has the
 * loops and types of joints itself. Errors have the position in the file.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "td_test.h"

enum { CAPACITY = 8192 };

#define BODY(name)                                                                                 \
    "<link name='" name "'><inertial><origin xyz='.1 .03 -.2'/><mass value='1'/>"                  \
    "<inertia ixx='.01' iyy='.02' izz='.015'/></inertial></link>"
#define JOINT(name, type, parent, child, axis, xyz)                                                \
    "<joint name='" name "' type='" type "'><parent link='" parent "'/><child link='" child        \
    "'/><axis xyz='" axis "'/><origin xyz='" xyz "' rpy='.1 .2 .3'/></joint>"

/* A crank, a rod on it, and a plate; the ends of rod and plate are the frames of a loop. */
#define LINKS                                                                                      \
    "<robot name='r'><link name='base'/>" BODY("crank") BODY("rod") BODY("plate")                  \
        BODY("tail") "<link name='rod_end'/><link name='plate_end'/>"
#define REST                                                                                       \
    JOINT("swing", "continuous", "base", "plate", "0 1 0", "1 0 0")                                \
    JOINT("re", "fixed", "rod", "rod_end", "1 0 0", ".5 0 0")                                      \
    JOINT("pe", "fixed", "plate", "plate_end", "1 0 0", "-.2 .1 .3")
#define ROBOT                                                                                      \
    LINKS JOINT("motor", "continuous", "base", "crank", "0 1 0", "0 0 0")                          \
        JOINT("knuckle", "continuous", "crank", "rod", "0 0 1", ".3 0 0")                          \
            JOINT("wag", "continuous", "plate", "tail", "0 1 0", "0 0 .1") REST

static const char yaml[] = "closed_loop: [['rod_end', 'plate_end']]\n"
                           "type: ['3d']\n"
                           "name_mot: ['motor']\n";

/* Loads the robot with a list, or without one. */
static td_model *load_with(const char *list, td_diagnostics *report)
{
    static const char text[] = ROBOT "</robot>";
    td_builder *builder = NULL;
    td_model *model = NULL;
    td_load_options options = td_load_options_default();
    options.actuation = TD_ACTUATION_TRANSMISSION;
    assert_ok(test_parse_urdf_memory(text, strlen(text), "r", NULL, NULL, &builder));
    td_status status =
        td_parse_submechanisms_memory(builder, list, strlen(list), "robot.yaml", NULL, report);
    if (status == TD_OK)
        status = test_builder_finish(builder, &options, report, &model);
    for (size_t i = 0; i < td_diagnostics_size(report); i++)
        printf("# %s\n", td_diagnostics_at(report, i)->message);
    return model;
}

static td_model *load_by_hand(const char *joints, const char *loop)
{
    static char text[CAPACITY];
    td_model *model = NULL;
    td_load_options options = td_load_options_default();
    snprintf(text, sizeof text, "%s%s%s%s</robot>", LINKS, joints, REST, loop);
    assert_ok(test_load_urdf_memory(text, strlen(text), "r", &options, NULL, &model));
    return model;
}

/* Checks that two robots need the same torques in the tree at one state, matched by name of
   coordinate, and that they have the same loop. */
static void check_equal(const td_model *model, const td_model *right)
{
    double q[2][20] = {{0}}, qd[2][20] = {{0}}, qdd[2][20] = {{0}}, tau[2][20];
    const td_model *const models[2] = {model, right};
    ck_assert_ptr_nonnull(model);
    ck_assert_uint_eq(td_nv(model), td_nv(right));
    ck_assert_uint_eq(td_nyd(model), td_nyd(right));
    for (int m = 0; m < 2; m++) {
        td_workspace *workspace = test_workspace(models[m]);
        td_use_coordinates(workspace, TD_COORDINATES_TREE);
        for (size_t i = 0; i < td_joint_count(models[m]); i++) {
            const td_joint_place place = td_joint_place_at(models[m], i);
            const char *name = td_joint_at(models[m], i)->name;
            for (size_t k = 0; k < place.nq; k++)
                q[m][place.q + k] =
                    place.nq == 4 ? (k < 3 ? 0.5 : -0.5) : 0.1 * name[0] + (double)k;
            for (size_t k = 0; k < place.nv; k++) {
                qd[m][place.qd + k] = 0.01 * name[1] + (double)k;
                qdd[m][place.qd + k] = 1 - 0.02 * name[0];
            }
        }
        assert_ok(td_inverse_dynamics(models[m], workspace, q[m], qd[m], qdd[m], NULL, tau[m]));
    }
    for (size_t i = 0; i < td_joint_count(model); i++) {
        const size_t other = td_joint_index(right, td_joint_at(model, i)->name);
        const td_joint_place a = td_joint_place_at(model, i), b = td_joint_place_at(right, other);
        ck_assert_uint_eq(a.nv, b.nv);
        td_assert_close(a.nv, tau[0] + a.qd, tau[1] + b.qd, 1e-13, 1);
    }
    const td_loop *loop = td_loop_at(model, 0), *expected = td_loop_at(right, 0);
    ck_assert_uint_eq(td_loop_count(model), 1);
    ck_assert_int_eq(loop->type, expected->type);
    ck_assert_str_eq(loop->predecessor, expected->predecessor);
    ck_assert_str_eq(loop->successor, expected->successor);
}

#define PLAIN                                                                                      \
    JOINT("motor", "continuous", "base", "crank", "0 1 0", "0 0 0")                                \
    JOINT("knuckle", "continuous", "crank", "rod", "0 0 1", ".3 0 0")                              \
    JOINT("wag", "continuous", "plate", "tail", "0 1 0", "0 0 .1")

#define BETWEEN(name, axis)                                                                        \
    "<joint name='" name "' type='continuous'><parent link='knuckle_Z'/><child link='rod'/>"       \
    "<axis xyz='" axis "'/></joint>"
#define SPLIT                                                                                      \
    JOINT("motor", "continuous", "base", "crank", "0 1 0", "0 0 0")                                \
    "<link name='knuckle_Z'/>" JOINT("knuckle_Z", "continuous", "crank", "knuckle_Z", "0 0 1",     \
                                     ".3 0 0") BETWEEN("knuckle_Y", "0 1 0")                       \
        JOINT("wag", "fixed", "plate", "tail", "0 1 0", "0 0 .1")
#define BALL                                                                                       \
    JOINT("motor", "continuous", "base", "crank", "0 1 0", "0 0 0")                                \
    JOINT("knuckle", "spherical", "crank", "rod", "0 0 1", ".3 0 0")                               \
    JOINT("wag", "continuous", "plate", "tail", "0 1 0", "0 0 .1")

#define LOOP(type)                                                                                 \
    "<loop name='rod_end-plate_end' type='" type "'><predecessor link='rod_end'/>"                 \
    "<successor link='plate_end'/></loop>"

static const struct {
    const char *yaml, *joints, *loop;
    size_t notes;
} robots[] = {
    {"closed_loop: [[re, plate_end]]\ntype: [3D]\nname_mot: [motor]\n"
     "joint_name: [knuckle]\njoint_type: [SPHERICAL]\n",
     BALL, LOOP("spherical"), 2}, /* a joint names the frame of its child */
    {"closed_loop: [[rod_end, plate_end]]\ntype: [3d]\nname_mot: [motor]\n"
     "joint_name: [knuckle, wag]\njoint_type: [UJOINT_ZY, FIXED]\n",
     SPLIT, LOOP("spherical"), 3},
};

TD_LOOP_TEST(lists_equal_the_robot_by_hand, 0, sizeof robots / sizeof *robots)
{
    td_diagnostics *report = test_diagnostics(0);
    const td_model *model = load_with(robots[_i].yaml, report);
    check_equal(model, load_by_hand(robots[_i].joints, robots[_i].loop));
    ck_assert_str_eq(td_loop_at(model, 0)->source.file, "robot.yaml");
    ck_assert_uint_eq(td_transmission_count(model), 1);
    ck_assert_str_eq(td_transmission_at(model, 0)->joint, "motor");
    size_t notes = 0;
    for (size_t i = 0; i < td_diagnostics_size(report); i++)
        notes += strcmp(td_diagnostics_at(report, i)->code, "URDF-C043") == 0;
    ck_assert_uint_eq(notes, robots[_i].notes);
}

/* 6d makes the whole frames coincide; these loops cannot be closed, so only the record is read. */
TD_TEST(whole_frames)
{
    static const char text[] = ROBOT "</robot>";
    static const char list[] = "closed_loop: [[rod_end, plate_end], [tail, crank]]\n"
                               "type: [6d, 6D]\nname_mot: []\n";
    td_builder *builder = NULL;
    td_model *model = NULL;
    td_load_options options = td_load_options_default();
    options.open_loops = true;
    assert_ok(test_parse_urdf_memory(text, strlen(text), "r", NULL, NULL, &builder));
    assert_ok(td_parse_submechanisms_memory(builder, list, strlen(list), "l", NULL, NULL));
    assert_ok(test_builder_finish(builder, &options, NULL, &model));
    ck_assert_uint_eq(td_loop_count(model), 2);
    ck_assert_int_eq(td_loop_at(model, 0)->type, TD_LOOP_FIXED);
    ck_assert_int_eq(td_loop_at(model, 1)->type, TD_LOOP_FIXED);
    ck_assert_str_eq(td_loop_at(model, 1)->predecessor, "tail");
}

static const struct {
    const char *yaml, *code, *message;
} wrong[] = {
    {"closed_loop: [[rod_end, plate_end]]\ntype: [2d]\n", "URDF-J001", "'2d'"},
    {"closed_loop: [[rod_end, plate_end]]\n", "URDF-Y006", "1 items, but 'type' has 0"},
    {"closed_loop: [[rod_end, plate_end]]\ntype: [3d, 3d]\n", "URDF-Y006", "has 2"},
    {"closed_loop: [[rod_end]]\ntype: [3d]\n", "URDF-Y003", "not a pair"},
    {"closed_loop: [rod_end]\ntype: [3d]\n", "URDF-Y003", "not a pair"},
    {"closed_loop: [[rod_end, nowhere]]\ntype: [3d]\n", "URDF-C003", "'nowhere' does not"},
    {"closed_loop: 3\ntype: [3d]\n", "URDF-Y003", "closed_loop"},
    {"name_mot: [moter]\n", "URDF-Y008", "'moter' does not exist"},
    {"name_mot: [motor]\njoint_name: [wag]\njoint_type: [UJOINT_XX]\n", "URDF-J001", "'UJOINT_XX'"},
    {"name_mot: [motor]\njoint_name: [wag]\njoint_type: [HINGE]\n", "URDF-J001", "'HINGE'"},
    {"name_mot: [motor]\njoint_name: [wag, wag]\njoint_type: [FIXED, FIXED]\n", "URDF-N006",
     "'wag' has two types"},
    {"name_mot: [motor]\njoint_name: [nothing]\njoint_type: [FIXED]\n", "URDF-Y008", "'nothing'"},
    {"name_mot: [motor]\njoint_name: [wag]\n", "URDF-Y006", "1 items, but 'joint_type' has 0"},
};

TD_LOOP_TEST(errors_are_reported, 0, sizeof wrong / sizeof *wrong)
{
    td_diagnostics *report = test_diagnostics(0);
    ck_assert_ptr_null(load_with(wrong[_i].yaml, report));
    const td_diagnostic *d = td_find_diagnostic(report, wrong[_i].code);
    ck_assert_ptr_nonnull(d);
    ck_assert_int_eq(d->severity, TD_SEVERITY_ERROR);
    ck_assert_ptr_nonnull(strstr(d->message, wrong[_i].message));
    ck_assert_str_eq(d->source.file, "robot.yaml");
    ck_assert_int_gt(d->source.line, 0);
}

/* A joint whose <mimic> or <dynamics> another type would drop. */
TD_TEST(dynamics_are_not_dropped)
{
    static const char text[] = "<robot name='r'><link name='a'/>" BODY(
        "b") "<joint name='j' type='continuous'><parent link='a'/><child link='b'/>"
             "<dynamics damping='1'/></joint></robot>";
    static const char list[] = "name_mot: []\njoint_name: [j]\njoint_type: [SPHERICAL]\n";
    td_builder *builder = NULL;
    td_diagnostics *report = test_diagnostics(0);
    assert_ok(test_parse_urdf_memory(text, strlen(text), "r", NULL, NULL, &builder));
    ck_assert_int_eq(td_parse_submechanisms_memory(builder, list, strlen(list), "l", NULL, report),
                     TD_ERROR_MODEL);
    ck_assert_ptr_nonnull(td_find_diagnostic(report, "URDF-N006"));
}

/* All prefixes of a list, damaged by each byte of another, load or are refused without a crash. */
TD_TEST(damaged_lists)
{
    char damaged[sizeof yaml];
    for (size_t size = 0; size < sizeof yaml - 1; size++)
        for (int k = 0; k < 2; k++) {
            td_builder *builder = NULL;
            static const char text[] = ROBOT "</robot>";
            memcpy(damaged, yaml, sizeof yaml);
            damaged[size] = k ? ':' : '\0';
            assert_ok(test_parse_urdf_memory(text, strlen(text), "r", NULL, NULL, &builder));
            td_parse_submechanisms_memory(builder, damaged, strlen(damaged), "l", NULL, NULL);
        }
}
