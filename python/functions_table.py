# SPDX-License-Identifier: MIT
"""The table that methods of tandem.Robot are generated from: one line for each function of the library
that takes states. Arguments, their order and whether there are forms for the tree and for batches are
read from the headers; what is here is what they do not tell: shapes, and one sentence.

Dimensions: n stands for nyd, or for nv with tree=True.
"""

# by the name of the argument in the headers; a function may have its own below
SHAPES = {
    "y": "ny", "yd": "nyd", "ydd": "nyd", "tau_y": "nyd",
    "q": "nq", "qd": "nv", "qdd": "nv", "tau": "nv",
    "u": "nu", "rest": "nyd", "weight": "nu", "M_u": "nu nyd",
    "b": "n", "x": "n", "H": "n n", "inverse": "n n", "C": "n",
    "poses": "links 3 4", "velocities": "links 6", "accelerations": "links 6", "reactions": "joints 6",
    "point": "3", "motion": "3 3", "J": "6 n", "rate": "6", "columns": "6 nv",
    "com": "3", "A": "6 n", "momentum": "6", "bias": "6", "energy": "2",
    "G": "nv nyd", "K": "constraints nv", "phi": "constraints", "k": "constraints", "lambda": "constraints",
    "impulse": "constraints", "residual": "", "f": "loops", "tau_a": "nv", "tau_c": "nv",
    "position": "nu", "velocity": "nu", "acceleration": "nu",
    "start": "config", "end": "config", "result": "config", "v": "n", "given": "n",
}

# arguments that may be left out, which means zero, ones or nothing
OPTIONAL = {"yd", "ydd", "qd", "qdd", "tau", "tau_y", "weight", "forces", "velocity", "acceleration", "f"}

# the same for all states of a batch
SHARED = {"point", "weight", "given"}


class Function:
    def __init__(self, name, text, c=None, required=(), optional=(), shapes=None, inout=(), states=None):
        self.name = name                # of the method
        self.c = c or name              # without td_
        self.text = text
        self.required = set(required)   # although optional elsewhere
        self.optional = set(optional)
        self.shapes = shapes or {}
        self.inout = tuple(inout)       # outputs that hold something on entry


FUNCTIONS = [
    # closure.h
    Function("tree_state", "The state of the spanning tree: q = γ(y), its velocity and acceleration.", c="closure"),
    Function("project_force", "Forces along y from forces along q: tau_y = Gᵀ tau.", required=["tau"]),
    Function("independent_coordinates", "The independent coordinates of a configuration of the tree."),
    Function("closure_jacobian", "G of q̇ = G ẏ, dense."),
    # dynamics.h
    Function("inverse_dynamics", "Joint forces of a motion: tau = H q̈ + C."),
    Function("forward_dynamics", "Accelerations from joint forces."),
    Function("hybrid_dynamics", "Accelerations where forces are given, and forces where accelerations are.",
             required=["ydd", "tau_y", "qdd", "tau"], inout=["ydd", "tau_y", "qdd", "tau"]),
    Function("mass_matrix", "The mass matrix H."),
    Function("mass_matrix_inverse", "The inverse of the mass matrix."),
    Function("mass_matrix_solve", "x = H⁻¹ b."),
    Function("factored_solve", "x = H⁻¹ b with the factors of the last mass_matrix_solve of this thread, of one state."),
    Function("bias_force", "Coriolis, centrifugal and gravity forces C."),
    Function("gravity_force", "The force of gravity on the joints.", required=["tau_y", "tau"]),
    Function("coriolis_matrix", "A Coriolis matrix C, with Ḣ − 2C skew-symmetric.", shapes={"C": "n n"}),
    Function("joint_reactions", "The wrench that each joint carries."),
    Function("loop_reactions", "The wrenches that joints and closed loops carry, and by how much self-stress changes each component at most.",
             shapes={"joints": "joints 6", "loops": "loops 6", "joint_ambiguity": "joints 6", "loop_ambiguity": "loops 6"}),
    Function("power", "Power of forces along a motion.", required=["tau_y", "tau", "yd", "qd"]),
    # kinematics.h
    Function("link_poses", "Poses of all links in the world, [R p] of each."),
    Function("link_velocities", "Velocities of all links, (ω, v)."),
    Function("link_spatial_accelerations", "Spatial accelerations of all links."),
    Function("link_classical_accelerations", "Classical accelerations of all links."),
    Function("point_motion", "Position, velocity and acceleration (rows) of a point of a link, in the world."),
    Function("link_jacobian", "Jacobian of a link's velocity."),
    Function("link_bias_acceleration", "Acceleration of a link where ydd is zero: J̇ ẏ."),
    Function("motion_subspaces", "Columns that the Jacobians of all links are made of, and the poses of all links."),
    Function("center_of_mass", "Centre of mass in the world."),
    Function("center_of_mass_motion", "Position, velocity and acceleration (rows) of the centre of mass."),
    Function("center_of_mass_jacobian", "Jacobian of the centre of mass.", shapes={"J": "3 n"}),
    Function("centroidal_momentum_matrix", "A of the momentum A ẏ about the centre of mass."),
    Function("centroidal_momentum", "Momentum about the centre of mass (angular, linear)."),
    Function("centroidal_momentum_bias", "Rate of the momentum about the centre of mass where ydd is zero."),
    Function("energy", "Kinetic and potential energy."),
    # constraint.h
    Function("constraint_jacobian", "K of K q̇ = 0."),
    Function("constraint_residual", "φ of φ(q) = 0."),
    Function("constraint_drift", "k of K q̈ = k.", required=["qd"]),
    Function("constrained_forward_dynamics", "Accelerations of the tree under its constraints, and multipliers."),
    Function("project_velocity", "The nearest velocity of the tree that fulfils K q̇ = 0.", required=["qd"],
             shapes={"projected": "nv"}),
    Function("constrained_inverse_dynamics", "Forces of the motors and multipliers of a motion of the tree."),
    Function("project_position", "The configuration of the tree that fulfils φ = 0, from q on.", shapes={"projected": "nq"}),
    Function("loop_force", "What joints that close loops do to the tree."),
    Function("loop_motion", "Position, velocity and acceleration of the joint that closes a loop.", shapes={"motion": "3"}),
    Function("spring_energy", "The energy that all springs store.", shapes={"energy": ""}),
    Function("spring_motion", "Distance of the points of a spring between links, its rate, the stored energy, the power of the damper.",
             shapes={"motion": "4"}),
    Function("constraint_force", "What the closure does to each joint of the tree."),
    # actuation.h
    Function("actuation_matrix", "M_u of tau_y = M_uᵀ u."),
    Function("forces_to_actuators", "Forces of the actuators for forces along y.", required=["tau_y"]),
    Function("forces_from_actuators", "Forces along y from those of the actuators."),
    Function("motion_to_actuators", "Motion of the actuators from that of the robot."),
    Function("motion_from_actuators", "Motion of the robot from that of the actuators.",
             inout=["y", "yd", "ydd"]),
    # configuration.h
    Function("integrate", "The configuration that a velocity leads to: y ⊕ ẏ dt.", required=["yd", "qd"]),
    Function("difference", "The velocity that leads from one configuration to another in one second."),
    Function("normalize", "The configuration with quaternions of unit length.", inout=["y", "q"]),
]
