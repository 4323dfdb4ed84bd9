/* SPDX-License-Identifier: MIT */
/*
 * Reactions of joints and of loop joints: balance of each link, for bundled and constructed robots.
 * Also the least multipliers and the effect of self-stress, by singular vectors of constraints that
 * are built independently from unit wrenches. Also closed forms, and the same mechanism closed
 * differently.
 */
#include <math.h>
#include <string.h>

#include "base/linalg.h"
#include "loop_balance.h"
#include "loop_robots.h"
#include "model/model.h"

/* a state of a robot with loops */
typedef struct fixture {
    td_model *model;
    td_workspace *w;
    double *y, *yd, *ydd, *q, *wrenches;
    double *joints, *loops, *joint_ambiguity, *loop_ambiguity; /* scratch */
    td_forces forces;
} fixture;

static fixture fixture_new(td_model *model)
{
    fixture f = {.model = model, .w = test_workspace(model), .forces = td_forces_default()};
    f.y = doubles(td_ny(model)), f.yd = doubles(td_nyd(model)), f.ydd = doubles(td_nyd(model));
    f.q = doubles(td_nq(model)), f.wrenches = doubles(6 * td_link_count(model));
    f.joints = doubles(6 * td_joint_count(model)), f.loops = doubles(6 * td_loop_count(model));
    f.joint_ambiguity = doubles(6 * td_joint_count(model));
    f.loop_ambiguity = doubles(6 * td_loop_count(model));
    f.forces.wrenches = f.wrenches;
    td_neutral(model, TD_COORDINATES_INDEPENDENT, f.y);
    return f;
}

static td_status find(fixture *f, td_frame frame)
{
    return td_loop_reactions(f->model, f->w, f->y, f->yd, f->ydd, &f->forces, frame, f->joints,
                             f->loops, f->joint_ambiguity, f->loop_ambiguity);
}

static void draw_motion(fixture *f, td_random *random)
{
    td_random_fill(random, td_nyd(f->model), f->yd);
    td_random_fill(random, td_nyd(f->model), f->ydd);
    td_random_fill(random, 6 * td_link_count(f->model), f->wrenches);
    f->forces.passive = td_random_below(random, 2);
    f->forces.wrench_frame = (td_frame)td_random_below(random, 3);
}

/* ---- balance --------------------------------------------------------------------------------- */

TD_LOOP_TEST(links_are_in_balance, 0, loop_robot_count)
{
    const loop_robot *robot = &loop_robots[_i];
    td_random random = {(uint64_t)(1 + _i)};
    fixture f = fixture_new(loop_robot_load(robot));
    for (int state = 0; state < 10; state++) {
        loop_robot_state(&random, robot, f.model, f.y);
        draw_motion(&f, &random);
        if (td_closure(f.model, f.w, f.y, NULL, NULL, f.q, NULL, NULL) != TD_OK)
            continue;
        loop_balance_check(f.model, f.w, f.y, f.yd, f.ydd, &f.forces);
        loop_balance_check(f.model, f.w, f.y, NULL, NULL, NULL);
    }
}

TD_LOOP_TEST(batches_are_single_states, 0, loop_robot_count)
{
    enum { STATES = 11 };
    const loop_robot *robot = &loop_robots[_i];
    td_random random = {(uint64_t)(1 + _i)};
    fixture f = fixture_new(loop_robot_load(robot));
    const size_t ny = td_ny(f.model), n = td_nyd(f.model);
    const size_t joints = 6 * td_joint_count(f.model), loops = 6 * td_loop_count(f.model);
    double *y = doubles(STATES * ny), *yd = doubles(STATES * n), *ydd = doubles(STATES * n);
    double *out[4] = {doubles(STATES * joints), doubles(STATES * loops), doubles(STATES * joints),
                      doubles(STATES * loops)};
    td_status each[STATES];
    draw_motion(&f, &random);
    td_random_fill(&random, STATES * n, yd);
    td_random_fill(&random, STATES * n, ydd);
    for (size_t k = 0; k < STATES; k++)
        loop_robot_state(&random, robot, f.model, y + k * ny);
    td_batch_loop_reactions(f.model, f.w, STATES, y, yd, ydd, &f.forces, TD_FRAME_BODY, out[0],
                            out[1], out[2], out[3], each);
    for (size_t k = 0; k < STATES; k++) {
        td_closure_start(f.model, f.w, NULL);
        memcpy(f.y, y + k * ny, ny * sizeof *y);
        memcpy(f.yd, yd + k * n, n * sizeof *y);
        memcpy(f.ydd, ydd + k * n, n * sizeof *y);
        ck_assert_int_eq(find(&f, TD_FRAME_BODY), each[k]);
        if (each[k] != TD_OK)
            continue;
        const double size = 1 + fmax(td_largest(joints, f.joints), td_largest(loops, f.loops));
        td_assert_close(joints, f.joints, out[0] + k * joints, 1e-9, size);
        td_assert_close(loops, f.loops, out[1] + k * loops, 1e-9, size);
        td_assert_close(joints, f.joint_ambiguity, out[2] + k * joints, 1e-8, 1);
        td_assert_close(loops, f.loop_ambiguity, out[3] + k * loops, 1e-8, 1);
    }
}

