/* SPDX-License-Identifier: MIT */
/*
 * A table of questions that three interfaces answer: a command line, a call in C and an expression
 * in Python. All three must give the same numbers, to the bit. triples.c compiles the C column and
 * prints the whole table with its results; triples.py runs the other two and compares.
 *
 * A SITUATION is a robot with a state and forces. A CALL is evaluated in each situation:
 *
 *   CALL(name, where, command, fields, Python, C...)
 *
 * where: INDEPENDENT, or BOTH if the operation also computes in the coordinates of the tree. A '|'
 * adds conditions. OF_LINKS: the result has numbers for each link; skips situations in which C
 * needs an extra link for the point of a force. WITH_Q: positions are given. AIMED: there is a
 * target. OF_JOINT: there is a joint.
 *
 * command: the words after "tandem". A word in braces stands for the options that describe that
 * part of the situation. {table} is a file of five states with the same positions and 1 to 5 times
 * the rates and forces. {points} is a file of three points, {recorded} a recording, and {spec} a
 * sweep. NULL: no command prints these numbers, and C is compared with Python only.
 *
 * fields: the keys of the command's JSON whose numbers are compared, in this order. A nested key is
 * written "links.position"; in a list it is taken from each element.
 *
 * Python: an expression over the names of Scene in triples.py; arrays, or tuples of arrays.
 *
 * C: statements that set status and write to arrays declared by OUT, over the members of scene in
 * triples.c, which have the same names.
 *
 * A MISTAKE is a question that must fail:
 *
 *   MISTAKE(name, exit code, exception in Python, command, Python, C...)
 */

/* clang-format off */
#ifndef SITUATION
#define SITUATION(...)
#endif
#ifndef CALL
#define CALL(...)
#endif
#ifndef MISTAKE
#define MISTAKE(...)
#endif

/* ---- robots and states ------------------------------------------------------------------------ */

SITUATION(.name = "arm at its reference", .robot = "arm7", .link = "tool")
SITUATION(.name = "arm, bent", .robot = "arm7", .link = "tool", .q = "joint_2=0.5")
SITUATION(.name = "arm, pushed", .robot = "arm7", .link = "tool", .joint = "joint_2", .q = "joint_2=0.5",
          .wrench = {{.link = "tool", .force = {0, 0, -20}}})
SITUATION(.name = "arm, moving", .robot = "arm7", .link = "tool", .joint = "joint_2", .point = {0.02, -0.03, 0.1}, .passive = true,
          .q = "joint_1=0.7,joint_2=0.5,joint_4=-1.1,joint_6=0.3", .qd = "joint_1=0.3,joint_3=-1.7,joint_7=0.11",
          .qdd = "joint_2=1.3,joint_5=-2.1", .tau = "joint_2=-3.3,joint_4=0.7,joint_7=0.013",
          .payload = {.link = "tool", .mass = 1.7, .com = {0.01, 0.02, 0.05}, .inertia = {0.011, 0.0007, 0.0003, 0.013, 0.0001, 0.009}},
          .wrench = {{.link = "tool", .force = {3, -7, 11}, .moment = {0.3, 0.1, -0.7}}, {.link = "link_4", .force = {1, 2, 3}}},
          .aimed = true, .target = {0.31, 0.12, 0.57})
SITUATION(.name = "arm, a point in world axes", .robot = "arm7", .link = "link_5", .point = {0.1, 0, 0.03},
          .gravity = {0.3, -1.1, -3.7}, .q = "joint_1=-0.3,joint_3=0.9,joint_4=-0.7", .qd = "joint_2=0.7,joint_6=-0.9",
          .wrench = {{.link = "tool", .force = {5, 1, -2}, .moment = {0, 0.2, 0}, .point = {0.01, 0.03, 0.07}}})
SITUATION(.name = "arm, a point in link axes", .robot = "arm7", .link = "tool", .frame = "body",
          .q = "joint_1=-0.3,joint_3=0.9,joint_4=-0.7", .qd = "joint_2=0.7,joint_6=-0.9",
          .wrench = {{.link = "tool", .force = {5, 1, -2}, .moment = {0, 0.2, 0}, .point = {0.01, 0.03, 0.07}}})
SITUATION(.name = "arm, about the world's origin", .robot = "arm7", .link = "tool", .frame = "world",
          .q = "joint_1=-0.3,joint_3=0.9,joint_4=-0.7", .qd = "joint_2=0.7,joint_6=-0.9",
          .wrench = {{.link = "tool", .force = {5, 1, -2}, .moment = {0, 0.2, 0}}})
SITUATION(.name = "gripper", .robot = "gripper", .link = "left_tip", .joint = "driver_joint", .point = {0, 0.01, 0.02}, .passive = true,
          .q = "driver_joint=0.3", .qd = "driver_joint=1.1", .qdd = "driver_joint=2", .tau = "driver_joint=0.07",
          .payload = {.link = "right_tip", .mass = 0.3, .com = {0, 0.01, 0.02}},
          .wrench = {{.link = "left_tip", .force = {0, -4, 0}}}, .aimed = true, .target = {0.01, 0.05, 0.14})
SITUATION(.name = "four-bar at its reference", .robot = "four_bar", .link = "coupler")
SITUATION(.name = "four-bar", .robot = "four_bar", .link = "coupler", .joint = "crank_joint", .point = {0.1, 0, 0.05}, .q = "crank_joint=0.7",
          .qd = "crank_joint=3.1", .qdd = "crank_joint=-1.7", .tau = "crank_joint=0.3", .wrench = {{.link = "rocker", .force = {1, 0, 2}}},
          .aimed = true, .target = {0.2, 0, 0.1})
SITUATION(.name = "Stewart platform", .robot = "stewart", .link = "platform_2", .joint = "leg_3", .point = {0.1, 0.2, 0.03},
          .q = "leg_1=0.013,leg_3=-0.01,leg_6=0.007", .qd = "leg_2=0.1,leg_5=-0.07", .qdd = "leg_1=0.3,leg_4=-0.9",
          .tau = "leg_1=30,leg_2=50,leg_3=47,leg_4=31,leg_5=40,leg_6=60",
          .payload = {.link = "platform_2", .mass = 3, .com = {0.05, 0, 0.1}}, .wrench = {{.link = "platform_2", .force = {7, 3, -11}}})
