/* SPDX-License-Identifier: MIT */
/*
 * Compares screw, ball and universal joints with simple joints and massless links between them. A
 * screw is a revolute joint and a prismatic joint that follows it. A universal joint rotates about
 * x and then y, a ball joint about z, y and x. Both links have further joints. Loops around the
 * joint leave it independent, or determine all or part of it. Also compares the table of joint
 * types with the kernels.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/joint_kind.h"
#include "model/model.h"
#include "tandem/simulation.h"
#include "td_test.h"

typedef enum looped { OPEN, INDEPENDENT, DEPENDENT, VARIANTS } looped;

enum { LINKS = 4, MOST_Y = 8 };

/* Properties of a robot, shared by the joint and its replacement. */
typedef struct numbers {
    td_link link[LINKS];
    td_joint before, between, behind;
    td_loop loop;
    looped variant;
    unsigned dependents; /* components of the joint that the loop determines */
} numbers;

typedef struct robot {
    td_model *model;
    td_workspace *w;
    double y[MOST_Y], yd[MOST_Y], ydd[MOST_Y], tau[MOST_Y];
    double poses[12 * LINKS], velocities[6 * LINKS], accelerations[6 * LINKS], energy[2];
    double reaction[6]; /* of the link that carries the child */
} robot;

static const char *const link_names[LINKS] = {"base", "first", "second", "third"};

static void random_joint(td_random *random, td_joint *joint)
{
    td_random_fill(random, 3, joint->origin.position);
    td_random_rotation(random, joint->origin.rotation);
    td_random_fill(random, 3, joint->axis);
    const double length =
        sqrt(pow(joint->axis[0], 2) + pow(joint->axis[1], 2) + pow(joint->axis[2], 2));
    for (int k = 0; k < 3; k++)
        joint->axis[k] /= length;
}

static numbers draw(td_random *random, td_joint_type type, looped variant)
{
    numbers n = {.variant = variant};
    for (int i = 0; i < LINKS; i++) {
        td_link *link = &n.link[i];
        *link = td_link_default(link_names[i]);
        link->has_inertial = true;
        link->mass = 1.5 + td_random_number(random);
        td_random_fill(random, 3, link->inertial.position);
        td_random_rotation(random, link->inertial.rotation);
        const double a = 1.1 + td_random_number(random), b = 1.1 + td_random_number(random),
                     c = 1.1 + td_random_number(random);
        link->inertia[0] = b + c, link->inertia[3] = a + c, link->inertia[5] = a + b;
    }
    n.before = td_joint_default("before", TD_JOINT_CONTINUOUS, "base", "first");
    n.between = td_joint_default("between", type, "first", "second");
    n.behind = td_joint_default("behind", TD_JOINT_CONTINUOUS, "second", "third");
    random_joint(random, &n.before);
    random_joint(random, &n.between);
    random_joint(random, &n.behind);
    if (type == TD_JOINT_SCREW) {
        n.between.pitch = 1 + 0.5 * td_random_number(random);
        n.between.damping = 0.3;
        n.between.spring_stiffness = 2;
    }
    if (type == TD_JOINT_UNIVERSAL) {
        n.between.damping = 0.2;
        n.between.friction = 0.1;
        n.between.spring_stiffness = 1.5;
        n.between.spring_reference = 0.3;
    }
    n.loop = td_loop_default("loop", "base",
                             type == TD_JOINT_BALL && variant == DEPENDENT ? "second" : "third");
    td_random_fill(random, 3, n.loop.successor_origin.position);
    return n;
}

static void add(td_builder *builder, td_joint joint, const char *name, const char *parent,
                const char *child, int independent)
{
    joint.name = name;
    joint.parent = parent;
    joint.child = child;
    joint.independent = independent;
    assert_ok(td_builder_add_joint(builder, &joint));
}

