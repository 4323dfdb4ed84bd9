/* SPDX-License-Identifier: MIT */
/*
 * Tests export to URDF. A robot that is loaded back has the same digest and the same torques,
 * including passive forces, and exports the same text. Locked joints and payloads are exported.
 * Robots that a URDF cannot represent are refused by name. The digest depends on all dynamic
 * properties.
 */
#include <fenv.h>
#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "beams.h"
#include "coupled_robots.h"
#include "curve_robots.h"
#include "functions.h"
#include "loop_robots.h"
#include "sprung_robots.h"

enum { STATES = 20 };

static char *export_with(const td_model *model, const td_workspace *w, size_t *size)
{
    td_export_options options = td_export_options_default();
    td_diagnostics *list = test_diagnostics(0);
    options.workspace = w;
    td_status status = td_model_export(model, &options, list, NULL, 0, size);
    for (size_t i = 0; status != TD_OK && i < td_diagnostics_size(list); i++)
        fprintf(stderr, "# %s\n", td_diagnostics_at(list, i)->message);
    assert_ok(status);
    char *text = test_calloc(*size + 1, 1);
    size_t again;
    assert_ok(td_model_export(model, &options, NULL, text, *size, &again));
    ck_assert_uint_eq(*size, again);
    return text;
}

static uint64_t digest_of(const td_model *model, const td_workspace *w)
{
    uint64_t digest = 0;
    assert_ok(td_model_digest(model, w, &digest));
    ck_assert_uint_ne(digest, 0);
    return digest;
}

static td_model *load(const char *text, size_t size, const td_load_options *given)
{
    td_load_options options = given ? *given : td_load_options_default();
    td_diagnostics *list = test_diagnostics(0);
    td_model *model = NULL;
    options.locked_count = options.start_count = 0;
    options.submechanisms = NULL;
    td_status status = test_load_urdf_memory(text, size, "export", &options, list, &model);
    for (size_t i = 0; status != TD_OK && i < td_diagnostics_size(list); i++)
        fprintf(stderr, "# %d: %s\n", td_diagnostics_at(list, i)->source.line,
                td_diagnostics_at(list, i)->message);
    assert_ok(status);
    return model;
}

/* Draws y near the reference, with slightly rotated quaternions. */
static void draw(td_random *random, const td_model *model, double reach, double *y, double *yd,
                 double *ydd)
{
    double *start = doubles(td_ny(model));
    memcpy(start, td_reference(model, TD_COORDINATES_INDEPENDENT), td_ny(model) * sizeof *start);
    td_random_fill(random, td_nyd(model), yd);
    td_random_fill(random, td_nyd(model), ydd);
    td_integrate(model, TD_COORDINATES_INDEPENDENT, start, yd, reach, y);
    td_random_fill(random, td_nyd(model), yd);
}

/* Compares torques at random states. The second model may have a changed workspace. *seen counts
   the states at which torques could be computed. */
static void compare(const td_model *model, td_workspace *w, const td_model *back, size_t *seen)
{
    const size_t n = td_nyd(model);
    td_random random = {17};
    td_workspace *other = test_workspace(back);
    double *y = doubles(td_ny(model)), *yd = doubles(n), *ydd = doubles(n), *tau[2];
    td_forces forces = td_forces_default();
    forces.passive = true;
    forces.friction_velocity = 0.1;
    ck_assert_uint_eq(td_ny(model), td_ny(back));
    ck_assert_uint_eq(n, td_nyd(back));
    for (int k = 0; k < 2; k++)
        tau[k] = test_calloc(n + 1, sizeof **tau);
    *seen = 0;
    for (int i = 0; i < STATES; i++) {
        const double reach = td_loop_count(model) ? 0.02 * i : 1;
        draw(&random, model, reach, y, yd, ydd);
        td_status status[2] = {td_inverse_dynamics(model, w, y, yd, ydd, &forces, tau[0]),
                               td_inverse_dynamics(back, other, y, yd, ydd, &forces, tau[1])};
        ck_assert_int_eq(status[0], status[1]);
        if (status[0] != TD_OK)
            continue;
        ++*seen;
        /* near singular loops, rounding of frames is amplified like everything else */
        const double rate = td_loop_count(model) ? fmax(1, td_largest_rate(model, w, y)) : 1;
        td_assert_close(n, tau[0], tau[1], 1e-12 * rate * rate, 1);
    }
}

