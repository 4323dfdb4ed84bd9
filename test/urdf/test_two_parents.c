/* SPDX-License-Identifier: MIT */
/*
 * Tests links with two parents, and cycles of joints. The <loop> that the report prints replaces
 * the joint in the file. The robot then loads, and the loop equals that joint in frame, axis and
 * damping, to the digits of the file.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "td_test.h"

enum { ROOM = 8192 };

static const char link_text[] = "<link name='%s'><inertial><mass value='1'/>"
                                "<inertia ixx='1' iyy='1' izz='1'/></inertial></link>";

/* Copies the element in the remedy of the first diagnostic with this code to out. */
static void find_loop(const char *text, const char *code, char out[ROOM])
{
    td_diagnostics *list = test_diagnostics(0);
    td_model *model = NULL;
    ck_assert_int_eq(test_load_urdf_memory(text, strlen(text), "r", NULL, list, &model),
                     TD_ERROR_MODEL);
    const char *loop = NULL;
    for (size_t i = 0; i < td_diagnostics_size(list) && !loop; i++)
        if (strcmp(td_diagnostics_at(list, i)->code, code) == 0)
            loop = strstr(td_diagnostics_at(list, i)->remedy, "<loop ");
    ck_assert_ptr_nonnull(loop);
    ck_assert_uint_eq(td_diagnostics_count(list, TD_SEVERITY_ERROR), 1);
    snprintf(out, ROOM, "%s", loop);
}

static td_model *load(const char *text, bool open)
{
    td_load_options options = td_load_options_default();
    options.open_loops = open;
    td_diagnostics *list = test_diagnostics(0);
    td_model *model = NULL;
    td_status status = test_load_urdf_memory(text, strlen(text), "r", &options, list, &model);
    ck_assert_msg(status == TD_OK, "%s: %s", text,
                  td_diagnostics_size(list)
                      ? td_diagnostics_at(list, td_diagnostics_size(list) - 1)->message
                      : td_status_text(status));
    return model;
}

/* ---- any frame ------------------------------------------------------------------------------- */

static const struct {
    const char *type;
    td_loop_type loop;
    bool axis, dynamics;
} kinds[] = {{"revolute", TD_LOOP_REVOLUTE, true, true},
             {"continuous", TD_LOOP_REVOLUTE, true, true},
             {"prismatic", TD_LOOP_PRISMATIC, true, true},
             {"planar", TD_LOOP_PLANAR, true, false},
             {"fixed", TD_LOOP_FIXED, false, false}};

/* Writes a robot of base, a, b, c. c is the child of a, and of b through the closing element. */
static void write_robot(char text[ROOM], const char *closing)
{
    int used = snprintf(text, ROOM, "<robot name='r'>");
    static const char *const links[] = {"base", "a", "b &amp; &lt;&quot;", "c"};
    for (int i = 0; i < 4; i++)
        used += snprintf(text + used, (size_t)(ROOM - used), link_text, links[i]);
    static const char *const parents[] = {"base", "base", "a"};
    for (int i = 0; i < 3; i++)
        used += snprintf(text + used, (size_t)(ROOM - used),
                         "<joint name='j%d' type='continuous'><parent link='%s'/>"
                         "<child link='%s'/><origin xyz='%d 0 0'/><axis xyz='0 0 1'/></joint>",
                         i, parents[i], links[i + 1], i);
    snprintf(text + used, (size_t)(ROOM - used), "%s</robot>", closing);
}

TD_LOOP_TEST(loop_is_the_joint, 0, sizeof kinds / sizeof *kinds)
{
    td_random random = {.state = 31 + (unsigned)_i};
    for (int round = 0; round < 40; round++) {
        double p[3], rpy[3], axis[3], rotation[9], unit[3];
        td_random_fill(&random, 3, p);
        td_random_fill(&random, 3, rpy);
        td_random_fill(&random, 3, axis);
        for (int i = 0; i < 3; i++)
            rpy[i] *= 3;
        if (round % 4 == 1)
            rpy[1] = round % 8 == 1 ? 1.5707963267948966 : -1.5707963267948966;
        char joint[ROOM / 4], text[ROOM], loop[ROOM];
        snprintf(joint, sizeof joint,
                 "<joint name='close &amp; &quot;it&quot;' type='%s'>"
                 "<parent link='b &amp; &lt;&quot;'/><child link='c'/>"
                 "<origin xyz='%.15g %.15g %.15g' rpy='%.15g %.15g %.15g'/>"
                 "<axis xyz='%.15g %.15g %.15g'/><limit lower='-1' upper='1' effort='1' "
                 "velocity='1'/><dynamics damping='0.25' spring_reference='-0.125'/></joint>",
                 kinds[_i].type, p[0], p[1], p[2], rpy[0], rpy[1], rpy[2], axis[0], axis[1],
                 axis[2]);
        write_robot(text, joint);
        find_loop(text, "URDF-S011", loop);
        write_robot(text, loop);
        td_model *model = load(text, true);
        ck_assert_uint_eq(td_loop_count(model), 1);
        const td_loop *read = td_loop_at(model, 0);
        ck_assert_str_eq(read->name, "close & \"it\"");
        ck_assert_str_eq(read->predecessor, "b & <\"");
        ck_assert_str_eq(read->successor, "c");
        ck_assert_int_eq(read->type, kinds[_i].loop);
        const double on_child[3] = {p[0] - 1, p[1], p[2]}; /* b at 1 0 0, c at 2 0 0 */
        td_rotation_from_rpy(rpy[0], rpy[1], rpy[2], rotation);
        td_assert_close(3, read->predecessor_origin.position, p, 1e-14, 1);
        td_assert_close(9, read->predecessor_origin.rotation, rotation, 3e-14, 1);
        td_assert_close(3, read->successor_origin.position, on_child, 1e-14, 1);
        td_assert_close(9, read->successor_origin.rotation, rotation, 3e-14, 1);
        const double length = hypot(hypot(axis[0], axis[1]), axis[2]);
        for (int i = 0; i < 3; i++)
            unit[i] = axis[i] / length;
        if (kinds[_i].axis)
            td_assert_close(3, read->axis, unit, 1e-14, 1);
        ck_assert_double_eq(read->damping, kinds[_i].dynamics ? 0.25 : 0);
        ck_assert_double_eq(read->spring_reference, kinds[_i].dynamics ? -0.125 : 0);
    }
}