/* Adds the simple joints that replace the joint, at the same point. */
static void add_simple(td_builder *builder, const numbers *n)
{
    static const double axes[][3][3] = {
        [TD_JOINT_BALL] = {{0, 0, 1}, {0, 1, 0}, {1, 0, 0}},
        [TD_JOINT_UNIVERSAL] = {{1, 0, 0}, {0, 1, 0}},
    };
    static const char *const names[] = {"a", "b", "c"}, *const between[] = {"m", "n"};
    const td_joint_type type = n->between.type;
    const int count = type == TD_JOINT_BALL ? 3 : 2;
    for (int k = 0; k < count; k++) {
        const bool slides = type == TD_JOINT_SCREW && k == 1;
        td_joint joint = n->between;
        joint.type = slides                     ? TD_JOINT_PRISMATIC
                     : isnan(joint.limit.lower) ? TD_JOINT_CONTINUOUS
                                                : TD_JOINT_REVOLUTE;
        joint.pitch = 0;
        if (type != TD_JOINT_SCREW)
            memcpy(joint.axis, axes[type][k], sizeof joint.axis);
        if (k > 0)
            joint.origin = (td_pose)TD_POSE_IDENTITY;
        if (slides) {
            joint.mimic = "a";
            joint.multiplier = n->between.pitch / (4 * acos(0));
            joint.damping = joint.spring_stiffness = 0;
            joint.limit.lower = joint.limit.upper = NAN;
        }
        if (k + 1 < count) {
            td_link link = td_link_default(between[k]);
            assert_ok(td_builder_add_link(builder, &link));
        }
        int independent = n->variant == INDEPENDENT ? 1 : n->variant == OPEN ? -1 : 0;
        if (n->variant == DEPENDENT && type == TD_JOINT_UNIVERSAL)
            independent = !(n->dependents >> k & 1);
        add(builder, joint, names[k], k == 0 ? "first" : between[k - 1],
            k + 1 < count ? between[k] : "second", slides ? -1 : independent);
    }
}

static robot make_with(const numbers *n, bool simple, const td_load_options *options)
{
    td_builder *builder = test_builder("robot");
    for (int i = 0; i < LINKS; i++)
        assert_ok(td_builder_add_link(builder, &n->link[i]));
    const int others = n->variant == OPEN ? -1 : 1;
    const int own = n->variant == INDEPENDENT ? 1 : -1;
    add(builder, n->before, "before", "base", "first", others);
    if (simple)
        add_simple(builder, n);
    else
        add(builder, n->between, "between", "first", "second", own);
    add(builder, n->behind, "behind", "second", "third", n->variant == INDEPENDENT ? 0 : others);
    if (n->variant != OPEN)
        assert_ok(td_builder_add_loop(builder, &n->loop));
    td_diagnostics *list = test_diagnostics(0);
    robot r = {0};
    const td_status status = test_builder_finish(builder, options, list, &r.model);
    const td_diagnostic *first = td_diagnostics_at(list, 0);
    ck_assert_msg(status == TD_OK, "%s", first ? first->message : "");
    r.w = test_workspace(r.model);
    ck_assert_ptr_nonnull(r.w);
    return r;
}

static robot make(const numbers *n, bool simple)
{
    return make_with(n, simple, NULL);
}

/* Closes the loop at zero: a rod between two points, or, if a loop determines a ball joint, the
   axes of two frames. */
static void close_at_zero(numbers *n)
{
    numbers open = *n;
    open.variant = OPEN;
    robot r = make(&open, false);
    double y[MOST_Y], poses[12 * LINKS], square = 0;
    td_neutral(r.model, TD_COORDINATES_INDEPENDENT, y);
    assert_ok(td_link_poses(r.model, r.w, y, poses));
    const double *pose = poses + 12 * td_link_index(r.model, n->loop.successor); /* rows of [R p] */
    if (n->between.type == TD_JOINT_BALL && n->variant == DEPENDENT) {
        n->loop.type = TD_LOOP_MASK;
        n->loop.mask = 7; /* all rotations */
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                n->loop.predecessor_origin.rotation[3 * i + j] = pose[4 * i + j];
    } else {
        n->loop.type = TD_LOOP_DISTANCE;
        for (int i = 0; i < 3; i++) {
            double at = pose[4 * i + 3];
            for (int j = 0; j < 3; j++)
                at += pose[4 * i + j] * n->loop.successor_origin.position[j];
            square += at * at;
        }
        n->loop.distance = sqrt(square);
    }
}