/* changed: a workspace with changes, or NULL. */
static void check_urdf(const td_model *model, td_workspace *changed, const td_load_options *options)
{
    size_t size, again, seen;
    td_workspace *w = changed ? changed : test_workspace(model);
    char *text = export_with(model, w, &size);
    td_model *back = load(text, size, options);
    char *other = export_with(back, NULL, &again);
    if (size != again || memcmp(text, other, size) != 0)
        for (size_t i = 0, line = 0; i < size && i < again;
             line = text[i] == '\n' ? i + 1 : line, i++)
            if (text[i] != other[i]) {
                fprintf(stderr, "# %.200s\n# %.200s\n", text + line, other + line);
                break;
            }
    ck_assert_uint_eq(size, again);
    ck_assert_mem_eq(text, other, size);
    ck_assert_uint_eq(digest_of(model, w), digest_of(back, NULL));
    compare(model, w, back, &seen);
    ck_assert_uint_gt(seen, 0);
}

/* ---- records --------------------------------------------------------------------------------- */

/* Returns whether a field of the model file survives in a URDF. Lost are source locations, names of
   springs, and the request of a submechanism list that a joint be dependent. */
static bool is_kept(const char *line, const char *key, size_t length)
{
    const char *dot = memchr(key, '.', length);
    if ((strncmp(key, "mask=", 5) == 0 && !strstr(line, " type=mask")) ||
        (strncmp(key, "second_axis=", 12) == 0 && !strstr(line, " type=universal")) ||
        (strncmp(key, "distance=", 9) == 0 && !strstr(line, " type=distance")))
        return false; /* not used there */
    if (strncmp(line, "spring ", 7) == 0 && strncmp(key, "name=", 5) == 0)
        return false;
    if (dot && dot - key >= 6 && strncmp(dot - 6, "source", 6) == 0)
        return false;
    return strncmp(key, "must_depend", 11) != 0;
}

/* Copies a field. Drops rounding and signs of zeros in poses, and all of an identity pose. */
static char *keep(char *to, const char *at, const char *end)
{
    static const char *const words[] = {"rotation=", "position="};
    static const char *const identities[] = {
        "1.0000000000000,0.0000000000000,0.0000000000000,0.0000000000000,1.0000000000000,"
        "0.0000000000000,0.0000000000000,0.0000000000000,1.0000000000000,",
        "0,0,0,"};
    char *const begin = to, text[300] = "";
    memcpy(to, at, (size_t)(end - at));
    to += end - at;
    for (int k = 0; k < 2; k++) {
        const char *numbers = strstr(at, words[k]);
        size_t used = 0;
        if (!numbers || numbers >= end || (numbers > at && numbers[-1] != '.'))
            continue;
        numbers += strlen(words[k]);
        for (const char *n = numbers; n < end; n += strcspn(n, ", ") + 1) {
            const double x = strtod(n, NULL);
            used += (size_t)snprintf(text + used, sizeof text - used, k ? "%.17g," : "%.13f,",
                                     fabs(x) < (k ? 1e-300 : 6e-14) ? 0 : x);
        }
        if (strcmp(text, identities[k]) == 0)
            return begin;
        to = begin + (numbers - at);
        memcpy(to, text, used);
        to += used;
    }
    *to++ = ' ';
    return to;
}

/* Returns the text of the model file without the options and the fields that a URDF loses. */
static char *records_of(const td_model *model)
{
    size_t size;
    assert_ok(td_model_write(model, NULL, 0, &size));
    char *text = test_calloc(size + 1, 1), *kept = test_calloc(3 * size + 2, 1), *to = kept;
    assert_ok(td_model_write(model, text, size, &size));
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        if (strncmp(line, "options", 7) == 0)
            continue;
        const char *at = line;
        while (*at) {
            const char *end = at;
            for (bool quoted = false; *end && (quoted || *end != ' '); end++) {
                if (*end == '\\' && quoted)
                    end++;
                else if (*end == '"')
                    quoted = !quoted;
            }
            if (at == line || is_kept(line, at, (size_t)(end - at)))
                to = keep(to, at, end);
            at = *end ? end + 1 : end;
        }
        *to++ = '\n';
    }
    *to = '\0';
    return kept;
}

/* Compares every field of the builder's records after export and import with the model's. This is
   an independent check that nothing is lost. */