/* ---- the least multipliers ------------------------------------------------------------------- */

/* The wrenches that a loop can transmit, on its successor in the world frame, with norm 1 in the
   norm of the multipliers. These are unit moments, and forces of 1 / size at the successor's
   point. */
typedef struct span {
    size_t count;
    double wrench[6][6];
} span;

static void add_unit(span *s, const double direction[3], const double point[3], double size)
{
    double *w = s->wrench[s->count++];
    const double length = sqrt(direction[0] * direction[0] + direction[1] * direction[1] +
                               direction[2] * direction[2]);
    for (int i = 0; i < 3; i++)
        w[point ? 3 + i : i] = direction[i] / length / (point ? size : 1);
    for (int i = 0; point && i < 3; i++)
        w[i] = point[(i + 1) % 3] * w[3 + (i + 2) % 3] - point[(i + 2) % 3] * w[3 + (i + 1) % 3];
}

/* three orthogonal directions, the first one given */
static void frame_of(const double first[3], double axes[3][3])
{
    double other[3] = {0},
           length = sqrt(first[0] * first[0] + first[1] * first[1] + first[2] * first[2]);
    int least = 0;
    for (int i = 0; i < 3; i++) {
        axes[0][i] = first[i] / length;
        least = fabs(first[i]) < fabs(first[least]) ? i : least;
    }
    other[least] = 1;
    for (int k = 1; k < 3; k++) {
        const double *with = k == 1 ? other : axes[1];
        for (int i = 0; i < 3; i++)
            axes[k][i] =
                axes[0][(i + 1) % 3] * with[(i + 2) % 3] - axes[0][(i + 2) % 3] * with[(i + 1) % 3];
        length = sqrt(axes[k][0] * axes[k][0] + axes[k][1] * axes[k][1] + axes[k][2] * axes[k][2]);
        for (int i = 0; i < 3; i++)
            axes[k][i] /= length;
    }
}

static span span_of(const td_model *model, td_workspace *w, const double *q, size_t l, double size)
{
    const td_loop *loop = td_loop_at(model, l);
    span s = {0};
    td_pose at[2];
    double turned[2][3] = {{0}}, line[3], axes[3][3], across[3];
    loop_balance_frames(model, w, q, l, at);
    for (int i = 0; i < 3; i++) {
        line[i] = at[1].position[i] - at[0].position[i];
        for (int j = 0; j < 3; j++) {
            turned[0][i] += at[0].rotation[3 * i + j] * loop->axis[j];
            turned[1][i] += at[1].rotation[3 * i + j] * loop->second_axis[j];
        }
    }
    frame_of(turned[0], axes);
    const bool slides = loop->type == TD_LOOP_PRISMATIC || loop->type == TD_LOOP_CYLINDRICAL;
    const bool fixed = loop->type == TD_LOOP_FIXED || loop->type == TD_LOOP_PRISMATIC;
    const bool free_to_turn = loop->type == TD_LOOP_SPHERICAL || loop->type == TD_LOOP_DISTANCE ||
                              loop->type == TD_LOOP_UNIVERSAL;
    for (int k = 0; k < 3 && loop->type != TD_LOOP_DISTANCE; k++)
        if (loop->type == TD_LOOP_PLANAR ? k == 0 : k > 0 || !slides)
            add_unit(&s, axes[k], at[1].position, size);
    if (loop->type == TD_LOOP_DISTANCE)
        add_unit(&s, line, at[1].position, size);
    for (int k = fixed ? 0 : 1; k < 3 && !free_to_turn; k++)
        add_unit(&s, axes[k], NULL, size);
    for (int i = 0; i < 3; i++)
        across[i] = turned[0][(i + 1) % 3] * turned[1][(i + 2) % 3] -
                    turned[0][(i + 2) % 3] * turned[1][(i + 1) % 3];
    if (loop->type == TD_LOOP_UNIVERSAL)
        add_unit(&s, across, NULL, size);
    return s;
}