/* Computes the motion of both robots at the same state: yd, and τ_y if they share coordinates. */
static void run(robot *r, const char *carrier)
{
    td_forces forces = td_forces_default();
    forces.passive = true;
    const td_model *m = r->model;
    double all[6 * 8];
    assert_ok(td_forward_dynamics(m, r->w, r->y, r->yd, r->tau, &forces, r->ydd));
    assert_ok(td_energy(m, r->w, r->y, r->yd, TD_SCOPE_ALL, r->energy));
    double poses[12 * 8], v[6 * 8], a[6 * 8];
    assert_ok(td_link_poses(m, r->w, r->y, poses));
    assert_ok(td_link_velocities(m, r->w, r->y, r->yd, TD_FRAME_BODY, v));
    assert_ok(td_link_spatial_accelerations(m, r->w, r->y, r->yd, r->ydd, TD_FRAME_BODY, a));
    for (int i = 0; i < LINKS; i++) {
        const size_t link = td_link_index(m, link_names[i]);
        memcpy(r->poses + 12 * i, poses + 12 * link, 12 * sizeof(double));
        memcpy(r->velocities + 6 * i, v + 6 * link, 6 * sizeof(double));
        memcpy(r->accelerations + 6 * i, a + 6 * link, 6 * sizeof(double));
    }
    assert_ok(td_joint_reactions(m, r->w, r->y, r->yd, r->ydd, &forces, TD_FRAME_WORLD, all));
    memcpy(r->reaction, all + 6 * td_joint_index(m, carrier), sizeof r->reaction);
}

/* Computes orientation and angular velocity of Rz(a) Ry(b) Rx(c) from angles and their rates. */
static void ball_state(const double angle[3], const double rate[3], double *quaternion,
                       double *omega)
{
    double R[9];
    td_rotation_from_rpy(angle[2], angle[1], angle[0], R);
    td_quaternion_from_rotation(R, quaternion);
    const double b = angle[1], c = angle[2];
    omega[0] = rate[2] - rate[0] * sin(b);
    omega[1] = rate[1] * cos(c) + rate[0] * cos(b) * sin(c);
    omega[2] = -rate[1] * sin(c) + rate[0] * cos(b) * cos(c);
}

/* Draws a state of the simple joints near zero, and the equivalent one of the other robot. */
static void draw_state(td_random *random, const numbers *n, robot *simple, robot *joint)
{
    const bool ball = n->between.type == TD_JOINT_BALL && n->variant != DEPENDENT;
    const size_t count = td_nyd(simple->model);
    const double scale = n->variant == OPEN ? 1 : 0.1;
    memcpy(simple->y, td_reference(simple->model, TD_COORDINATES_INDEPENDENT),
           td_ny(simple->model) * sizeof *simple->y);
    double begin[MOST_Y], way[MOST_Y], q[2 * MOST_Y];
    memcpy(begin, simple->y, sizeof begin);
    td_random_fill(random, count, way);
    td_status status = TD_ERROR_ASSEMBLY;
    for (double part = scale; part > 1e-3 && status != TD_OK; part /= 2) {
        for (size_t i = 0; i < count; i++)
            simple->y[i] = begin[i] + part * way[i];
        status = td_closure(simple->model, simple->w, simple->y, NULL, NULL, q, NULL, NULL);
    }
    assert_ok(status);
    for (size_t i = 0; i < count; i++) {
        simple->yd[i] = td_random_number(random);
        simple->tau[i] = ball && i >= 1 && i < 4 ? 0 : td_random_number(random);
    }
    memcpy(joint->y, simple->y, sizeof joint->y);
    memcpy(joint->yd, simple->yd, sizeof joint->yd);
    memcpy(joint->tau, simple->tau, sizeof joint->tau);
    if (!ball)
        return;
    ball_state(simple->y + 1, simple->yd + 1, joint->y + 1, joint->yd + 1);
    joint->y[5] = simple->y[4]; /* in the next coordinate, if it is independent */
}

