# SPDX-License-Identifier: MIT
"""The operations of the library: one row for each function of a model, a workspace and states.

The public header declares and documents the function. The row has everything else. generate.py combines the two into

    entries/          the public functions, for one state and for batches: they check arguments and declare rows
    stage.c           the memory that the rows of a batch need
    operations.h      the arguments of each operation, as a struct with the names of the prototype, and the functions that
                      lib/dynamics/ defines by hand: the operations over reals, which take that struct
    test/support/operation_list.h  lists of the operations, as macros, for tests
    batch.h           the prototypes for batches
    operations.hpp    the methods of tandem::workspace in C++ (wrapper.py)
    Python            the methods of tandem.Robot (python/generate.py)

A test checks that the files are up to date.

An operation uses the coordinates of its workspace. It always uses independent coordinates if its row says so, and the tree's if
the prototype has q. Shapes follow from the names of arguments unless a row gives them. y, yd, ydd and tau_y are in the workspace's
coordinates, and so is n: nyd, or nv in tree coordinates. entries is the number of entries of a packed matrix in these coordinates.
"""

# shapes by the name of the argument in the headers; an operation may override them
SHAPES = {
    "y": "ny", "yd": "nyd", "ydd": "nyd", "tau_y": "nyd",
    "q": "nq", "qd": "nv", "qdd": "nv", "tau": "nv",
    "u": "nu", "rest": "nyd", "weight": "nu", "M_u": "nu nyd",
    "du_dy": "nu nyd", "du_dtau_y": "nu nyd",
    "b": "n", "H": "n n", "factors": "entries", "inverse": "n n", "C": "n",
    "poses": "links 3 4", "wrench": "6", "velocities": "links 6", "accelerations": "links 6", "reactions": "joints 6",
    "point": "3", "motion": "3 3", "J": "6 n", "rate": "6", "columns": "6 nv",
    "com": "3", "A": "6 n", "momentum": "6", "bias": "6", "energy": "2",
    "G": "nv nyd", "K": "constraints nv", "phi": "constraints", "k": "constraints", "lambda": "constraints",
    "impulse": "constraints", "residual": "", "f": "loops", "tau_a": "nv", "tau_c": "nv",
    "dtau_y_dy": "n n", "dtau_y_dyd": "n n", "dydd_dy": "n n", "dydd_dyd": "n n", "dydd_dtau_y": "n n",
    "dv_dy": "6 n", "dv_dyd": "6 n", "da_dy": "6 n", "da_dyd": "6 n",
    "dh_dy": "6 n", "dh_dyd": "6 n", "drate_dy": "6 n", "drate_dyd": "6 n",
    "dT_dy": "n", "dT_dyd": "n", "dV_dy": "n",
    "dmotion_dy": "4 n", "dmotion_dyd": "4 n",
    "dy": "n", "dyd": "n", "dydd": "n", "dtau_y": "n",
    "covector": "n", "by_y": "n", "by_yd": "n", "by_ydd": "n", "by_tau": "n",
    "position": "nu", "velocity": "nu", "acceleration": "nu",
    "start": "config", "end": "config", "result": "config", "v": "n", "given": "n",
    "axes": "6", "mobility": "6 6", "inertia": "6 6", "J_inverse": "n 6",
}

# inputs that may be NULL, which means zero, ones or none
OPTIONAL = {"axes", "yd", "ydd", "qd", "qdd", "tau", "tau_y", "weight", "forces", "velocity", "acceleration", "f",
            "dy", "dyd", "dydd", "dtau_y"}

# inputs that all states of a batch share
SHARED = {"point", "axes", "weight", "given"}

# conditions under which a configuration is required: functions of lib/dynamics/arguments.h
LOOPS, MOTORS, CONSTRAINTS = "td_site_solves", "td_site_motors_change", "td_site_constraints"

# conditions under which an operation needs a workspace with matrices
ALWAYS, FORWARD, HYBRID = "true", "td_site_forward_matrices(site)", "td_site_hybrid_matrices(site)"


