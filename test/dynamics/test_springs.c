/* SPDX-License-Identifier: MIT */
/*
 * Springs and dampers between two links. Forces are the gradient of the stored energy, and dampers
 * dissipate the expected power. Forward dynamics inverts inverse dynamics, batches equal single
 * states, and reactions include the springs. Also closed forms of a line spring and a bushing, and
 * Drake's elements.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algebra.h"
#include "functions.h"
#include "oracle.h"
#include "sprung_robots.h"
#include "tandem/simulation.h"

enum { MOST = 64 };

/* adds springs to the records of a robot */
static td_model *with_springs(td_random *random, const td_model *plain, int count, bool equal,
                              bool damped)
{
    td_builder *builder = test_builder("sprung");
    for (size_t i = 0; i < td_link_count(plain); i++)
        assert_ok(td_builder_add_link(builder, td_link_at(plain, i)));
    for (size_t i = 0; i < td_joint_count(plain); i++) {
        td_joint joint = *td_joint_at(plain, i);
        joint.damping = joint.friction = 0;
        assert_ok(td_builder_add_joint(builder, &joint));
    }
    for (size_t i = 0; i < td_loop_count(plain); i++) {
        td_loop loop = *td_loop_at(plain, i);
        if (loop.type == TD_LOOP_REVOLUTE || loop.type == TD_LOOP_PRISMATIC)
            loop.spring_stiffness = 5, loop.spring_reference = 0.3;
        assert_ok(td_builder_add_loop(builder, &loop));
    }
    for (size_t i = 0; i < td_coupling_count(plain); i++)
        assert_ok(td_builder_add_coupling(builder, td_coupling_at(plain, i)));
    for (size_t i = 0; i < td_transmission_count(plain); i++)
        assert_ok(td_builder_add_transmission(builder, td_transmission_at(plain, i)));
    for (int i = 0; i < count; i++) {
        td_spring spring = random_spring(random, plain, i % 2 == 1, equal);
        if (!damped) {
            spring.damping = 0;
            memset(spring.angular_damping, 0, sizeof spring.angular_damping);
            memset(spring.linear_damping, 0, sizeof spring.linear_damping);
        }
        assert_ok(td_builder_add_spring(builder, &spring));
    }
    td_load_options options = td_load_options_default();
    options.base = TD_BASE_FIXED;
    td_model *model = model_of_builder(builder, &options);
    ck_assert(td_nyd(model) <= MOST && td_spring_count(model) == (size_t)count);
    return model;
}

/* a random tree, or a mechanism with loops unless the build lacks them */
static td_model *sprung(td_random *random, int which, bool equal, bool damped)
{
    td_model *plain = NULL;
#if TANDEM_HAS_URDF
    static const char *const loops[] = {"four_bar.urdf", "stewart.urdf", "five_bar.urdf",
                                        "parallelogram_loop.urdf"};
    if (which % 3 == 2)
        plain = td_load_robot(loops[which / 3 % 4], NULL);
#endif
    if (!plain) {
        td_builder *builder =
            regular_robot(random, 8, which % 3 == 1 ? 3 : 0, false, TD_BASE_FIXED);
        assert_ok(test_builder_finish(builder, NULL, NULL, &plain));
    }
    td_model *model = with_springs(random, plain, 5, equal, damped);
    return model;
}

/* motor forces that springs need at rest without gravity: inverse dynamics with passive forces
   minus without */
static void spring_forces(const td_model *model, td_workspace *w, const double *y, const double *yd,
                          double *tau)
{
    double bare[MOST];
    const td_forces forces = with_passive_forces();
    assert_ok(td_inverse_dynamics(model, w, y, yd, NULL, &forces, tau));
    assert_ok(td_inverse_dynamics(model, w, y, yd, NULL, NULL, bare));
    for (size_t i = 0; i < td_nyd(model); i++)
        tau[i] -= bare[i];
}

/* dU/dh along v, by fourth-order differences in h */
static double slope(const td_model *model, td_workspace *w, const double *y0, const double *v)
{
    static const double at[] = {-2, -1, 1, 2},
                        weight[] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    const double h = 3e-4;
    double sum = 0, y[2 * MOST], energy;
    for (int k = 0; k < 4; k++) {
        td_integrate(model, TD_COORDINATES_INDEPENDENT, y0, v, at[k] * h, y);
        assert_ok(td_spring_energy(model, w, y, &energy));
        sum += weight[k] * energy / h;
    }
    return sum;
}