static void check_records(const td_model *model)
{
    size_t size;
    char *text = export_with(model, NULL, &size);
    td_load_options options = td_load_options_default();
    options.base = td_model_base(model);
    td_model *back = load(text, size, &options);
    char *ours = records_of(model), *theirs = records_of(back);
    size_t at = 0, line = 0;
    while (ours[at] && ours[at] == theirs[at])
        line = ours[at] == '\n' ? at + 1 : line, at++;
    ck_assert_msg(strcmp(ours, theirs) == 0, "%s: %.40s … %.60s\n%.60s", td_model_name(model),
                  ours + line, ours + (at > 30 ? at - 30 : 0), theirs + (at > 30 ? at - 30 : 0));
}

/* ---- robots ---------------------------------------------------------------------------------- */

TD_LOOP_TEST(bundled_robots_come_back, 0, 2 * td_robot_count())
{
    td_load_options options = td_load_options_default();
    options.base = _i % 2 ? TD_BASE_FLOATING : TD_BASE_FIXED;
    options.gravity[0] = 0.1;
    td_model *model = td_load_robot(td_robots[_i / 2], &options);
    check_urdf(model, NULL, &options);
    check_records(model);
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
    printf("# %s\n", path);
    check_urdf(model, NULL, NULL);
    check_records(model);
    files_seen++;
    return 0;
}

TD_LOOP_TEST(real_robots_come_back, 0, 2)
{
    static const char *const folders[] = {"models", "found"};
    char path[4096];
    if (!td_data_directory())
        return;
    snprintf(path, sizeof path, "%s/%s", td_data_directory(), folders[_i]);
    nftw(path, visit, 16, FTW_PHYS);
    printf("# %d files\n", files_seen);
}

/* Returns the joint of the n-th independent scalar coordinate. */
static const char *scalar_joint(const td_model *model, size_t n)
{
    for (size_t i = 0; i < td_joint_count(model); i++) {
        const td_joint_place place = td_joint_place_at(model, i);
        if (place.nq == 1 && place.ny == 1 && n-- == 0)
            return td_joint_at(model, i)->name;
    }
    return NULL;
}

/* Locks one joint of each bundled robot slightly away from its start, and starts all joints there.
   Loops continue from the configuration that the robot without locks would have. */
TD_LOOP_TEST(locked_robots_come_back, 0, 2 * td_robot_count())
{
    td_load_options options = td_load_options_default();
    td_model *plain = td_load_robot(td_robots[_i / 2], NULL), *model = NULL;
    const char *name = scalar_joint(plain, (size_t)(_i % 2));
    char path[4096];
    if (name) {
        const size_t joint = td_joint_index(plain, name);
        const double *start = td_reference(plain, TD_COORDINATES_TREE);
        td_joint_position position = {name, start[td_joint_place_at(plain, joint).q] +
                                                (_i % 2 ? 0.03 : -0.02)};
        if (_i % 2) {
            options.start = &position;
            options.start_count = 1;
        } else {
            options.locked = &position;
            options.locked_count = 1;
        }
        snprintf(path, sizeof path, "%s/%s", td_robot_directory(), td_robots[_i / 2]);
        if (test_load_urdf(path, &options, NULL, &model) == TD_OK && td_nyd(model) > 0)
            check_urdf(model, NULL, &options);
    }
}

/* A four-bar that starts on its other branch records this in its file. */
TD_TEST(other_branches_come_back)
{
    const td_joint_position start[] = {{"coupler_joint", 2}, {"rocker_joint", 2}};
    td_load_options options = td_load_options_default();
    td_model *plain = td_load_robot("four_bar.urdf", NULL), *model = NULL;
    char path[4096];
    options.start = start;
    options.start_count = 2;
    snprintf(path, sizeof path, "%s/four_bar.urdf", td_robot_directory());
    assert_ok(test_load_urdf(path, &options, NULL, &model));
    ck_assert_double_gt(td_largest_difference(td_nq(plain),
                                              td_reference(plain, TD_COORDINATES_TREE),
                                              td_reference(model, TD_COORDINATES_TREE)),
                        0.3);
    check_urdf(model, NULL, &options);
}