TD_TEST(floating_joint_is_to_be_removed)
{
    char text[ROOM];
    write_robot(text, "<joint name='f' type='floating'><parent link='base'/><child link='c'/>"
                      "</joint>");
    td_diagnostics *list = test_diagnostics(0);
    td_model *model = NULL;
    ck_assert_int_eq(test_load_urdf_memory(text, strlen(text), "r", NULL, list, &model),
                     TD_ERROR_MODEL);
    ck_assert_ptr_nonnull(strstr(td_diagnostics_at(list, 0)->remedy, "remove joint 'f'"));
}

/* ---- a four-bar ------------------------------------------------------------------------------ */

static const char four_bar[] =
    "<robot name='r'><link name='base'/>"
    "<link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>"
    "<link name='b'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>"
    "<link name='c'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>"
    "<joint name='one' type='continuous'><parent link='base'/><child link='a'/>"
    "<axis xyz='0 0 1'/></joint>"
    "<joint name='two' type='continuous'><parent link='base'/><child link='b'/>"
    "<origin xyz='2 0 0'/><axis xyz='0 0 1'/></joint>"
    "<joint name='three' type='continuous'><parent link='a'/><child link='c'/>"
    "<origin xyz='0 1 0'/><axis xyz='0 0 1'/></joint>%s</robot>";

TD_TEST(four_bar_moves_with_its_loop)
{
    char text[2 * ROOM], loop[ROOM];
    snprintf(text, sizeof text, four_bar,
             "<joint name='four' type='continuous'><parent link='b'/><child link='c'/>"
             "<origin xyz='-2 1 0'/><axis xyz='0 0 1'/></joint>");
    find_loop(text, "URDF-S011", loop);
    snprintf(text, sizeof text, four_bar, loop);
    td_model *model = load(text, false);
    ck_assert_uint_eq(td_nyd(model), 1);
    ck_assert_uint_eq(td_movable_count(model), 3);
}

/* A cylinder lifts a boom, with the cylinder's pin as a second joint of the boom. With the printed
   loop, the cylinder's force agrees with virtual work. */