TD_LOOP_TEST(forces_are_the_gradient_of_the_energy, 0, 24)
{
    td_random random = {(uint64_t)_i + 1};
    td_model *model = sprung(&random, _i, true, false);
    td_workspace *w = test_workspace(model);
    const size_t n = td_nyd(model);
    for (int k = 0; k < 5; k++) {
        double y[2 * MOST], v[MOST], tau[MOST], power = 0, size = 0, zero[MOST] = {0};
        td_draw_configuration(&random, model, false, 0.2, y);
        td_random_fill(&random, n, v);
        spring_forces(model, w, y, zero, tau);
        for (size_t i = 0; i < n; i++) {
            power += tau[i] * v[i];
            size += fabs(tau[i] * v[i]);
        }
        const double rate = slope(model, w, y, v);
        ck_assert_double_gt(size, 1e-3);
        /* h⁴ of the difference; with loops, the remaining φ over h */
        td_assert_close(1, &power, &rate, td_loop_count(model) ? 1e-6 : 1e-8, size);
    }
}

TD_LOOP_TEST(dampers_take_their_power, 0, 24)
{
    td_random random = {(uint64_t)_i + 100};
    td_model *model = sprung(&random, _i, false, true);
    td_workspace *w = test_workspace(model);
    const size_t n = td_nyd(model);
    double y[2 * MOST], v[MOST], zero[MOST] = {0}, still[MOST], moving[MOST];
    double power = 0, size = 0, expected = 0, stored = 0, energy, all[2], own;
    td_draw_configuration(&random, model, false, 0.2, y);
    td_random_fill(&random, n, v);
    spring_forces(model, w, y, zero, still);
    spring_forces(model, w, y, v, moving);
    for (size_t i = 0; i < n; i++) {
        power += (moving[i] - still[i]) * v[i];
        size += fabs((moving[i] - still[i]) * v[i]);
    }
    for (size_t i = 0; i < td_spring_count(model); i++) {
        double motion[4];
        assert_ok(td_spring_state(model, w, i, y, v, motion));
        ck_assert(motion[0] > 0 && motion[2] >= 0 && motion[3] >= 0);
        expected += motion[3];
        stored += motion[2];
    }
    td_assert_close(1, &power, &expected, 1e-12, size);

    /* energies add up: the gravity term equals the energy of the robot without springs */
    assert_ok(td_spring_energy(model, w, y, &energy));
    for (size_t i = 0; i < td_joint_count(model); i++) {
        double q[2 * MOST];
        assert_ok(td_closure(model, w, y, NULL, NULL, q, NULL, NULL));
        stored += td_joint_spring_energy(model, i, q);
    }
    for (size_t i = 0; i < td_loop_count(model); i++) {
        const td_loop *loop = td_loop_at(model, i);
        double motion[3];
        if (loop->spring_stiffness == 0)
            continue;
        assert_ok(td_loop_motion(model, w, i, y, NULL, NULL, motion));
        stored += 0.5 * loop->spring_stiffness * pow(motion[0] - loop->spring_reference, 2);
    }
    td_assert_close(1, &energy, &stored, 1e-13, stored);
    assert_ok(td_energy(model, w, y, v, TD_SCOPE_SPRINGS, all));
    double com[3];
    assert_ok(td_center_of_mass(model, w, y, TD_SCOPE_ALL, com));
    own = td_total_mass(model) * 9.81 * com[2] + energy;
    td_assert_close(1, &all[1], &own, 1e-13, energy + fabs(own - energy));
}

