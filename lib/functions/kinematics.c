/* SPDX-License-Identifier: MIT */
/*
 * Kinematics: poses, velocities, accelerations, Jacobians, mass centre, momentum, energy.
 */
#include "tandem/kinematics.h"

#include "run/call.h"
#include "tandem/batch.h"

/* what an operation needs beside its rows */
typedef struct options {
    size_t link;
    const double *point;
    td_frame frame;
    td_scope scope;
    bool classical;
} options;

static const double origin[3] = {0, 0, 0};

static bool is_frame(td_frame frame)
{
    return (unsigned)frame <= TD_WORLD_ALIGNED;
}

static bool is_scope(td_scope scope)
{
    return (unsigned)scope <= TD_MOVING;
}

/* What operations take: y, or ẏ too, or ÿ as well. */
enum { POSITIONS = 1, VELOCITIES, ACCELERATIONS };

/* a call on so many of y, ẏ and ÿ with one output, called by its name */
static inline td_status run_named(const td_site *site, td_operation operation, const options *o,
                                  int takes, const double *y, const double *yd, const double *ydd,
                                  const char *name, double *out, size_t columns)
{
    size_t n = td_site_velocities(site);
    td_call call;
    td_call_begin(&call, operation, o);
    td_call_positions(&call, site, y, true);
    if (takes >= VELOCITIES)
        td_call_input(&call, yd, n, false);
    if (takes >= ACCELERATIONS)
        td_call_input(&call, ydd, n, false);
    if (o && o->point && o->point != origin)
        td_call_share(&call, o->point, 3);
    td_call_add_output(&call, name, out, columns, true);
    return td_call_run(site, &call);
}