/* the size defined in the header, from the weight of a row of lengths */
static double size_of(const td_model *model, size_t l)
{
    const td_loop_group *g = &model->closure.loops.group[model->closure.loop_group[l]];
    for (int i = 0; i < g->rows; i++)
        if (g->row[i].kind != TD_ROW_DOT)
            return 1 / g->row[i].weight;
    return 1;
}

/* all unit wrenches of all loops: loop wrenches (6 per loop), and the resulting tree forces */
typedef struct units {
    size_t count;
    double *loops, *tau;
} units;

static units units_of(const fixture *f)
{
    const size_t loops = td_loop_count(f->model), nv = td_nv(f->model);
    units u = {0, doubles(36 * loops * loops), doubles(6 * loops * nv)};
    double *columns = doubles(6 * nv * td_link_count(f->model));
    for (size_t l = 0; l < loops; l++) {
        const span s = span_of(f->model, f->w, f->q, l, size_of(f->model, l));
        const size_t link[2] = {td_link_index(f->model, td_loop_at(f->model, l)->predecessor),
                                td_link_index(f->model, td_loop_at(f->model, l)->successor)};
        for (size_t k = 0; k < s.count; k++, u.count++) {
            memcpy(u.loops + u.count * 6 * loops + 6 * l, s.wrench[k], sizeof s.wrench[k]);
            for (int e = 0; e < 2; e++) {
                TD_IN_TREE(f->w, td_link_jacobian(f->model, f->w, link[e], NULL, f->q,
                                                  TD_FRAME_WORLD, columns));
                for (size_t v = 0; v < nv; v++)
                    for (size_t i = 0; i < 6; i++)
                        u.tau[u.count * nv + v] +=
                            (e ? 1 : -1) * columns[i * nv + v] * s.wrench[k][i];
            }
        }
    }
    return u;
}

/* Computes an orthonormal basis of the multipliers that cause no forces in the tree. Returns their
   number. */
static size_t self_stress(const units *u, size_t nv, double *stress)
{
    const size_t n = u->count, m = nv > n ? nv : n;
    double *A = doubles(m * n), *value = doubles(n), *Vt = doubles(n * n);
    size_t found = 0;
    for (size_t k = 0; k < n; k++)
        memcpy(A + k * m, u->tau + k * nv, nv * sizeof *A);
    ck_assert(td_right_vectors((int)m, (int)n, A, value, Vt));
    for (size_t k = 0; k < n; k++)
        if (value[k] < 1e-7 * value[0]) {
            for (size_t i = 0; i < n; i++)
                stress[found * n + i] = Vt[k + i * n];
            found++;
        }
    return found;
}

/* Checks how much each component, and each component of a loop, may change by self-stress. The
   wrenches of the loops must be orthogonal to self-stress, because they are the shortest. */
