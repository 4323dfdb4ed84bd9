/* SPDX-License-Identifier: MIT */
/*
 * Velocities and accelerations of bodies, links and points; energies; the center of mass and the
 * momentum about it; and joint wrenches. Accelerations exclude gravity.
 */
#include "kernel/tree/inertia.h"
#include "kernel/tree/link_forces.h"
#include "kernel/tree/scope.h"
#include "kernel/tree/springs.h"

/* Computes the motions of all bodies, or of the bodies on a path. */
TD_INLINE void chain_motions(const td_tree *tree, const td_scratch *s, const real *qd,
                             const real *qdd, const path *along)
{
    const axes *p = s->pose;
    const packed3 *arm = s->arm;
    body_motion *m = s->motion;
    const size_t count = along ? along->bodies : tree->bodies;

    for (size_t n = 0; n < count; n++) {
        const size_t i = along ? (size_t)along->body[n] : n;
        const td_body *body = &tree->body[i];
        spatial velocity = spatial_zero(), acceleration = spatial_zero();
        vec3 w = velocity.angular;
        if (body->parent >= 0) {
            w = m[body->parent].velocity.angular;
            velocity = motion_shift(m[body->parent].velocity, packed3_vec3(arm[i]));
            acceleration = motion_shift(m[body->parent].acceleration, packed3_vec3(arm[i]));
        }
        spatial own = joint_rate_at(body, s, &p[i], qd + body->qd);
        m[i].velocity = spatial_add(velocity, own);
        acceleration = spatial_add(acceleration, joint_bias(body, w, packed3_vec3(arm[i]), own));
        m[i].acceleration =
            spatial_add(acceleration, joint_rate_at(body, s, &p[i], qdd + body->qd));
    }
}

static void motions(const td_tree *tree, const td_scratch *s, const td_reals *qd,
                    const td_reals *qdd, int link)
{
    if (link < 0) {
        chain_motions(tree, s, qd, qdd, NULL);
        return;
    }
    const path along = path_to(tree, s, tree->link[link].body);
    chain_motions(tree, s, qd, qdd, &along);
}

/* ---- links --------------------------------------------------------------------------------------
 */

static void link_velocities(const td_tree *tree, const td_scratch *s, int frame, td_reals *out)
{
    real *row = out;
    for (size_t k = 0; k < tree->links; k++, row += 6) {
        link_state link = link_state_of(&tree->link[k], s);
        write_spatial(row, express_motion(&link.pose, link.motion.velocity, frame));
    }
}

static void link_accelerations(const td_tree *tree, const td_scratch *s, int frame, int classical,
                               td_reals *out)
{
    real *row = out;
    for (size_t k = 0; k < tree->links; k++, row += 6) {
        link_state link = link_state_of(&tree->link[k], s);
        write_spatial(row, express_acceleration(&link.pose, &link.motion, frame, classical));
    }
}

static void point_motion(const td_tree *tree, const td_scratch *s, int k, const double point[3],
                         td_reals *out)
{
    real *x = out;
    link_state at = point_state(tree, s, k, point);
    vec3 p = at.pose.p, v = at.motion.velocity.linear, a = at.motion.acceleration.linear;
    x[0] = p.x, x[1] = p.y, x[2] = p.z;
    x[3] = v.x, x[4] = v.y, x[5] = v.z;
    x[6] = a.x, x[7] = a.y, x[8] = a.z;
}

static void point_velocity(const td_tree *tree, const td_scratch *s, int k, const double point[3],
                           int frame, td_reals *out)
{
    const link_state at = point_state(tree, s, k, point);
    write_spatial(out, express_motion(&at.pose, at.motion.velocity, frame));
}

static void point_acceleration(const td_tree *tree, const td_scratch *s, int k,
                               const double point[3], int frame, int classical, td_reals *out)
{
    const link_state at = point_state(tree, s, k, point);
    write_spatial(out, express_acceleration(&at.pose, &at.motion, frame, classical));
}

/* ---- mass, momentum and energy --------------------------------------------------------------- */

static void energies(const td_tree *tree, const td_scratch *s, int moving_only, td_reals *out)
{
    const body_motion *m = s->motion;
    const inertia *own = s->inertia;
    real twice = splat(0);
    for (size_t i = 0; i < tree->bodies; i++)
        twice +=
            spatial_dot(m[i].velocity, momentum_of(tree->body[i].mass, &own[i], m[i].velocity));
    vec3 moment = scope_moment(tree, s, moving_only);
    const td_vec3 g = tree->gravity;
    real *energy = out;
    energy[0] = 0.5 * twice;
    energy[1] = -(g.x * moment.x + g.y * moment.y + g.z * moment.z);
}

static void center_of_mass(const td_tree *tree, const td_scratch *s, int moving_only, td_reals *out)
{
    vec3 c = scale(1 / scope_mass(tree, moving_only), scope_moment(tree, s, moving_only));
    real *x = out;
    x[0] = c.x, x[1] = c.y, x[2] = c.z;
}