/* Estimates rounding errors of G ẏ. Near a singular configuration G has a pole in the positions, so
   that rounding of positions changes it by G². */
static double rounding_of_velocities(robot *r)
{
    double G[16 * MOST_Y];
    ck_assert_uint_le(td_nv(r->model), 16);
    assert_ok(td_closure_jacobian(r->model, r->w, r->y, G));
    const double largest = td_largest(td_nv(r->model) * td_nyd(r->model), G);
    return fmax(1e-12, 1e-14 * largest * largest);
}

static void compare(td_random *random, numbers *n)
{
    static const char *const last[] = {
        [TD_JOINT_SCREW] = "b", [TD_JOINT_BALL] = "c", [TD_JOINT_UNIVERSAL] = "b"};
    if (n->variant != OPEN)
        close_at_zero(n);
    robot joint = make(n, false);
    const size_t index = td_joint_index(joint.model, "between");
    const td_joint_place place = td_joint_place_at(joint.model, index);
    n->dependents = place.dependents;
    ck_assert(n->variant == DEPENDENT ? place.dependents != 0 : place.dependents == 0);
    robot simple = make(n, true);
    ck_assert_uint_eq(td_nyd(joint.model), td_nyd(simple.model));
    for (int state = 0; state < 4; state++) {
        draw_state(random, n, &simple, &joint);
        run(&simple, last[n->between.type]);
        run(&joint, "between");
        td_assert_close(12 * LINKS, joint.poses, simple.poses, 1e-12, 1);
        td_assert_close(6 * LINKS, joint.velocities, simple.velocities,
                        rounding_of_velocities(&simple), td_largest(6 * LINKS, simple.velocities));
        td_assert_close(6 * LINKS, joint.accelerations, simple.accelerations, 1e-10,
                        td_largest(6 * LINKS, simple.accelerations));
        td_assert_close(6, joint.reaction, simple.reaction, 1e-10, td_largest(6, simple.reaction));
        td_assert_close(2, joint.energy, simple.energy, 1e-11, td_largest(2, simple.energy));
    }
}

static const td_joint_type types[] = {TD_JOINT_SCREW, TD_JOINT_BALL, TD_JOINT_UNIVERSAL};
enum { TYPES = sizeof types / sizeof *types, SEEDS = 6 };

TD_LOOP_TEST(as_simple_joints, 0, TYPES *VARIANTS)
{
    const td_joint_type type = types[_i % TYPES];
    const looped variant = (looped)(_i / TYPES % VARIANTS);
    td_random random = {(uint64_t)(_i + 1)};
    for (int seed = 0; seed < SEEDS; seed++) {
        numbers n = draw(&random, type, variant);
        compare(&random, &n);
    }
}