TD_LOOP_TEST(forward_undoes_inverse, 0, 24)
{
    td_random random = {(uint64_t)_i + 200};
    td_model *model = sprung(&random, _i, false, true);
    td_workspace *w = test_workspace(model), *batch = test_workspace_threads(model, 2);
    const size_t n = td_nyd(model), ny = td_ny(model);
    const td_forces forces = with_passive_forces();
    enum { ROWS = 11 };
    double *y = doubles(ROWS * (ny + 4 * n)), *yd = y + ROWS * ny, *ydd = yd + ROWS * n,
           *tau = ydd + ROWS * n, *back = tau + ROWS * n, one[MOST];
    for (int k = 0; k < ROWS; k++) {
        td_draw_configuration(&random, model, false, 0.2, y + (size_t)k * ny);
        td_random_fill(&random, n, yd + (size_t)k * n);
        td_random_fill(&random, n, ydd + (size_t)k * n);
    }
    assert_ok(td_batch_inverse_dynamics(model, batch, ROWS, y, yd, ydd, &forces, tau, NULL));
    assert_ok(td_batch_forward_dynamics(model, batch, ROWS, y, yd, tau, &forces, back, NULL));
    for (size_t k = 0; k < ROWS; k++) {
        const double *tau_k = tau + k * n;
        assert_ok(td_inverse_dynamics(model, w, y + k * ny, yd + k * n, ydd + k * n, &forces, one));
        td_assert_close(n, one, tau_k, 1e-12, td_largest(n, tau_k));
        td_assert_close(n, back + k * n, ydd + k * n, 1e-8, 1);
        assert_ok(td_forward_dynamics(model, w, y + k * ny, yd + k * n, tau_k, &forces, one));
        td_assert_close(n, one, ydd + k * n, 1e-8, 1);
    }
}

/* along its axis a joint transmits the motor force minus the force of its spring */
TD_LOOP_TEST(reactions_carry_springs, 0, 12)
{
    td_random random = {(uint64_t)_i + 300};
    td_model *model = sprung(&random, 3 * _i, false, true);
    td_workspace *w = test_workspace(model);
    const td_forces forces = with_passive_forces();
    double q[2 * MOST], qd[MOST], qdd[MOST], tau[MOST], reactions[6 * MOST], expected[6 * MOST];
    td_draw_configuration(&random, model, true, 0.2, q);
    td_random_fill(&random, td_nv(model), qd);
    td_random_fill(&random, td_nv(model), qdd);
    ck_assert(td_joint_count(model) <= MOST);
    assert_ok(TD_IN_TREE(w, td_inverse_dynamics(model, w, q, qd, qdd, &forces, tau)));
    assert_ok(
        TD_IN_TREE(w, td_joint_reactions(model, w, q, qd, qdd, &forces, TD_FRAME_BODY, reactions)));
    for (size_t i = 0; i < td_joint_count(model); i++) {
        const td_joint *joint = td_joint_at(model, i);
        const td_joint_place place = td_joint_place_at(model, i);
        if (place.nv != 1)
            continue;
        const double *moment = reactions + 6 * i, *force = moment + 3, *axis = joint->axis;
        const bool slides = joint->type == TD_JOINT_PRISMATIC;
        const double turn = slides ? 0 : 1, /* the joint's motion per unit of its coordinate */
            way = slides ? 1 : joint->pitch / (2 * M_PI);
        double along = turn * vec_dot(3, moment, axis) + way * vec_dot(3, force, axis), rotor = 0;
        for (size_t k = 0; k < td_transmission_count(model); k++)
            if (strcmp(td_transmission_at(model, k)->joint, joint->name) == 0)
                rotor += pow(td_transmission_at(model, k)->mechanical_reduction *
                                 td_transmission_at(model, k)->ratio,
                             2) *
                         td_transmission_at(model, k)->rotor_inertia;
        along += joint->spring_stiffness * (q[place.q] - joint->spring_reference) +
                 rotor * qdd[place.qd];
        td_assert_close(1, &along, &tau[place.qd], 1e-12, td_largest(td_nv(model), tau));
    }
    const size_t values = 6 * td_joint_count(model);
    oracle_inverse_dynamics(model, q, qd, qdd, &forces, NULL, NULL, expected);
    assert_ok(TD_IN_TREE(
        w, td_joint_reactions(model, w, q, qd, qdd, &forces, TD_FRAME_WORLD, reactions)));
    td_assert_close(values, reactions, expected, 1e-12, td_largest(values, expected));
}

/* ---- closed forms ---------------------------------------------------------------------------- */

