/* SPDX-License-Identifier: MIT */
/*
 * Tests the links and joints that flexible links expand to, also in model files and loops, and
 * invalid records.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "beams.h"

/* Compares lengths of pieces, stiffness and damping with values computed by hand. */
TD_LOOP_TEST(pieces, 0, 4)
{
    static const double first[2] = {1, 0.5};
    td_flexible f = beam_record(3);
    f.start_clamped = _i & 1;
    f.end_clamped = _i & 2;
    f.damping_ratio = 0.03;
    const double e[2] = {first[f.start_clamped], first[f.end_clamped]};
    const double h = f.length / (2 + e[0] + e[1]), masses[4] = {e[0], 1, 1, e[1]};
    td_model *model = beam_finish(beam_builder(&f, TD_JOINT_FIXED));
    ck_assert(td_link_count(model) == 5 && td_nyd(model) == 3);
    ck_assert_uint_eq(td_flexible_count(model), 1);
    ck_assert(td_flexible_at(model, 0)->segments == 3 && !td_flexible_at(model, 1));
    const double k = f.bending_stiffness[0] / h, omega = 1.8751040687119611;
    const double unit = sqrt(f.bending_stiffness[0] / f.mass_per_length) / (f.length * f.length);
    const double d = 2 * 0.03 / (omega * omega * unit) * k;
    for (int i = 0; i < 4; i++) {
        char name[16];
        snprintf(name, sizeof name, i ? "beam.%d" : "beam", i);
        const td_link *link = td_link_at(model, td_link_index(model, name));
        const double mass = masses[i] * h * f.mass_per_length;
        const double moment = mass * masses[i] * h * masses[i] * h / 12;
        td_assert_close(1, &link->mass, &mass, 1e-14, 0);
        td_assert_close(1, &link->inertia[5], &moment, 1e-14, 0);
        ck_assert_str_eq(link->flexible, "beam");
        if (i == 0)
            continue;
        strcat(name, ".bend");
        const td_joint *joint = td_joint_at(model, td_joint_index(model, name));
        const double x = i == 1 ? e[0] * h : h;
        td_assert_close(1, &joint->origin.position[0], &x, 1e-14, 0);
        td_assert_close(1, &joint->spring_stiffness, &k, 1e-14, 0);
        td_assert_close(1, &joint->damping, &d, 1e-14, 0);
        ck_assert(joint->axis[2] == 1 && joint->type == TD_JOINT_CONTINUOUS);
        ck_assert_str_eq(joint->flexible, "beam");
    }
    ck_assert(!td_link_at(model, 0)->flexible && !td_joint_at(model, 0)->flexible);
    ck_assert_uint_eq(td_nu(model), 0); /* elastic joints have no motors */
}

/* Tests names, order, axes, stiffness and damping of all three kinds. */
TD_TEST(kinds)
{
    td_flexible f = beam_record(2);
    f.bending_stiffness[0] = 5;
    f.bending_stiffness[1] = 20;
    f.torsional_stiffness = 35;
    f.rotary_inertia = 2e-4;
    f.damping_ratio = 0.03;
    const double h = f.length / 2, x = 1.8751040687119611 / f.length;
    const double omega[3] = {x * x * sqrt(5 / f.mass_per_length),
                             x * x * sqrt(20 / f.mass_per_length),
                             M_PI / 2 / f.length * sqrt(35 / f.rotary_inertia)};
    const double stiffness[3] = {5 / h, 20 / h, 35 / h};
    const double axis[3][3] = {{0, 0, 1}, {0, -1, 0}, {1, 0, 0}};
    static const char *const names[] = {"beam.2.bend", "beam.2.bend2", "beam.2.twist"},
                             *const links[] = {"beam.1", "beam.2.bend", "beam.2.bend2", "beam.2"};
    td_model *model = beam_finish(beam_builder(&f, TD_JOINT_FIXED));
    for (int i = 0; i < 3; i++) {
        const td_joint *joint = td_joint_at(model, td_joint_index(model, names[i]));
        const double damping = 2 * 0.03 / omega[i] * stiffness[i], origin[3] = {i ? 0 : h, 0, 0};
        ck_assert_str_eq(joint->parent, links[i]);
        ck_assert_str_eq(joint->child, links[i + 1]);
        td_assert_close(3, joint->axis, axis[i], 1e-15, 1);
        td_assert_close(3, joint->origin.position, origin, 1e-15, 1);
        td_assert_close(1, &joint->spring_stiffness, &stiffness[i], 1e-14, 0);
        td_assert_close(1, &joint->damping, &damping, 1e-14, 0);
        const td_link *link = td_link_at(model, td_link_index(model, links[i + 1]));
        ck_assert(link->has_inertial == (i == 2));
        ck_assert_str_eq(link->flexible, "beam");
    }
    /* a fifth of the rotary inertia is about the axis of the first bending, four fifths about the
       other */
    const td_link *piece = td_link_at(model, td_link_index(model, "beam.1"));
    const double rod = f.mass_per_length * h * h * h / 12;
    const double wanted[6] = {2e-4 * h, 0, 0, rod + 1.6e-4 * h, 0, rod + 0.4e-4 * h};
    td_assert_close(6, piece->inertia, wanted, 1e-14, 0);
}

