/* SPDX-License-Identifier: MIT */
/*
 * Finds the mechanism nearest to a group of loops that closes at all positions of a motion. Frames
 * of joints and loops are rotated and moved by a small d. At a position this changes φ to φ + J_x
 * dx + D d, with dependent coordinates x. d must cancel the part that x cannot. The projection P =
 * 1 − Q Qᵀ removes the range of J_x, so P D d = −P φ at all positions.
 *
 * The smallest such d is applied until φ is at rounding level (Gauss–Newton). D needs only the
 * wrenches F of K: a twist of a joint's frame moves everything that the joint supports.
 */
#include <math.h>
#include <string.h>

#include "base/damped.h"
#include "base/frame.h"
#include "load/repair/loop_motion.h"

/* closed: φ at all positions is at rounding level. nearly_closed: the same if φ no longer
   decreases. */
static const double closed = 2e-15, nearly_closed = 1e-13;
/* Damping of the squared singular values of P D, in the first steps and in the last ones. Large
   damping suppresses values that are nonzero only because of the remaining error, until that error
   is small. */
static const double most_damping = 1e-8, least_damping = 1e-12;
/* limit on multiplications per step, about half a second; they grow with the cube of the number of
   loops in a group */
static const double most_work = 5e8;

enum { MOST_STEPS = 30, TWIST = 6, SIDES = 2 }; /* predecessor, successor */

typedef struct correction {
    size_t rows, columns; /* of P D for all positions */
    double *PD, *phi, *d;
    td_mat3 *rotation; /* per body of the group: its rotation before the correction */
} correction;

static td_vec3 vector_at(const double v[3])
{
    return td_vec3_from(v);
}

typedef struct places {
    const double *pose, *wrench; /* 12 numbers per body, 6 per row */
} places;

static places places_of(const td_loop_analysis *analysis)
{
    const td_reals *pose, *wrench;
    analysis->model->single->group_places(&analysis->closing, &analysis->scratch, &pose, &wrench);
    return (places){pose, wrench};
}

/* Returns the frame of a body of the group at the position examined last, from the kernel's
   scratch. */
static td_frame3 frame_of(const td_loop_analysis *analysis, int body)
{
    td_frame3 frame = TD_FRAME3_IDENTITY;
    const double *pose = places_of(analysis).pose + 12 * body;
    if (body >= 0)
        frame = (td_frame3){td_mat3_from(pose), vector_at(pose + 9)};
    return frame;
}

/* Adds the effect of twists of a frame on a loop to six columns of D. about: axes and reference
   point of the twists. sign: 1 if the frame supports the successor, −1 for the predecessor. */
static void add_twists(const td_loop_analysis *analysis, const td_loop_joint *loop, td_frame3 about,
                       double sign, double *D, size_t stride)
{
    const td_loop_group *g = analysis->group;
    const double *wrench = places_of(analysis).wrench;
    td_frame3 successor = frame_of(analysis, loop->successor);
    td_vec3 point =
        td_vec3_add(td_mat3_apply(successor.rotation, loop->successor_point), successor.position);
    td_vec3 arm = {point.x - about.position.x, point.y - about.position.y,
                   point.z - about.position.z};
    td_mat3 back = td_mat3_transpose(about.rotation);
    for (int i = loop->first; i < loop->first + loop->rows; i++) {
        const td_vec3 force = vector_at(wrench + TWIST * i + 3);
        const td_vec3 moment =
            td_vec3_add(vector_at(wrench + TWIST * i), td_vec3_cross(arm, force));
        const td_vec3 turn = td_mat3_apply(back, moment), move = td_mat3_apply(back, force);
        const double row[TWIST] = {turn.x, turn.y, turn.z, move.x, move.y, move.z};
        for (int k = 0; k < TWIST; k++)
            D[(size_t)k * stride + (size_t)i] +=
                sign * g->row[i].weight * (k < 3 ? 1 : analysis->size) * row[k];
    }
}

/* Returns whether a body is the first one of its joint, whose frame is in the records. Other bodies
   lie where the joint's axes intersect. */
static bool has_frame(const td_model *model, int body)
{
    const int above = model->tree.body[body].parent;
    return above < 0 || model->tree.body[above].link != model->tree.body[body].link;
}

/* Computes D at the position examined last: first twists of joint frames, in the axes of the parent
   body. Then twists of each loop's two frames, in the axes of their bodies. */