/* Tests all joint types, followers, locked joints, starts, springs and payloads. */
TD_LOOP_TEST(random_robots_come_back, 0, 40)
{
    td_random random = {(uint64_t)_i + 1};
    td_builder *builder =
        _i % 2 ? coupled_random(&random, 14) : regular_robot(&random, 12, 4, false, TD_BASE_FIXED);
    td_model *plain = model_of_builder(builder, NULL);
    for (int k = 0; k < 2 && _i % 3 == 0; k++) {
        const td_spring spring = random_spring(&random, plain, k, true);
        td_builder_add_spring(builder, &spring);
    }
    td_load_options options = td_load_options_default();
    td_joint_position locked[2] = {{scalar_joint(plain, 1), 0.25}, {scalar_joint(plain, 2), -1.5}};
    td_joint_position start = {scalar_joint(plain, 0), 0.125};
    options.base = _i % 2 ? TD_BASE_FLOATING : TD_BASE_FIXED;
    options.gravity[2] = 1.0 / 3;
    options.locked = locked;
    options.locked_count = _i % 4 < 2 || !locked[1].joint ? 0 : 2;
    options.start = &start;
    options.start_count = _i % 5 == 0 && start.joint;
    td_model *model = model_of_builder(builder, &options);
    td_workspace *w = test_workspace(model);
    for (size_t link = 0; link < td_link_count(model); link += 3) {
        const double com[3] = {0.1, -0.2, 0.3}, inertia[6] = {0.02, 0.001, 0, 0.03, 0, 0.025};
        assert_ok(td_set_payload(w, link, 0.5, com, inertia));
    }
    check_urdf(model, w, &options);
}

TD_LOOP_TEST(loops_come_back, 0, loop_robot_count)
{
    td_model *model = loop_robot_load(&loop_robots[_i]);
    td_load_options options = td_load_options_default();
    options.base = loop_robots[_i].base;
    check_urdf(model, NULL, &options);
}

static void follow_by_all_forms(td_builder *builder)
{
    static const double c[] = {0.1, 0.5, -0.02}, at[] = {-3, -1, 0.5, 4}, value[] = {0, 0.5, 1, 0};
    td_curve curves[5] = {curve_polynomial("j1", 3, c), curve_sine("j1", 0.3, 1, 0),
                          curve_sine("j2", 0.3, 2, 0.1), curve_table("j2", 4, at, value),
                          curve_table("j1", 4, at, value)};
    curves[0].lower = -4, curves[0].upper = 2;
    curves[3].ends = TD_CURVE_ENDS_CLAMPED;
    curves[3].degree = 5;
    curves[3].end_slope[1] = curves[3].end_curvature[0] = 1.0 / 3;
    curves[4].ends = TD_CURVE_ENDS_PERIODIC;
    curve_follow(builder, "j3", &curves[0], 1, 0);
    curve_follow(builder, "j4", &curves[1], 1, 0.25);
    curve_follow(builder, "j5", curves, 5, -0.5);
    curve_follow(builder, "j6", &curves[4], 1, 0);
}

/* Locks no leader, one of them, or both. In the last case the curves are constants. */
TD_LOOP_TEST(curves_come_back, 0, 3)
{
    td_builder *builder = curve_row("rrrprc");
    const td_joint_position locked[] = {{"j1", 0.3}, {"j2", -0.7}};
    td_load_options options = td_load_options_default();
    follow_by_all_forms(builder);
    options.locked = locked;
    options.locked_count = (size_t)_i;
    td_model *model = model_of_builder(builder, &options);
    check_urdf(model, NULL, &options);
    if (_i == 0)
        check_records(model);
}

TD_TEST(flexible_links_come_back)
{
    td_flexible record = beam_record(5);
    record.damping_ratio = 0.02;
    record.end_clamped = false;
    td_builder *builder = beam_builder(&record, TD_JOINT_REVOLUTE);
    beam_add_body(builder, "beam", "tip", 0.8, 0.3, 0.01);
    td_model *model = model_of_builder(builder, NULL);
    check_urdf(model, NULL, NULL);
    td_workspace *w = test_workspace(model);
    td_export_options options = td_export_options_default();
    td_diagnostics *list = test_diagnostics(0);
    size_t size = 1;
    options.workspace = w;
    const size_t piece = td_link_index(model, "beam.2");
    ck_assert_uint_ne(piece, TD_NONE);
    assert_ok(td_set_payload(w, piece, 1, NULL, NULL));
    ck_assert_int_eq(td_model_export(model, &options, list, NULL, 0, &size), TD_ERROR_MODEL);
    ck_assert_uint_eq(size, 0);
    ck_assert_ptr_nonnull(strstr(td_find_diagnostic(list, "TD-X001")->message, "beam.2"));
}

