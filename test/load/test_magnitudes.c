/* SPDX-License-Identifier: MIT */
/*
 * Tests warnings about magnitudes. The bundled robots cause none. The same robots in wrong units
 * (mm, g, g mm², degrees, turns per minute) all cause one.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "td_test.h"

typedef struct units {
    const char *what, *code;
    double origin, com, inertia, mass, angle, rate; /* conversion factors */
} units;

static const units wrong[] = {
    {"origins in mm", "URDF-S042", 1000, 1, 1, 1, 1, 1},
    {"lengths in mm", "URDF-S042", 1000, 1000, 1, 1, 1, 1},
    {"centres of mass in mm", "URDF-I012", 1, 1000, 1, 1, 1, 1},
    {"inertias in g mm²", "URDF-I013", 1, 1, 1e9, 1, 1, 1},
    {"inertias in kg mm²", "URDF-I013", 1, 1, 1e6, 1, 1, 1},
    {"masses in g", "URDF-I014", 1, 1, 1, 1000, 1, 1},
    {"limits in degrees", "URDF-J014", 1, 1, 1, 1, 57.29577951308232, 1},
    {"rates in turns per minute", "URDF-J015", 1, 1, 1, 1, 1, 400},
};

static const char *const codes[] = {"URDF-S042", "URDF-I012", "URDF-I013", "URDF-I014",
                                    "URDF-I016", "URDF-J014", "URDF-J015", "URDF-J016"};

static void scale(double *x, size_t n, double factor)
{
    for (size_t i = 0; i < n; i++)
        x[i] *= factor;
}

/* Builds the links and joints of a model in other units, without loops and shapes. */
static td_builder *rewritten(const td_model *model, const units *u)
{
    td_builder *builder = test_builder("r");
    for (size_t i = 0; i < td_link_count(model); i++) {
        td_link link = *td_link_at(model, i);
        link.geometry = NULL;
        link.geometry_count = 0;
        link.flexible = NULL;
        scale(link.inertial.position, 3, u->com);
        scale(link.inertia, 6, u->inertia);
        link.mass *= u->mass;
        assert_ok(td_builder_add_link(builder, &link));
    }
    for (size_t i = 0; i < td_joint_count(model); i++) {
        td_joint joint = *td_joint_at(model, i);
        joint.independent = -1;
        joint.flexible = NULL;
        joint.mimic = NULL;
        scale(joint.origin.position, 3, u->origin);
        if (joint.type == TD_JOINT_REVOLUTE && u->angle != 1) {
            joint.limit.lower = round(joint.limit.lower * u->angle);
            joint.limit.upper = round(joint.limit.upper * u->angle);
        }
        joint.limit.velocity *= u->rate;
        assert_ok(td_builder_add_joint(builder, &joint));
    }
    return builder;
}

static td_model *load(const char *robot, td_diagnostics *list)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", td_robot_directory(), robot);
    td_model *model = NULL;
    assert_ok(test_load_urdf(path, NULL, list, &model));
    return model;
}

TD_LOOP_TEST(right_units_are_no_warning, 0, td_robot_count())
{
    td_diagnostics *list = test_diagnostics(0);
    load(td_robots[_i], list);
    for (size_t c = 0; c < sizeof codes / sizeof *codes; c++)
        ck_assert_msg(!td_find_diagnostic(list, codes[c]), "%s: %s", td_robots[_i], codes[c]);
}

/* Returns whether the robot has the quantity of these units. Not all robots have limits of revolute
   joints. Numbers look like degrees from 25 on, so limits below 0.5 rad (29 degrees) are too small.
 */
static bool has_quantity(const td_model *model, const units *u)
{
    if (u->angle == 1 && u->rate == 1)
        return true;
    for (size_t i = 0; i < td_joint_count(model); i++) {
        const td_joint *joint = td_joint_at(model, i);
        const double most = fmax(fabs(joint->limit.lower), fabs(joint->limit.upper));
        if (joint->type == TD_JOINT_REVOLUTE && !joint->flexible &&
            (u->rate == 1 ? most >= 0.5 : !isnan(joint->limit.velocity)))
            return true;
    }
    return false;
}

/* Returns whether values in these units could be correct: a robot of that size may weigh a tonne.
 */
static bool can_be(const char *robot, const units *u)
{
    static const char *const light[] = {"crane.urdf", "flexible_arm.urdf", "parallelogram.urdf",
                                        "parallelogram_loop.urdf", "recupera_shoulder.urdf"};
    for (size_t i = 0; i < sizeof light / sizeof *light && u->mass != 1; i++)
        if (strcmp(robot, light[i]) == 0)
            return true;
    return false;
}

TD_LOOP_TEST(wrong_units_are_warned_of, 0, td_robot_count())
{
    const char *robot = td_robots[_i];
    td_model *model = load(robot, NULL);
    for (size_t n = 0; n < sizeof wrong / sizeof *wrong; n++) {
        td_diagnostics *list = test_diagnostics(0);
        td_model *other = NULL;
        td_builder *builder = rewritten(model, &wrong[n]);
        assert_ok(test_builder_finish(builder, NULL, list, &other));
        ck_assert_msg(td_find_diagnostic(list, wrong[n].code) || !has_quantity(model, &wrong[n]) ||
                          can_be(robot, &wrong[n]),
                      "%s: %s", robot, wrong[n].what);
    }
}

/* A slider is on an arm of 1 m. Its limits in mm are reported, unless they stand for no limits. */
TD_TEST(slider_in_mm)
{
    static const struct {
        double upper;
        bool warned;
    } cases[] = {{0.4, false},  {50, false},     {400, true},
                 {1000, false}, {999999, false}, {NAN, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        td_builder *builder = test_builder("r");
        td_link base = td_link_default("base"), arm = td_link_default("arm");
        td_joint slide = td_joint_default("slide", TD_JOINT_PRISMATIC, "base", "arm");
        slide.origin.position[2] = 1;
        slide.limit.lower = isnan(cases[i].upper) ? NAN : 0;
        slide.limit.upper = cases[i].upper;
        td_builder_add_link(builder, &base);
        td_builder_add_link(builder, &arm);
        td_builder_add_joint(builder, &slide);
        td_diagnostics *list = test_diagnostics(0);
        td_model *model = NULL;
        assert_ok(test_builder_finish(builder, NULL, list, &model));
        ck_assert((td_find_diagnostic(list, "URDF-J016") != NULL) == cases[i].warned);
    }
}
