/* SPDX-License-Identifier: MIT */
/*
 * Tests checks of the builder that need records made in C: source locations, and inputs so large
 * that quadratic searches for names would exceed Check's time limit.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "td_test.h"

enum { most_names = 32 };

static void add_link(td_builder *builder, const char *name)
{
    td_link link = td_link_default(name);
    assert_ok(td_builder_add_link(builder, &link));
}

static td_diagnostics *finish(td_builder *builder)
{
    td_diagnostics *list = test_diagnostics(0);
    td_model *model;
    test_builder_finish(builder, NULL, list, &model);
    return list;
}

TD_TEST(many_duplicates)
{
    const size_t count = 200000;
    td_builder *builder = test_builder("robot");
    for (size_t i = 0; i < count; i++)
        add_link(builder, "link");
    td_diagnostics *list = finish(builder);
    ck_assert_uint_eq(td_diagnostics_count(list, TD_SEVERITY_ERROR), count - 1);
}

TD_TEST(many_wrong_names)
{
    const size_t count = 50000;
    char names[4][most_names];
    td_builder *builder = test_builder("robot");
    for (size_t i = 0; i < count; i++) {
        snprintf(names[0], most_names, "a_long_link_name_%06zu", i);
        snprintf(names[1], most_names, "a_lnog_link_name_%06zu", i);
        snprintf(names[2], most_names, "a_long_lnik_name_%06zu", i);
        snprintf(names[3], most_names, "joint_%zu", i);
        add_link(builder, names[0]);
        td_joint joint = td_joint_default(names[3], TD_JOINT_FIXED, names[1], names[2]);
        assert_ok(td_builder_add_joint(builder, &joint));
    }
    td_diagnostics *list = finish(builder);
    ck_assert_uint_eq(td_diagnostics_count(list, TD_SEVERITY_ERROR), 2 * count);
    ck_assert_str_eq(td_diagnostics_at(list, 0)->message,
                     "the parent link 'a_lnog_link_name_000000' of joint 'joint_0' does not exist");
    ck_assert_str_eq(td_diagnostics_at(list, 0)->remedy, "did you mean 'a_long_link_name_000000'?");
    ck_assert_str_eq(td_diagnostics_at(list, 999)->remedy,
                     "declare it: <link name=\"a_long_lnik_name_000499\"/>");
}

static void check_place(const td_diagnostics *list, const char *code, int line)
{
    const td_diagnostic *found = td_find_diagnostic(list, code);
    ck_assert_msg(found != NULL, "no %s", code);
    ck_assert_str_eq(found->source.file, "robot.txt");
    ck_assert_int_eq(found->source.line, line);
}

TD_TEST(robot_has_a_place)
{
    const td_source source = {"robot.txt", 3, 1, "robot"};
    td_builder *builder = test_builder(NULL);
    ck_assert_int_eq(td_builder_set_source(NULL, &source), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_builder_set_source(builder, NULL), TD_ERROR_ARGUMENT);
    assert_ok(td_builder_set_source(builder, &source));
    td_diagnostics *list = finish(builder);
    check_place(list, "URDF-S001", 3);
    check_place(list, "URDF-S002", 3);
}

/* Parts of a joint report their own source location, or else the location of the joint. */
TD_TEST(parts_have_places)
{
    for (int known = 0; known < 2; known++) {
        td_builder *builder = test_builder("robot");
        add_link(builder, "a");
        add_link(builder, "b");
        td_joint joint = td_joint_default("joint", TD_JOINT_REVOLUTE, "a", "b");
        joint.source = (td_source){"robot.txt", 10, 1, NULL};
        if (known) {
            joint.axis_source = (td_source){"robot.txt", 11, 1, NULL};
            joint.limit_source = (td_source){"robot.txt", 12, 1, NULL};
            joint.dynamics_source = (td_source){"robot.txt", 13, 1, NULL};
            joint.mimic_source = (td_source){"robot.txt", 14, 1, NULL};
        }
        joint.axis[0] = 2;
        joint.limit.velocity = 0;
        joint.damping = -1;
        joint.mimic = "jiont";
        assert_ok(td_builder_add_joint(builder, &joint));
        td_diagnostics *list = finish(builder);
        check_place(list, "URDF-J004", known ? 11 : 10);
        check_place(list, "URDF-J010", known ? 12 : 10);
        check_place(list, "URDF-J012", known ? 13 : 10);
        check_place(list, "URDF-M001", known ? 14 : 10);
    }
}