SITUATION(.name = "lamp with springs", .robot = "lamp", .link = "shade", .joint = "shoulder", .passive = true, .q = "turn=0.4,shoulder=0.3,elbow=-0.2",
          .qd = "shoulder=0.7,tilt=-0.3", .qdd = "elbow=1.9", .tau = "tilt=0.1", .wrench = {{.link = "shade", .force = {0, 0, -0.5}}})
SITUATION(.name = "humanoid that floats", .robot = "humanoid", .floating = true, .link = "left_foot", .joint = "left_elbow", .passive = true,
          .q = "base.x=0.3,base.z=0.9,base.qx=0.5,base.qy=0.5,base.qz=0.5,base.qw=0.5,waist_pitch=0.2,left_elbow=-0.4",
          .qd = "base.wx=0.3,base.vy=-0.7,neck_yaw=1.1", .qdd = "base.vz=1.3,left_elbow=0.9", .tau = "left_elbow=2.1",
          .wrench = {{.link = "left_foot", .force = {0, 3, 200}}})
SITUATION(.name = "crane with a ball joint", .robot = "crane", .link = "load", .point = {0, 0, -0.1},
          .q = "slew=0.3,swing.rx=0.1,swing.ry=-0.2,hook.qx=0.36,hook.qy=0.48,hook.qz=0.64,hook.qw=0.48",
          .qd = "slew=0.2,swing.rx=0.5,hook.wx=0.3,hook.wy=-0.1,hook.wz=0.7", .qdd = "swing.ry=0.4,hook.wz=1.2", .tau = "slew=0.7")
SITUATION(.name = "swing with springs between links", .robot = "swing", .link = "seat", .passive = true,
          .q = "seat.x=0.1,bell.qx=0.6,bell.qy=0,bell.qz=0,bell.qw=0.8", .qd = "seat.vx=0.3,bell.wz=0.7")
SITUATION(.name = "finger with cams", .robot = "cam_finger", .link = "nail", .q = "cam=0.4,knuckle=0.3", .qd = "cam=1.3,knuckle=-0.2",
          .qdd = "cam=0.9", .tau = "knuckle=0.11")
SITUATION(.name = "lead screw", .robot = "lead_screw", .link = "carriage", .q = "motor=2.3", .qd = "motor=31", .qdd = "motor=7", .tau = "motor=0.02")

/* ---- with a command -------------------------------------------------------------------------- */

CALL(inverse_dynamics, BOTH, "id {robot} {q} {qd} {qdd} {payload} {wrench} {passive} {tree}", "tau",
     "robot.inverse_dynamics(y, yd, ydd, forces)",
     OUT(tau_y, n);
     status = td_inverse_dynamics(model, work, y, yd, ydd, forces, tau_y))
CALL(forces_to_actuators, INDEPENDENT, "id {robot} {q} {qd} {qdd} {payload} {wrench} {passive}", "u",
     "robot.forces_to_actuators(y, robot.inverse_dynamics(y, yd, ydd, forces))[0]",
     double *tau_y = scratch(s, n);
     OUT(motors, nu);
     td_inverse_dynamics(model, work, y, yd, ydd, forces, tau_y);
     status = td_forces_to_actuators(model, work, y, tau_y, NULL, motors, NULL))
CALL(loop_reactions_body, BOTH, "id {robot} {q} {qd} {qdd} {payload} {wrench} {passive} {tree} --reactions --frame body",
     "reactions loop_reactions", "interleaved(robot.loop_reactions(y, yd, ydd, forces, frame='body'), tree)",
     status = reactions(s, TD_FRAME_BODY))
CALL(loop_reactions_aligned, BOTH, "id {robot} {q} {qd} {qdd} {payload} {wrench} {passive} {tree} --reactions",
     "reactions loop_reactions", "interleaved(robot.loop_reactions(y, yd, ydd, forces), tree)",
     status = reactions(s, TD_FRAME_ALIGNED))
CALL(loop_reactions_world, BOTH, "id {robot} {q} {qd} {qdd} {payload} {wrench} {passive} {tree} --reactions --frame world",
     "reactions loop_reactions", "interleaved(robot.loop_reactions(y, yd, ydd, forces, frame='world'), tree)",
     status = reactions(s, TD_FRAME_WORLD))
CALL(residual_wrench, BOTH, "id {robot} {q} {qd} {qdd} {payload} {wrench} {tree} --ground 0,0,0,0,0,1 --frame body",
     "residual_moment residual_force", "robot.residual_wrench(y, yd, ydd, forces, frame='body')",
     OUT(residual, 6);
     status = td_residual_wrench(model, work, y, yd, ydd, forces, TD_FRAME_BODY, residual))
CALL(forward_dynamics, BOTH, "fd {robot} {q} {qd} {tau} {payload} {wrench} {passive} {tree}", "qdd",
     "robot.forward_dynamics(y, yd, tau, forces)",
     OUT(found, n);
     status = td_forward_dynamics(model, work, y, yd, tau, forces, found))
CALL(mass_matrix, BOTH, "mass {robot} {q} {payload} {passive} {tree}", "H", "robot.mass_matrix(y, forces)",
     OUT(H, n * n);
     status = td_mass_matrix(model, work, y, forces, H))
CALL(link_poses, BOTH | OF_LINKS, "fk {robot} {q} {tree}", "links", "np.column_stack(tandem.pose_split(robot.link_poses(y)))",
     double *poses = scratch(s, 12 * links);
     OUT(split, 7 * links);
     status = td_link_poses(model, work, y, poses);
     for (size_t i = 0; i < links; i++) {
         td_pose_split(poses + 12 * i, split + 7 * i, split + 7 * i + 3);
     })
CALL(energy, BOTH, "energy {robot} {q} {qd} {payload} {tree}", "kinetic potential", "robot.energy(y, yd)",
     OUT(joule, 2);
     status = td_energy(model, work, y, yd, TD_SCOPE_ALL, joule))