TD_TEST(line_in_closed_form)
{
    td_spring spring = td_spring_default("line", "base", "body");
    spring.predecessor_origin.position[0] = -1;
    spring.length = 0.5, spring.stiffness = 100, spring.damping = 7;
    td_model *model = hanging(&spring);
    td_workspace *w = test_workspace(model);
    const td_forces forces = with_passive_forces();
    /* 3-4-5: from (−1, 0, 0) to (2, 0, 4) */
    const double y[7] = {2, 0, 4, 0, 0, 0, 1}, yd[6] = {0, 0, 0, 1, 5, 2}, none[6] = {0};
    const double length = 5, rate = 0.6 * 1 + 0.8 * 2, f = 100 * (length - 0.5) + 7 * rate;
    const double expected[6] = {0, 0, 0, -0.6 * f / 2, 0, -0.8 * f / 2};
    double ydd[6], motion[4];
    assert_ok(td_forward_dynamics(model, w, y, yd, none, &forces, ydd));
    td_assert_close(6, ydd, expected, 1e-14, f);
    const double state[4] = {5, rate, 0.5 * 100 * 4.5 * 4.5, 7 * rate * rate};
    assert_ok(td_spring_state(model, w, 0, y, yd, motion));
    td_assert_close(4, motion, state, 1e-14, 1);
    ck_assert_int_eq(td_spring_state(model, w, 1, y, yd, motion), TD_ERROR_ARGUMENT);

    /* without a direction it has no force */
    const double there[7] = {-1, 0, 0, 0, 0, 0, 1};
    assert_ok(td_forward_dynamics(model, w, there, yd, none, &forces, ydd));
    td_assert_close(6, ydd, none, 0, 1);
    /* and no force where passive forces are off */
    assert_ok(td_forward_dynamics(model, w, y, none, none, NULL, ydd));
    td_assert_close(6, ydd, none, 0, 1);
}

static void rotate_about(const double axis[3], double angle, const double v[3], double out[3])
{
    const double c = cos(angle), s = sin(angle),
                 along = axis[0] * v[0] + axis[1] * v[1] + axis[2] * v[2];
    for (int k = 0; k < 3; k++) {
        const int a = (k + 1) % 3, b = (k + 2) % 3;
        out[k] = c * v[k] + s * (axis[a] * v[b] - axis[b] * v[a]) + (1 - c) * along * axis[k];
    }
}

/* A bushing with unequal stiffnesses, rotated about a given axis: forces in axes rotated by half
   the angle, at half the distance (by Rodrigues' formula instead of the kernel's quaternions). */
TD_LOOP_TEST(bushing_acts_halfway, 0, 50)
{
    td_random random = {(uint64_t)_i + 400};
    td_spring spring = td_spring_default("bushing", "base", "body");
    spring.type = TD_SPRING_BUSHING;
    const double k[3] = {100, 300, 700};
    memcpy(spring.linear_stiffness, k, sizeof k);
    td_model *model = hanging(&spring);
    td_workspace *w = test_workspace(model);
    double axis[3], p[3], angle = 3.1 * td_random_number(&random), tau[6];
    td_random_fill(&random, 3, axis);
    td_random_fill(&random, 3, p);
    const double size = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    for (int i = 0; i < 3; i++)
        axis[i] /= size;
    const double s = sin(angle / 2),
                 y[7] = {p[0], p[1], p[2], s * axis[0], s * axis[1], s * axis[2], cos(angle / 2)};
    const double none[6] = {0};
    spring_forces(model, w, y, none, tau); /* N m and N in the body's axes */
    double x[3], f[3], force[3], moment[3], body[6];
    rotate_about(axis, -angle / 2, p, x);
    for (int i = 0; i < 3; i++)
        f[i] = -k[i] * x[i];
    rotate_about(axis, angle / 2, f, force);
    for (int i = 0; i < 3; i++) { /* at the body's origin: −p/2 × f */
        const int a = (i + 1) % 3, b = (i + 2) % 3;
        moment[i] = -0.5 * (p[a] * force[b] - p[b] * force[a]);
    }
    rotate_about(axis, -angle, moment, body);
    rotate_about(axis, -angle, force, body + 3);
    for (int i = 0; i < 6; i++)
        body[i] = -body[i]; /* the wrench that would balance it */
    td_assert_close(6, tau, body, 1e-12, td_largest(6, body));
}

/* At a pitch of 90°, roll and yaw cannot be distinguished: the force is undefined there and a
   status reports it. Nearby both are defined. */