static void check_stress(fixture *f)
{
    const size_t loops = 6 * td_loop_count(f->model), joints = 6 * td_joint_count(f->model);
    const units u = units_of(f);
    double *stress = doubles(u.count * u.count), *change = doubles(loops), *of = doubles(joints);
    double *all = doubles(joints), *all_loops = doubles(loops), *lambda = doubles(u.count);
    const size_t count = self_stress(&u, td_nv(f->model), stress);
    for (size_t k = 0; k < u.count; k++) /* λ in unit wrenches, which are orthonormal */
        for (size_t l = 0; l < td_loop_count(f->model); l++) {
            const double *unit = u.loops + k * loops + 6 * l, *wrench = f->loops + 6 * l;
            const double size = size_of(f->model, l);
            const bool force = unit[3] != 0 || unit[4] != 0 || unit[5] != 0;
            td_pose at[2];
            loop_balance_frames(f->model, f->w, f->q, l, at);
            const double *p = at[1].position;
            for (int i = 0; i < 3; i++) {
                const int a = (i + 1) % 3, b = (i + 2) % 3;
                const double moment = wrench[i] - p[a] * wrench[3 + b] + p[b] * wrench[3 + a];
                lambda[k] += force ? size * size * unit[3 + i] * wrench[3 + i] : unit[i] * moment;
            }
        }
    const double length = td_largest(u.count, lambda);
    for (size_t s = 0; s < count; s++) {
        double along = 0;
        memset(change, 0, loops * sizeof *change);
        for (size_t k = 0; k < u.count; k++) {
            along += stress[s * u.count + k] * lambda[k];
            for (size_t i = 0; i < loops; i++)
                change[i] += stress[s * u.count + k] * u.loops[k * loops + i];
        }
        ck_assert_double_le(fabs(along), 1e-7 * (1 + length));
        loop_balance_of_wrenches(f->model, f->q, change, of);
        for (size_t i = 0; i < joints; i++)
            all[i] += of[i] * of[i];
        for (size_t i = 0; i < loops; i++)
            all_loops[i] += change[i] * change[i];
    }
    for (size_t i = 0; i < joints; i++)
        all[i] = sqrt(all[i]) < 1e-6 ? 0 : sqrt(all[i]);
    for (size_t i = 0; i < loops; i++)
        all_loops[i] = sqrt(all_loops[i]) < 1e-6 ? 0 : sqrt(all_loops[i]);
    td_assert_close(joints, f->joint_ambiguity, all, 1e-6, 1);
    td_assert_close(loops, f->loop_ambiguity, all_loops, 1e-6, 1);
}

TD_LOOP_TEST(multipliers_are_least, 0, loop_robot_count)
{
    const loop_robot *robot = &loop_robots[_i];
    td_random random = {(uint64_t)(1 + _i)};
    fixture f = fixture_new(loop_robot_load(robot));
    bool apart = td_coupling_count(f.model) == 0;
    for (size_t i = 0; i < td_joint_count(f.model); i++)
        apart = apart && !td_joint_at(f.model, i)->mimic;
    for (int state = 0; apart && state < 3; state++) {
        loop_robot_state(&random, robot, f.model, f.y);
        draw_motion(&f, &random);
        f.forces.passive = false; /* forces in loop joints are not multipliers */
        if (find(&f, TD_FRAME_WORLD) != TD_OK)
            continue;
        td_closure(f.model, f.w, f.y, NULL, NULL, f.q, NULL, NULL);
        check_stress(&f);
    }
}

/* ---- closed forms and equivalent models ------------------------------------------------------ */

static void add_part(td_builder *builder, const char *name, double mass, const double center[3])
{
    td_link link = td_link_default(name);
    link.has_inertial = mass > 0;
    link.mass = mass;
    memcpy(link.inertial.position, center, 3 * sizeof *center);
    link.inertia[0] = link.inertia[3] = link.inertia[5] = 0.05 * mass;
    assert_ok(td_builder_add_link(builder, &link));
}

static void add_pin(td_builder *builder, const char *name, const char *parent, const char *child,
                    double x, double z)
{
    td_joint joint = td_joint_default(name, TD_JOINT_CONTINUOUS, parent, child);
    joint.origin.position[0] = x;
    joint.origin.position[2] = z;
    memcpy(joint.axis, (double[]){0, 1, 0}, sizeof joint.axis);
    assert_ok(td_builder_add_joint(builder, &joint));
}

/* A seat of 2 kg on two massless rods of 1 m, 1 m apart; x: position of its mass. */
static td_model *swing(double x)
{
    td_builder *builder = test_builder("swing");
    const double none[3] = {0}, there[3] = {x, 0, 0};
    add_part(builder, "beam", 0, none);
    add_part(builder, "left", 0, none);
    add_part(builder, "right", 0, none);
    add_part(builder, "seat", 2, there);
    add_pin(builder, "a", "beam", "left", 0, 0);
    add_pin(builder, "b", "beam", "right", 1, 0);
    add_pin(builder, "c", "left", "seat", 0, -1);
    td_loop loop = td_loop_default("d", "seat", "right");
    loop.type = TD_LOOP_SPHERICAL;
    loop.predecessor_origin.position[0] = 1;
    loop.successor_origin.position[2] = -1;
    assert_ok(td_builder_add_loop(builder, &loop));
    return model_of_builder(builder, NULL);
}