#define run_y(site, operation, o, y, out, columns)                                                 \
    run_named(site, operation, o, POSITIONS, y, NULL, NULL, #out, out, columns)
#define run_yd(site, operation, o, y, yd, out, columns)                                            \
    run_named(site, operation, o, VELOCITIES, y, yd, NULL, #out, out, columns)
#define run_ydd(site, operation, o, y, yd, ydd, out, columns)                                      \
    run_named(site, operation, o, ACCELERATIONS, y, yd, ydd, #out, out, columns)

/* ---- links ----------------------------------------------------------------------------------- */

/* those of all links, as output k of the operation */
static void write_link_poses(const td_run *r, void *out, size_t k)
{
    const td_tree *tree = r->tree;
    td_rows *rows = r->rows;
    if (r->kernels->lanes == 1) {
        r->kernels->link_poses(tree, r->scratch, out);
        return;
    }
    rows->written |= 1U << k;
    rows->finite &=
        r->kernels->store_link_poses(tree, r->scratch, rows->at[k], rows->columns[k], rows->count);
}

static void op_link_poses(const td_run *r, const void *const *in, void *const *out,
                          const void *context)
{
    (void)context;
    td_run_poses(r, in[0], TD_EVERY_LINK, false);
    write_link_poses(r, out[0], 0);
}

static td_status link_poses(const td_site *site, const double *y, double *poses)
{
    return run_y(site, op_link_poses, NULL, y, poses, 12 * td_site_links(site));
}

TD_DEFINE(link_poses, (const double *y, double *poses), (y, poses))

void td_pose_split(const double pose[12], double position[3], double xyzw[4])
{
    const double rotation[9] = {pose[0], pose[1], pose[2], pose[4], pose[5],
                                pose[6], pose[8], pose[9], pose[10]};
    for (int i = 0; i < 3; i++)
        position[i] = pose[4 * i + 3];
    td_quaternion_from_rotation(rotation, xyzw);
}

static void op_link_velocities(const td_run *r, const void *const *in, void *const *out,
                               const void *context)
{
    const options *o = context;
    td_run_motions(r, in[0], in[1], NULL, TD_EVERY_LINK);
    r->kernels->link_velocities(r->tree, r->scratch, (int)o->frame, out[0]);
}

static td_status link_velocities(const td_site *site, const double *y, const double *yd,
                                 td_frame frame, double *velocities)
{
    options o = {.frame = frame};
    if (!is_frame(frame))
        return td_refuse(site->workspace, "frame");
    return run_yd(site, op_link_velocities, &o, y, yd, velocities, 6 * td_site_links(site));
}

TD_DEFINE(link_velocities, (const double *y, const double *yd, td_frame frame, double *velocities),
          (y, yd, frame, velocities))

static void op_link_accelerations(const td_run *r, const void *const *in, void *const *out,
                                  const void *context)
{
    const options *o = context;
    td_run_motions(r, in[0], in[1], in[2], TD_EVERY_LINK);
    r->kernels->link_accelerations(r->tree, r->scratch, (int)o->frame, o->classical, out[0]);
}

static td_status link_accelerations(const td_site *site, const double *y, const double *yd,
                                    const double *ydd, td_frame frame, bool classical,
                                    double *accelerations)
{
    options o = {.frame = frame, .classical = classical};
    if (!is_frame(frame))
        return td_refuse(site->workspace, "frame");
    return run_ydd(site, op_link_accelerations, &o, y, yd, ydd, accelerations,
                   6 * td_site_links(site));
}

static td_status link_spatial_accelerations(const td_site *site, const double *y, const double *yd,
                                            const double *ydd, td_frame frame,
                                            double *accelerations)
{
    return link_accelerations(site, y, yd, ydd, frame, false, accelerations);
}

TD_DEFINE(link_spatial_accelerations,
          (const double *y, const double *yd, const double *ydd, td_frame frame,
           double *accelerations),
          (y, yd, ydd, frame, accelerations))

static td_status link_classical_accelerations(const td_site *site, const double *y,
                                              const double *yd, const double *ydd, td_frame frame,
                                              double *accelerations)
{
    return link_accelerations(site, y, yd, ydd, frame, true, accelerations);
}

TD_DEFINE(link_classical_accelerations,
          (const double *y, const double *yd, const double *ydd, td_frame frame,
           double *accelerations),
          (y, yd, ydd, frame, accelerations))

/* ---- points and Jacobians -------------------------------------------------------------------- */

static void op_point_motion(const td_run *r, const void *const *in, void *const *out,
                            const void *context)
{
    const options *o = context;
    td_run_motions(r, in[0], in[1], in[2], (int)o->link);
    r->kernels->point_motion(r->tree, r->scratch, (int)o->link, o->point, out[0]);
}

static td_status point_motion(const td_site *site, size_t link, const double point[3],
                              const double *y, const double *yd, const double *ydd, double *motion)
{
    options o = {.link = link, .point = point ? point : origin};
    if (link >= td_site_links(site))
        return td_refuse(site->workspace, "link");
    return run_ydd(site, op_point_motion, &o, y, yd, ydd, motion, 9);
}

TD_DEFINE(point_motion,
          (size_t link, const double point[3], const double *y, const double *yd, const double *ydd,
           double *motion),
          (link, point, y, yd, ydd, motion))

static void op_link_jacobian(const td_run *r, const void *const *in, void *const *out,
                             const void *context)
{
    const options *o = context;
    td_run_poses(r, in[0], (int)o->link, false);
    r->kernels->jacobian(r->tree, r->scratch, (int)o->link, o->point, (int)o->frame,
                         td_run_matrix_room(r, out[0]));
    td_run_times_G(r, 6, out[0]);
}

static td_status link_jacobian(const td_site *site, size_t link, const double point[3],
                               td_frame frame, const double *y, double *J)
{
    options o = {.link = link, .point = point ? point : origin, .frame = frame};
    if (link >= td_site_links(site) || !is_frame(frame))
        return td_refuse(site->workspace, is_frame(frame) ? "link" : "frame");
    return run_y(site, op_link_jacobian, &o, y, J, 6 * td_site_velocities(site));
}

TD_DEFINE(link_jacobian,
          (size_t link, const double point[3], td_frame frame, const double *y, double *J),
          (link, point, frame, y, J))

static void op_joint_columns(const td_run *r, const void *const *in, void *const *out,
                             const void *context)
{
    const options *o = context;
    const td_tree *tree = r->tree;
    td_run_poses(r, in[0], TD_EVERY_LINK, false);
    if (out[0])
        r->kernels->joint_columns(tree, r->scratch, (int)o->frame, out[0]);
    if (out[1])
        write_link_poses(r, out[1], 1);
}

static td_status joint_columns(const td_site *site, td_frame frame, const double *y,
                               double *columns, double *poses)
{
    options o = {.frame = frame};
    size_t nv = site->model ? site->model->tree.nv : 0;
    if (!is_frame(frame))
        return td_refuse(site->workspace, "frame");
    td_call call;
    td_call_begin(&call, op_joint_columns, &o);
    td_call_positions(&call, site, y, true);
    td_call_output(&call, columns, 6 * nv, false);
    td_call_output(&call, poses, 12 * td_site_links(site), false);
    return td_call_run(site, &call);
}

TD_DEFINE(joint_columns, (td_frame frame, const double *y, double *columns, double *poses),
          (frame, y, columns, poses))

static void op_jacobian_rate(const td_run *r, const void *const *in, void *const *out,
                             const void *context)
{
    const options *o = context;
    td_run_motions(r, in[0], in[1], NULL, (int)o->link);
    r->kernels->jacobian_rate(r->tree, r->scratch, (int)o->link, o->point, (int)o->frame, out[0]);
}

static td_status link_jacobian_rate(const td_site *site, size_t link, const double point[3],
                                    td_frame frame, const double *y, const double *yd, double *rate)
{
    options o = {.link = link, .point = point ? point : origin, .frame = frame};
    if (link >= td_site_links(site) || !is_frame(frame))
        return td_refuse(site->workspace, is_frame(frame) ? "link" : "frame");
    return run_yd(site, op_jacobian_rate, &o, y, yd, rate, 6);
}

TD_DEFINE(link_jacobian_rate,
          (size_t link, const double point[3], td_frame frame, const double *y, const double *yd,
           double *rate),
          (link, point, frame, y, yd, rate))

/* ---- mass centre, momentum, energy ----------------------------------------------------------- */

static void op_mass_center(const td_run *r, const void *const *in, void *const *out,
                           const void *context)
{
    const options *o = context;
    td_run_motions(r, in[0], in[1], in[2], TD_EVERY_LINK);
    r->kernels->mass_center(r->tree, r->scratch, o->scope == TD_MOVING, out[0]);
}

static td_status center_of_mass_motion(const td_site *site, const double *y, const double *yd,
                                       const double *ydd, td_scope scope, double *motion)
{
    options o = {.scope = scope};
    if (!is_scope(scope))
        return td_refuse(site->workspace, "scope");
    return run_ydd(site, op_mass_center, &o, y, yd, ydd, motion, 9);
}

TD_DEFINE(center_of_mass_motion,
          (const double *y, const double *yd, const double *ydd, td_scope scope, double *motion),
          (y, yd, ydd, scope, motion))

static void op_center_of_mass(const td_run *r, const void *const *in, void *const *out,
                              const void *context)
{
    const options *o = context;
    td_run_poses(r, in[0], TD_EVERY_LINK, false);
    r->kernels->center_of_mass(r->tree, r->scratch, o->scope == TD_MOVING, out[0]);
}

static td_status center_of_mass(const td_site *site, const double *y, td_scope scope, double *com)
{
    options o = {.scope = scope};
    if (!is_scope(scope))
        return td_refuse(site->workspace, "scope");
    return run_y(site, op_center_of_mass, &o, y, com, 3);
}

TD_DEFINE(center_of_mass, (const double *y, td_scope scope, double *com), (y, scope, com))

/* poses and composite inertias, then the momentum matrix of the tree into room */
static void tree_momentum_matrix(const td_run *r, const void *y, td_scope scope, void *room)
{
    const td_tree *tree = r->tree;
    td_run_poses(r, y, TD_EVERY_LINK, true);
    r->kernels->composites(tree, r->scratch);
    r->kernels->momentum_matrix(tree, r->scratch, scope == TD_MOVING, room);
}

static void op_momentum_matrix(const td_run *r, const void *const *in, void *const *out,
                               const void *context)
{
    const options *o = context;
    tree_momentum_matrix(r, in[0], o->scope, td_run_matrix_room(r, out[0]));
    td_run_times_G(r, 6, out[0]);
}

static td_status momentum_matrix(const td_site *site, const double *y, td_scope scope, double *A)
{
    options o = {.scope = scope};
    if (!is_scope(scope))
        return td_refuse(site->workspace, "scope");
    return run_y(site, op_momentum_matrix, &o, y, A, 6 * td_site_velocities(site));
}

TD_DEFINE(momentum_matrix, (const double *y, td_scope scope, double *A), (y, scope, A))

static void op_com_jacobian(const td_run *r, const void *const *in, void *const *out,
                            const void *context)
{
    const options *o = context;
    const td_tree *tree = r->tree;
    td_run_poses(r, in[0], TD_EVERY_LINK, true);
    r->kernels->composites(tree, r->scratch);
    r->kernels->com_jacobian(tree, r->scratch, o->scope == TD_MOVING,
                             td_run_matrix_room(r, out[0]));
    td_run_times_G(r, 3, out[0]);
}

static td_status center_of_mass_jacobian(const td_site *site, const double *y, td_scope scope,
                                         double *J)
{
    options o = {.scope = scope};
    if (!is_scope(scope))
        return td_refuse(site->workspace, "scope");
    return run_y(site, op_com_jacobian, &o, y, J, 3 * td_site_velocities(site));
}

TD_DEFINE(center_of_mass_jacobian, (const double *y, td_scope scope, double *J), (y, scope, J))

static void op_momentum(const td_run *r, const void *const *in, void *const *out,
                        const void *context)
{
    const options *o = context;
    const td_tree *tree = r->tree;
    td_run_motions(r, in[0], in[1], NULL, TD_EVERY_LINK);
    r->kernels->inertias(tree, r->scratch);
    r->kernels->momentum(tree, r->scratch, o->scope == TD_MOVING, out[0]);
}

static td_status momentum(const td_site *site, const double *y, const double *yd, td_scope scope,
                          double *h)
{
    options o = {.scope = scope};
    if (!is_scope(scope))
        return td_refuse(site->workspace, "scope");
    return run_named(site, op_momentum, &o, VELOCITIES, y, yd, NULL, "momentum", h, 6);
}

TD_DEFINE(momentum, (const double *y, const double *yd, td_scope scope, double *h),
          (y, yd, scope, h))

static void op_momentum_bias(const td_run *r, const void *const *in, void *const *out,
                             const void *context)
{
    const options *o = context;
    const td_tree *tree = r->tree;
    td_run_motions(r, in[0], in[1], NULL, TD_EVERY_LINK);
    r->kernels->inertias(tree, r->scratch);
    r->kernels->momentum_rate(tree, r->scratch, o->scope == TD_MOVING, out[0]);
}

static td_status momentum_bias(const td_site *site, const double *y, const double *yd,
                               td_scope scope, double *bias)
{
    options o = {.scope = scope};
    if (!is_scope(scope))
        return td_refuse(site->workspace, "scope");
    return run_yd(site, op_momentum_bias, &o, y, yd, bias, 6);
}

TD_DEFINE(momentum_bias, (const double *y, const double *yd, td_scope scope, double *bias),
          (y, yd, scope, bias))

static void op_energy(const td_run *r, const void *const *in, void *const *out, const void *context)
{
    const options *o = context;
    const td_tree *tree = r->tree;
    td_run_motions(r, in[0], in[1], NULL, TD_EVERY_LINK);
    r->kernels->inertias(tree, r->scratch);
    r->kernels->energies(tree, r->scratch, o->scope == TD_MOVING, out[0]);
}

static td_status energy(const td_site *site, const double *y, const double *yd, td_scope scope,
                        double *e)
{
    options o = {.scope = scope};
    if (!is_scope(scope))
        return td_refuse(site->workspace, "scope");
    return run_named(site, op_energy, &o, VELOCITIES, y, yd, NULL, "energy", e, 2);
}

TD_DEFINE(energy, (const double *y, const double *yd, td_scope scope, double *e), (y, yd, scope, e))