TD_TEST(bushing_has_no_value_at_a_right_angle)
{
    td_spring spring = td_spring_default("bushing", "base", "body");
    spring.type = TD_SPRING_BUSHING;
    for (int i = 0; i < 3; i++)
        spring.angular_stiffness[i] = 10, spring.linear_stiffness[i] = 100;
    td_model *model = hanging(&spring);
    td_workspace *w = test_workspace(model);
    const td_forces forces = with_passive_forces();
    const double none[6] = {0};
    for (int n = 0; n < 6; n++) { /* where the quaternion rounds either way, then before it */
        static const double off[] = {0, 2e-16, -2e-16, 1e-9, -1e-6, -1e-6};
        const double half = (n % 2 ? -1 : 1) * (M_PI / 4 + off[n]);
        const bool far = fabs(off[n]) > 1e-8;
        const double y[7] = {0.1, 0.2, 0.3, 0, sin(half), 0, cos(half)};
        double ydd[6], tau[6], motion[4];
        td_status each;
        ck_assert_int_eq(td_forward_dynamics(model, w, y, none, none, &forces, ydd),
                         far ? TD_OK : TD_ERROR_NOT_FINITE);
        ck_assert_int_eq(td_batch_inverse_dynamics(model, w, 1, y, none, none, &forces, tau, &each),
                         far ? TD_OK : TD_ERROR_NOT_FINITE);
        assert_ok(td_inverse_dynamics(model, w, y, none, none, &forces, tau));
        assert_ok(td_spring_state(model, w, 0, y, none, motion));
        for (int i = 0; i < 6; i++)
            ck_assert(far ? isfinite(tau[i]) && isfinite(ydd[i]) : isnan(tau[i]) && isnan(ydd[i]));
        ck_assert(far ? isfinite(motion[2]) : isnan(motion[2]));
        if (far) /* 10 N m/rad about y is the only torsional stiffness; the force acts at half the
                    distance */
            ck_assert_double_eq_tol(motion[2], 5 * 4 * half * half + 50 * 0.14, 1e-9);
    }
}

/* ---- motion ---------------------------------------------------------------------------------- */

/* a mass on a line spring oscillates as cos ωt; energy minus work is constant with springs, dampers
   and loops */
TD_TEST(swings)
{
    td_spring spring = td_spring_default("line", "base", "body");
    spring.length = 1, spring.stiffness = 50;
    td_model *model = hanging(&spring);
    td_simulation_options options = td_simulation_options_default();
    td_integrator_options integrator = td_integrator_options_default();
    integrator.rtol = 1e-10, integrator.atol = 1e-12;
    options.integrator = &integrator;
    td_simulation *s = simulation_of(model, &options);
    double y[7] = {1.3, 0, 0, 0, 0, 0, 1};
    assert_ok(td_simulation_start(s, 0, y, NULL, NULL));
    assert_ok(td_simulation_advance(s, 3));
    td_simulation_sample at = td_simulation_sample_default();
    at.y = y;
    assert_ok(td_simulation_evaluate(s, 3, &at));
    const double expected = 1 + 0.3 * cos(5 * 3); /* ω² = 50/2 */
    td_assert_close(1, &y[0], &expected, 1e-9, 1);
}

/* column of a spring's frame on one of its links, in the world */
static void frame_column(const td_model *model, const double *poses, const char *link,
                         const double rotation[9], int column, double out[3])
{
    const double *pose = poses + 12 * td_link_index(model, link);
    for (int i = 0; i < 3; i++) {
        out[i] = 0;
        for (int k = 0; k < 3; k++)
            out[i] += pose[4 * i + k] * rotation[3 * k + column];
    }
}

/* Returns whether a bushing's pitch is within 6 degrees of a right angle, where its forces grow
   without bound: sin(pitch) = −z · x', with z of the predecessor's frame and x' of the
   successor's. */
static bool is_at_right_angle(const td_model *model, td_workspace *w, const double *y)
{
    double poses[12 * MOST], z[3], x[3];
    ck_assert(td_link_count(model) <= MOST);
    assert_ok(td_link_poses(model, w, y, poses));
    for (size_t i = 0; i < td_spring_count(model); i++) {
        const td_spring *spring = td_spring_at(model, i);
        if (spring->type != TD_SPRING_BUSHING)
            continue;
        frame_column(model, poses, spring->predecessor, spring->predecessor_origin.rotation, 2, z);
        frame_column(model, poses, spring->successor, spring->successor_origin.rotation, 0, x);
        if (fabs(vec_dot(3, z, x)) > 0.9945)
            return true;
    }
    return false;
}

