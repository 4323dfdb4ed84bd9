/* SPDX-License-Identifier: MIT */
/*
 * How much the rows of a batch take at most. Made by generate.py of the rows in operations.py;
 * change those.
 */
#include "dynamics/arguments.h"

/* What the rows of an operation take that opens a scope: inputs, and outputs that are always there;
   and each output that may be missing. */
typedef struct staged_rows {
    td_scope_name scope;
    bool matrices; /* only in workspaces with matrices */
    size_t always, optional[TD_MOST_OUTPUTS];
} staged_rows;

static size_t stage_of(const staged_rows *rows, size_t most)
{
    size_t staged = rows->always, largest = 0, count = 0;
    for (size_t i = 0; i < TD_MOST_OUTPUTS; i++) {
        const size_t reals = rows->optional[i];
        staged += reals;
        count = reals > largest ? 1 : count + (reals == largest);
        largest = reals > largest ? reals : largest;
    }
    return td_stage_of(staged, largest, largest ? count : 0, most);
}

static size_t most_at(const td_site *site, bool matrices, td_scope_name scope)
{
    const size_t ny = td_site_positions(site);
    const size_t n = td_site_velocities(site);
    const size_t nq = td_site_tree_positions(site);
    const size_t nv = td_site_tree_velocities(site);
    const size_t nu = td_site_motors(site);
    const size_t links = td_site_links(site);
    const size_t movable = td_site_movable(site);
    const size_t joints = td_site_joints(site);
    const size_t loops = td_site_loops(site);
    const size_t constraints = td_site_constraints(site);
    const staged_rows rows[] = {
        /* closure */ {TD_SCOPE_stage, false, ny + n + n, {nq, nv, nv}},
        /* inverse_dynamics */ {TD_SCOPE_stage, false, ny + n + n + n + 6 * links, {0}},
        /* forward_dynamics */ {TD_SCOPE_stage, false, ny + n + n + n + 6 * links, {0}},
        /* hybrid_dynamics */ {TD_SCOPE_hybrid, false, ny + n + n + n + n + n + 6 * links, {0}},
        /* mass_matrix */ {TD_SCOPE_stage, true, ny, {0}},
        /* mass_matrix_factors */ {TD_SCOPE_stage, true, ny, {0}},
        /* mass_matrix_inverse */ {TD_SCOPE_stage, true, ny, {0}},
        /* operational_inertia */ {TD_SCOPE_operational, true, ny, {36, 36, 6 * n}},
        /* bias_force */ {TD_SCOPE_stage, false, ny + n + n + 6 * links, {0}},
        /* gravity_force */ {TD_SCOPE_stage, false, ny + n, {0}},
        /* coriolis_matrix */ {TD_SCOPE_coriolis, true, ny + n + n * n, {0}},
        /* dynamics_terms */
        {TD_SCOPE_stage,
         false,
         ny + n + 6 * links,
         {n, n, 12 * links, 6 * links, 6 * links, 9, 6 * n, 2}},
        /* joint_reactions */ {TD_SCOPE_stage, false, ny + n + n + 6 * joints + 6 * links, {0}},
        /* loop_reactions */
        {TD_SCOPE_stage,
         false,
         ny + n + n + 6 * links,
         {6 * joints, 6 * loops, 6 * joints, 6 * loops}},
        /* closure_derivatives */ {TD_SCOPE_stage, true, ny + n + n + nv, {n * n}},
        /* inverse_dynamics_derivatives */
        {TD_SCOPE_stage, true, ny + n + n + 6 * links, {n, n * n, n * n}},
        /* mass_matrix_product_derivatives */ {TD_SCOPE_stage, true, ny + n + n * n, {0}},
        /* forward_dynamics_derivatives */
        {TD_SCOPE_derivatives, true, ny + n + n + 6 * links, {n, n * n, n * n}},
        /* link_velocity_derivatives */
        {TD_SCOPE_motion_derivatives, true, ny + n, {6, 6 * n, 6 * n}},
        /* link_jacobian_rate */ {TD_SCOPE_motion_derivatives, true, ny + n + 6 * n, {0}},
        /* link_spatial_acceleration_derivatives */
        {TD_SCOPE_motion_derivatives, true, ny + n + n, {6, 6 * n, 6 * n}},
        /* link_classical_acceleration_derivatives */
        {TD_SCOPE_motion_derivatives, true, ny + n + n, {6, 6 * n, 6 * n}},
        /* center_of_mass_derivatives */
        {TD_SCOPE_motion_derivatives, true, ny + n + n, {9, 3 * n, 3 * n, 3 * n}},
        /* centroidal_momentum_derivatives */
        {TD_SCOPE_motion_derivatives, true, ny + n + n, {6, 6, 6 * n, 6 * n, 6 * n, 6 * n}},
        /* energy_derivatives */ {TD_SCOPE_motion_derivatives, true, ny + n, {2, n, n, n}},
        /* inverse_dynamics_tangent */
        {TD_SCOPE_products, false, ny + n + n + n + n + n + n + 6 * links, {0}},
        /* inverse_dynamics_adjoint */
        {TD_SCOPE_products, false, ny + n + n + n + 6 * links, {n, n, n}},
        /* forward_dynamics_tangent */
        {TD_SCOPE_products, false, ny + n + n + n + n + n + 6 * links, {n, n}},
        /* forward_dynamics_adjoint */
        {TD_SCOPE_products, false, ny + n + n + n + 6 * links, {n, n, n, n}},
        /* link_poses */ {TD_SCOPE_stage, false, ny + 12 * links, {0}},
        /* link_pose */ {TD_SCOPE_stage, false, ny + 12, {0}},
        /* moving_link_poses */ {TD_SCOPE_stage, false, ny + 12 * movable, {0}},
        /* link_velocities */ {TD_SCOPE_stage, false, ny + n + 6 * links, {0}},
        /* link_velocity */ {TD_SCOPE_stage, false, ny + n + 6, {0}},
        /* link_spatial_accelerations */ {TD_SCOPE_stage, false, ny + n + n + 6 * links, {0}},
        /* link_classical_accelerations */ {TD_SCOPE_stage, false, ny + n + n + 6 * links, {0}},
        /* point_motion */ {TD_SCOPE_stage, false, ny + n + n + 9, {0}},
        /* link_jacobian */ {TD_SCOPE_stage, false, ny + 6 * n, {0}},
        /* link_bias_acceleration */ {TD_SCOPE_stage, false, ny + n + 6, {0}},
        /* motion_subspaces */ {TD_SCOPE_stage, false, ny, {6 * nv, 12 * links}},
        /* center_of_mass */ {TD_SCOPE_stage, false, ny + 3, {0}},
        /* center_of_mass_motion */ {TD_SCOPE_stage, false, ny + n + n + 9, {0}},
        /* center_of_mass_jacobian */ {TD_SCOPE_stage, false, ny + 3 * n, {0}},
        /* centroidal_momentum_matrix */ {TD_SCOPE_stage, false, ny + 6 * n, {0}},
        /* centroidal_momentum */ {TD_SCOPE_stage, false, ny + n + 6, {0}},
        /* centroidal_momentum_bias */ {TD_SCOPE_stage, false, ny + n + 6, {0}},
        /* energy */ {TD_SCOPE_stage, false, ny + n + 2, {0}},
        /* spring_energy */ {TD_SCOPE_stage, false, ny + 1, {0}},
        /* forces_to_actuators */ {TD_SCOPE_stage, false, ny + n + nu, {n}},
        /* forces_to_actuators_derivatives */
        {TD_SCOPE_actuation, true, ny + n + nu, {nu * n, nu * n}},
        /* forces_from_actuators_derivatives */ {TD_SCOPE_actuation, true, ny + nu, {n, n * n}},
        /* constrained_forward_dynamics */
        {TD_SCOPE_stage, false, nq + nv + nv + nv + constraints + 6 * links, {0}},
    };
    const size_t together = td_stage_most(site->model, site->model->batch);
    size_t most = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].scope != scope || (rows[i].matrices && !matrices))
            continue;
        const size_t reals = stage_of(&rows[i], together);
        most = reals > most ? reals : most;
    }
    return most;
}

size_t td_stage_reals(const td_model *model, bool matrices, td_scope_name scope)
{
    const size_t y = most_at(TD_SINGLE(model, NULL, TD_COORDINATES_INDEPENDENT), matrices, scope);
    const size_t q = most_at(TD_SINGLE(model, NULL, TD_COORDINATES_TREE), matrices, scope);
    return y > q ? y : q;
}