TD_TEST(records_are_checked)
{
    td_builder *builder = test_builder("robot");
    td_geometry box = td_geometry_default(TD_SHAPE_BOX);
    td_link link = td_link_default("link");
    link.geometry_count = 1;
    ck_assert_int_eq(td_builder_add_link(builder, &link), TD_ERROR_ARGUMENT);
    link.geometry = &box;
    assert_ok(td_builder_add_link(builder, &link));
    box.size_of--;
    ck_assert_int_eq(td_builder_add_link(builder, &link), TD_ERROR_ARGUMENT);
    link.size_of--;
    ck_assert_int_eq(td_builder_add_link(builder, &link), TD_ERROR_ARGUMENT);
    td_joint joint = td_joint_default("joint", TD_JOINT_FIXED, "link", "other");
    joint.type = (td_joint_type)17;
    ck_assert_int_eq(td_builder_add_joint(builder, &joint), TD_ERROR_ARGUMENT);
    td_builder_free(NULL);
}

/* A massless root causes a note if it can move. */
TD_TEST(massless_root)
{
    for (int base = TD_BASE_FIXED; base <= TD_BASE_FLOATING; base++) {
        td_builder *builder = test_builder("robot");
        add_link(builder, "root");
        td_load_options options = td_load_options_default();
        options.base = (td_base)base;
        td_diagnostics *list = test_diagnostics(0);
        td_model *model;
        assert_ok(test_builder_finish(builder, &options, list, &model));
        ck_assert_int_eq(td_find_diagnostic(list, "URDF-I007") != NULL, base == TD_BASE_FLOATING);
    }
}

static td_builder *with_joint(const char *name)
{
    td_builder *builder = test_builder("robot");
    add_link(builder, "a");
    add_link(builder, "b");
    td_joint joint = td_joint_default(name, TD_JOINT_CONTINUOUS, "a", "b");
    assert_ok(td_builder_add_joint(builder, &joint));
    return builder;
}

static td_builder *two_links(void)
{
    return with_joint("j");
}

/* Tests loops that only C can specify: numbers that are not finite, bits that select no axis. */
TD_TEST(loops_are_checked)
{
    td_loop loop[6];
    for (int i = 0; i < 6; i++)
        loop[i] = td_loop_default("l", "a", "b");
    loop[0].predecessor_origin.position[1] = NAN;
    loop[1].successor_origin.rotation[0] = 2;
    loop[2].axis[2] = INFINITY;
    loop[3].type = TD_LOOP_MASK;
    loop[3].mask = 65;
    loop[4].type = TD_LOOP_DISTANCE;
    loop[4].distance = NAN;
    loop[5].damping = NAN;
    static const char *const code[6] = {"URDF-N001", "URDF-N001", "URDF-N001",
                                        "URDF-C011", "URDF-C010", "URDF-N001"};
    for (int i = 0; i < 6; i++) {
        td_builder *builder = two_links();
        assert_ok(td_builder_add_loop(builder, &loop[i]));
        td_diagnostics *list = finish(builder);
        ck_assert_uint_eq(td_diagnostics_count(list, TD_SEVERITY_ERROR), 1);
        ck_assert_str_eq(td_diagnostics_at(list, 0)->code, code[i]);
        ck_assert_ptr_nonnull(strstr(td_diagnostics_at(list, 0)->message, "loop 'l'"));
    }
}

TD_TEST(independence_can_be_set)
{
    td_builder *builder = two_links();
    assert_ok(td_builder_set_independent(builder, "j", false));
    ck_assert_int_eq(td_builder_set_independent(builder, "k", false), TD_ERROR_NAME);
    ck_assert_int_eq(td_builder_set_independent(builder, NULL, false), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_builder_set_independent(NULL, "j", false), TD_ERROR_ARGUMENT);
    td_model *model = model_of_builder(builder, NULL);
    ck_assert_int_eq(td_joint_at(model, 0)->independent, 0);
}

/* No other joint may have the name of the robot's floating joint. "$base" always finds it. */
TD_TEST(floating_base_has_a_name)
{
    static const char *const own[] = {"j", "baseline", "base", "base.z"};
    static const char *const base[] = {"base", "base", "$base", "$base"};
    for (int i = 0; i < 4; i++) {
        td_builder *builder = with_joint(own[i]);
        td_load_options options = td_load_options_default();
        options.base = TD_BASE_FLOATING;
        td_model *model = model_of_builder(builder, &options);
        ck_assert_str_eq(td_joint_at(model, 0)->name, base[i]);
        ck_assert_uint_eq(td_joint_index(model, base[i]), 0);
        ck_assert_uint_eq(td_joint_index(model, "$base"), 0);
        ck_assert_uint_eq(td_joint_index(model, own[i]), 1);
        assert_ok(test_builder_finish(builder, NULL, NULL, &model));
        ck_assert_uint_eq(td_joint_index(model, "$base"), TD_NONE);
        ck_assert_uint_eq(td_joint_index(model, own[i]), 0);
    }
}