TD_LOOP_TEST(energy_less_work_stays, 0, 12)
{
    td_random random = {(uint64_t)_i + 500};
    td_model *model = sprung(&random, _i, true, true);
    td_workspace *w = test_workspace(model);
    td_simulation *s = NULL;
    td_simulation_options options = td_simulation_options_default();
    td_integrator_options integrator = td_integrator_options_default();
    integrator.rtol = 1e-10, integrator.atol = 1e-11;
    options.integrator = &integrator;
    double y[2 * MOST];
    td_draw_configuration(&random, model, false, 0.1, y);
    assert_ok(test_simulation_new(model, &options, &s));
    assert_ok(td_simulation_start(s, 0, y, NULL, NULL));
    td_simulation_sample first = td_simulation_sample_default(), last = first;
    assert_ok(td_simulation_evaluate(s, 0, &first));
    last.y = y;
    bool goes_on = true;
    for (int k = 1; goes_on && k <= 30; k++) {
        const td_status status = td_simulation_advance(s, 0.01 * k);
        /* with loops it may fall into a singular position */
        ck_assert(status == TD_OK || td_loop_count(model));
        assert_ok(td_simulation_evaluate(s, td_simulation_time(s), &last));
        goes_on = status == TD_OK && !is_at_right_angle(model, w, y);
    }
    ck_assert_double_ge(td_simulation_time(s), 0.05);
    const double before = first.kinetic + first.potential,
                 after = last.kinetic + last.potential - last.work;
    /* relative to the final energies; more was exchanged before */
    td_assert_close(1, &after, &before, 2e-8, fabs(last.kinetic) + fabs(last.work));
    ck_assert_double_lt(last.work, 0);
}

/* ---- Drake's elements ------------------------------------------------------------------------ */

#if TANDEM_HAS_URDF
#define ROBOT                                                                                      \
    "<robot name='r' xmlns:drake='d'><link name='base'/><link name='arm'><inertial><mass "         \
    "value='1'/><inertia ixx='.1' ixy='0' ixz='0' iyy='.1' iyz='0' izz='.1'/></inertial></link>"   \
    "<joint name='j' type='continuous'><parent link='base'/><child link='arm'/></joint>"

static td_model *read_robot(const char *text, td_diagnostics *list)
{
    td_model *model = NULL;
    td_load_options options = td_load_options_default();
    test_load_urdf_memory(text, strlen(text), NULL, &options, list, &model);
    return model;
}

/* Springs without free length, with the stiffness that balances the weight: no torque is needed at
   rest, in any position. */
TD_TEST(lamp_is_balanced)
{
    td_model *model = td_load_robot("lamp.urdf", NULL);
    td_workspace *w = test_workspace(model);
    td_random random = {1};
    const td_forces forces = with_passive_forces();
    double y[MOST], weight[MOST], tau[MOST], zeros[MOST] = {0};
    const size_t n = td_nyd(model);
    for (int i = 0; i < 20; i++) {
        td_random_fill(&random, n, y);
        for (size_t k = 0; k < n; k++)
            y[k] *= 3;
        assert_ok(td_gravity_force(model, w, y, weight));
        assert_ok(td_inverse_dynamics(model, w, y, NULL, NULL, &forces, tau));
        ck_assert(fabs(weight[1]) + fabs(weight[2]) > 0.1);
        td_assert_close(n, tau, zeros, 1e-15, 5);
    }
}