CALL(energy_of_springs, BOTH, "energy {robot} {q} {qd} {payload} {tree} --scope springs", "kinetic potential",
     "robot.energy(y, yd, scope='springs')",
     OUT(joule, 2);
     status = td_energy(model, work, y, yd, TD_SCOPE_SPRINGS, joule))
CALL(center_of_mass_motion, BOTH, "energy {robot} {q} {qd} {payload} {tree}", "com com_velocity",
     "robot.center_of_mass_motion(y, yd)[:2]",
     double *motion = scratch(s, 9);
     OUT(com, 6);
     status = td_center_of_mass_motion(model, work, y, yd, NULL, TD_SCOPE_ALL, motion);
     memcpy(com, motion, 6 * sizeof *com))
CALL(centroidal_momentum, BOTH, "energy {robot} {q} {qd} {payload} {tree} --scope moving", "angular_momentum linear_momentum",
     "robot.centroidal_momentum(y, yd, scope='moving')",
     OUT(momentum, 6);
     status = td_centroidal_momentum(model, work, y, yd, TD_SCOPE_MOVING, momentum))
CALL(link_jacobian_aligned, BOTH, "jacobian {robot} {q} {tree} {link} {point}", "J", "robot.link_jacobian(link, y, point)",
     OUT(J, 6 * n);
     status = td_link_jacobian(model, work, link, point, y, TD_FRAME_ALIGNED, J))
CALL(link_jacobian_body, BOTH, "jacobian {robot} {q} {tree} {link} {point} --frame body", "J",
     "robot.link_jacobian(link, y, point, frame='body')",
     OUT(J, 6 * n);
     status = td_link_jacobian(model, work, link, point, y, TD_FRAME_BODY, J))
CALL(link_jacobian_world, BOTH, "jacobian {robot} {q} {tree} {link} --frame world", "J",
     "robot.link_jacobian(link, y, frame='world')",
     OUT(J, 6 * n);
     status = td_link_jacobian(model, work, link, NULL, y, TD_FRAME_WORLD, J))
CALL(closure, INDEPENDENT | WITH_Q, "closure {robot} {q}", "q", "robot.tree_state(y)[0]",
     OUT(found, nq);
     status = td_closure(model, work, y, NULL, NULL, found, NULL, NULL))
CALL(closure_jacobian, INDEPENDENT, "closure {robot} {q}", "G", "robot.closure_jacobian(y)",
     OUT(G, nv * n);
     status = td_closure_jacobian(model, work, y, G))
CALL(actuation_matrix, INDEPENDENT, "closure {robot} {q}", "M_u", "robot.actuation_matrix(y)",
     OUT(M_u, nu * n);
     status = td_actuation_matrix(model, work, y, M_u))
CALL(inverse_dynamics_derivatives, BOTH, "derivatives {robot} {q} {qd} {qdd} {payload} {wrench} {passive} {tree}",
     "tau dtau_y_dy|dtau_dq dtau_y_dyd|dtau_dqd H",
     "robot.inverse_dynamics_derivatives(y, yd, ydd, forces)",
     OUT(tau_y, n);
     OUT(by_y, n * n);
     OUT(by_yd, n * n);
     OUT(H, n * n);
     status = td_inverse_dynamics_derivatives(model, work, y, yd, ydd, forces, tau_y, by_y, by_yd, H))
CALL(forward_dynamics_derivatives, BOTH, "derivatives {robot} --of fd {q} {qd} {tau} {payload} {wrench} {passive} {tree}",
     "qdd dydd_dy|dqdd_dq dydd_dyd|dqdd_dqd dydd_dtau_y|dqdd_dtau",
     "robot.forward_dynamics_derivatives(y, yd, tau, forces)",
     OUT(found, n);
     OUT(by_y, n * n);
     OUT(by_yd, n * n);
     OUT(by_tau, n * n);
     status = td_forward_dynamics_derivatives(model, work, y, yd, tau, forces, found, by_y, by_yd, by_tau))
CALL(linearize_held, INDEPENDENT, "linearize {robot} {q} {qd} {payload} {wrench} {passive} --dt 0.01",
     "A B u eigenvalues.real eigenvalues.imaginary Ad Bd",
     "(lambda l: (l.A, l.B, l.u, l.eigenvalues().real, l.eigenvalues().imag, *l.discrete(0.01)))(robot.linearize(y, yd, forces=forces))",
     status = linearize(s))
CALL(equilibrium, INDEPENDENT, "equilibrium {robot} {q} {payload} {wrench}", "q",
     "robot.equilibrium(y, inputs='forces', forces=moving)",
     td_linearization *l;
     OUT(rest, ny);
     memcpy(rest, y, ny * sizeof *rest);
     td_linearization_new(model, TD_INPUTS_FORCES, &l);
     status = td_equilibrium(l, work, rest, NULL, moving, NULL);
     td_linearization_free(l))
CALL(link_compliance, INDEPENDENT, "equilibrium {robot} {q} {payload} {wrench} --stiffness {name} {point}", "K compliance stiffness",
     "(lambda c: (c.K, c.compliance, c.stiffness))(robot.link_compliance(link, robot.equilibrium(y, inputs='forces', forces=moving), "
     "point=point, forces=moving))",
     td_linearization *l;
     double *rest = scratch(s, ny);
     OUT(K, n * n);
     OUT(compliance, 36);
     OUT(stiffness, 36);
     memcpy(rest, y, ny * sizeof *rest);
     td_linearization_new(model, TD_INPUTS_FORCES, &l);
     status = td_equilibrium(l, work, rest, NULL, moving, NULL);
     td_linearization_free(l);
     if (status == TD_OK) {
         status = td_link_compliance(model, work, link, point, rest, moving, NULL, K, compliance, stiffness);
     })