static void mass_center(const td_tree *tree, const td_scratch *s, int moving_only, td_reals *out)
{
    const axes *p = s->pose;
    const body_motion *m = s->motion;
    double factor_of_sum = 1 / scope_mass(tree, moving_only);
    vec3 velocity = vec3_splat((td_vec3){0, 0, 0}), acceleration = velocity;
    for (size_t i = 0; i < tree->bodies; i++) {
        const mat3 R = rotation_in(&p[i]);
        vec3 h = rotate_k(&R, tree->body[i].moment), w = m[i].velocity.angular;
        velocity = add(velocity, add(scale(tree->body[i].mass, m[i].velocity.linear), cross(w, h)));
        acceleration =
            add(acceleration, add(scale(tree->body[i].mass, m[i].acceleration.linear),
                                  add(cross(m[i].acceleration.angular, h), cross(w, cross(w, h)))));
    }
    vec3 c = scale(factor_of_sum, scope_moment(tree, s, moving_only));
    velocity = scale(factor_of_sum, velocity);
    acceleration = scale(factor_of_sum, acceleration);
    real *x = out;
    x[0] = c.x, x[1] = c.y, x[2] = c.z;
    x[3] = velocity.x, x[4] = velocity.y, x[5] = velocity.z;
    x[6] = acceleration.x, x[7] = acceleration.y, x[8] = acceleration.z;
}

static void momentum(const td_tree *tree, const td_scratch *s, int moving_only, td_reals *out)
{
    const axes *p = s->pose;
    const body_motion *m = s->motion;
    const inertia *own = s->inertia;
    vec3 c = scale(1 / scope_mass(tree, moving_only), scope_moment(tree, s, moving_only));
    spatial sum = spatial_zero();
    for (size_t i = 0; i < tree->bodies; i++) {
        spatial h = momentum_of(tree->body[i].mass, &own[i], m[i].velocity);
        sum = spatial_add(sum, force_shift(h, sub(origin_in(&p[i]), c)));
    }
    write_spatial(out, sum);
}

static void momentum_rate(const td_tree *tree, const td_scratch *s, int moving_only, td_reals *out)
{
    const axes *p = s->pose;
    const body_motion *m = s->motion;
    const inertia *own = s->inertia;
    vec3 c = scale(1 / scope_mass(tree, moving_only), scope_moment(tree, s, moving_only));
    spatial sum = spatial_zero();
    for (size_t i = 0; i < tree->bodies; i++) {
        const screw a = screw_of(m[i].acceleration);
        const packed3 w = packed3_of(m[i].velocity.angular);
        spatial f = screw_spatial(inertial_force(tree->body[i].mass, &own[i], w, &a));
        sum = spatial_add(sum, force_shift(f, sub(origin_in(&p[i]), c)));
    }
    write_spatial(out, sum);
}

/* ---- reactions ------------------------------------------------------------------------------- */

/* Returns the force that the link's motion requires minus gravity and the external wrench, about
   its origin, in world axes. */
TD_INLINE spatial link_force(const td_tree *tree, const td_link_frame *link, const link_state *at,
                             const real *w, int frame)
{
    inertia own = {rotate_k(&at->pose.R, link->moment), rotate_sym_k(&at->pose.R, &link->inertia)};
    spatial a = at->motion.acceleration;
    a.linear = add_k(a.linear, (td_vec3){-tree->gravity.x, -tree->gravity.y, -tree->gravity.z});
    const screw motion = screw_of(a);
    spatial f = screw_spatial(
        inertial_force(link->mass, &own, packed3_of(at->motion.velocity.angular), &motion));
    if (!w)
        return f;
    spatial given = {{w[0], w[1], w[2]}, {w[3], w[4], w[5]}};
    if (frame == TD_AT_BODY)
        given = (spatial){rotate(&at->pose.R, given.angular), rotate(&at->pose.R, given.linear)};
    else if (frame == TD_AT_WORLD)
        given = force_shift(given, negative(at->pose.p));
    return spatial_sub(f, given);
}

/* Subtracts the forces of springs between links from the forces of the links. */
static void unload_springs(const td_tree *tree, const td_scratch *s, spatial *total)
{
    for (size_t i = 0; i < tree->springs; i++) {
        const td_spring_element *spring = &tree->spring[i];
        const spring_state state = spring_state_of(tree, s, spring);
        const int to = spring->successor.link, from = spring->predecessor.link;
        const vec3 r = sub(state.between.point, link_pose(&tree->link[to], s).p);
        const vec3 back = sub(state.between.point, link_pose(&tree->link[from], s).p);
        total[to] = spatial_sub(total[to], force_shift(state.load, r));
        total[from] = spatial_add(total[from], force_shift(state.load, back));
    }
}

static void link_forces(const td_tree *tree, const td_scratch *s, const td_reals *wrenches_given,
                        int wrench_frame, int springs)
{
    const real *w = wrenches_given;
    spatial *total = s->force;
    for (size_t k = 0; k < tree->links; k++) {
        link_state at = link_state_of(&tree->link[k], s);
        total[k] = link_force(tree, &tree->link[k], &at, w ? w + 6 * k : NULL, wrench_frame);
    }
    if (springs)
        unload_springs(tree, s, total);
}

static void reactions(const td_tree *tree, const td_scratch *s, int frame, td_reals *out)
{
    real *row = out;
    sum_link_forces(tree, s);
    for (size_t j = 0; j < tree->joints; j++, row += 6)
        write_spatial(row, joint_force(tree, s, j, frame));
}

static void root_force(const td_tree *tree, const td_scratch *s, int frame, td_reals *out)
{
    const int root = tree->link_order[0];
    const pose at = link_pose(&tree->link[root], s);
    sum_link_forces(tree, s);
    write_spatial(out, express_force(&at, ((const spatial *)s->force)[root], frame));
}