/* The joint is locked at the position that the simple joints have. */
TD_LOOP_TEST(locked, 0, TYPES)
{
    const td_joint_type type = types[_i];
    td_random random = {(uint64_t)(50 + _i)};
    numbers n = draw(&random, type, OPEN);
    robot moving = make(&n, false);
    const size_t index = td_joint_index(moving.model, "between");
    const td_joint_place place = td_joint_place_at(moving.model, index);
    td_draw_configuration(&random, moving.model, false, 1, moving.y);
    moving.yd[0] = 0.3, moving.yd[td_nyd(moving.model) - 1] = -0.7;
    char names[4][32];
    td_joint_position at[4];
    for (size_t k = 0; k < place.nq; k++) {
        snprintf(names[k], sizeof names[k], "between%s",
                 td_component_text(moving.model, index, TD_QUANTITY_POSITION, (size_t)k));
        at[k] = (td_joint_position){names[k], moving.y[place.y + k]};
    }
    td_load_options options = td_load_options_default();
    options.locked = at;
    options.locked_count = place.nq;
    robot still = make_with(&n, false, &options);
    ck_assert_uint_eq(td_ny(still.model), 2);
    still.y[0] = moving.y[0], still.y[1] = moving.y[td_ny(moving.model) - 1];
    still.yd[0] = 0.3, still.yd[1] = -0.7;
    assert_ok(td_link_poses(moving.model, moving.w, moving.y, moving.poses));
    assert_ok(td_link_poses(still.model, still.w, still.y, still.poses));
    td_assert_close(12 * LINKS, still.poses, moving.poses, 1e-14, 1);
    assert_ok(td_energy(moving.model, moving.w, moving.y, moving.yd, TD_SCOPE_ALL, moving.energy));
    assert_ok(td_energy(still.model, still.w, still.y, still.yd, TD_SCOPE_ALL, still.energy));
    td_assert_close(2, still.energy, moving.energy, 1e-13, td_largest(2, moving.energy));
}

/* ---- motion over time ------------------------------------------------------------------------ */

typedef struct fall {
    double poses[12 * LINKS];
    size_t events;
} fall;

/* Simulates from that state, with stops if the joint has limits, and checks energy minus work. */
static fall let_fall(robot *r, double end)
{
    fall f = {.events = 0};
    td_integrator_options integrator = td_integrator_options_default();
    integrator.rtol = integrator.atol = 1e-9;
    td_simulation_options options = td_simulation_options_default();
    options.integrator = &integrator;
    options.stops = TD_STOPS_IMPACT;
    options.restitution = 1;
    td_simulation *s = simulation_of(r->model, &options);
    assert_ok(td_simulation_start(s, 0, r->y, r->yd, NULL));
    double y[MOST_Y], poses[12 * 8];
    td_simulation_sample sample = td_simulation_sample_default();
    sample.y = y;
    assert_ok(td_simulation_evaluate(s, 0, &sample));
    const double before = sample.kinetic + sample.potential - sample.work;
    while (td_simulation_time(s) < end) {
        assert_ok(td_simulation_step(s, end));
        f.events += td_simulation_event_count(s);
    }
    assert_ok(td_simulation_evaluate(s, end, &sample));
    const double after = sample.kinetic + sample.potential - sample.work;
    ck_assert_double_le(fabs(after - before), 1e-7 * (1 + fabs(before) + sample.kinetic));
    assert_ok(td_link_poses(r->model, r->w, y, poses));
    for (int i = 0; i < LINKS; i++)
        memcpy(f.poses + 12 * i, poses + 12 * td_link_index(r->model, link_names[i]),
               12 * sizeof(double));
    return f;
}

TD_LOOP_TEST(falls_as_simple_joints, 0, 2 * TYPES)
{
    const td_joint_type type = types[_i % TYPES];
    const bool limited = _i >= TYPES && type != TD_JOINT_BALL;
    td_random random = {(uint64_t)(100 + _i)};
    numbers n = draw(&random, type, OPEN);
    n.between.friction = 0;
    if (limited) {
        n.between.limit.lower = -0.3;
        n.between.limit.upper = 0.3;
    }
    robot joint = make(&n, false), simple = make(&n, true);
    draw_state(&random, &n, &simple, &joint);
    for (size_t i = 1; limited && i < 1 + (size_t)(type == TD_JOINT_UNIVERSAL) + 1; i++)
        joint.y[i] = simple.y[i] = 0.1;
    if (limited)
        joint.yd[1] = simple.yd[1] = 4;
    const fall a = let_fall(&joint, 0.4), b = let_fall(&simple, 0.4);
    ck_assert_uint_eq(a.events, b.events);
    ck_assert(!limited || a.events > 0);
    td_assert_close(12 * LINKS, a.poses, b.poses, 1e-6, 1);
}