/* ---- refusals and digests -------------------------------------------------------------------- */

static td_builder *two_links(const char *link, const char *joint)
{
    td_builder *builder = test_builder("robot");
    td_link a = td_link_default("a"), b = td_link_default(link);
    td_joint j = td_joint_default(joint, TD_JOINT_REVOLUTE, "a", link);
    b.has_inertial = true;
    b.mass = 2;
    b.inertia[0] = b.inertia[3] = b.inertia[5] = 0.1;
    b.inertial.position[0] = 0.5;
    td_builder_add_link(builder, &a);
    td_builder_add_link(builder, &b);
    td_builder_add_joint(builder, &j);
    return builder;
}

TD_TEST(names_are_escaped)
{
    static const char odd[] = "<\"b\"> & 'ü'\t\n\r";
    td_builder *builder = two_links(odd, "&amp;");
    td_model *model = model_of_builder(builder, NULL);
    check_urdf(model, NULL, NULL);
    size_t size;
    char *text = export_with(model, NULL, &size);
    td_model *back = load(text, size, NULL);
    ck_assert_str_eq(td_link_at(back, 1)->name, odd);
    ck_assert_str_eq(td_joint_at(back, 0)->name, "&amp;");
}

/* Tests fields that no bundled file uses. */
TD_TEST(every_number_comes_back)
{
    td_builder *builder = curve_row("rrr");
    td_link link = curve_link("l4");
    td_joint joint = td_joint_default("all", TD_JOINT_PRISMATIC, "l3", "l4");
    joint.limit = (td_limit){-0.1, 1.0 / 3, 2, 3, 4, 5, 6};
    joint.damping = 0.1, joint.friction = 0.2, joint.spring_stiffness = 0.3;
    joint.spring_reference = 0.4;
    joint.calibration_rising = 0.5, joint.calibration_falling = 0.6;
    joint.soft_lower = -0.05, joint.soft_upper = 0.25, joint.k_position = 7, joint.k_velocity = 8;
    joint.independent = 1;
    joint.reference[0] = 0.2;
    td_geometry shapes[2] = {td_geometry_default(TD_SHAPE_CAPSULE),
                             td_geometry_default(TD_SHAPE_MESH)};
    shapes[0].size[0] = 0.1, shapes[0].size[1] = 0.2;
    shapes[0].name = "rod", shapes[0].material = "<red>", shapes[0].rgba[0] = 0.5;
    shapes[0].rgba[1] = shapes[0].rgba[2] = 0, shapes[0].rgba[3] = 1;
    shapes[1].file = "package://x/y & z.stl", shapes[1].collision = true;
    shapes[1].size[2] = 0.001, shapes[1].origin.position[1] = 0.5;
    link.geometry = shapes, link.geometry_count = 2;
    td_transmission drive = td_transmission_default("drive", "all");
    drive.type = "a < b", drive.actuator = "motor", drive.mechanical_reduction = -20;
    drive.rotor_inertia = 1e-5;
    td_builder_add_link(builder, &link);
    td_builder_add_joint(builder, &joint);
    td_builder_add_transmission(builder, &drive);
    td_model *model = model_of_builder(builder, NULL);
    check_urdf(model, NULL, NULL);
    check_records(model);
}

static void check_refused(td_builder *builder, const td_load_options *options, const char *words)
{
    td_model *model = model_of_builder(builder, options);
    td_diagnostics *list = test_diagnostics(0);
    size_t size = 1;
    uint64_t digest = 1;
    ck_assert_int_eq(td_model_export(model, NULL, list, NULL, 0, &size), TD_ERROR_MODEL);
    ck_assert_uint_eq(size, 0);
    ck_assert_int_eq(td_model_digest(model, NULL, &digest), TD_ERROR_MODEL);
    ck_assert_uint_eq(digest, 0);
    const td_diagnostic *found = td_find_diagnostic(list, "TD-X001");
    ck_assert_ptr_nonnull(found);
    ck_assert_msg(strstr(found->message, words) != NULL, "%s", found->message);
    for (size_t i = 1; i < td_diagnostics_size(list); i++) /* all reasons are reported at once */
        ck_assert_str_ne(td_diagnostics_at(list, i)->message,
                         td_diagnostics_at(list, i - 1)->message);
}

