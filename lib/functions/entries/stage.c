/* SPDX-License-Identifier: MIT */
/*
 * How much the rows of a batch take at most. Made by generate.py of the rows in operations.py;
 * change those.
 */
#include "functions/arguments.h"

static size_t most_at(const td_site *site, bool matrices)
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
    const size_t reals[] = {
        /* closure */ ny + n + n + nq + nv + nv,
        /* inverse_dynamics */ ny + n + n + n + 6 * links,
        /* forward_dynamics */ ny + n + n + n + 6 * links,
        /* hybrid_dynamics */ ny + n + n + n + n + n + 6 * links,
        /* mass_matrix */ matrices ? ny : 0,
        /* mass_matrix_factors */ matrices ? ny : 0,
        /* mass_matrix_inverse */ matrices ? ny + n * n : 0,
        /* operational_inertia */ matrices ? ny + 36 + 36 + 6 * n : 0,
        /* bias_force */ ny + n + n + 6 * links,
        /* gravity_force */ ny + n,
        /* coriolis_matrix */ matrices ? ny + n + n * n : 0,
        /* dynamics_terms */ ny + n + n + n + 12 * links + 6 * links + 6 * links + 9 + 6 * n + 2 +
            6 * links,
        /* joint_reactions */ ny + n + n + 6 * joints + 6 * links,
        /* loop_reactions */ ny + n + n + 6 * joints + 6 * loops + 6 * joints + 6 * loops +
            6 * links,
        /* closure_derivatives */ matrices ? ny + n + n + nv + nv * n + nv * n + nv * n + n * n : 0,
        /* inverse_dynamics_derivatives */
        matrices ? ny + n + n + n + n * n + n * n + n * n + 6 * links : 0,
        /* mass_matrix_product_derivatives */ matrices ? ny + n + n * n : 0,
        /* forward_dynamics_derivatives */
        matrices ? ny + n + n + n + n * n + n * n + n * n + 6 * links : 0,
        /* link_velocity_derivatives */ matrices ? ny + n + 6 + 6 * n + 6 * n : 0,
        /* link_jacobian_rate */ matrices ? ny + n + 6 * n : 0,
        /* link_spatial_acceleration_derivatives */ matrices ? ny + n + n + 6 + 6 * n + 6 * n : 0,
        /* link_classical_acceleration_derivatives */ matrices ? ny + n + n + 6 + 6 * n + 6 * n : 0,
        /* center_of_mass_derivatives */ matrices ? ny + n + n + 9 + 3 * n + 3 * n + 3 * n : 0,
        /* centroidal_momentum_derivatives */
        matrices ? ny + n + n + 6 + 6 + 6 * n + 6 * n + 6 * n + 6 * n : 0,
        /* energy_derivatives */ matrices ? ny + n + 2 + n + n + n : 0,
        /* inverse_dynamics_tangent */ ny + n + n + n + n + n + n + 6 * links,
        /* inverse_dynamics_adjoint */ ny + n + n + n + n + n + n + 6 * links,
        /* forward_dynamics_tangent */ ny + n + n + n + n + n + n + n + 6 * links,
        /* forward_dynamics_adjoint */ ny + n + n + n + n + n + n + n + 6 * links,
        /* link_poses */ ny + 12 * links,
        /* link_pose */ ny + 12,
        /* moving_link_poses */ ny + 12 * movable,
        /* link_velocities */ ny + n + 6 * links,
        /* link_velocity */ ny + n + 6,
        /* link_spatial_accelerations */ ny + n + n + 6 * links,
        /* link_classical_accelerations */ ny + n + n + 6 * links,
        /* point_motion */ ny + n + n + 9,
        /* link_jacobian */ ny + 6 * n,
        /* link_bias_acceleration */ ny + n + 6,
        /* motion_subspaces */ ny + 6 * nv + 12 * links,
        /* center_of_mass */ ny + 3,
        /* center_of_mass_motion */ ny + n + n + 9,
        /* center_of_mass_jacobian */ ny + 3 * n,
        /* centroidal_momentum_matrix */ ny + 6 * n,
        /* centroidal_momentum */ ny + n + 6,
        /* centroidal_momentum_bias */ ny + n + 6,
        /* energy */ ny + n + 2,
        /* spring_energy */ ny + 1,
        /* forces_to_actuators */ ny + n + nu + n,
        /* forces_to_actuators_derivatives */ matrices ? ny + n + nu + nu * n + nu * n : 0,
        /* forces_from_actuators_derivatives */ matrices ? ny + nu + n + n * n : 0,
        /* constrained_forward_dynamics */ nq + nv + nv + nv + constraints + 6 * links,
    };
    size_t most = 0;
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
        most = reals[i] > most ? reals[i] : most;
    return most;
}

size_t td_stage_reals(const td_model *model, bool matrices)
{
    const size_t y = most_at(TD_SINGLE(model, NULL, TD_COORDINATES_INDEPENDENT), matrices);
    const size_t q = most_at(TD_SINGLE(model, NULL, TD_COORDINATES_TREE), matrices);
    return y > q ? y : q;
}