static void differentiate(const td_loop_analysis *analysis, double *D, size_t stride)
{
    const td_loop_group *g = analysis->group;
    for (int n = 0; n < g->columns; n++) {
        const td_loop_column *c = &g->column[n];
        if (c->k > 0 || !has_frame(analysis->model, g->body[c->body]))
            continue;
        td_frame3 about = frame_of(analysis, g->parent[c->body]);
        td_vec3 origin = analysis->model->tree.body[g->body[c->body]].position;
        about.position = td_vec3_add(about.position, td_mat3_apply(about.rotation, origin));
        add_twists(analysis, &g->loop[c->loop], about, c->sign,
                   D + (size_t)(TWIST * c->body) * stride, stride);
    }
    D += (size_t)(TWIST * g->bodies) * stride;
    for (int l = 0; l < g->loops; l++)
        for (int side = 0; side < SIDES; side++, D += TWIST * stride) {
            const td_loop_joint *loop = &g->loop[l];
            td_frame3 about = frame_of(analysis, side ? loop->successor : loop->predecessor);
            td_vec3 point = side ? loop->successor_point : loop->predecessor_point;
            about.position = td_vec3_add(about.position, td_mat3_apply(about.rotation, point));
            add_twists(analysis, loop, about, side ? 1 : -1, D, stride);
        }
}

/* Subtracts the projection onto the range of Q from a column. */
static void project(size_t m, int rank, const double *Q, double *column)
{
    for (int k = 0; k < rank; k++) {
        const double *q = Q + (size_t)k * m;
        double part = 0;
        for (size_t i = 0; i < m; i++)
            part += q[i] * column[i];
        for (size_t i = 0; i < m; i++)
            column[i] -= part * q[i];
    }
}

/* Computes P D and P φ at all positions. Returns the largest residual, or infinity near singular
   positions. */
static double linearize(td_loop_analysis *analysis, td_loop_motion *motion, correction *c)
{
    size_t m = (size_t)analysis->group->rows;
    double largest = 0;
    memset(c->PD, 0, c->rows * c->columns * sizeof *c->PD);
    for (int n = 0; n < motion->count; n++) {
        size_t first = (size_t)n * m;
        largest = fmax(largest, td_motion_settle(analysis, motion, n));
        if (!td_motion_range(analysis, motion, n, TD_ROUNDED_RANK))
            return INFINITY;
        differentiate(analysis, c->PD + first, c->rows);
        memcpy(c->phi + first, analysis->phi, m * sizeof *c->phi);
        project(m, motion->rank, analysis->copy, c->phi + first);
        for (size_t k = 0; k < c->columns; k++)
            project(m, motion->rank, analysis->copy, c->PD + k * c->rows + first);
    }
    return largest;
}

/* Returns the rotation by a rotation vector times sign. */
static td_mat3 turned_by(const double w[3], double sign)
{
    double angle = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]), R[9];
    double factor = angle > 0 ? sign * sin(angle / 2) / angle : 0;
    const double xyzw[4] = {factor * w[0], factor * w[1], factor * w[2], cos(angle / 2)};
    td_rotation_from_quaternion(xyzw, R);
    return td_mat3_from(R);
}

static void put_rotation(td_mat3 R, double rows[9])
{
    const double is[9] = {R.xx, R.xy, R.xz, R.yx, R.yy, R.yz, R.zx, R.zy, R.zz};
    memcpy(rows, is, sizeof is);
}

/* Writes a frame given in a body as the origin of a record, relative to a link. */
static void put_frame(const td_link_frame *link, td_frame3 frame, td_pose *origin)
{
    td_mat3 back = td_mat3_transpose(link->rotation);
    td_vec3 p = {frame.position.x - link->position.x, frame.position.y - link->position.y,
                 frame.position.z - link->position.z};
    put_rotation(td_mat3_mul(back, frame.rotation), origin->rotation);
    p = td_mat3_apply(back, p);
    origin->position[0] = p.x, origin->position[1] = p.y, origin->position[2] = p.z;
}