/* A positive angle bends the beam toward across, and in the second plane toward axis × across. */
TD_TEST(signs)
{
    td_flexible f = beam_record(1);
    f.bending_stiffness[1] = 7;
    td_model *model = beam_finish(beam_builder(&f, TD_JOINT_FIXED));
    td_workspace *w = test_workspace(model);
    double poses[12 * 4], y[2] = {0.1, 0};
    const size_t end = 12 * td_link_index(model, "beam.1");
    assert_ok(td_link_poses(model, w, y, poses));
    ck_assert(poses[end + 4] > 0 && fabs(poses[end + 8]) < 1e-15); /* the x axis in world axes */
    y[0] = 0, y[1] = 0.1;
    assert_ok(td_link_poses(model, w, y, poses));
    ck_assert(poses[end + 8] > 0 && fabs(poses[end + 4]) < 1e-15);
}

/* The text of a model file contains the beam, not its pieces, and gives the same model. */
TD_TEST(model_file)
{
    const td_flexible f = beam_record(5);
    td_model *model = beam_finish(beam_builder(&f, TD_JOINT_CONTINUOUS)), *again;
    size_t size;
    assert_ok(td_model_write(model, NULL, 0, &size));
    char *text = test_calloc(size + 1, 1);
    assert_ok(td_model_write(model, text, size, &size));
    ck_assert(strstr(text, "\nflexible link=\"beam\"") && !strstr(text, "beam.1"));
    assert_ok(test_load_model_memory(text, size, "text", NULL, NULL, &again));
    double omega[2][4];
    beam_frequencies(model, NULL, 4, omega[0]);
    beam_frequencies(again, NULL, 4, omega[1]);
    ck_assert_mem_eq(omega[0], omega[1], sizeof omega[0]);
}

/* In a loop, elastic joints are the last to become dependent, and are straight where it is closed.
 */
TD_TEST(in_a_loop)
{
    td_flexible f = beam_record(3);
    td_builder *builder = beam_builder(&f, TD_JOINT_CONTINUOUS);
    td_link rocker = td_link_default("rocker");
    td_joint pin = td_joint_default("pin", TD_JOINT_CONTINUOUS, "beam", "rocker");
    td_loop loop = td_loop_default("loop", "mount", "rocker");
    rocker.has_inertial = true;
    rocker.mass = 1;
    rocker.inertia[0] = rocker.inertia[3] = rocker.inertia[5] = 0.1;
    pin.origin.position[0] = f.length;
    pin.axis[0] = 0, pin.axis[2] = 1;
    loop.type = TD_LOOP_MASK; /* the rocker ends on the far side, in the plane */
    loop.mask = 3U << 3;
    loop.predecessor_origin.position[0] = 0.6;
    loop.predecessor_origin.position[1] = 0.1;
    loop.successor_origin.position[1] = 0.5;
    td_builder_add_link(builder, &rocker);
    td_builder_add_joint(builder, &pin);
    td_builder_add_loop(builder, &loop);
    td_model *model = beam_finish(builder);
    ck_assert(td_nv(model) == 5 && td_nyd(model) == 3);
    const double *q = td_reference(model, TD_COORDINATES_TREE);
    for (size_t i = 0; i < td_joint_count(model); i++) {
        const td_joint_place place = td_joint_place_at(model, i);
        if (td_joint_at(model, i)->flexible)
            ck_assert(!place.dependent && q[place.q] == 0);
    }
}