/* Returns how often the rotation of a joint's or an inertial's origin was refused. */
static size_t refusals(const double rotation[9], bool of_joint)
{
    td_builder *builder = test_builder("robot");
    td_link link = td_link_default("body");
    td_joint joint = td_joint_default("joint", TD_JOINT_FIXED, "base", "body");
    link.has_inertial = true;
    link.mass = link.inertia[0] = link.inertia[3] = link.inertia[5] = 1;
    memcpy(of_joint ? joint.origin.rotation : link.inertial.rotation, rotation, 9 * sizeof(double));
    add_link(builder, "base");
    assert_ok(td_builder_add_link(builder, &link));
    assert_ok(td_builder_add_joint(builder, &joint));
    td_diagnostics *list = finish(builder);
    size_t count = 0;
    for (size_t i = 0; i < td_diagnostics_size(list); i++)
        count += strstr(td_diagnostics_at(list, i)->message, "is not a rotation matrix") != NULL;
    return count;
}

/* Accepts every rotation. Refuses mirrored ones, along any axis, although their columns are
   orthonormal, and matrices stretched or sheared by 1e-5. */
TD_TEST(rotations)
{
    td_random random = {12};
    for (int n = 0; n < 100; n++) {
        double R[9], wrong[9];
        td_random_rotation(&random, R);
        ck_assert_uint_eq(refusals(R, n % 2), 0);
        for (int axis = 0; axis < 4; axis++) { /* the last case mirrors all three */
            for (int k = 0; k < 9; k++)
                wrong[k] = axis == 3 || k % 3 == axis ? -R[k] : R[k];
            ck_assert_uint_eq(refusals(wrong, n % 2), 1);
        }
        for (int k = 0; k < 9; k++)
            wrong[k] = k % 3 == n % 3 ? 1.00001 * R[k] : R[k];
        ck_assert_uint_eq(refusals(wrong, n % 2), 1);
        for (int k = 0; k < 9; k++)
            wrong[k] = R[k] + (k % 3 == n % 3 ? 1e-5 * R[k / 3 * 3 + (k + 1) % 3] : 0);
        ck_assert_uint_eq(refusals(wrong, n % 2), 1);
    }
    const double quarter[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0}, swap[9] = {0, 1, 0, 1, 0, 0, 0, 0, 1};
    ck_assert_uint_eq(refusals(quarter, true), 0);
    ck_assert_uint_eq(refusals(swap, true), 1);
}

/* ---- diagnostics of the caller --------------------------------------------------------------- */

TD_TEST(findings_can_be_added)
{
    char code[] = "MINE-1", message[] = "it rattles", file[] = "a.urdf";
    const td_diagnostic mine = {.severity = TD_SEVERITY_WARNING,
                                .code = code,
                                .source = {file, 3, 4, NULL},
                                .message = message,
                                .remedy = NULL};
    td_diagnostics *list = test_diagnostics(2);
    for (int n = 0; n < 3; n++)
        assert_ok(td_diagnostics_add(list, &mine));
    code[0] = message[0] = file[0] = '#'; /* the library has copied the strings */
    ck_assert_uint_eq(td_diagnostics_size(list), 2);
    ck_assert_uint_eq(td_diagnostics_count(list, TD_SEVERITY_WARNING), 3);
    for (size_t i = 0; i < 2; i++) {
        const td_diagnostic *d = td_diagnostics_at(list, i);
        ck_assert_str_eq(d->code, "MINE-1");
        ck_assert_str_eq(d->message, "it rattles");
        ck_assert_str_eq(d->source.file, "a.urdf");
        ck_assert_str_eq(d->source.element, "");
        ck_assert_str_eq(d->remedy, "");
        ck_assert(d->source.line == 3 && d->source.column == 4 && !d->omission);
    }
    td_diagnostic wrong = mine;
    wrong.severity = (td_severity)(TD_SEVERITY_ERROR + 1);
    ck_assert_int_eq(td_diagnostics_add(list, &wrong), TD_ERROR_ARGUMENT);
    wrong = mine;
    wrong.code = NULL;
    ck_assert_int_eq(td_diagnostics_add(list, &wrong), TD_ERROR_ARGUMENT);
    wrong = mine;
    wrong.message = NULL;
    ck_assert_int_eq(td_diagnostics_add(list, &wrong), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_diagnostics_add(list, NULL), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_diagnostics_add(NULL, &mine), TD_ERROR_ARGUMENT);
    ck_assert_uint_eq(td_diagnostics_count(list, TD_SEVERITY_WARNING), 3);
}

int main(void)
{
    return td_run_tests(60);
}