/* The builder reports errors in such joints. */
TD_TEST(errors)
{
    static const struct {
        td_joint_type type;
        double pitch, damping, stiffness, lower, upper;
        const char *mimic, *code;
    } cases[] = {
        {TD_JOINT_SCREW, 0, 0, 0, NAN, NAN, NULL, "URDF-J017"},
        {TD_JOINT_SCREW, NAN, 0, 0, NAN, NAN, NULL, "URDF-N001"},
        {TD_JOINT_REVOLUTE, 0.01, 0, 0, -1, 1, NULL, "URDF-J018"},
        {TD_JOINT_BALL, 0, 0, 0, NAN, NAN, "before", "URDF-M003"},
        {TD_JOINT_UNIVERSAL, 0, 0, 0, NAN, NAN, "before", "URDF-M003"},
        {TD_JOINT_BALL, 0, 0, 1, NAN, NAN, NULL, "URDF-J018"},
        {TD_JOINT_BALL, 0, 0, 0, -1, 1, NULL, "URDF-J018"},
        {TD_JOINT_PLANAR, 0, 1, 0, NAN, NAN, NULL, "URDF-J018"},
        {TD_JOINT_BALL, 0, 1, 0, NAN, NAN, NULL, NULL},
        {TD_JOINT_UNIVERSAL, 0, 1, 1, -1, 1, NULL, NULL},
        {TD_JOINT_SCREW, -0.01, 1, 1, -1, 1, "before", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        td_random random = {i + 1};
        numbers n = draw(&random, cases[i].type, OPEN);
        n.between.pitch = cases[i].pitch;
        n.between.damping = cases[i].damping;
        n.between.friction = 0;
        n.between.spring_stiffness = cases[i].stiffness;
        n.between.limit.lower = cases[i].lower;
        n.between.limit.upper = cases[i].upper;
        n.between.limit.effort = n.between.limit.velocity = 1;
        n.between.mimic = cases[i].mimic;
        td_builder *builder = test_builder("robot");
        for (int k = 0; k < LINKS; k++)
            assert_ok(td_builder_add_link(builder, &n.link[k]));
        assert_ok(td_builder_add_joint(builder, &n.before));
        assert_ok(td_builder_add_joint(builder, &n.between));
        assert_ok(td_builder_add_joint(builder, &n.behind));
        td_diagnostics *list = test_diagnostics(0);
        td_model *model = NULL;
        test_builder_finish(builder, NULL, list, &model);
        for (size_t k = 0; !cases[i].code && k < td_diagnostics_size(list); k++)
            ck_assert_msg(false, "case %zu: %s", i, td_diagnostics_at(list, k)->message);
        ck_assert_msg(!cases[i].code || td_find_diagnostic(list, cases[i].code), "case %zu: no %s",
                      i, cases[i].code);
    }
}

/* ---- the table of types ---------------------------------------------------------------------- */

/* Checks that each component has a name among the coordinates of its joint type. */
static void check_names(td_joint_type type, td_quantity quantity, int count)
{
    const char *word = td_joint_kind_of(type)->word, *suffix[TD_MOST_POSITIONS];
    for (int k = 0; k < count; k++) {
        suffix[k] = td_component_suffix(type, quantity, (size_t)k);
        ck_assert_msg(suffix[k], "%s: component %d has no name", word, k);
        ck_assert_msg((count == 1) == (suffix[k][0] == 0), "%s: '%s'", word, suffix[k]);
        for (int l = 0; l < k; l++)
            ck_assert_msg(strcmp(suffix[k], suffix[l]) != 0, "%s: '%s' twice", word, suffix[k]);
    }
}

/* Checks that the columns of the body's motion in the table equal the columns of the kernels, in
   some order. */
static void check_columns(const td_model *model, const char *word)
{
    const td_body *body = &model->tree.body[0];
    double columns[6 * TD_MOST_VELOCITIES];
    td_workspace *w = test_workspace(model);
    assert_ok(TD_IN_TREE(w, td_motion_subspaces(model, w, td_reference(model, TD_COORDINATES_TREE),
                                                TD_FRAME_WORLD, columns, NULL)));
    for (int k = 0; k < body->nv; k++) {
        double one[6], nearest = INFINITY;
        td_body_column(body, k, one);
        for (int l = 0; l < body->nv; l++) {
            double apart = 0;
            for (int i = 0; i < 6; i++)
                apart = fmax(apart, fabs(one[i] - columns[i * body->nv + l]));
            nearest = fmin(nearest, apart);
        }
        ck_assert_msg(nearest < 1e-15, "%s: no joint moves as column %d of its row", word, k);
        ck_assert_msg(k == 0 || td_motion_row_of(body->motion)->free[k - 1] <
                                    td_motion_row_of(body->motion)->free[k],
                      "%s: entries of the twist do not ascend", word);
    }
}

TD_TEST(rows_say_what_kernels_do)
{
    size_t seen = 0;
    for (td_joint_type type = TD_JOINT_REVOLUTE; td_joint_kind_of(type); type++, seen++) {
        const td_joint_row *row = td_joint_row_of(type);
        check_names(type, TD_QUANTITY_POSITION, row->kind.nq);
        check_names(type, TD_QUANTITY_VELOCITY, row->kind.nv);
        check_names(type, TD_QUANTITY_FORCE, row->kind.nv);
        int nq = 0, nv = 0;
        for (int n = 0; n < row->bodies; n++) {
            nq += td_motion_row_of(row->body[n].motion)->nq;
            nv += td_motion_row_of(row->body[n].motion)->nv;
        }
        ck_assert_int_eq(nq, row->kind.nq);
        ck_assert_int_eq(nv, row->kind.nv);
        if (row->bodies != 1) /* types with two bodies have motions of other types */
            continue;
        td_builder *builder = test_builder("one joint");
        td_link base = td_link_default("base"), link = td_link_default("link");
        td_joint joint = td_joint_default("joint", type, "base", "link");
        joint.axis[0] = 0, joint.axis[2] = 1;
        joint.limit.lower = -1, joint.limit.upper = 1;
        joint.pitch = row->kind.pitched ? 0.1 : 0;
        td_builder_add_link(builder, &base);
        td_builder_add_link(builder, &link);
        assert_ok(td_builder_add_joint(builder, &joint));
        td_model *model = model_of_builder(builder, NULL);
        check_columns(model, row->kind.word);
    }
    ck_assert_uint_ge(seen, 9);
}

/* Tests axes very close to −z. Frames of links are rotations, and the joint rotates about its axis.
 */
TD_LOOP_TEST(nearly_back, 0, 10)
{
    static const double off[] = {0,     1e-320, 1e-200, 1e-160, 1e-150,
                                 1e-21, 1e-20,  1e-16,  1e-9,   1e-4};
    static const double y[] = {0.5};
    td_builder *builder = test_builder("one joint");
    td_link base = td_link_default("base"), link = td_link_default("link");
    td_joint joint = td_joint_default("joint", TD_JOINT_CONTINUOUS, "base", "link");
    joint.axis[0] = off[_i], joint.axis[1] = -0.5 * off[_i], joint.axis[2] = -1;
    td_builder_add_link(builder, &base);
    td_builder_add_link(builder, &link);
    assert_ok(td_builder_add_joint(builder, &joint));
    td_model *model = model_of_builder(builder, NULL);
    td_workspace *w = test_workspace(model);
    double pose[2][12];
    assert_ok(td_link_poses(model, w, y, pose[0]));
    const double *axis = td_joint_at(model, 0)->axis, *T = pose[td_link_index(model, "link")];
    const double c = cos(y[0]), s = sin(y[0]);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            const int third = 3 - i - k;
            const double crossed = i == k ? 0 : (k - i + 3) % 3 == 1 ? -axis[third] : axis[third];
            const double turned = (i == k) * c + s * crossed + (1 - c) * axis[i] * axis[k];
            ck_assert_double_eq_tol(T[4 * i + k], turned, 1e-15);
        }
}