/* Invalid records that no file can contain. Each has its code, and no model is made. */
typedef void spoil(td_flexible *f);

static void no_link(td_flexible *f)
{
    f->link = "baem";
}

static void no_name(td_flexible *f)
{
    f->link = NULL;
}

static void infinite_length(td_flexible *f)
{
    f->length = INFINITY;
}

static void no_length(td_flexible *f)
{
    f->length = NAN;
}

static void no_ratio(td_flexible *f)
{
    f->damping_ratio = NAN;
}

static void infinite_stiffness(td_flexible *f)
{
    f->bending_stiffness[1] = INFINITY;
}

static void no_segments(td_flexible *f)
{
    f->segments = -3;
}

static void no_axis(td_flexible *f)
{
    f->axis[1] = NAN;
}

static void no_start(td_flexible *f)
{
    f->start[2] = INFINITY;
}

static const struct {
    spoil *spoil;
    const char *code, *remedy;
} spoilt[] = {
    {no_link, "URDF-F001", "did you mean 'beam'?"},
    {no_name, "URDF-F001", "name an existing link"},
    {infinite_length, "URDF-F002", NULL},
    {no_length, "URDF-F002", NULL},
    {no_ratio, "URDF-F002", NULL},
    {infinite_stiffness, "URDF-F002", NULL},
    {no_segments, "URDF-F002", NULL},
    {no_axis, "URDF-N001", NULL},
    {no_start, "URDF-N001", NULL},
};

TD_LOOP_TEST(wrong_records, 0, sizeof spoilt / sizeof *spoilt)
{
    td_flexible f = beam_record(2);
    td_diagnostics *list = test_diagnostics(20);
    td_model *model;
    spoilt[_i].spoil(&f);
    td_builder *builder = beam_builder(&f, TD_JOINT_FIXED);
    ck_assert_int_eq(test_builder_finish(builder, NULL, list, &model), TD_ERROR_MODEL);
    ck_assert_uint_eq(td_diagnostics_count(list, TD_SEVERITY_ERROR), 1);
    ck_assert_str_eq(td_diagnostics_at(list, 0)->code, spoilt[_i].code);
    if (spoilt[_i].remedy)
        ck_assert_str_eq(td_diagnostics_at(list, 0)->remedy, spoilt[_i].remedy);
}

/* The options allow exactly as many elastic joints, and not one more. */
TD_TEST(capped)
{
    const td_flexible f = beam_record(3);
    td_builder *builder = beam_builder(&f, TD_JOINT_FIXED);
    td_load_options options = td_load_options_default();
    options.max_elastic = 3;
    td_model *model = model_of_builder(builder, &options);
    ck_assert_uint_eq(td_nyd(model), 3);
    options.max_elastic = 2;
    ck_assert_int_eq(test_builder_finish(builder, &options, NULL, &model), TD_ERROR_MODEL);
}

TD_TEST(flexible_twice)
{
    const td_flexible f = beam_record(2);
    td_diagnostics *list = test_diagnostics(20);
    td_model *model;
    td_builder *builder = beam_builder(&f, TD_JOINT_FIXED);
    assert_ok(td_builder_add_flexible(builder, &f));
    ck_assert_int_eq(test_builder_finish(builder, NULL, list, &model), TD_ERROR_MODEL);
    ck_assert_str_eq(td_diagnostics_at(list, 0)->code, "URDF-F001");
    ck_assert_uint_eq(td_diagnostics_size(list), 1);
}