CALL(ik_solve, INDEPENDENT | AIMED, "ik {robot} {q} {link} {point} {target}", "q",
     "robot.inverse_kinematics(tandem.Goal(tandem.GoalKind.POSITION, link, point=point), target, y).y",
     td_ik *ik;
     OUT(found, ny);
     td_ik_goal goal = td_ik_goal_default(TD_IK_POSITION, link);
     memcpy(goal.point, point, sizeof goal.point);
     td_ik_new(model, &goal, 1, NULL, &ik);
     status = td_ik_solve(ik, work, target, y, found, NULL, NULL);
     td_ik_free(ik))
CALL(simulation, INDEPENDENT, "simulate {robot} {q} {qd} {tau} {payload} {wrench} --time 0.03 --tree --constraints",
     "states.q states.qd states.qdd states.tau states.work states.constraint",
     "motion_rows(robot.simulate(y, yd, time=0.03, tree=True, forces=moving, act=lambda at: tau))",
     status = simulate(s))

CALL(batch_inverse_dynamics, BOTH | WITH_Q, "id {robot} {table} {payload} {wrench} {passive} {tree}", "states.tau",
     "robot.inverse_dynamics(np.tile(y, (5, 1)), np.outer(scale, yd), np.outer(scale, ydd), forces)",
     OUT(tau_y, 5 * n);
     status = td_batch_inverse_dynamics(model, work, 5, copies(s, y, ny), multiples(s, yd), multiples(s, ydd), forces, tau_y, NULL))
CALL(batch_forward_dynamics, BOTH | WITH_Q, "fd {robot} {table} {payload} {wrench} {passive} {tree}", "states.qdd",
     "robot.forward_dynamics(np.tile(y, (5, 1)), np.outer(scale, yd), np.outer(scale, tau), forces)",
     OUT(found, 5 * n);
     status = td_batch_forward_dynamics(model, work, 5, copies(s, y, ny), multiples(s, yd), multiples(s, tau), forces, found, NULL))
CALL(trajectory, INDEPENDENT | AIMED, "trajectory {robot} {points} --rate 1 {payload} {wrench}", "states.q states.qd states.qdd states.tau",
     "trajectory_rows(robot, robot.trajectory([y, y / 2, y], [0, 4, 9]), moving)",
     status = trajectory(s))
CALL(regulator, INDEPENDENT, "linearize {robot} {q} {qd} {payload} {wrench} {passive} --lqr 100,1,0.1", "K",
     "(lambda l: l.regulator(np.diag([100.0] * n + [1.0] * n), 0.1 * np.eye(l.B.shape[1]))[0])(robot.linearize(y, yd, forces=forces))",
     status = regulate(s))

CALL(contributions, INDEPENDENT | OF_JOINT, "contributions {robot} {joint} {q} {qd} {qdd} {payload} {wrench} {passive}", "tau joints.factor joints.torque",
     "contributions(robot, joint, y, yd, ydd, forces)",
     status = contributions(s))
CALL(info, INDEPENDENT, "info {robot}",
     "links joints nq nv ny nyd nu gravity mass moving_mass com limits.lower limits.upper limits.velocity limits.effort",
     "describe(robot.without_payloads())",
     status = describe(s))
CALL(recording, INDEPENDENT | AIMED, "recording {robot} {recorded} {payload}",
     "motors.force.value motors.force.t motors.speed.value motors.speed.t",
     "size_motors(robot, tandem.recording(robot, recorded))",
     status = size_motors(s))
CALL(sweep, INDEPENDENT | AIMED, "sweep {robot} {spec} {payload} {wrench} --at 3", "values",
     "sample_sweep(robot, assigned_q, assigned_qd, forces)",
     status = sample_sweep(s))

/* ---- no command prints these ----------------------------------------------------------------- */

CALL(project_force, INDEPENDENT, NULL, NULL, "robot.project_force(y, qdd)",
     OUT(tau_y, n);
     status = td_project_force(model, work, y, qdd, tau_y))
CALL(independent_coordinates, INDEPENDENT, NULL, NULL, "robot.independent_coordinates(q)",
     OUT(found, ny);
     OUT(residual, 1);
     status = td_independent_coordinates(model, work, q, found, residual))
CALL(tree_state, INDEPENDENT, NULL, NULL, "robot.tree_state(y, yd, ydd)",
     OUT(q0, nq);
     OUT(q1, nv);
     OUT(q2, nv);
     status = td_closure(model, work, y, yd, ydd, q0, q1, q2))
CALL(hybrid_dynamics, BOTH, NULL, NULL, "robot.hybrid_dynamics(y, np.zeros(n, dtype=np.uint8), ydd, tau, yd, forces)",
     OUT(acceleration, n);
     OUT(force, n);
     memcpy(acceleration, ydd, n * sizeof *ydd);
     memcpy(force, tau, n * sizeof *tau);
     status = td_hybrid_dynamics(model, work, y, yd, zeros, forces, acceleration, force))
CALL(mass_matrix_factors, BOTH, NULL, NULL,
     "(lambda L: (L, robot.factors_solve(L, tau)))(robot.mass_matrix_factors(y, forces))",
     OUT(factors, entries);
     OUT(x, n);
     status = td_mass_matrix_factors(model, work, y, forces, factors);
     if (status == TD_OK) {
         status = td_factors_solve(model, work, factors, 1, tau, x);
     })
CALL(operational_inertia, BOTH, NULL, NULL, "robot.operational_inertia(link, y, point, forces=forces)",
     OUT(mobility, 36);
     OUT(inertia, 36);
     OUT(J_inverse, n * 6);
     status = td_operational_inertia(model, work, link, point, NULL, y, forces, TD_FRAME_ALIGNED, mobility, inertia, J_inverse))
CALL(mass_matrix_inverse, BOTH, NULL, NULL, "robot.mass_matrix_inverse(y, forces)",
     OUT(inverse, n * n);
     status = td_mass_matrix_inverse(model, work, y, forces, inverse))
CALL(bias_force, BOTH, NULL, NULL, "robot.bias_force(y, yd, forces)",
     OUT(C, n);
     status = td_bias_force(model, work, y, yd, forces, C))
CALL(gravity_force, BOTH, NULL, NULL, "robot.gravity_force(y)",
     OUT(tau_y, n);
     status = td_gravity_force(model, work, y, tau_y))