/* Moves frames by −d: frames of joints in the tree, frames of loops in the records. */
static void move_frames(td_loop_analysis *analysis, const double *d)
{
    td_model *model = analysis->model;
    td_loop_group *g = analysis->group;
    const double size = analysis->size;
    for (int k = 0; k < g->bodies; k++, d += TWIST) {
        td_body *body = &model->tree.body[g->body[k]];
        body->rotation = td_mat3_mul(body->rotation, turned_by(d, 1));
        body->position.x -= size * d[3];
        body->position.y -= size * d[4];
        body->position.z -= size * d[5];
    }
    for (int l = 0; l < g->loops; l++)
        for (int side = 0; side < SIDES; side++, d += TWIST) {
            td_loop *record = &model->records.loop.at[g->loop[l].index];
            td_pose *origin = side ? &record->successor_origin : &record->predecessor_origin;
            int index =
                td_names_find(&model->link_names, side ? record->successor : record->predecessor);
            const td_link_frame *link = &model->tree.link[index];
            td_frame3 frame = td_frame3_compose((td_frame3){link->rotation, link->position},
                                                td_frame3_from(origin));
            frame.rotation = td_mat3_mul(turned_by(d, -1), frame.rotation);
            frame.position =
                td_vec3_add(frame.position, (td_vec3){-size * d[3], -size * d[4], -size * d[5]});
            put_frame(link, frame, origin);
        }
    td_fill_loop_group(analysis);
}

/* Writes the corrected frames of bodies to the records of their joints. */
static void keep_frames(const td_loop_analysis *analysis, const correction *c)
{
    td_model *model = analysis->model;
    for (int k = 0; k < analysis->group->bodies; k++) {
        const td_body *body = &model->tree.body[analysis->group->body[k]];
        if (!has_frame(model, analysis->group->body[k]))
            continue;
        int joint = model->link_joint[body->link];
        const td_link_frame *link = &model->tree.link[model->place[joint].parent_link];
        td_joint *record = &model->records.joint.at[joint];
        /* rotations map parent to body; turn is the rotation of the body's axes */
        td_mat3 turn = td_mat3_mul(td_mat3_transpose(body->rotation), c->rotation[k]);
        td_mat3 origin = td_mat3_mul(link->rotation, td_mat3_from(record->origin.rotation));
        put_frame(link, (td_frame3){td_mat3_mul(turn, origin), body->position}, &record->origin);
    }
}

static void correction_take(correction *c, size_t bodies, td_stack *stack)
{
    c->PD = td_take(stack, double, c->rows * c->columns);
    c->phi = td_take(stack, double, c->rows);
    c->d = td_take(stack, double, c->columns);
    c->rotation = td_take(stack, td_mat3, bodies);
    td_damped_measure(c->rows, c->columns, stack);
}

static bool open_correction(const td_loop_analysis *analysis, const td_loop_motion *motion,
                            td_stack *stack, correction *c)
{
    const size_t bodies = (size_t)analysis->group->bodies, loops = (size_t)analysis->group->loops;
    c->rows = (size_t)motion->count * (size_t)analysis->group->rows;
    c->columns = TWIST * (bodies + SIDES * loops);
    if (!td_take_twice(stack, correction_take(c, bodies, stack)))
        return false;
    for (size_t k = 0; k < bodies; k++)
        c->rotation[k] = analysis->model->tree.body[analysis->group->body[k]].rotation;
    return true;
}

static double work_of(const td_loop_analysis *analysis, const td_loop_motion *motion)
{
    double m = (double)motion->count * analysis->group->rows;
    double n = TWIST * ((double)analysis->group->bodies + SIDES * analysis->group->loops);
    return m * n * (fmin(m, n) + motion->rank);
}

/* Returns whether the iteration has converged: φ is at rounding level. The residual may stagnate
   for some steps near linkages with several families of mobile mechanisms, such as Bricard's. */
static bool done(double residual, double before)
{
    return residual <= closed || (residual <= nearly_closed && residual > 0.5 * before);
}

bool td_nearest_mechanism(td_loop_analysis *analysis, td_loop_motion *motion, bool *found)
{
    correction c = {0};
    td_stack stack = {0};
    *found = false;
    if (work_of(analysis, motion) > most_work)
        return true;
    if (!open_correction(analysis, motion, &stack, &c))
        return false;
    double before = INFINITY, damping = most_damping;
    double residual = linearize(analysis, motion, &c);
    for (int step = 0; step < MOST_STEPS && !done(residual, before); step++) {
        if (!td_damped_step(c.rows, c.columns, c.PD, c.phi, damping, &stack, c.d))
            break;
        move_frames(analysis, c.d);
        before = residual;
        damping = fmax(0.1 * damping, least_damping);
        residual = linearize(analysis, motion, &c);
    }
    *found = residual <= TD_ASSEMBLED;
    if (*found)
        keep_frames(analysis, &c);
    td_stack_end(&stack);
    return true;
}
