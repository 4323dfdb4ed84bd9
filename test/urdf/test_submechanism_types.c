/* SPDX-License-Identifier: MIT */
/*
 * Tests HyRoDyn's built-in submechanism types. Loops are derived from the robot's joints and frames
 * and must produce the motions that the geometry requires. Types that cannot be derived are
 * refused.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "failing.h"
#include "td_test.h"

/* ---- vectors --------------------------------------------------------------------------------- */

typedef struct vector {
    double x, y, z;
} vector;

static vector sum(vector a, double s, vector b)
{
    return (vector){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static double dot(vector a, vector b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static vector cross(vector a, vector b)
{
    return (vector){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double length(vector a)
{
    return sqrt(dot(a, a));
}

static vector unit(vector a)
{
    return (vector){a.x / length(a), a.y / length(a), a.z / length(a)};
}

/* Returns Rx(roll) Ry(pitch) v. */
static vector turned(double roll, double pitch, vector v)
{
    vector p = {cos(pitch) * v.x + sin(pitch) * v.z, v.y, cos(pitch) * v.z - sin(pitch) * v.x};
    return (vector){p.x, cos(roll) * p.y - sin(roll) * p.z, sin(roll) * p.y + cos(roll) * p.z};
}

/* ---- robots ---------------------------------------------------------------------------------- */

static const vector x_axis = {1, 0, 0}, y_axis = {0, 1, 0}, z_axis = {0, 0, 1}, origin = {0, 0, 0};

/* Adds a joint and a child link of the same name, whose frame has its z along the last argument. */
static void add(td_builder *builder, const char *name, td_joint_type type, const char *parent,
                vector at, vector axis, vector z)
{
    td_link link = td_solid_link(name, 1, 0.1);
    td_builder_add_link(builder, &link);
    td_joint joint = td_joint_default(name, type, parent, name);
    vector e3 = unit(z), e1 = unit(cross(fabs(e3.x) > 0.9 ? y_axis : x_axis, e3)),
           e2 = cross(e3, e1);
    const double rotation[9] = {e1.x, e2.x, e3.x, e1.y, e2.y, e3.y, e1.z, e2.z, e3.z};
    const double position[3] = {at.x, at.y, at.z}, direction[3] = {axis.x, axis.y, axis.z};
    if (z.x != 0 || z.y != 0)
        memcpy(joint.origin.rotation, rotation, sizeof rotation);
    memcpy(joint.origin.position, position, sizeof position);
    memcpy(joint.axis, direction, sizeof direction);
    td_builder_add_joint(builder, &joint);
}

static td_builder *builder_with_base(void)
{
    td_builder *builder = test_builder("robot");
    td_link base = td_link_default("base");
    td_builder_add_link(builder, &base);
    return builder;
}

/* Adds a leg of two hinges that intersect at a point of the base, and a slider that ends at another
   point. */
static void add_leg(td_builder *builder, int number, vector from, vector to)
{
    static const char *const names[6][3] = {{"a1", "a2", "a3"}, {"b1", "b2", "b3"},
                                            {"c1", "c2", "c3"}, {"d1", "d2", "d3"},
                                            {"e1", "e2", "e3"}, {"f1", "f2", "f3"}};
    const char *const *name = names[number];
    vector along = sum(to, -1, from), out = {0, 0, length(along)};
    add(builder, name[0], TD_JOINT_CONTINUOUS, "base", from, x_axis, along);
    add(builder, name[1], TD_JOINT_CONTINUOUS, name[0], origin, y_axis, z_axis);
    add(builder, name[2], TD_JOINT_PRISMATIC, name[1], out, z_axis, z_axis);
}

static td_model *finish(td_builder *builder, const char *list, td_diagnostics *diagnostics)
{
    td_model *model = NULL;
    if (td_parse_submechanisms_memory(builder, list, strlen(list), "list", NULL, diagnostics) ==
        TD_OK)
        test_builder_finish(builder, NULL, diagnostics, &model);
    for (size_t i = 0; i < td_diagnostics_size(diagnostics); i++)
        printf("# %s\n", td_diagnostics_at(diagnostics, i)->message);
    return model;
}

/* Returns the model. Permits only diagnostics about limits. */
static td_model *made(td_builder *builder, const char *list)
{
    td_diagnostics *diagnostics = test_diagnostics(0);
    td_model *model = finish(builder, list, diagnostics);
    ck_assert_ptr_nonnull(model);
    for (size_t i = 0; i < td_diagnostics_size(diagnostics); i++)
        ck_assert_str_eq(td_diagnostics_at(diagnostics, i)->code, "URDF-J007");
    return model;
}

static double value_of(const td_model *model, const double *q, const char *joint)
{
    return q[td_joint_place_at(model, td_joint_index(model, joint)).q];
}

/* ---- types ----------------------------------------------------------------------------------- */

#define RRPR                                                                                       \
    "submechanisms: [{type: rrPr, jointnames_independent: [knee],"                                 \
    " jointnames_spanningtree: [knee, foot, slider], jointnames_active: [slider]}]"

/* Builds a triangle in the plane normal to y. Its corners are the knee (0), the actuator's foot and
   its end. The foot's frame has its x along y; skew rotates its hinge out of that direction. */
static td_builder *lambda(vector foot, vector end, double skew)
{
    td_builder *builder = builder_with_base();
    vector along = sum(end, -1, foot), out = {0, 0, length(along)};
    vector across = {cos(skew), sin(skew), 0};
    add(builder, "knee", TD_JOINT_CONTINUOUS, "base", origin, y_axis, z_axis);
    add(builder, "weld", TD_JOINT_FIXED, "base", foot, x_axis, z_axis);
    add(builder, "foot", TD_JOINT_CONTINUOUS, "weld", origin, across, along);
    add(builder, "slider", TD_JOINT_PRISMATIC, "foot", out, z_axis, z_axis);
    return builder;
}

TD_TEST(triangle)
{
    const vector foot = {-0.3, 0, 0.05}, end = {0.1, 0, -0.25};
    td_model *model = made(lambda(foot, end, 0), RRPR);
    ck_assert_uint_eq(td_nyd(model), 1);
    td_workspace *workspace = test_workspace(model);
    for (double y = -0.5; y < 0.6; y += 0.25) {
        double q[3];
        assert_ok(td_closure(model, workspace, &y, NULL, NULL, q, NULL, NULL));
        double d = length(sum(turned(0, y, end), -1, foot));
        double way = d - length(sum(end, -1, foot));
        ck_assert_double_eq_tol(value_of(model, q, "slider"), way, 1e-14);
    }
}

static const vector foot_of[2] = {{-0.05, 0.04, -0.3}, {-0.05, -0.04, -0.3}};

/* Adds roll and pitch of a platform, and the points at which the two actuators end. */
static void add_platform(td_builder *builder)
{
    add(builder, "roll", TD_JOINT_CONTINUOUS, "base", origin, x_axis, z_axis);
    add(builder, "pitch", TD_JOINT_CONTINUOUS, "roll", origin, y_axis, z_axis);
}

static void check_lengths(const td_model *model, double (*expected)(int leg, double, double))
{
    td_workspace *workspace = test_workspace(model);
    ck_assert_uint_eq(td_nyd(model), 2);
    for (double roll = -0.4; roll < 0.5; roll += 0.2)
        for (double pitch = -0.4; pitch < 0.5; pitch += 0.2) {
            double q[10];
            const double y[2] = {roll, pitch};
            assert_ok(td_closure(model, workspace, y, NULL, NULL, q, NULL, NULL));
            for (int leg = 0; leg < 2; leg++)
                ck_assert_double_eq_tol(value_of(model, q, leg ? "b3" : "a3"),
                                        expected(leg, roll, pitch) - expected(leg, 0, 0), 1e-13);
        }
}

static const vector ball_of[2] = {{-0.08, 0.05, 0.02}, {-0.07, -0.05, 0.02}};

static double to_ball(int leg, double roll, double pitch)
{
    return length(sum(turned(roll, pitch, ball_of[leg]), -1, foot_of[leg]));
}

TD_TEST(two_legs_on_a_platform)
{
    td_builder *builder = builder_with_base();
    add_platform(builder);
    for (int leg = 0; leg < 2; leg++)
        add_leg(builder, leg, foot_of[leg], ball_of[leg]);
    td_model *model =
        made(builder, "submechanisms: [{type: 2SPU+1U,"
                      " jointnames_independent: [roll, pitch],"
                      " jointnames_spanningtree: [roll, pitch, a1, a2, a3, b1, b2, b3]}]");
    check_lengths(model, to_ball);
}

static const double arm = 0.03; /* of the levers, whose hinges have the axis x */

/* Computes the actuator's length. The lever points to the actuator's foot. Across the hinge's axis,
   it shortens the distance between hinge and foot by the arm. */
static double to_lever(int leg, double roll, double pitch)
{
    vector way = sum(foot_of[leg], -1, turned(roll, pitch, ball_of[leg])),
           axis = turned(roll, pitch, x_axis);
    return hypot(dot(axis, way), length(cross(axis, way)) - arm);
}

TD_TEST(two_legs_on_levers)
{
    td_builder *builder = builder_with_base();
    add_platform(builder);
    for (int leg = 0; leg < 2; leg++) {
        vector way = sum(foot_of[leg], -1, ball_of[leg]);
        vector end = sum(ball_of[leg], arm, unit(sum(way, -way.x, x_axis)));
        add(builder, leg ? "lever_b" : "lever_a", TD_JOINT_CONTINUOUS, "pitch", ball_of[leg],
            x_axis, z_axis);
        add_leg(builder, leg, foot_of[leg], end);
    }
    td_model *model =
        made(builder, "submechanisms: [{type: 2SPRR+1U, jointnames_independent: [roll, pitch],"
                      " jointnames_spanningtree: [roll, pitch, lever_a, lever_b, a1, a2, a3,"
                      " b1, b2, b3]}]");
    check_lengths(model, to_lever);
}

TD_TEST(six_legs)
{
    static const td_joint_type types[6] = {TD_JOINT_PRISMATIC,  TD_JOINT_PRISMATIC,
                                           TD_JOINT_PRISMATIC,  TD_JOINT_CONTINUOUS,
                                           TD_JOINT_CONTINUOUS, TD_JOINT_CONTINUOUS};
    static const char *const names[6] = {"x", "y", "z", "rx", "ry", "rz"};
    const vector axes[3] = {x_axis, y_axis, z_axis}, up = {0, 0, 0.6};
    vector foot[6], ball[6];
    td_builder *builder = builder_with_base();
    for (int k = 0; k < 6; k++)
        add(builder, names[k], types[k], k ? names[k - 1] : "base", k ? origin : up, axes[k % 3],
            z_axis);
    for (int leg = 0; leg < 6; leg++) {
        double a = leg / 2 * 2.0944 + (leg % 2 ? 0.2 : -0.2), b = a + (leg % 2 ? 0.7 : -0.7);
        foot[leg] = (vector){cos(a), sin(a), 0};
        ball[leg] = (vector){0.5 * cos(b), 0.5 * sin(b), 0};
        add_leg(builder, leg, foot[leg], sum(up, 1, ball[leg]));
    }
    td_model *model =
        made(builder, "submechanisms: [{type: 6UPS,"
                      " jointnames_independent: [x, y, z, rx, ry, rz],"
                      " jointnames_spanningtree: [x, y, z, rx, ry, rz, a1, a2, a3, b1,"
                      " b2, b3, c1, c2, c3, d1, d2, d3, e1, e2, e3, f1, f2, f3]}]");
    ck_assert_uint_eq(td_nyd(model), 6);
    td_workspace *workspace = test_workspace(model);
    const double y[6] = {0.05, -0.04, 0.1, 0.1, -0.2, 0};
    double q[24];
    assert_ok(td_closure(model, workspace, y, NULL, NULL, q, NULL, NULL));
    for (int leg = 0; leg < 6; leg++) {
        const char name[3] = {(char)('a' + leg), '3', 0};
        vector moved =
            sum(sum(up, 1, (vector){y[0], y[1], y[2]}), 1, turned(y[3], y[4], ball[leg]));
        double way =
            length(sum(moved, -1, foot[leg])) - length(sum(sum(up, 1, ball[leg]), -1, foot[leg]));
        ck_assert_double_eq_tol(value_of(model, q, name), way, 1e-13);
    }
}

/* ---- types that cannot be derived ------------------------------------------------------------ */

#define OF_TYPE(type) "submechanisms: [{type: " type ", jointnames_independent: [knee], "
#define TREE(joints) "jointnames_spanningtree: [" joints "]}]"
static const struct {
    const char *list, *code, *message;
    double skew;
} refused[] = {
    {RRPR, "URDF-Y010", "is not planar", 0.01},
    {OF_TYPE("rrPr") TREE("knee, slider, foot"), "URDF-Y010", "lead from the base", 0},
    {OF_TYPE("rrPr") TREE("foot, knee, slider"), "URDF-Y010",
     "not exactly the joints of its platform", 0},
    {OF_TYPE("rrPr") TREE("knee, foot"), "URDF-Y010", "the wrong number of joints", 0},
    {OF_TYPE("2SPU+1U") TREE("knee, foot, slider"), "URDF-Y010", "the wrong number of joints", 0},
    {OF_TYPE("3RUS2") TREE("knee, foot, slider"), "URDF-Y010", "are not in the URDF", 0},
    {OF_TYPE("3RUS2_ANKLE") TREE("knee, foot, slider"), "URDF-Y010", "are not in the URDF", 0},
    {OF_TYPE("2SURRPR+1U") TREE("knee, foot, slider"), "URDF-Y010", "are not in the URDF", 0},
    {OF_TYPE("TRANSMISSION") TREE("knee, foot, slider"), "URDF-Y010", "uses <mimic>", 0},
    {OF_TYPE("PARALLELOGRAMCHAIN") TREE("knee, foot, slider"), "URDF-Y010", "uses <mimic>", 0},
    {OF_TYPE("3R") TREE("knee, foot, slider"), "URDF-Y040", "'foot', 'slider' are declared", 0},
    {OF_TYPE("NUMERICAL") TREE("knee, foot"), "URDF-Y040", "'foot' is declared", 0},
    /* a ball joint at the end of the platform's lever leaves no joint free that the list declares
     */
    {"submechanisms: [{type: NUMERICAL, jointnames_independent: [knee], loop_constraints: [{"
     "cut_joint: slider, type: distance, distance: 0.3, predecessor_body: slider,"
     "successor_body: base}], " TREE("knee, foot, slider"),
     "URDF-Y040", "'foot' is declared", 0},
};

TD_LOOP_TEST(refusals, 0, sizeof refused / sizeof *refused)
{
    const vector foot = {-0.3, 0, 0.05}, end = {0.1, 0, -0.25};
    td_builder *builder = lambda(foot, end, refused[_i].skew);
    td_diagnostics *list = test_diagnostics(0);
    ck_assert_ptr_null(finish(builder, refused[_i].list, list));
    const td_diagnostic *error = NULL;
    for (size_t i = 0; i < td_diagnostics_size(list); i++)
        if (td_diagnostics_at(list, i)->severity == TD_SEVERITY_ERROR)
            error = td_diagnostics_at(list, i);
    ck_assert_uint_eq(td_diagnostics_count(list, TD_SEVERITY_ERROR), 1);
    ck_assert_str_eq(error->code, refused[_i].code);
    ck_assert_ptr_nonnull(strstr(error->message, refused[_i].message));
    ck_assert_str_ne(error->remedy, "");
    ck_assert_str_eq(error->source.file, "list");
}

/* Keeps loops that the robot already has, instead of deriving them again or adding a type's loops.
 */
TD_TEST(known_loops_are_kept)
{
    const vector foot = {-0.3, 0, 0.05}, end = {0.1, 0, -0.25};
    td_builder *builder = lambda(foot, end, 0);
    td_loop loop = td_loop_default("pin", "slider", "knee");
    loop.type = TD_LOOP_SPHERICAL;
    memcpy(loop.successor_origin.position, (const double[]){end.x, end.y, end.z}, 24);
    td_builder_add_loop(builder, &loop);
    td_model *model = made(builder, RRPR);
    ck_assert_uint_eq(td_loop_count(model), 1);
    ck_assert_uint_eq(td_nyd(model), 1);

    builder = builder_with_base();
    add_platform(builder);
    td_link link = td_link_default("follower");
    td_builder_add_link(builder, &link);
    td_joint joint = td_joint_default("follower", TD_JOINT_CONTINUOUS, "pitch", "follower");
    joint.mimic = "pitch";
    td_builder_add_joint(builder, &joint);
    td_diagnostics *list = test_diagnostics(0);
    model = finish(builder,
                   "submechanisms: [{type: PARALLELOGRAMCHAIN, jointnames_independent: [pitch],"
                   " jointnames_spanningtree: [pitch, follower]}]",
                   list);
    ck_assert_ptr_nonnull(model);
}

static td_status read_with_allocations(const char *text, long allocations, long *leaked)
{
    const vector foot = {-0.3, 0, 0.05}, end = {0.1, 0, -0.25};
    const size_t kept = owned_count();
    td_builder *builder = lambda(foot, end, 0);
    td_diagnostics *list = test_diagnostics(0);
    td_model *model = NULL;
    long before = failing_pieces;
    failing_left = allocations;
    td_status status = td_parse_submechanisms_memory(builder, text, strlen(text), "s", NULL, list);
    if (status == TD_OK)
        status = test_builder_finish(builder, NULL, list, &model);
    failing_left = -1;
    release_since(&kept);
    *leaked = failing_pieces - before;
    return status;
}

TD_TEST(every_allocation_may_fail)
{
    failing_each(read_with_allocations, RRPR, TD_OK);
    failing_each(read_with_allocations, OF_TYPE("3RUS2") TREE("knee, foot, slider"),
                 TD_ERROR_MODEL);
    failing_each(read_with_allocations, OF_TYPE("3R") TREE("knee, foot, slider"), TD_ERROR_MODEL);
}

/* Loads HyRoDyn's leg with its own list, if the data are available. */
TD_TEST(leg_of_hyrodyn)
{
    const char *data = td_data_directory();
    char path[2][4096];
    FILE *file = NULL;
    for (int k = 0; data && k < 2; k++)
        snprintf(path[k], sizeof path[k], "%s/found/hyrodyn/%s", data,
                 k ? "submechanisms.yml" : "leg.urdf");
    if (data)
        file = fopen(path[0], "rb");
    if (!file) {
        printf("# no robot of HyRoDyn here (meson option 'data'): leg_of_hyrodyn skipped\n");
        return;
    }
    fclose(file);
    td_load_options options = td_load_options_default();
    options.submechanisms = path[1];
    td_model *model;
    assert_ok(test_load_urdf(path[0], &options, NULL, &model));
    ck_assert_uint_eq(td_nv(model), 18);
    ck_assert_uint_eq(td_nyd(model), 6);
    ck_assert_uint_eq(td_loop_count(model), 4);
}