CALL(coriolis_matrix, BOTH, NULL, NULL, "robot.coriolis_matrix(y, yd)",
     OUT(C, n * n);
     status = td_coriolis_matrix(model, work, y, yd, C))
CALL(dynamics_terms, BOTH | OF_LINKS, NULL, NULL,
     "robot.dynamics_terms(y, yd, forces, want=tandem.Terms._fields, frame='body')",
     td_terms terms = td_terms_default();
     terms.frame = TD_FRAME_BODY;
     terms.H = out(s, n * n);
     terms.C = out(s, n);
     terms.gravity = out(s, n);
     terms.poses = out(s, 12 * links);
     terms.velocities = out(s, 6 * links);
     terms.accelerations = out(s, 6 * links);
     terms.com = out(s, 9);
     terms.centroidal_momentum_matrix = out(s, 6 * n);
     terms.energy = out(s, 2);
     status = td_dynamics_terms(model, work, y, yd, forces, &terms))
CALL(joint_reactions, BOTH | OF_LINKS, NULL, NULL, "robot.joint_reactions(y, yd, ydd, forces, frame='body')",
     OUT(carried, 6 * joints);
     status = td_joint_reactions(model, work, y, yd, ydd, forces, TD_FRAME_BODY, carried))
CALL(power, BOTH, NULL, NULL, "robot.power(tau, yd)",
     OUT(watt, 1);
     *watt = td_power(model, coordinates, tau, yd))
CALL(closure_derivatives, INDEPENDENT, NULL, NULL, "robot.closure_derivatives(y, yd, ydd, qdd)",
     OUT(velocity, nv * n);
     OUT(acceleration, nv * n);
     OUT(by_velocity, nv * n);
     OUT(force, n * n);
     status = td_closure_derivatives(model, work, y, yd, ydd, qdd, velocity, acceleration, by_velocity, force))
CALL(mass_matrix_derivatives, BOTH, NULL, NULL, "robot.mass_matrix_derivatives(y)",
     OUT(dH, n * n * n);
     status = td_mass_matrix_derivatives(model, work, y, dH))
CALL(mass_matrix_product_derivatives, BOTH, NULL, NULL, "robot.mass_matrix_product_derivatives(y, ydd)",
     OUT(dHb, n * n);
     status = td_mass_matrix_product_derivatives(model, work, y, ydd, dHb))
CALL(link_velocity_derivatives, BOTH, NULL, NULL, "robot.link_velocity_derivatives(link, y, point, yd, frame='body')",
     OUT(velocity, 6);
     OUT(by_y, 6 * n);
     OUT(by_yd, 6 * n);
     status = td_link_velocity_derivatives(model, work, link, point, y, yd, TD_FRAME_BODY, velocity, by_y, by_yd))
CALL(link_jacobian_rate, BOTH, NULL, NULL, "robot.link_jacobian_rate(link, y, point, yd, frame='world')",
     OUT(Jd, 6 * n);
     status = td_link_jacobian_rate(model, work, link, point, y, yd, TD_FRAME_WORLD, Jd))
CALL(link_spatial_acceleration_derivatives, BOTH, NULL, NULL, "robot.link_spatial_acceleration_derivatives(link, y, point, yd, ydd)",
     OUT(acceleration, 6);
     OUT(by_y, 6 * n);
     OUT(by_yd, 6 * n);
     status = td_link_spatial_acceleration_derivatives(model, work, link, point, y, yd, ydd, TD_FRAME_ALIGNED, acceleration, by_y, by_yd))
CALL(link_classical_acceleration_derivatives, BOTH, NULL, NULL,
     "robot.link_classical_acceleration_derivatives(link, y, point, yd, ydd, frame='body')",
     OUT(acceleration, 6);
     OUT(by_y, 6 * n);
     OUT(by_yd, 6 * n);
     status = td_link_classical_acceleration_derivatives(model, work, link, point, y, yd, ydd, TD_FRAME_BODY, acceleration, by_y, by_yd))
CALL(center_of_mass_derivatives, BOTH, NULL, NULL, "robot.center_of_mass_derivatives(y, yd, ydd)",
     OUT(motion, 9);
     OUT(dv_dy, 3 * n);
     OUT(da_dy, 3 * n);
     OUT(da_dyd, 3 * n);
     status = td_center_of_mass_derivatives(model, work, y, yd, ydd, TD_SCOPE_ALL, motion, dv_dy, da_dy, da_dyd))
CALL(centroidal_momentum_derivatives, BOTH, NULL, NULL, "robot.centroidal_momentum_derivatives(y, yd, ydd, scope='moving')",
     OUT(momentum, 6);
     OUT(rate, 6);
     OUT(dh_dy, 6 * n);
     OUT(dh_dyd, 6 * n);
     OUT(drate_dy, 6 * n);
     OUT(drate_dyd, 6 * n);
     status = td_centroidal_momentum_derivatives(model, work, y, yd, ydd, TD_SCOPE_MOVING, momentum, rate, dh_dy, dh_dyd, drate_dy, drate_dyd))
CALL(energy_derivatives, BOTH, NULL, NULL, "robot.energy_derivatives(y, yd, scope='springs')",
     OUT(joule, 2);
     OUT(dT_dy, n);
     OUT(dT_dyd, n);
     OUT(dV_dy, n);
     status = td_energy_derivatives(model, work, y, yd, TD_SCOPE_SPRINGS, joule, dT_dy, dT_dyd, dV_dy))
CALL(spring_state_derivatives, BOTH, NULL, NULL, "robot.spring_state_derivatives(0, y, yd) if springs else ()",
     if (springs > 0) {
         OUT(motion, 4);
         OUT(by_y, 4 * n);
         OUT(by_yd, 4 * n);
         status = td_spring_state_derivatives(model, work, 0, y, yd, motion, by_y, by_yd);
     })
CALL(inverse_dynamics_tangent, BOTH, NULL, NULL, "robot.inverse_dynamics_tangent(y, yd, ydd, forces, dy=ydd, dyd=yd, dydd=tau)",
     OUT(change, n);
     status = td_inverse_dynamics_tangent(model, work, y, yd, ydd, forces, ydd, yd, tau, change))
