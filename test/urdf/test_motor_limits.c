/* SPDX-License-Identifier: MIT */
/*
 * Limits of motors in files: of one joint, of several motors of a joint, and of motors that pull
 * several joints. A motion at the speed that they allow is sampled, and no motor exceeds its limits
 * then. Joints that controllers command.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tandem/trajectory.h"
#include "td_test.h"

#define BODY(name, mass)                                                                           \
    "<link name='" name "'><inertial><origin xyz='.1 0 0'/><mass value='" mass "'/>"               \
    "<inertia ixx='.001' iyy='.001' izz='.001' ixy='0' ixz='0' iyz='0'/></inertial></link>"
#define HINGE(name, parent, child, origin)                                                         \
    "<joint name='" name "' type='continuous'><parent link='" parent "'/><child link='" child      \
    "'/><axis xyz='0 1 0'/><origin xyz='" origin "'/></joint>"
#define WRIST                                                                                      \
    "<robot name='wrist'><link name='base'/>" BODY("a", "1") BODY("b", "0.5")                      \
        HINGE("pitch", "base", "a", "0 0 0") HINGE("roll", "a", "b", ".2 0 0")
#define DIFFERENTIAL(limit)                                                                        \
    "<transmission name='t'><type>DifferentialTransmission</type><joint name='pitch'/>"            \
    "<joint name='roll'/><actuator name='m1'><mechanicalReduction>-50</mechanicalReduction>" limit \
    "</actuator><actuator name='m2'/></transmission>"
#define DRIVE(joint, reduction, limit)                                                             \
    "<transmission name='" joint " " reduction "'><joint name='" joint                             \
    "'/><actuator name='" reduction "'><mechanicalReduction>" reduction                            \
    "</mechanicalReduction>" limit "</actuator></transmission>"

static td_model *load(const char *text, td_actuation actuation, const char *code)
{
    td_load_options options = td_load_options_default();
    td_diagnostics *list = test_diagnostics(0);
    td_model *model = NULL;
    bool found = code == NULL;
    options.actuation = actuation;
    test_load_urdf_memory(text, strlen(text), "text", &options, list, &model);
    for (size_t i = 0; i < td_diagnostics_size(list); i++) {
        const td_diagnostic *d = td_diagnostics_at(list, i);
        printf("# %s\n", d->message);
        found = found || strcmp(d->code, code) == 0;
        ck_assert(d->severity == TD_SEVERITY_NOTE || (code && strcmp(d->code, code) == 0));
    }
    ck_assert(found);
    ck_assert_ptr_nonnull(model);
    return model;
}

static void assert_limits(const td_model *model, size_t i, const char *name, double effort,
                          double velocity, double power)
{
    const td_actuator a = td_actuator_at(model, i);
    ck_assert_str_eq(a.name, name);
    const double found[] = {a.effort_limit, a.velocity_limit, a.power_limit};
    const double expected[] = {effort, velocity, power};
    for (int k = 0; k < 3; k++)
        ck_assert(found[k] == expected[k] ||
                  fabs(found[k] - expected[k]) < 1e-12 * fabs(expected[k]));
}

TD_TEST(of_one_joint)
{
    const char *text = WRIST DRIVE("pitch", "-20", "<limit effort='0.5' velocity='100'/>")
        DRIVE("pitch", "10", "<limit effort='2' velocity='100' power='30'/>")
            DRIVE("roll", "5", "<limit power='7'/>") "</robot>";
    td_model *model = load(text, TD_ACTUATION_INDEPENDENT, NULL);
    ck_assert_uint_eq(td_nv(model), 2);
    assert_limits(model, 0, "pitch", 30, 5, INFINITY);
    assert_limits(model, 1, "roll", INFINITY, INFINITY, 7);
    const td_effective_limit limit = td_effective_limit_at(model, td_joint_index(model, "pitch"));
    ck_assert_double_eq_tol(limit.effort, 30, 1e-12);
    ck_assert_double_eq_tol(limit.velocity, 5, 1e-12);
    ck_assert_uint_eq(limit.velocity_joint, td_joint_index(model, "pitch"));
    ck_assert_double_eq(td_transmission_at(model, 1)->power_limit, 30);
    ck_assert(isnan(td_transmission_at(model, 0)->power_limit));
}

TD_TEST(of_several_joints)
{
    const char *text =
        WRIST DIFFERENTIAL("<limit effort='0.5' velocity='100' power='3'/>") "</robot>";
    td_model *model = load(text, TD_ACTUATION_TRANSMISSION, NULL);
    assert_limits(model, 0, "m1", 25, 2, 3);
    assert_limits(model, 1, "m2", INFINITY, INFINITY, INFINITY);
    /* the shaft exists for the limits alone */
    ck_assert_uint_eq(td_nv(load(text, TD_ACTUATION_INDEPENDENT, NULL)), 3);
    ck_assert_uint_eq(
        td_nv(load(WRIST DIFFERENTIAL("") "</robot>", TD_ACTUATION_INDEPENDENT, NULL)), 2);
}

TD_TEST(bad_limits_are_ignored)
{
    const char *const bad[] = {"<limit effort='0'/>", "<limit velocity='-1'/>",
                               "<limit power='nan'/>", "<limit effort='inf'/>"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[4096];
        snprintf(text, sizeof text, WRIST DRIVE("pitch", "10", "%s") "</robot>", bad[i]);
        assert_limits(load(text, TD_ACTUATION_TRANSMISSION, "URDF-T002"), 0, "pitch", INFINITY,
                      INFINITY, INFINITY);
    }
}

/* ---- motions --------------------------------------------------------------------------------- */

