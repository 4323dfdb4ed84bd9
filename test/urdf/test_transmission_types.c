/* SPDX-License-Identifier: MIT */
/*
 * Transmissions in files: types of ros_control and ros2_control against their equations, motors
 * with ratios, unknown types, and <ros2_control>.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

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

static td_model *load(const char *text, td_actuation actuation, td_diagnostics *list)
{
    td_load_options options = td_load_options_default();
    td_model *model = NULL;
    options.actuation = actuation;
    test_load_urdf_memory(text, strlen(text), "text", &options, list, &model);
    for (size_t i = 0; i < td_diagnostics_size(list); i++)
        printf("# %s\n", td_diagnostics_at(list, i)->message);
    ck_assert_ptr_nonnull(model);
    return model;
}

static const td_diagnostic *entry_of(const td_diagnostics *list, const char *code)
{
    for (size_t i = 0; i < td_diagnostics_size(list); i++)
        if (strcmp(td_diagnostics_at(list, i)->code, code) == 0)
            return td_diagnostics_at(list, i);
    return NULL;
}

/* ---- ros_control ----------------------------------------------------------------------------- */

/* Its positions of actuators, as transmission_interface computes them. */
typedef void equations(const double n[2], const double r[2], const double off[2], const double x[2],
                       double a[2]);

static void differential(const double n[2], const double r[2], const double off[2],
                         const double x[2], double a[2])
{
    a[0] = n[0] * (r[0] * (x[0] - off[0]) + r[1] * (x[1] - off[1]));
    a[1] = n[1] * (r[0] * (x[0] - off[0]) - r[1] * (x[1] - off[1]));
}

static void four_bar(const double n[2], const double r[2], const double off[2], const double x[2],
                     double a[2])
{
    a[0] = n[0] * r[0] * (x[0] - off[0]);
    a[1] = n[1] * ((x[0] - off[0]) + r[1] * (x[1] - off[1]));
}

static void simple(const double n[2], const double r[2], const double off[2], const double x[2],
                   double a[2])
{
    for (int i = 0; i < 2; i++)
        a[i] = n[i] * r[i] * (x[i] - off[i]);
}

static const struct {
    const char *head, *type; /* <type> and the spelling */
    equations *positions;
    bool roles; /* joints and actuators in reverse, with roles */
    bool inside;
} dialects[] = {
    {"type", "transmission_interface/DifferentialTransmission", differential, false, false},
    {"plugin", "transmission_interface/DifferentialTransmission", differential, true, true},
    {"class", "DifferentialTransmission", differential, true, false},
    {"plugin", "transmission_interface/FourBarLinkageTransmission", four_bar, false, true},
    {"type", "transmission_interface::FourBarLinkageTransmission", four_bar, true, false},
    {"type", "transmission_interface/SimpleTransmission", simple, false, false},
    {"plugin", "pr2_mechanism_model/SimpleTransmission", simple, false, true},
};

enum { DIALECTS = (int)(sizeof dialects / sizeof *dialects) };

static const double n[2] = {50, -40}, r[2] = {2, 1.5}, off[2] = {0.5, -0.25};
static const double rotor[2] = {1e-4, 2e-4};

/* Writes the robot with its transmission. */
static void write_robot(int i, char *text, size_t size)
{
    char ends[2][2][400];
    const bool swap = dialects[i].roles;
    for (int k = 0; k < 2; k++) {
        snprintf(ends[0][k], sizeof ends[0][k],
                 "<joint name='%s'%s%d%s><offset>%.17g</offset>"
                 "<hardwareInterface>hardware_interface/EffortJointInterface</hardwareInterface>"
                 "<mechanical_reduction>%.17g</mechanical_reduction></joint>",
                 k ? "roll" : "pitch", swap ? " role='joint" : " id='", k + 1, "'", off[k], r[k]);
        snprintf(ends[1][k], sizeof ends[1][k],
                 "<actuator name='m%d'%s%d%s><hardwareInterface>EffortJointInterface"
                 "</hardwareInterface><mechanicalReduction>%.17g</mechanicalReduction>"
                 "<motorInertia>%.17g</motorInertia></actuator>",
                 k + 1, swap ? "><role>actuator" : "><id>", k + 1, swap ? "</role>" : "</id>", n[k],
                 rotor[k]);
    }
    snprintf(text, size,
             WRIST "%s<transmission name='t'><%s>%s</%s>%s%s%s%s</transmission>%s</robot>",
             dialects[i].inside ? "<ros2_control name='s' type='system'>" : "", dialects[i].head,
             dialects[i].type, dialects[i].head, ends[0][swap], ends[0][!swap], ends[1][swap],
             ends[1][!swap], dialects[i].inside ? "</ros2_control>" : "");
}