CALL(inverse_dynamics_adjoint, BOTH, NULL, NULL, "robot.inverse_dynamics_adjoint(y, tau, yd, ydd, forces)",
     OUT(by_y, n);
     OUT(by_yd, n);
     OUT(by_ydd, n);
     status = td_inverse_dynamics_adjoint(model, work, y, yd, ydd, forces, tau, by_y, by_yd, by_ydd))
CALL(forward_dynamics_tangent, BOTH, NULL, NULL, "robot.forward_dynamics_tangent(y, yd, tau, forces, dy=ydd, dyd=yd, dtau_y=tau)",
     OUT(found, n);
     OUT(change, n);
     status = td_forward_dynamics_tangent(model, work, y, yd, tau, forces, ydd, yd, tau, found, change))
CALL(forward_dynamics_adjoint, BOTH, NULL, NULL, "robot.forward_dynamics_adjoint(y, ydd, yd, tau, forces)",
     OUT(found, n);
     OUT(by_y, n);
     OUT(by_yd, n);
     OUT(by_tau, n);
     status = td_forward_dynamics_adjoint(model, work, y, yd, tau, forces, ydd, found, by_y, by_yd, by_tau))
CALL(link_pose, BOTH, NULL, NULL, "robot.link_pose(link, y)",
     OUT(pose, 12);
     status = td_link_pose(model, work, link, y, pose))
CALL(moving_link_poses, BOTH, NULL, NULL, "robot.moving_link_poses(y)",
     OUT(poses, 12 * td_movable_count(model));
     status = td_moving_link_poses(model, work, y, poses))
CALL(link_velocities, BOTH | OF_LINKS, NULL, NULL, "robot.link_velocities(y, yd, frame='world')",
     OUT(velocities, 6 * links);
     status = td_link_velocities(model, work, y, yd, TD_FRAME_WORLD, velocities))
CALL(link_velocity, BOTH, NULL, NULL, "robot.link_velocity(link, y, point, yd, frame='body')",
     OUT(velocity, 6);
     status = td_link_velocity(model, work, link, point, y, yd, TD_FRAME_BODY, velocity))
CALL(link_spatial_accelerations, BOTH | OF_LINKS, NULL, NULL, "robot.link_spatial_accelerations(y, yd, ydd)",
     OUT(accelerations, 6 * links);
     status = td_link_spatial_accelerations(model, work, y, yd, ydd, TD_FRAME_ALIGNED, accelerations))
CALL(link_classical_accelerations, BOTH | OF_LINKS, NULL, NULL, "robot.link_classical_accelerations(y, yd, ydd, frame='body')",
     OUT(accelerations, 6 * links);
     status = td_link_classical_accelerations(model, work, y, yd, ydd, TD_FRAME_BODY, accelerations))
CALL(point_motion, BOTH, NULL, NULL, "robot.point_motion(link, point, y, yd, ydd)",
     OUT(motion, 9);
     status = td_point_motion(model, work, link, point, y, yd, ydd, motion))
CALL(link_bias_acceleration, BOTH, NULL, NULL, "robot.link_bias_acceleration(link, y, point, yd)",
     OUT(rate, 6);
     status = td_link_bias_acceleration(model, work, link, point, y, yd, TD_FRAME_ALIGNED, rate))
CALL(motion_subspaces, BOTH | OF_LINKS, NULL, NULL, "robot.motion_subspaces(y, frame='world')",
     OUT(columns, 6 * nv);
     OUT(poses, 12 * links);
     status = td_motion_subspaces(model, work, y, TD_FRAME_WORLD, columns, poses))
CALL(center_of_mass, BOTH, NULL, NULL, "robot.center_of_mass(y, scope='moving')",
     OUT(com, 3);
     status = td_center_of_mass(model, work, y, TD_SCOPE_MOVING, com))
CALL(center_of_mass_jacobian, BOTH, NULL, NULL, "robot.center_of_mass_jacobian(y)",
     OUT(J, 3 * n);
     status = td_center_of_mass_jacobian(model, work, y, TD_SCOPE_ALL, J))
CALL(centroidal_momentum_matrix, BOTH, NULL, NULL, "robot.centroidal_momentum_matrix(y)",
     OUT(A, 6 * n);
     status = td_centroidal_momentum_matrix(model, work, y, TD_SCOPE_ALL, A))
CALL(centroidal_momentum_bias, BOTH, NULL, NULL, "robot.centroidal_momentum_bias(y, yd)",
     OUT(bias, 6);
     status = td_centroidal_momentum_bias(model, work, y, yd, TD_SCOPE_ALL, bias))
CALL(spring_energy, BOTH, NULL, NULL, "robot.spring_energy(y)",
     OUT(joule, 1);
     status = td_spring_energy(model, work, y, joule))
CALL(spring_state, BOTH, NULL, NULL, "robot.spring_state(0, y, yd) if springs else ()",
     if (springs > 0) {
         OUT(motion, 4);
         status = td_spring_state(model, work, 0, y, yd, motion);
     })
CALL(constraint_jacobian, INDEPENDENT, NULL, NULL, "robot.constraint_jacobian(q)",
     OUT(K, rows * nv);
     status = td_constraint_jacobian(model, work, q, K))
CALL(constraint_residual, INDEPENDENT, NULL, NULL, "robot.constraint_residual(q)",
     OUT(phi, rows);
     status = td_constraint_residual(model, work, q, phi))
CALL(constraint_drift, INDEPENDENT, NULL, NULL, "robot.constraint_drift(q, qd)",
     OUT(k, rows);
     status = td_constraint_drift(model, work, q, qd, k))
CALL(constrained_forward_dynamics, INDEPENDENT, NULL, NULL, "robot.constrained_forward_dynamics(q, qd, qdd, forces, alpha=3, beta=2)",
     td_constraint_options options = td_constraint_options_default();
     options.alpha = 3;
     options.beta = 2;
     OUT(found, nv);
     OUT(lambda, rows);
     status = td_constrained_forward_dynamics(model, work, q, qd, qdd, forces, &options, found, lambda))