class Operation:
    """An operation that lib/dynamics/ defines by hand: td_op_NAME over reals, or td_run_NAME at a site."""

    def __init__(self, name, text, method=None, required=(), shapes=None, inout=(), missing=(), outputs=(), batch=None,
                 independent=False, by_hand=False, needs=None, solves=None, masses=(), form="WHOLE", passive=False, matrices=None, undefined=(),
                 direct=(), scope=None, arguments=None):
        self.name = name                # without td_
        self.text = text                # one sentence; None: not a method of tandem.Robot
        self.method = method or name    # of tandem.Robot
        self.required = set(required)   # inputs, although optional elsewhere
        self.shapes = shapes or {}
        self.inout = tuple(inout)       # outputs that are also read on entry
        self.missing = tuple(missing)   # outputs that may be NULL; "all"
        self.outputs = tuple(outputs)   # names of outputs that the prototype does not have
        self.batch = batch              # whether there is a batch function; None: if it uses the workspace's coordinates
        self.independent = independent  # always in independent coordinates
        self.by_hand = by_hand          # td_run_NAME sets up the call
        self.needs = needs              # condition under which the configuration is required; None: always
        self.solves = solves            # status for a vanishing pivot, if it factors a matrix
        self.masses = tuple(masses)     # matrix outputs that td_eval_mass and td_eval_factor leave
        self.form = form                # form of these matrices: td_matrix_form of lib/dynamics/call.h
        self.passive = passive          # only uses the passive forces
        self.matrices = matrices        # condition under which it needs a workspace with matrices: "true" or a function of lib/dynamics/arguments.h
        self.direct = tuple(direct)     # outputs whose rows td_op_NAME itself writes in a batch: eval->rows
        self.scope = scope              # scope that td_op_NAME opens: kernel/scopes.h
        self.undefined = undefined      # outputs that are NaN without an error if nothing has mass; "all"
        self.arguments = arguments      # another operation with the same arguments, whose struct it uses


class Function(Operation):
    """A method of tandem.Robot whose public functions are all defined by hand."""

    def __init__(self, name, text, staged=None, **others):
        super().__init__(name, text, **others)
        self.staged = staged            # shapes of the rows of its batch function; None: it has none


SINGULAR, ACTUATION = "TD_ERROR_SINGULAR", "TD_ERROR_ACTUATION_SINGULAR"