TD_TEST(cylinder_holds_its_boom)
{
    static const char boom[] =
        "<robot name='boom'><link name='base'/>"
        "<link name='boom'><inertial><origin xyz='1.5 0 0.1'/><mass value='400'/>"
        "<inertia ixx='20' iyy='300' izz='300'/></inertial></link>"
        "<link name='tube'><inertial><origin xyz='0.4 0 0'/><mass value='40'/>"
        "<inertia ixx='0.2' iyy='3' izz='3'/></inertial></link>"
        "<link name='rod'><inertial><origin xyz='0.1 0 0'/><mass value='20'/>"
        "<inertia ixx='0.05' iyy='1' izz='1'/></inertial></link>"
        "<joint name='hinge' type='revolute'><parent link='base'/><child link='boom'/>"
        "<origin xyz='0 0 1'/><axis xyz='0 -1 0'/>"
        "<limit lower='-0.5' upper='1.2' effort='0' velocity='1'/></joint>"
        "<joint name='foot' type='revolute'><parent link='base'/><child link='tube'/>"
        "<origin xyz='0.5 0 0.6' rpy='0 -0.3 0'/><axis xyz='0 -1 0'/>"
        "<limit lower='-2' upper='2' effort='0' velocity='1'/></joint>"
        "<joint name='cylinder' type='prismatic'><parent link='tube'/><child link='rod'/>"
        "<origin xyz='0.8 0 0'/><axis xyz='1 0 0'/>"
        "<limit lower='-0.2' upper='0.9' effort='200000' velocity='0.5'/></joint>%s</robot>";
    static const char pin[] =
        "<joint name='pin' type='revolute'><parent link='rod'/><child link='boom'/>"
        "<origin xyz='0.2 0 0'/><axis xyz='0 1 0'/>"
        "<limit lower='-3' upper='3' effort='0' velocity='0'/></joint>";
    char text[2 * ROOM], loop[ROOM];
    const char *const actuated[] = {"cylinder"};
    snprintf(text, sizeof text, boom, pin);
    find_loop(text, "URDF-S011", loop);
    snprintf(text, sizeof text, boom, loop);
    td_load_options options = td_load_options_default();
    options.actuation = TD_ACTUATION_LIST;
    options.actuated = actuated;
    options.actuated_count = 1;
    td_model *model;
    assert_ok(test_load_urdf_memory(text, strlen(text), "r", &options, NULL, &model));
    td_workspace *w = test_workspace(model);
    ck_assert_uint_eq(td_nyd(model), 1);
    /* position of the pin on the boom: the loop's frame when all joints are zero */
    const double foot_x = 0.5, foot_z = 0.6 - 1, px = foot_x + cos(0.3), pz = foot_z + sin(0.3);
    size_t hinge;
    double y[7] = {0}, tau_y[1], u[1];
    assert_ok(td_coordinate_of(model, TD_COORDINATES_INDEPENDENT, "hinge", &hinge, NULL));
    for (int k = -2; k <= 4; k++) {
        const double angle = 0.1 * k, c = cos(angle), s = sin(angle), g = 9.81;
        y[hinge] = angle;
        assert_ok(td_inverse_dynamics(model, w, y, NULL, NULL, NULL, tau_y));
        assert_ok(td_forces_to_actuators(model, w, y, tau_y, NULL, u, NULL));
        /* the cylinder's length L and direction (dx, dz), and their derivatives with respect to the
           angle */
        const double x = c * px - s * pz - foot_x, z = s * px + c * pz - foot_z;
        const double x_rate = -s * px - c * pz, z_rate = c * px - s * pz;
        const double L = hypot(x, z), dz = z / L, L_rate = (x * x_rate + z * z_rate) / L;
        const double dz_rate = (z_rate - dz * L_rate) / L;
        const double weights = 400 * (1.5 * c - 0.1 * s) + 40 * 0.4 * dz_rate +
                               20 * (L_rate * dz + (L - 0.1) * dz_rate);
        const double force = g * weights / L_rate;
        td_assert_close(1, u, &force, 1e-12, fabs(force));
    }
}

/* The cycle of base, a, b is opened at its last joint. */
TD_TEST(cycle_is_opened_at_its_last_joint)
{
    static const char circle[] =
        "<robot name='r'><link name='z'/><link name='a'/><link name='b'/>"
        "<joint name='one' type='continuous'><parent link='z'/><child link='a'/></joint>"
        "<joint name='two' type='continuous'><parent link='a'/><child link='b'/></joint>%s</robot>";
    char text[2 * ROOM], loop[ROOM];
    snprintf(text, sizeof text, circle,
             "<joint name='three' type='continuous'><parent link='b'/><child link='z'/></joint>");
    find_loop(text, "URDF-S013", loop);
    snprintf(text, sizeof text, circle, loop);
    td_model *model = load(text, true);
    ck_assert_str_eq(td_loop_at(model, 0)->name, "three");
    ck_assert_str_eq(td_loop_at(model, 0)->predecessor, "b");
    ck_assert_str_eq(td_loop_at(model, 0)->successor, "z");
}

/* Loop joints cannot follow another joint: a joint that follows remains in the tree. */
TD_TEST(joint_that_follows_stays)
{
    char text[2 * ROOM], loop[ROOM];
    snprintf(text, sizeof text, four_bar,
             "<joint name='four' type='continuous'><parent link='b'/><child link='c'/>"
             "<origin xyz='-2 1 0'/><axis xyz='0 0 1'/><mimic joint='one'/></joint>");
    find_loop(text, "URDF-S011", loop);
    ck_assert_ptr_nonnull(strstr(loop, "name=\"three\""));
}

/* If names are too long for the element, the remedy describes it in words. */
TD_TEST(long_names_are_no_harm)
{
    static char name[3000], text[12000];
    memset(name, '&', sizeof name - 1);
    td_builder *builder = test_builder("r");
    td_link base = td_link_default("base"), a = td_link_default(name);
    td_joint one = td_joint_default("one", TD_JOINT_FIXED, "base", name);
    td_joint two = td_joint_default("two", TD_JOINT_FIXED, "base", name);
    td_builder_add_link(builder, &base);
    td_builder_add_link(builder, &a);
    td_builder_add_joint(builder, &one);
    td_builder_add_joint(builder, &two);
    td_diagnostics *list = test_diagnostics(0);
    td_model *model = NULL;
    ck_assert_int_eq(test_builder_finish(builder, NULL, list, &model), TD_ERROR_MODEL);
    snprintf(text, sizeof text, "%s", td_diagnostics_at(list, 0)->remedy);
    ck_assert_ptr_nonnull(strstr(text, "<loop> element"));
}