/* Returns the record of the motor that an entry of u belongs to. */
static const td_transmission *record_of(const td_model *model, size_t motor)
{
    const char *name = td_actuator_at(model, motor).name;
    for (size_t k = 0; k < td_transmission_count(model); k++) {
        const td_transmission *t = td_transmission_at(model, k);
        if (strcmp(t->shaft ? t->shaft : t->joint, name) == 0)
            return t;
    }
    return NULL;
}

TD_LOOP_TEST(ros_control, 0, DIALECTS)
{
    char text[4096];
    write_robot(_i, text, sizeof text);
    td_diagnostics *list = test_diagnostics(0);
    td_model *model = load(text, TD_ACTUATION_TRANSMISSION, list);
    td_workspace *w = test_workspace(model);
    ck_assert_uint_eq(td_diagnostics_count(list, TD_SEVERITY_WARNING), 0);
    ck_assert_uint_eq(td_nu(model), 2);
    const double y[2] = {0.3, -0.7}, tau[2] = {1.25, -0.5}, zero[2] = {0, 0};
    double expected[2], at_zero[2], A[2][2], position[2], u[2];
    dialects[_i].positions(n, r, off, y, expected);
    dialects[_i].positions(n, r, zero, zero, at_zero);
    for (int k = 0; k < 2; k++) {
        const double unit[2] = {k == 0, k == 1};
        double column[2];
        dialects[_i].positions(n, r, zero, unit, column);
        for (int m = 0; m < 2; m++)
            A[m][k] = column[m] - at_zero[m];
    }
    assert_ok(td_motion_to_actuators(model, w, y, NULL, NULL, position, NULL, NULL));
    assert_ok(td_forces_to_actuators(model, w, y, tau, NULL, u, NULL));
    double torque[2] = {0, 0};
    for (size_t i = 0; i < 2; i++) {
        const td_transmission *t = record_of(model, i);
        const int m = t->actuator[1] - '1'; /* "m1", "m2" */
        const double shaft = t->mechanical_reduction * (position[i] + t->offset);
        ck_assert_double_eq_tol(shaft, expected[m], 1e-12 * fabs(expected[m]));
        torque[m] = u[i] / t->mechanical_reduction;
    }
    for (int k = 0; k < 2; k++) /* Aᵀ torque = τ */
        ck_assert_double_eq_tol(A[0][k] * torque[0] + A[1][k] * torque[1], tau[k], 1e-12);
    double with[4], without[4];
    td_forces forces = with_passive_forces();
    assert_ok(td_mass_matrix(model, w, y, &forces, with));
    assert_ok(td_mass_matrix(model, w, y, NULL, without));
    for (int k = 0; k < 4; k++)
        ck_assert_double_eq_tol(
            with[k] - without[k],
            A[0][k / 2] * rotor[0] * A[0][k % 2] + A[1][k / 2] * rotor[1] * A[1][k % 2], 1e-12);
}