OPERATIONS = [
    # closure.h
    Operation("closure", "Computes the state of the spanning tree: q = γ(y), its velocity and acceleration.",
              method="tree_state", batch=True, missing=["q", "qd", "qdd"], independent=True),
    Operation("project_force", "Projects forces along q to forces along y: tau_y = Gᵀ tau.", required=["tau"], needs=LOOPS, independent=True),
    Function("independent_coordinates", "Returns the independent coordinates of a configuration of the tree."),
    Operation("closure_jacobian", "Computes the dense matrix G of q̇ = G ẏ.", needs=LOOPS, independent=True),
    # dynamics.h
    Operation("inverse_dynamics", "Computes the joint forces of a motion: tau = H q̈ + C."),
    Operation("forward_dynamics", "Computes accelerations from joint forces.", solves=SINGULAR, matrices=FORWARD),
    Operation("hybrid_dynamics", "Computes accelerations of joints with given forces, and forces of joints with given accelerations.",
              inout=["ydd", "tau_y"], solves=SINGULAR, matrices=HYBRID, scope="hybrid"),
    Operation("mass_matrix", "Computes the mass matrix H.", masses=["H"], passive=True, matrices=ALWAYS),
    Operation("mass_matrix_factors", "Computes the factors L and D of H = Lᵀ D L, packed by the pattern.", masses=["factors"],
              form="PACKED", solves=SINGULAR, passive=True, matrices=ALWAYS),
    Operation("factors_solve", None, batch=False, by_hand=True, matrices=ALWAYS, shapes={"B": "n columns", "X": "n columns"}),
    Operation("mass_matrix_inverse", "Computes the inverse of the mass matrix.", solves=SINGULAR, passive=True, matrices=ALWAYS, direct=["inverse"]),
    Operation("operational_inertia", "Computes the operational-space inertia of a link: J H⁻¹ Jᵀ, its inverse Λ, and the inverse H⁻¹ Jᵀ Λ of J.",
              missing=["mobility", "inertia", "J_inverse"], solves=SINGULAR, passive=True, matrices=ALWAYS, scope="operational"),
    Operation("bias_force", "Computes the Coriolis, centrifugal and gravity forces C."),
    Operation("gravity_force", "Computes the forces of gravity on the joints."),
    Operation("coriolis_matrix", "Computes a Coriolis matrix C for which Ḣ − 2C is skew-symmetric.", shapes={"C": "n n"}, matrices=ALWAYS, scope="coriolis"),
    Operation("dynamics_terms", None, by_hand=True, missing=["terms"], masses=["H"], shapes={"gravity": "n", "com": "3 3", "centroidal_momentum_matrix": "6 n"},
              outputs=["H", "C", "gravity", "poses", "velocities", "accelerations", "com",
                       "centroidal_momentum_matrix", "energy"],
              undefined=["com", "centroidal_momentum_matrix"]),
    Operation("joint_reactions", "Computes the wrench that each joint transmits.", by_hand=True),
    Operation("loop_reactions", "Computes the wrenches that joints and loop joints transmit, and how much self-stress can change each component.",
              by_hand=True, missing=["joints", "loops", "joint_ambiguity", "loop_ambiguity"],
              shapes={"joints": "joints 6", "loops": "loops 6", "joint_ambiguity": "joints 6", "loop_ambiguity": "loops 6"}),
    Operation("residual_wrench", "Computes the wrench on the root link that the motion needs from outside."),
    Function("power", "Computes the power of forces along a motion.", required=["tau_y", "yd"]),
    # derivatives.h
    Operation("closure_derivatives", "Computes derivatives of q̇, q̈ and Gᵀ tau: ∂(Gẏ)/∂y, ∂(Gÿ + g)/∂y, ∂g/∂ẏ and ∂(Gᵀ tau)/∂y.",
              shapes={"dqd_dy": "nv nyd", "dqdd_dy": "nv nyd", "dqdd_dyd": "nv nyd", "dtau_y_dy": "nyd nyd"},
              missing=["dqd_dy", "dqdd_dy", "dqdd_dyd", "dtau_y_dy"], batch=True, matrices=ALWAYS, independent=True, direct=["dqd_dy", "dqdd_dy", "dqdd_dyd"]),
    Operation("inverse_dynamics_derivatives", "Computes the joint forces of a motion, their derivatives with respect to y and yd, and the mass matrix.",
              missing=["tau_y", "dtau_y_dy", "dtau_y_dyd", "H"], matrices=ALWAYS, masses=["H"]),
    Operation("mass_matrix_derivatives", "Computes the derivatives of the mass matrix with respect to y: ∂H_ij/∂y_k at [i, j, k].",
              shapes={"dH_dy": "n n n"}, batch=False, matrices=ALWAYS, scope="derivatives"),
    Operation("mass_matrix_product_derivatives", "Computes the derivatives of H b with respect to y for constant b.", shapes={"dHb_dy": "n n"}, matrices=ALWAYS),
    Operation("forward_dynamics_derivatives",
              "Computes accelerations from joint forces, and their derivatives with respect to y, yd and the forces.",
              missing=["ydd", "dydd_dy", "dydd_dyd", "dydd_dtau_y"], solves=SINGULAR, matrices=ALWAYS, scope="derivatives", direct=["dydd_dtau_y"]),
    Operation("link_velocity_derivatives", "Computes the velocity of a point of a link, and its derivatives with respect to y and yd.",
              shapes={"velocity": "6"}, missing=["velocity", "dv_dy", "dv_dyd"], matrices=ALWAYS, scope="motion_derivatives"),
    Operation("link_jacobian_rate", "Computes the rate J̇ of the Jacobian of a link's velocity.", shapes={"Jd": "6 n"}, matrices=ALWAYS, scope="motion_derivatives"),
    Operation("link_spatial_acceleration_derivatives",
              "Computes the spatial acceleration of a point of a link, and its derivatives with respect to y and yd. The derivative with respect to ydd is the Jacobian.",
              shapes={"acceleration": "6"}, missing=["acceleration", "da_dy", "da_dyd"], matrices=ALWAYS, scope="motion_derivatives"),
    Operation("link_classical_acceleration_derivatives",
              "Computes the classical acceleration of a point of a link, and its derivatives with respect to y and yd. The derivative with respect to ydd is the Jacobian.",
              shapes={"acceleration": "6"}, missing=["acceleration", "da_dy", "da_dyd"], matrices=ALWAYS, scope="motion_derivatives",
              arguments="link_spatial_acceleration_derivatives"),
    Operation("center_of_mass_derivatives",
              "Computes position, velocity and acceleration (rows) of the center of mass, and the derivatives of velocity and acceleration.",
              shapes={name: "3 n" for name in ("dv_dy", "da_dy", "da_dyd")}, missing=["motion", "dv_dy", "da_dy", "da_dyd"], matrices=ALWAYS,
              undefined="all", scope="motion_derivatives"),
    Operation("centroidal_momentum_derivatives", "Computes the momentum about the center of mass and its rate, and their derivatives with respect to y and yd.",
              missing=["momentum", "rate", "dh_dy", "dh_dyd", "drate_dy", "drate_dyd"], matrices=ALWAYS, undefined="all", scope="motion_derivatives"),
    Operation("energy_derivatives",
              "Computes kinetic and potential energy; the derivatives of kinetic energy with respect to y and yd, and of potential energy with respect to y.",
              missing=["energy", "dT_dy", "dT_dyd", "dV_dy"], matrices=ALWAYS, scope="motion_derivatives"),
    Operation("spring_state_derivatives", "Computes the results of spring_state, and their derivatives with respect to y and yd.",
              shapes={"motion": "4"}, missing=["motion", "dmotion_dy", "dmotion_dyd"], batch=False,
              matrices=ALWAYS, scope="motion_derivatives"),
    Operation("inverse_dynamics_tangent", "Computes the change of the joint forces of a motion along a direction.", scope="products"),
    Operation("inverse_dynamics_adjoint", "Computes a covector times the derivatives of joint forces with respect to y, yd and ydd.",
              missing=["by_y", "by_yd", "by_ydd"], scope="products"),
    Operation("forward_dynamics_tangent", "Computes accelerations, and their change along a direction of the state and the forces.",
              missing=["ydd", "dydd"], solves=SINGULAR, matrices=FORWARD, scope="products"),
    Operation("forward_dynamics_adjoint",
              "Computes accelerations, and a covector times their derivatives with respect to y, yd and the forces.",
              missing=["ydd", "by_y", "by_yd", "by_tau"], solves=SINGULAR, matrices=FORWARD, scope="products"),
    # kinematics.h
    Operation("link_poses", "Computes the poses [R p] of all links in the world."),
    Operation("link_pose", "Computes the pose [R p] of one link in the world.", shapes={"pose": "3 4"}),
    Operation("moving_link_poses", "Computes the poses [R p] of the child links of movable joints, in the order of movable_joints.",
              shapes={"poses": "movable 3 4"}),
    Operation("link_velocities", "Computes the velocities (ω, v) of all links."),
    Operation("link_velocity", "Computes the velocity (ω, v) of one link.", shapes={"velocity": "6"}),
    Operation("link_spatial_accelerations", "Computes the spatial accelerations of all links."),
    Operation("link_classical_accelerations", "Computes the classical accelerations of all links.", arguments="link_spatial_accelerations"),
    Operation("point_motion", "Computes position, velocity and acceleration (rows) of a point of a link, in the world."),
    Operation("link_jacobian", "Computes the Jacobian of a link's velocity."),
    Operation("link_bias_acceleration", "Computes the acceleration of a link for zero ydd: J̇ ẏ."),
    Operation("motion_subspaces", "Computes the motion subspaces of all joints, which are the columns of all links' Jacobians, and the poses of all links.",
              missing=["columns", "poses"]),
    Operation("center_of_mass", "Computes the center of mass in the world.", undefined="all"),
    Operation("center_of_mass_motion", "Computes position, velocity and acceleration (rows) of the center of mass.", undefined="all"),
    Operation("center_of_mass_jacobian", "Computes the Jacobian of the center of mass.", shapes={"J": "3 n"}, undefined="all"),
    Operation("centroidal_momentum_matrix", "Computes the matrix A, where A ẏ is the momentum about the center of mass.", undefined="all"),
    Operation("centroidal_momentum", "Computes the momentum about the center of mass (angular, linear).", undefined="all"),
    Operation("centroidal_momentum_bias", "Computes the rate of the momentum about the center of mass for zero ydd.", undefined="all"),
    Operation("energy", "Computes kinetic and potential energy."),
    Operation("spring_energy", "Computes the energy stored in all springs.", shapes={"energy": ""}),
    Operation("spring_state", "Computes the length of a spring between links, its rate, the stored energy, and the power of the damper.",
              shapes={"motion": "4"}, batch=False),
    # constraint.h
    Operation("constraint_jacobian", "Computes the constraint Jacobian K of K q̇ = 0.", needs=CONSTRAINTS, matrices=ALWAYS),
    Operation("constraint_residual", "Computes the constraint residual φ of φ(q) = 0.", needs=CONSTRAINTS, matrices=ALWAYS),
    Operation("constraint_drift", "Computes the right-hand side k of K q̈ = k.", required=["qd"], needs=CONSTRAINTS, matrices=ALWAYS),
    Function("constrained_forward_dynamics", "Computes accelerations of the tree under its constraints, and multipliers.",
             staged=["nq", "nv", "nv", "nv", "constraints", "links 6"]),
    Function("constrained_forward_dynamics_derivatives",
             "Computes accelerations of the tree under its constraints, multipliers, and the derivatives of both with respect to q, qd and tau.",
             shapes={**{f"dqdd_d{by}": "nv nv" for by in ("q", "qd", "tau")},
                     **{f"dlambda_d{by}": "constraints nv" for by in ("q", "qd", "tau")}},
             missing=["qdd", "lambda", "dqdd_dq", "dqdd_dqd", "dqdd_dtau", "dlambda_dq", "dlambda_dqd", "dlambda_dtau"]),
    Operation("project_velocity", "Computes the nearest velocity of the tree with K q̇ = 0.", required=["qd"],
              shapes={"projected": "nv"}, missing=["impulse"], solves=SINGULAR, matrices=ALWAYS),
    Function("constrained_inverse_dynamics", "Computes forces of the motors, and multipliers, for a motion of the tree."),
    Function("project_position", "Computes a configuration of the tree with φ = 0, starting from q.", shapes={"projected": "nq"}),
    Operation("loop_force", "Computes the effect of forces in loop joints on the joints of the tree.", passive=True),
    Operation("loop_motion", "Computes position, velocity and acceleration of the joint that closes a loop.", shapes={"motion": "3"},
              batch=False),
    Operation("constraint_force", "Computes the forces of the closure on the joints of the tree.", independent=True),
    # actuation.h
    Operation("actuation_matrix", "Computes M_u of tau_y = M_uᵀ u.", needs=MOTORS, independent=True),
    Operation("forces_to_actuators", "Computes forces of the actuators for forces along y.", required=["tau_y"], needs=MOTORS,
              missing=["rest"], solves=ACTUATION, batch=True, independent=True),
    Operation("forces_from_actuators", "Computes forces along y from forces of the actuators.", needs=MOTORS, independent=True),
    Operation("forces_to_actuators_derivatives", "Computes forces of the actuators for forces along y, and their derivatives with respect to y and to these forces.",
              required=["tau_y"], needs=MOTORS, missing=["du_dy", "du_dtau_y"], solves=ACTUATION, batch=True, matrices=ALWAYS, independent=True, scope="actuation"),
    Operation("forces_from_actuators_derivatives", "Computes forces along y from forces of the actuators, and their derivatives with respect to y.",
              needs=MOTORS, missing=["tau_y", "dtau_y_dy"], shapes={"dtau_y_dy": "nyd nyd"}, batch=True, matrices=ALWAYS, independent=True, scope="actuation"),
    Operation("motion_to_actuators", "Computes the motion of the actuators from the motion of the robot.",
              missing=["position", "velocity", "acceleration"], independent=True),
    Function("motion_from_actuators", "Computes the motion of the robot from the motion of the actuators.", inout=["y", "yd", "ydd"]),
    # configuration.h
    Function("integrate", "Computes the configuration reached with a velocity: y ⊕ ẏ dt.", required=["yd"]),
    Function("difference", "Computes the velocity that leads from one configuration to another in one second."),
    Function("rates_to_velocities", "Computes velocities and accelerations from time derivatives of the numbers in y.",
             shapes={"rate": "config", "second": "config"}),
    Function("velocities_to_rates", "Computes time derivatives of the numbers in y from velocities and accelerations.",
             required=["yd", "ydd"], shapes={"rate": "config", "second": "config"}),
    # derivatives.h
    Function("integrate_derivatives", "Computes the derivatives of integrate with respect to y and ẏ.", required=["yd"],
             shapes={name: "n n" for name in ("dresult_dy", "dresult_dyd")},
             missing=["dresult_dy", "dresult_dyd"]),
    Function("difference_derivatives", "Computes the derivatives of difference with respect to both configurations.",
             shapes={"dv_dstart": "n n", "dv_dend": "n n"}, missing=["dv_dstart", "dv_dend"]),
    Function("align_quaternions", "Returns y with the sign of each quaternion that is nearer to a reference.",
             inout=["y"], shapes={"reference": "config"}),
    Function("normalize", "Returns the configuration with quaternions normalized.", inout=["y"]),
]