/* The largest ratio of force, velocity or power of any motor to its limit along a motion. */
static double largest_ratio(const td_model *model, td_workspace *w, const td_trajectory *curve,
                            td_limit_kind kind)
{
    const double begin = td_trajectory_begin(curve), end = td_trajectory_end(curve);
    double y[4], yd[4], ydd[4], tau[4], u[4], rate[4], most = 0;
    for (int i = 0; i <= 4000; i++) {
        td_trajectory_evaluate(curve, begin + (end - begin) * i / 4000, y, yd, ydd);
        td_forces forces = with_passive_forces();
        assert_ok(td_inverse_dynamics(model, w, y, yd, ydd, &forces, tau));
        assert_ok(td_forces_to_actuators(model, w, y, tau, NULL, u, NULL));
        assert_ok(td_motion_to_actuators(model, w, y, yd, NULL, NULL, rate, NULL));
        for (size_t m = 0; m < td_nu(model); m++) {
            const td_actuator a = td_actuator_at(model, m);
            const double ratio = kind == TD_LIMIT_POWER      ? u[m] * rate[m] / a.power_limit
                                 : kind == TD_LIMIT_VELOCITY ? rate[m] / a.velocity_limit
                                                             : u[m] / a.effort_limit;
            most = fmax(most, fabs(ratio));
        }
    }
    return most;
}

static const struct {
    const char *limit;
    td_limit_kind kind;
    td_actuation actuation;
    bool tree; /* the transmissions drive one joint each */
} motions[] = {
    {"<limit effort='0.09'/>", TD_LIMIT_FORCE, TD_ACTUATION_TRANSMISSION, false},
    {"<limit velocity='30'/>", TD_LIMIT_VELOCITY, TD_ACTUATION_TRANSMISSION, false},
    {"<limit power='2'/>", TD_LIMIT_POWER, TD_ACTUATION_TRANSMISSION, false},
    {"<limit power='0.05'/>", TD_LIMIT_POWER, TD_ACTUATION_TRANSMISSION, false},
    {"<limit effort='0.06'/>", TD_LIMIT_FORCE, TD_ACTUATION_INDEPENDENT, true},
    {"<limit velocity='30'/>", TD_LIMIT_VELOCITY, TD_ACTUATION_INDEPENDENT, true},
    {"<limit power='2'/>", TD_LIMIT_POWER, TD_ACTUATION_INDEPENDENT, true},
};

TD_LOOP_TEST(motions_keep_limits, 0, 7)
{
    char text[4096];
    snprintf(text, sizeof text,
             motions[_i].tree ? WRIST DRIVE("pitch", "50", "%s") "</robot>"
                              : WRIST DIFFERENTIAL("%s") "</robot>",
             motions[_i].limit);
    td_model *model = load(text, motions[_i].actuation, NULL);
    td_workspace *w = test_workspace(model);
    const double t[3] = {0, 0.4, 1}, points[6] = {0, 0, 1, -0.5, -0.5, 1.5};
    td_trajectory *curve = NULL;
    assert_ok(td_trajectory_spline(3, 2, t, points, 5, TD_SPLINE_CLAMPED, NULL, NULL, &curve));
    td_time_scale_options options = td_time_scale_options_default();
    td_time_scale scale = {.size_of = sizeof scale};
    options.faster = true;
    const td_limit none = {NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    td_limit limits[4] = {none, none, none, none};
    for (int k = 0; k < 2;
         k++) { /* motors keep their limits if the caller gives limits of joints */
        options.limits = k ? limits : NULL;
        assert_ok(td_trajectory_time_scale(model, w, curve, &options, &scale));
        ck_assert_int_eq(scale.kind, motions[_i].kind);
        assert_ok(td_trajectory_scale(curve, scale.factor));
        const double ratio = largest_ratio(model, w, curve, motions[_i].kind);
        ck_assert_double_le(ratio, 1 + 1e-9);
        ck_assert_double_ge(ratio, 1 - 1e-4); /* samples miss the extreme */
        assert_ok(td_trajectory_scale(curve, 1 / scale.factor));
    }
    td_trajectory_free(curve);
}

/* ---- controllers ----------------------------------------------------------------------------- */

#define CONTROLLED                                                                                 \
    "%s<ros2_control name='s' type='system'><joint name='roll'><command_interface "                \
    "name='position'/><command_interface name='velocity'/><command_interface name='position'/>"    \
    "</joint><joint name='pitch'><state_interface name='position'/></joint></ros2_control>%s"

TD_TEST(commanded_joints)
{
    char robot[4096];
    snprintf(robot, sizeof robot, CONTROLLED, WRIST, "</robot>");
    td_model *model = load(robot, TD_ACTUATION_COMMANDED, NULL);
    ck_assert_uint_eq(td_nu(model), 1);
    ck_assert_str_eq(td_actuator_at(model, 0).name, "roll");
    ck_assert_str_eq(td_joint_at(model, td_joint_index(model, "roll"))->command,
                     "position velocity");
    ck_assert_ptr_null(td_joint_at(model, td_joint_index(model, "pitch"))->command);
    ck_assert_uint_eq(td_nu(load(robot, TD_ACTUATION_INDEPENDENT, NULL)), 2);
    /* <ros2_control> may come first, and name joints that do not exist */
    snprintf(robot, sizeof robot, CONTROLLED, "<robot name='r'>",
             strstr(WRIST "</robot>", "<link"));
    ck_assert_uint_eq(td_nu(load(robot, TD_ACTUATION_COMMANDED, NULL)), 1);
    snprintf(robot, sizeof robot,
             WRIST "<ros2_control name='s' type='system'><joint name='rol'>"
                   "<command_interface name='position'/></joint></ros2_control></robot>");
    ck_assert_uint_eq(td_nu(load(robot, TD_ACTUATION_COMMANDED, "URDF-T001")), 0);
}