/* numbers of a differential wrist, computed apart from this library */
TD_TEST(known_numbers)
{
    const char *text =
        WRIST "<transmission name='t'><plugin>transmission_interface/DifferentialTransmission"
              "</plugin><actuator name='m1' role='actuator1'><mechanical_reduction>50"
              "</mechanical_reduction><motorInertia>1e-4</motorInertia></actuator>"
              "<actuator name='m2' role='actuator2'><mechanical_reduction>-50"
              "</mechanical_reduction><motorInertia>1e-4</motorInertia></actuator>"
              "<joint name='pitch' role='joint1'><mechanical_reduction>2</mechanical_reduction>"
              "</joint><joint name='roll' role='joint2'><mechanical_reduction>2"
              "</mechanical_reduction></joint></transmission></robot>";
    td_model *model = load(text, TD_ACTUATION_TRANSMISSION, test_diagnostics(0));
    td_workspace *w = test_workspace(model);
    td_forces forces = with_passive_forces();
    const double y[2] = {0.2, 0}, H[4] = {2.057, 0.016, 0.016, 2.006};
    const double torques[2] = {-0.01442168, 0.00961445};
    double found[4], tau[2], u[2];
    assert_ok(td_mass_matrix(model, w, y, &forces, found));
    td_assert_close(4, found, H, 1e-12, 1);
    assert_ok(td_inverse_dynamics(model, w, y, NULL, NULL, NULL, tau));
    assert_ok(td_forces_to_actuators(model, w, y, tau, NULL, u, NULL));
    u[0] /= 50, u[1] /= -50;
    td_assert_close(2, u, torques, 1e-6, 0.01);
}

/* ---- ratios, refused transmissions ------------------------------------------------------------
 */

/* one tendon flexes two joints, as in a hand; radii of pulleys are ratios in m */
TD_TEST(tendons)
{
    const char *text =
        WRIST "<transmission name='flexor'><joint name='pitch'><ratio>0.02</ratio></joint>"
              "<joint name='roll'><ratio>0.01</ratio></joint><actuator name='spool'>"
              "<mechanicalReduction>100</mechanicalReduction><rotorInertia>2e-5</rotorInertia>"
              "<damping>0.001</damping></actuator></transmission></robot>";
    td_model *model = load(text, TD_ACTUATION_TRANSMISSION, test_diagnostics(0));
    td_workspace *w = test_workspace(model);
    ck_assert_uint_eq(td_nu(model), 1);
    ck_assert_str_eq(td_actuator_at(model, 0).name, "spool");
    ck_assert_int_eq(td_actuation_status(model), TD_ERROR_UNDERACTUATED);
    const double pull = 30;
    double tau[2];
    assert_ok(td_forces_from_actuators(model, w, (double[2]){0.1, 0.2}, &pull, tau));
    ck_assert_double_eq_tol(tau[0], 0.6, 1e-13);
    ck_assert_double_eq_tol(tau[1], 0.3, 1e-13);
    const td_transmission *t = td_transmission_at(model, 1);
    ck_assert_str_eq(t->actuator, "spool");
    ck_assert_double_eq(t->damping, 0.001);
    const td_joint *shaft = td_joint_at(model, td_joint_index(model, t->shaft));
    ck_assert_str_eq(shaft->motor, "spool");
    ck_assert_double_eq_tol(shaft->damping, 10, 1e-12);
}

/* Two elements are two motors, even if all their names are equal. */
TD_TEST(equal_names)
{
    const char *text = WRIST "<transmission name='t'><joint name='pitch'/><actuator name='m'/>"
                             "</transmission>\n<transmission name='t'><joint name='roll'/>"
                             "<actuator name='m'/></transmission></robot>";
    td_model *model = load(text, TD_ACTUATION_TRANSMISSION, test_diagnostics(0));
    ck_assert_uint_eq(td_nu(model), 2);
    ck_assert_str_eq(td_actuator_at(model, 0).name, "pitch");
    ck_assert_str_eq(td_actuator_at(model, 1).name, "roll");
    ck_assert_uint_eq(td_nv(model), 2);
}