CALL(constrained_forward_dynamics_derivatives, INDEPENDENT, NULL, NULL, "robot.constrained_forward_dynamics_derivatives(q, qd, qdd, forces)",
     OUT(found, nv);
     OUT(lambda, rows);
     OUT(f_q, nv * nv);
     OUT(f_qd, nv * nv);
     OUT(f_tau, nv * nv);
     OUT(l_q, rows * nv);
     OUT(l_qd, rows * nv);
     OUT(l_tau, rows * nv);
     status = td_constrained_forward_dynamics_derivatives(model, work, q, qd, qdd, forces, NULL, found, lambda, f_q, f_qd, f_tau, l_q,
                                                          l_qd, l_tau))
CALL(project_velocity, INDEPENDENT, NULL, NULL, "robot.project_velocity(q, qdd)",
     OUT(projected, nv);
     OUT(impulse, rows);
     status = td_project_velocity(model, work, q, qdd, projected, impulse))
CALL(constrained_inverse_dynamics, INDEPENDENT, NULL, NULL, "robot.constrained_inverse_dynamics(q, qd, qdd, forces)",
     OUT(motors, nu);
     OUT(rest, n);
     OUT(lambda, rows);
     status = td_constrained_inverse_dynamics(model, work, q, qd, qdd, forces, NULL, motors, rest, lambda))
CALL(project_position, INDEPENDENT, NULL, NULL, "robot.project_position(q)",
     OUT(projected, nq);
     OUT(residual, 1);
     status = td_project_position(model, work, q, projected, residual))
CALL(loop_force, INDEPENDENT, NULL, NULL, "robot.loop_force(q, qd, np.zeros(loops), forces)",
     OUT(tau_a, nv);
     status = td_loop_force(model, work, q, qd, NULL, forces, tau_a))
CALL(loop_motion, BOTH, NULL, NULL, "robot.loop_motion(0, y, yd, ydd) if loops else ()",
     if (loops > 0) {
         OUT(motion, 3);
         status = td_loop_motion(model, work, 0, y, yd, ydd, motion);
     })
CALL(constraint_force, INDEPENDENT, NULL, NULL, "robot.constraint_force(y, yd, ydd, qdd, forces)",
     OUT(tau_c, nv);
     status = td_constraint_force(model, work, y, yd, ydd, qdd, forces, tau_c))
CALL(forces_from_actuators, INDEPENDENT, NULL, NULL, "robot.forces_from_actuators(y, u)",
     OUT(tau_y, n);
     status = td_forces_from_actuators(model, work, y, u, tau_y))
CALL(forces_to_actuators_derivatives, INDEPENDENT, NULL, NULL, "robot.forces_to_actuators_derivatives(y, tau)",
     OUT(motors, nu);
     OUT(by_y, nu * n);
     OUT(by_tau, nu * n);
     status = td_forces_to_actuators_derivatives(model, work, y, tau, NULL, motors, by_y, by_tau))
CALL(forces_from_actuators_derivatives, INDEPENDENT, NULL, NULL, "robot.forces_from_actuators_derivatives(y, u)",
     OUT(tau_y, n);
     OUT(by_y, n * n);
     status = td_forces_from_actuators_derivatives(model, work, y, u, tau_y, by_y))
CALL(motion_to_actuators, INDEPENDENT, NULL, NULL, "robot.motion_to_actuators(y, yd, ydd)",
     OUT(position, nu);
     OUT(velocity, nu);
     OUT(acceleration, nu);
     status = td_motion_to_actuators(model, work, y, yd, ydd, position, velocity, acceleration))
CALL(motion_from_actuators, INDEPENDENT, NULL, NULL,
     "robot.motion_from_actuators(*robot.motion_to_actuators(y, yd, ydd), y, yd, ydd)",
     double *motors = scratch(s, 3 * nu);
     OUT(y0, ny);
     OUT(y1, n);
     OUT(y2, n);
     OUT(residual, 1);
     memcpy(y0, y, ny * sizeof *y);
     memcpy(y1, yd, n * sizeof *yd);
     memcpy(y2, ydd, n * sizeof *ydd);
     td_motion_to_actuators(model, work, y, yd, ydd, motors, motors + nu, motors + 2 * nu);
     status = td_motion_from_actuators(model, work, motors, motors + nu, motors + 2 * nu, y0, y1, y2, residual))
CALL(integrate, BOTH, NULL, NULL, "robot.integrate(y, yd, 0.3)",
     OUT(result, ny);
     td_integrate(model, coordinates, y, yd, 0.3, result))
CALL(difference, BOTH, NULL, NULL, "robot.difference(robot.reference, y)",
     OUT(v, n);
     td_difference(model, coordinates, td_reference(model, coordinates), y, v))
CALL(rates_to_velocities, BOTH, NULL, NULL, "robot.rates_to_velocities(y, 0.5 * y, 2 * y)",
     OUT(velocity, n);
     OUT(acceleration, n);
     double *rates = scratch(s, 2 * ny);
     for (size_t i = 0; i < ny; i++) {
         rates[i] = 0.5 * y[i];
         rates[ny + i] = 2 * y[i];
     }
     td_rates_to_velocities(model, coordinates, y, rates, rates + ny, velocity, acceleration))
CALL(velocities_to_rates, BOTH, NULL, NULL, "robot.velocities_to_rates(y, yd, ydd)",
     OUT(rate, ny);
     OUT(second, ny);
     td_velocities_to_rates(model, coordinates, y, yd, ydd, rate, second))
CALL(integrate_derivatives, BOTH, NULL, NULL, "robot.integrate_derivatives(yd, 0.3)",
     OUT(by_y, n * n);
     OUT(by_yd, n * n);
     td_integrate_derivatives(model, coordinates, yd, 0.3, by_y, by_yd))
CALL(difference_derivatives, BOTH, NULL, NULL, "robot.difference_derivatives(robot.reference, y)",
     OUT(by_start, n * n);
     OUT(by_end, n * n);
     td_difference_derivatives(model, coordinates, td_reference(model, coordinates), y, by_start, by_end))