/* Each rod transmits along itself the part of the weight on its side. */
TD_LOOP_TEST(a_seat_hangs_from_two_rods, 0, 5)
{
    const double x = 0.25 * _i, weight = 2 * 9.81;
    fixture f = fixture_new(swing(x));
    assert_ok(find(&f, TD_FRAME_ALIGNED));
    const double left = weight * (1 - x), right = weight * x;
    const double expected[18] = {[5] = left, [11] = right, [17] = left},
                 of_loop[6] = {[5] = -right};
    td_assert_close(18, f.joints, expected, 1e-13, weight);
    td_assert_close(6, f.loops, of_loop, 1e-13, weight);
    /* along the hinges the two sides can press against each other; nothing else is undetermined */
    const double open[6] = {[4] = 1};
    td_assert_close(6, f.loop_ambiguity, open, 1e-12, 1);
}

/* In tree coordinates one hinge transmits everything, because loops are ignored. */
TD_TEST(the_tree_is_cut_open)
{
    fixture f = fixture_new(swing(0.5));
    double *of_tree = doubles(6 * td_joint_count(f.model));
    td_closure(f.model, f.w, f.y, NULL, NULL, f.q, NULL, NULL);
    assert_ok(
        TD_IN_TREE(f.w, td_loop_reactions(f.model, f.w, f.q, NULL, NULL, NULL, TD_FRAME_BODY,
                                          f.joints, f.loops, f.joint_ambiguity, f.loop_ambiguity)));
    assert_ok(TD_IN_TREE(
        f.w, td_joint_reactions(f.model, f.w, f.q, NULL, NULL, NULL, TD_FRAME_BODY, of_tree)));
    ck_assert_mem_eq(f.joints, of_tree, 18 * sizeof(double));
    td_assert_close(1, f.joints + 5, ((double[]){2 * 9.81}), 1e-14, 0);
    const double none[18] = {0};
    ck_assert_mem_eq(f.loops, none, 6 * sizeof(double));
    ck_assert_mem_eq(f.joint_ambiguity, none, 18 * sizeof(double));
    ck_assert_mem_eq(f.loop_ambiguity, none, 6 * sizeof(double));
}

/* The same joints and loops, found by name, have the same reactions. */
static void check_same(const fixture *a, const fixture *b, bool as_sure)
{
    const double size = 1 + td_largest(6 * td_joint_count(a->model), a->joints);
    for (size_t i = 0; i < td_joint_count(a->model); i++) {
        const size_t j = td_joint_index(b->model, td_joint_at(a->model, i)->name);
        td_assert_close(6, a->joints + 6 * i, b->joints + 6 * j, 1e-9, size);
        if (as_sure)
            td_assert_close(6, a->joint_ambiguity + 6 * i, b->joint_ambiguity + 6 * j, 1e-8, 1);
    }
    td_assert_close(6 * td_loop_count(a->model), a->loops, b->loops, 1e-9, size);
    if (as_sure)
        td_assert_close(6 * td_loop_count(a->model), a->loop_ambiguity, b->loop_ambiguity, 1e-8, 1);
}

/* A parallelogram with linear followers against one whose loop is iterated because its crank
   follows a motor. */
TD_TEST(linear_loops_carry_as_others_do)
{
    td_random random = {1};
    fixture linear =
        fixture_new(model_of_builder(chain_of_four_bars(1, CHAIN_OF_PARALLELOGRAMS), NULL));
    fixture solved = fixture_new(
        model_of_builder(chain_of_four_bars(1, CHAIN_OF_PARALLELOGRAMS | CHAIN_GEARED), NULL));
    ck_assert_int_eq(td_loop_place_at(linear.model, 0).form, TD_LOOP_FORM_LINEAR);
    ck_assert_int_eq(td_loop_place_at(solved.model, 0).form, TD_LOOP_FORM_CLOSED_FORM);
    for (int state = 0; state < 5; state++) {
        linear.y[0] = td_random_number(&random);
        linear.yd[0] = td_random_number(&random);
        linear.ydd[0] = td_random_number(&random);
        solved.y[0] = linear.y[0] / 0.3;
        solved.yd[0] = linear.yd[0] / 0.3;
        solved.ydd[0] = linear.ydd[0] / 0.3;
        assert_ok(find(&linear, TD_FRAME_BODY));
        assert_ok(find(&solved, TD_FRAME_BODY));
        check_same(&linear, &solved, true);
    }
}