TD_TEST(what_cannot_be_held_is_named)
{
    check_refused(two_links("b\x01", "j"), NULL, "link 'b");
    check_refused(two_links("b", "\xff"), NULL, "0xff");
    td_builder *builder = two_links("b", "j");
    td_link link = td_link_default("c");
    td_joint joint = td_joint_default("skew", TD_JOINT_FIXED, "b", "c");
    joint.origin.rotation[1] = 1e-8;
    td_builder_add_link(builder, &link);
    td_builder_add_joint(builder, &joint);
    check_refused(builder, NULL, "joint 'skew'");
    builder = curve_row("rrr");
    const td_coupling coupling = td_coupling_default("gear", "l1", "l3", 2);
    const td_joint_position locked = {"j2", 0.3};
    td_load_options options = td_load_options_default();
    td_builder_add_coupling(builder, &coupling);
    options.locked = &locked;
    options.locked_count = 1;
    check_refused(builder, &options, "coupling 'gear' includes joint 'j2'");
}

/* Changes one field of a link or joint; the test checks whether the digest changes. */
static void change(td_link *link, td_joint *joint, int k)
{
    switch (k) {
    case 0:
        link->mass = nextafter(link->mass, 3);
        break;
    case 1:
        link->inertia[4] = 1e-9;
        break;
    case 2:
        link->inertial.position[2] = 1e-9;
        break;
    case 3:
        joint->origin.position[0] = 1e-9;
        break;
    case 4:
        td_rotation_from_rpy(0, 0, 1e-9, joint->origin.rotation);
        break;
    case 5:
        joint->axis[1] = 1e-3;
        break;
    case 6:
        joint->damping = 0.1;
        break;
    case 7:
        joint->friction = 0.1;
        break;
    case 8:
        joint->spring_stiffness = 1;
        break;
    case 9:
        joint->type = TD_JOINT_PRISMATIC;
        break;
    case 10:
        joint->limit.lower = -1, joint->limit.upper = 1;
        break;
    case 11:
        joint->reference[0] = 0.1;
        break;
    default: /* dynamics do not depend on it */
        joint->limit.effort = 3;
        joint->limit.velocity = 2;
        joint->soft_upper = 1;
        joint->calibration_rising = 1;
        break;
    }
}

TD_TEST(digests_see_what_dynamics_depend_on)
{
    enum { CHANGES = 12 };
    uint64_t first = 0;
    for (int k = -1; k <= CHANGES; k++) {
        td_builder *builder = test_builder("robot");
        td_link a = td_link_default("a"), b = td_link_default("b");
        td_joint j = td_joint_default("j", TD_JOINT_REVOLUTE, "a", "b");
        b.has_inertial = true;
        b.mass = 2;
        b.inertia[0] = b.inertia[3] = b.inertia[5] = 0.1;
        if (k >= 0)
            change(&b, &j, k);
        td_builder_add_link(builder, &a);
        td_builder_add_link(builder, &b);
        td_builder_add_joint(builder, &j);
        td_model *model = model_of_builder(builder, NULL);
        const uint64_t digest = digest_of(model, NULL);
        if (k < 0)
            first = digest;
        else
            ck_assert_msg((digest == first) == (k == CHANGES), "change %d", k);
    }
    td_builder *builder = two_links("b", "j");
    td_load_options options = td_load_options_default();
    td_model *plain = model_of_builder(builder, NULL);
    options.base = TD_BASE_FLOATING;
    td_model *floating = model_of_builder(builder, &options);
    ck_assert_uint_ne(digest_of(plain, NULL), digest_of(floating, NULL));
    td_workspace *w = test_workspace(plain);
    const double gravity[3] = {0, 0, -1.62};
    ck_assert_uint_eq(digest_of(plain, NULL), digest_of(plain, w));
    td_set_gravity(w, gravity);
    ck_assert_uint_ne(digest_of(plain, NULL), digest_of(plain, w));
}