CALL(align_quaternions, BOTH, NULL, NULL, "robot.align_quaternions(-y, y)",
     OUT(aligned, ny);
     double *turned = scratch(s, ny);
     for (size_t i = 0; i < ny; i++) {
         turned[i] = -y[i];
     }
     memcpy(aligned, y, ny * sizeof *y);
     td_align_quaternions(model, coordinates, turned, aligned))
CALL(normalize, BOTH, NULL, NULL, "robot.normalize(2 * y)",
     OUT(unit, ny);
     for (size_t i = 0; i < ny; i++) {
         unit[i] = 2 * y[i];
     }
     td_normalize(model, coordinates, unit))

/* ---- questions that must fail ----------------------------------------------------------------- */

MISTAKE(unknown_coordinate, 2, "ValueError", "id tandem:arm7 -q joint_77=0.3", "load('tandem:arm7').state(joint_77=0.3)",
        status = td_coordinate_of(load("tandem:arm7"), TD_COORDINATES_INDEPENDENT, "joint_77", NULL, NULL))
MISTAKE(dependent_coordinate, 2, "ValueError", "id tandem:gripper -q left_tip_joint=0.3", "load('tandem:gripper').state(left_tip_joint=0.3)",
        status = td_coordinate_of(load("tandem:gripper"), TD_COORDINATES_INDEPENDENT, "left_tip_joint", NULL, NULL))
MISTAKE(unknown_link, 2, "ValueError", "jacobian tandem:arm7 --link toll", "load('tandem:arm7').link_jacobian('toll', np.zeros(7))",
        double J[42];
        double y[7] = {0};
        td_model *arm = load("tandem:arm7");
        status = td_link_jacobian(arm, workspace(arm), td_link_index(arm, "toll"), NULL, y, TD_FRAME_ALIGNED, J))
MISTAKE(loops_do_not_close, 4, "DynamicsError", "id tandem:stewart -q leg_1=3", "(lambda r: r.inverse_dynamics(r.state(leg_1=3)))(load('tandem:stewart'))",
        double tau[6];
        td_model *stewart = load("tandem:stewart");
        status = td_inverse_dynamics(stewart, workspace(stewart), with(stewart, "leg_1", 3), NULL, NULL, NULL, tau))
MISTAKE(loops_do_not_close_in_closure, 4, "DynamicsError", "closure tandem:stewart -q leg_1=3",
        "(lambda r: r.tree_state(r.state(leg_1=3)))(load('tandem:stewart'))",
        double q[100];
        td_model *stewart = load("tandem:stewart");
        status = td_closure(stewart, workspace(stewart), with(stewart, "leg_1", 3), NULL, NULL, q, NULL, NULL))
MISTAKE(singular_mass_matrix, 4, "DynamicsError", "fd {cases}/massless.urdf", "(lambda r: r.forward_dynamics(r.state()))(load('massless'))",
        double ydd[10];
        td_model *massless = load("massless");
        status = td_forward_dynamics(massless, workspace(massless), td_reference(massless, TD_COORDINATES_INDEPENDENT), NULL, NULL, NULL, ydd))
MISTAKE(overflow, 4, "DynamicsError", "id tandem:arm7 --qd joint_2=1e200", "(lambda r: r.inverse_dynamics(r.state(), r.velocity(joint_2=1e200)))(load('tandem:arm7'))",
        double tau[7];
        double yd[7] = {0, 1e200};
        td_model *arm = load("tandem:arm7");
        status = td_inverse_dynamics(arm, workspace(arm), td_reference(arm, TD_COORDINATES_INDEPENDENT), yd, NULL, NULL, tau);
        status = isfinite(tau[1]) ? status : TD_ERROR_NOT_FINITE)
MISTAKE(quaternion_of_no_unit_length, 2, "DynamicsError", "id tandem:crane -q hook.qx=0.3,hook.qw=0.3",
        "(lambda r: r.inverse_dynamics(r.state({'hook.qx': 0.3, 'hook.qw': 0.3})))(load('tandem:crane'))",
        double tau[6];
        td_model *crane = load("tandem:crane");
        double *y = with(crane, "hook.qx", 0.3);
        size_t w;
        td_coordinate_of(crane, TD_COORDINATES_INDEPENDENT, "hook.qw", &w, NULL);
        y[w] = 0.3;
        status = td_inverse_dynamics(crane, workspace(crane), y, NULL, NULL, NULL, tau))
MISTAKE(not_finite, 2, "DynamicsError", "id tandem:arm7 -q joint_2=nan", "(lambda r: r.inverse_dynamics(r.state(joint_2=np.nan)))(load('tandem:arm7'))",
        double tau[7];
        td_model *arm = load("tandem:arm7");
        status = td_inverse_dynamics(arm, workspace(arm), with(arm, "joint_2", NAN), NULL, NULL, NULL, tau))
MISTAKE(unknown_joint_is_locked, 2, "ModelError", "id tandem:arm7 --lock joint_77=0", "tandem.load('tandem:arm7', locked={'joint_77': 0})",
        td_model *arm;
        const td_joint_position locked = {"joint_77", 0};
        td_load_options options = td_load_options_default();
        options.locked = &locked;
        options.locked_count = 1;
        status = td_load_urdf("tandem:arm7", &options, NULL, &arm))
MISTAKE(no_such_file, 3, "ModelError", "id {cases}/absent.urdf", "load('absent')",
        td_model *absent;
        status = td_load_urdf(path_of("absent"), NULL, NULL, &absent))
MISTAKE(no_such_bundled_robot, 3, "ModelError", "id tandem:griper", "load('tandem:griper')",
        td_model *absent;
        status = td_load_urdf("tandem:griper", NULL, NULL, &absent))
MISTAKE(file_with_errors, 3, "ModelError", "id {cases}/../traps/child_missing.urdf", "load('../traps/child_missing')",
        td_model *broken;
        status = td_load_urdf(path_of("../traps/child_missing"), NULL, NULL, &broken))

#undef SITUATION
#undef CALL
#undef MISTAKE