/* Losses of a motor of one joint act on this joint, and its force is the force of the joint. */
TD_TEST(losses_of_one_joint)
{
    const char *text =
        WRIST "<transmission name='t'><type>SimpleTransmission</type><joint name='pitch'/>"
              "<actuator name='pitch'><mechanicalReduction>-10</mechanicalReduction>"
              "<rotorInertia>0.01</rotorInertia><damping>0.02</damping><friction>0.3</friction>"
              "</actuator></transmission></robot>";
    td_model *model = load(text, TD_ACTUATION_TRANSMISSION, test_diagnostics(0));
    td_workspace *w = test_workspace(model);
    td_forces forces = with_passive_forces();
    const double y[2] = {0.2, 0.1}, yd[2] = {1.5, -1}, ydd[2] = {2, 0.5};
    double with[2], without[2];
    ck_assert_uint_eq(td_nu(model), 1);
    ck_assert_str_eq(td_actuator_at(model, 0).name, "pitch");
    ck_assert_str_eq(td_transmission_at(model, 0)->shaft, "pitch.shaft");
    assert_ok(td_inverse_dynamics(model, w, y, yd, ydd, &forces, with));
    assert_ok(td_inverse_dynamics(model, w, y, yd, ydd, NULL, without));
    ck_assert_double_eq_tol(with[0] - without[0], 100 * (0.01 * 2 + 0.02 * 1.5) + 10 * 0.3, 1e-5);
    ck_assert_double_eq_tol(with[1], without[1], 1e-12);
}

static const struct {
    const char *text, *code, *message;
    size_t line;
} refused[] = {
    {"<transmission name='t'><type>x/WristTransmission</type><joint name='pitch'/>"
     "<actuator name='m'/></transmission>",
     "URDF-T010", "unknown type", 1},
    {"\n<transmission name='t'><type>DifferentialTransmission</type><joint name='pitch'/>"
     "<joint name='roll'/><actuator name='m'/></transmission>",
     "URDF-T010", "2 joints and 1 actuators", 2},
    {"<transmission name='t'><joint name='pitch'><ratio>2</ratio></joint><actuator name='m'/>"
     "<actuator name='n'/></transmission>",
     "URDF-T010", "2 actuators", 1},
    {"<transmission name='t'><joint name='pitch'><ratio>0</ratio></joint><joint name='roll'>"
     "<ratio>2</ratio></joint><actuator name='m'/></transmission>",
     "URDF-T002", "ratio of zero", 1},
    {"<transmission name='t'><joint name='pitch'><ratio>1</ratio></joint><joint name='rol'>"
     "<ratio>2</ratio></joint><actuator name='m'/></transmission>",
     "URDF-T001", "'rol'", 1},
    {"<link name='c'/><joint name='free' type='planar'><parent link='base'/><child link='c'/>"
     "</joint><transmission name='t'><joint name='pitch'><ratio>1</ratio></joint>"
     "<joint name='free'><ratio>2</ratio></joint><actuator name='m'><rotorInertia>1</rotorInertia>"
     "</actuator></transmission>",
     "URDF-T009", "'free'", 1},
    {"<ros2_control name='g' type='system'><joint name='pitch'/><joint name='roll'>"
     "<param name='mimic'>pitch</param><param name='multiplier'>-1</param></joint></ros2_control>",
     "URDF-C042", "'roll' follows 'pitch'", 1},
};

TD_LOOP_TEST(warnings, 0, (int)(sizeof refused / sizeof *refused))
{
    char text[4096];
    snprintf(text, sizeof text, WRIST "%s</robot>", refused[_i].text);
    td_diagnostics *list = test_diagnostics(0);
    td_model *model = load(text, TD_ACTUATION_TRANSMISSION, list);
    const td_diagnostic *entry = entry_of(list, refused[_i].code);
    ck_assert_ptr_nonnull(entry);
    ck_assert_int_eq(entry->severity, TD_SEVERITY_WARNING);
    ck_assert_ptr_nonnull(strstr(entry->message, refused[_i].message));
    ck_assert_int_eq(entry->source.line, (int)refused[_i].line);
    ck_assert_str_ne(entry->remedy, "");
    if (strcmp(refused[_i].code, "URDF-T002") != 0)
        ck_assert_uint_eq(td_nu(model), 0);
    double with[64], without[64];
    td_workspace *w = test_workspace(model);
    td_forces forces = with_passive_forces();
    const double y[8] = {0.1};
    assert_ok(td_mass_matrix(model, w, y, &forces, with));
    assert_ok(td_mass_matrix(model, w, y, NULL, without));
    td_assert_close(td_nyd(model) * td_nyd(model), with, without, 0, 1);
}