/* Angles of a file come back exactly as written, also at a pitch of 90°. */
TD_TEST(angles_come_back)
{
    static const double nice[] = {0,
                                  0.1,
                                  -1.57,
                                  1.5707963267948966,
                                  -1.5707963,
                                  3.14159265359,
                                  -2.356194490192345,
                                  0.7853981633974483};
    enum { COUNT = sizeof nice / sizeof *nice };
    int missed = 0;
    for (int n = 0; n < COUNT * COUNT * COUNT; n++) {
        td_builder *builder = two_links("b", "j");
        td_link link = td_link_default("c");
        td_joint joint = td_joint_default("k", TD_JOINT_FIXED, "b", "c");
        td_rotation_from_rpy(nice[n % COUNT], nice[n / COUNT % COUNT], nice[n / COUNT / COUNT],
                             joint.origin.rotation);
        td_builder_add_link(builder, &link);
        td_builder_add_joint(builder, &joint);
        td_model *model = model_of_builder(builder, NULL);
        size_t size;
        char *text = export_with(model, NULL, &size);
        td_model *back = load(text, size, NULL);
        const double *R = td_joint_at(back, td_joint_index(back, "k"))->origin.rotation;
        const bool steep = fabs(cos(nice[n / COUNT % COUNT])) < 1e-3;
        td_assert_close(9, R, joint.origin.rotation, 4e-16, 1);
        for (int i = 0, same = 1; i < 9 && same; i++) {
            same = R[i] == joint.origin.rotation[i];
            missed += !same && !steep;
        }
    }
    ck_assert_int_le(missed, COUNT * COUNT * COUNT / 50);
}

/* Near ±90° of pitch, yaw and roll are each ill-conditioned. Rotations are recovered to 1e-12, and
   so are rotations that were not written as angles. */
TD_TEST(steep_angles_are_found)
{
    td_random random = {11};
    for (int n = 0; n < 4000; n++) {
        double x[3], R[9], A[9], B[9], found[3], again[9];
        td_random_fill(&random, 3, x);
        const double off = pow(10, -1 - 16 * fabs(x[1]));
        td_rotation_from_rpy(3 * x[0], (n % 2 ? 1 : -1) * (M_PI / 2 + (n % 4 < 2 ? off : -off)),
                             3 * x[2], R);
        if (n % 8 >= 4) { /* rounded differently */
            td_rotation_from_rpy(x[0], x[1], x[2], A);
            for (int i = 0; i < 9; i++)
                B[i] = A[i / 3 * 3] * R[i % 3] + A[i / 3 * 3 + 1] * R[3 + i % 3] +
                       A[i / 3 * 3 + 2] * R[6 + i % 3];
            for (int i = 0; i < 9; i++)
                R[i] =
                    A[i / 3] * B[i % 3] + A[3 + i / 3] * B[3 + i % 3] + A[6 + i / 3] * B[6 + i % 3];
        }
        td_builder *builder = two_links("b", "j");
        td_link link = td_link_default("c");
        td_joint joint = td_joint_default("k", TD_JOINT_FIXED, "b", "c");
        memcpy(joint.origin.rotation, R, sizeof R);
        td_builder_add_link(builder, &link);
        td_builder_add_joint(builder, &joint);
        td_model *model = model_of_builder(builder, NULL);
        size_t size;
        char *text = export_with(model, NULL, &size);
        const char *at = strstr(text, "rpy=\"");
        ck_assert_ptr_nonnull(at);
        ck_assert_int_eq(sscanf(at, "rpy=\"%lf %lf %lf", found, found + 1, found + 2), 3);
        td_rotation_from_rpy(found[0], found[1], found[2], again);
        td_assert_close(9, again, R, 1e-13, 1);
    }
}

/* Exports the payload of a link that occurs only as a parent of a joint. */
TD_TEST(payloads_of_implied_links_are_kept)
{
    td_builder *builder = test_builder("part");
    td_link link = curve_link("arm");
    td_joint joint = td_joint_default("j", TD_JOINT_REVOLUTE, "flange", "arm");
    td_load_options options = td_load_options_default();
    options.partial = true;
    options.base = TD_BASE_FLOATING;
    td_builder_add_link(builder, &link), td_builder_add_joint(builder, &joint);
    td_model *model = model_of_builder(builder, &options);
    td_workspace *w = test_workspace(model);
    const size_t flange = td_link_index(model, "flange");
    ck_assert_uint_ne(flange, TD_NONE);
    const double inertia[6] = {0.2, 0, 0, 0.3, 0, 0.4}, center[3] = {0.1, 0.2, 0.3};
    const uint64_t without = digest_of(model, w);
    assert_ok(td_allow_payloads(w));
    assert_ok(td_set_payload(w, flange, 2, center, inertia));
    ck_assert(digest_of(model, w) != without);
    size_t size;
    char *text = export_with(model, w, &size);
    td_model *back = load(text, size, &options);
    const td_link *found = td_link_at(back, td_link_index(back, "flange"));
    ck_assert_double_eq(found->mass, 2);
    ck_assert_double_eq(found->inertial.position[1], 0.2);
}