/* Where crank and coupler are collinear, the joints cannot support the rocker. */
TD_TEST(flat_parallelograms_are_singular)
{
    fixture f = fixture_new(model_of_builder(chain_of_four_bars(2, CHAIN_OF_PARALLELOGRAMS), NULL));
    f.y[1] = acos(-1.0) / 2;
    ck_assert_int_eq(find(&f, TD_FRAME_BODY), TD_ERROR_CLOSURE_SINGULAR);
    ck_assert(isnan(f.joints[0]) && isnan(f.loops[0]) && isnan(f.loop_ambiguity[0]));
    ck_assert_uint_eq(td_failed_loop(f.w, NULL), 1);
    const double y[4] = {0.3, 0.2, 0.3, f.y[1]};
    double *out = doubles(2 * 6 * td_joint_count(f.model));
    td_status each[2];
    ck_assert_int_eq(
        td_batch_joint_reactions(f.model, f.w, 2, y, NULL, NULL, NULL, TD_FRAME_BODY, out, each),
        TD_ERROR_CLOSURE_SINGULAR);
    ck_assert(each[0] == TD_OK && each[1] == TD_ERROR_CLOSURE_SINGULAR && isfinite(out[0]));
}

/* A motor elsewhere: in the joint that closes the loop, or at a dependent joint. */
TD_LOOP_TEST(motors_act_where_they_are, 0, 3)
{
    static const char *const names[] = {"pin0", "rocker0", "coupler0"};
    td_load_options options = td_load_options_default();
    options.actuation = TD_ACTUATION_LIST;
    options.actuated = (const char *const *)&names[_i];
    options.actuated_count = 1;
    td_random random = {(uint64_t)(1 + _i)};
    fixture f =
        fixture_new(model_of_builder(chain_of_four_bars(1, CHAIN_OF_CRANK_ROCKERS), &options));
    assert_ok(td_actuation_status(f.model));
    const size_t crank = td_joint_index(f.model, "crank0");
    for (int state = 0; state < 5; state++) {
        f.y[0] = 0.4 * td_random_number(&random);
        draw_motion(&f, &random);
        loop_balance_check(f.model, f.w, f.y, f.yd, f.ydd, &f.forces);
        f.forces.passive = false;
        assert_ok(find(&f, TD_FRAME_BODY));
        const double size = td_largest(6 * td_joint_count(f.model), f.joints);
        const double *axis = td_joint_at(f.model, crank)->axis;
        const double *moment = f.joints + 6 * crank;
        ck_assert_double_le(fabs(axis[0] * moment[0] + axis[1] * moment[1] + axis[2] * moment[2]),
                            1e-12 * size);
    }
}

/* If mimic joints close the loops as well, the loops transmit everything they can. Results equal
   those without mimic joints, but every component is ambiguous. */
TD_LOOP_TEST(loops_carry_for_mimic_joints, 0, 3)
{
    td_random random = {1};
    const size_t modules = (size_t)(1 + _i);
    fixture linear =
        fixture_new(model_of_builder(chain_of_four_bars(modules, CHAIN_OF_PARALLELOGRAMS), NULL));
    td_builder *builder = chain_of_four_bars(modules, CHAIN_OF_PARALLELOGRAMS | CHAIN_CUT);
    for (size_t l = 0; l < modules; l++)
        assert_ok(td_builder_add_loop(builder, td_loop_at(linear.model, l)));
    fixture implied = fixture_new(model_of_builder(builder, NULL));
    ck_assert_int_eq(td_loop_place_at(implied.model, 0).form, TD_LOOP_FORM_IMPLIED);
    for (int state = 0; state < 5; state++) {
        td_draw_configuration(&random, linear.model, false, 1, linear.y);
        td_random_fill(&random, modules, linear.yd);
        td_random_fill(&random, modules, linear.ydd);
        memcpy(implied.y, linear.y, modules * sizeof *linear.y);
        memcpy(implied.yd, linear.yd, modules * sizeof *linear.y);
        memcpy(implied.ydd, linear.ydd, modules * sizeof *linear.y);
        assert_ok(find(&linear, TD_FRAME_BODY));
        assert_ok(find(&implied, TD_FRAME_BODY));
        check_same(&linear, &implied, false);
        loop_balance_check(linear.model, linear.w, linear.y, linear.yd, linear.ydd, NULL);
        loop_balance_check(implied.model, implied.w, linear.y, linear.yd, linear.ydd, NULL);
        for (int k = 3; k < 6; k++)
            ck_assert_double_ge(implied.loop_ambiguity[k], 0.1);
    }
}