TD_TEST(elements_of_drake)
{
    static const char text[] =
        ROBOT "<frame name='at' link='base' xyz='1 2 3' rpy='0 0 1.5707963267948966'/>"
              "<drake:linear_spring_damper><drake:linear_spring_damper_body_A name='base'/>"
              "<drake:linear_spring_damper_p_AP value='1 0 0'/>"
              "<drake:linear_spring_damper_body_B name='arm'/>"
              "<drake:linear_spring_damper_p_BQ value='0 1 0'/>"
              "<drake:linear_spring_damper_free_length value='.4'/>"
              "<drake:linear_spring_damper_stiffness value='10'/>"
              "<drake:linear_spring_damper_damping value='3'/></drake:linear_spring_damper>"
              "<drake:linear_bushing_rpy><drake:bushing_frameA name='at'/>"
              "<drake:bushing_frameC name='arm'/><drake:bushing_torque_stiffness value='1 2 3'/>"
              "<drake:bushing_torque_damping value='4 5 6'/><drake:bushing_force_stiffness "
              "value='7 8 9'/>"
              "<drake:bushing_force_damping value='10 11 12'/></drake:linear_bushing_rpy>"
              "<drake:distance_constraint><drake:distance_constraint_body_A name='base'/>"
              "<drake:distance_constraint_p_AP value='0 0 1'/>"
              "<drake:distance_constraint_body_B name='arm'/>"
              "<drake:distance_constraint_p_BQ value='0 1 0'/>"
              "<drake:distance_constraint_distance value='2'/>"
              "<drake:distance_constraint_stiffness value='50'/>"
              "<drake:distance_constraint_damping value='6'/></drake:distance_constraint></robot>";
    td_diagnostics *list = test_diagnostics(0);
    td_model *model = read_robot(text, list);
    ck_assert_ptr_nonnull(model);
    ck_assert_uint_eq(td_spring_count(model), 3);
    ck_assert_uint_eq(td_loop_count(model), 0);
    const td_spring *line = td_spring_at(model, 0), *bushing = td_spring_at(model, 1),
                    *rod = td_spring_at(model, 2);
    ck_assert(line->type == TD_SPRING_LINE && rod->type == TD_SPRING_LINE);
    ck_assert(line->length == 0.4 && line->stiffness == 10 && line->damping == 3);
    ck_assert(line->predecessor_origin.position[0] == 1 && line->successor_origin.position[1] == 1);
    ck_assert(rod->length == 2 && rod->stiffness == 50 && rod->damping == 6);
    ck_assert_int_eq(bushing->type, TD_SPRING_BUSHING);
    ck_assert_str_eq(bushing->predecessor, "base");
    ck_assert_str_eq(bushing->successor, "arm");
    ck_assert(bushing->predecessor_origin.position[2] == 3);
    ck_assert_double_eq_tol(bushing->predecessor_origin.rotation[3], 1, 1e-15);
    const double values[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    ck_assert(memcmp(bushing->angular_stiffness, values, 12 * sizeof *values) == 0);
    ck_assert_ptr_null(td_spring_at(model, 3));
}

#define LINE(body, rest)                                                                           \
    ROBOT "<drake:linear_spring_damper><drake:linear_spring_damper_body_A name='base'/>"           \
          "<drake:linear_spring_damper_p_AP value='1 0 0'/>"                                       \
          "<drake:linear_spring_damper_body_B name='" body "'/>"                                   \
          "<drake:linear_spring_damper_p_BQ value='0 1 0'/>" rest                                  \
          "</drake:linear_spring_damper></robot>"
#define VALUES(length, stiffness, damping)                                                         \
    "<drake:linear_spring_damper_free_length value='" length "'/>"                                 \
    "<drake:linear_spring_damper_stiffness value='" stiffness "'/>"                                \
    "<drake:linear_spring_damper_damping value='" damping "'/>"

static const struct {
    const char *text, *code;
    bool loads;
} faults[] = {
    {LINE("arn", VALUES("1", "2", "3")), "URDF-C003", false},
    {LINE("arm", VALUES("-1", "2", "3")), "URDF-C014", false},
    {LINE("arm", VALUES("1", "-2", "3")), "URDF-J012", true},
    {LINE("arm", VALUES("1", "two", "3")), "URDF-N001", false},
    {LINE("base", VALUES("1", "2", "3")), "URDF-C015", true},
    {LINE("arm", ""), "URDF-C004", true},
    {ROBOT "<drake:linear_bushing_rpy/></robot>", "URDF-C004", true},
};

TD_LOOP_TEST(faults_are_named, 0, sizeof faults / sizeof *faults)
{
    td_diagnostics *list = test_diagnostics(0);
    td_model *model = read_robot(faults[_i].text, list);
    ck_assert_int_eq(model != NULL, faults[_i].loads);
    bool found = false;
    for (size_t i = 0; i < td_diagnostics_size(list); i++) {
        const td_diagnostic *d = td_diagnostics_at(list, i);
        found = found || (strcmp(d->code, faults[_i].code) == 0 && d->source.line);
    }
    ck_assert_msg(found, "no %s", faults[_i].code);
}
#endif