/* Omits limits that are ignored. The robot must start where it did with them. */
TD_TEST(ignored_limits_are_left_out)
{
    td_builder *builder = test_builder("robot");
    const td_joint_type types[] = {TD_JOINT_REVOLUTE, TD_JOINT_PRISMATIC, TD_JOINT_REVOLUTE};
    static const char *const names[] = {"a", "b", "c"};
    td_link root = curve_link("root");
    td_builder_add_link(builder, &root);
    for (int i = 0; i < 3; i++) {
        td_link link = curve_link(names[i]);
        td_joint joint = td_joint_default(names[i], types[i], "root", names[i]);
        joint.limit.lower = i - 1; /* one joint starts at its limit */
        joint.limit.upper = 3;
        joint.limit.velocity = 2;
        joint.soft_lower = i;
        td_builder_add_link(builder, &link), td_builder_add_joint(builder, &joint);
    }
    td_load_options options = td_load_options_default();
    options.ignore_limits = true;
    td_model *model = model_of_builder(builder, &options);
    size_t size;
    char *text = export_with(model, NULL, &size);
    td_model *back = load(text, size, NULL);
    for (size_t i = 0; i < 3; i++) {
        const td_joint *joint = td_joint_at(back, i);
        ck_assert(isnan(joint->limit.lower) && isnan(joint->limit.upper));
        ck_assert(isnan(joint->soft_lower) && joint->limit.velocity == 2);
        ck_assert(joint->type == (i == 1 ? TD_JOINT_PRISMATIC : TD_JOINT_CONTINUOUS));
        ck_assert(isnan(joint->reference[0]) == (i < 2));
    }
    ck_assert_double_eq(td_reference(back, TD_COORDINATES_TREE)[2], 1);
    ck_assert_mem_eq(td_reference(back, TD_COORDINATES_TREE),
                     td_reference(model, TD_COORDINATES_TREE), 3 * sizeof(double));
}

/* Files have the same numbers in every rounding mode of the caller. */
TD_TEST(rounding_of_the_caller)
{
    static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    uint64_t first = 0;
    for (int k = 0; k < 4; k++) {
        ck_assert_int_eq(fesetround(modes[k]), 0);
        td_model *model = td_load_robot("gripper.urdf", NULL);
        const int mode = fegetround();
        fesetround(FE_TONEAREST);
        ck_assert_int_eq(mode, modes[k]);
        const uint64_t digest = digest_of(model, NULL);
        first = k ? first : digest;
        ck_assert(digest == first);
    }
}

TD_TEST(wrong_arguments_are_refused)
{
    td_builder *builder = two_links("b", "j");
    td_model *model = model_of_builder(builder, NULL), *other = model_of_builder(builder, NULL);
    td_workspace *w = test_workspace(other);
    td_export_options options = td_export_options_default();
    char text[10];
    size_t size;
    uint64_t digest;
    ck_assert_int_eq(td_model_export(NULL, NULL, NULL, NULL, 0, &size), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_model_export(model, NULL, NULL, NULL, 0, NULL), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_model_export(model, NULL, NULL, NULL, 1, &size), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_model_export(model, NULL, NULL, text, 10, &size), TD_ERROR_ARGUMENT);
    ck_assert_uint_gt(size, 10);
    options.format = (td_export_format)9;
    ck_assert_int_eq(td_model_export(model, &options, NULL, NULL, 0, &size), TD_ERROR_ARGUMENT);
    options = td_export_options_default();
    options.workspace = w;
    ck_assert_int_eq(td_model_export(model, &options, NULL, NULL, 0, &size), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_model_digest(model, w, &digest), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_model_digest(NULL, NULL, &digest), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_model_digest(model, NULL, NULL), TD_ERROR_ARGUMENT);
}
