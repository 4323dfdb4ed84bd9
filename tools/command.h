/* SPDX-License-Identifier: MIT */
/*
 * The subcommands of tandem. A new one is a file with a function command_NAME, its options
 * options_of_NAME, which include sets of options.h, and a row in the table below.
 */
#ifndef TOOL_COMMAND_H
#define TOOL_COMMAND_H

#include <stdbool.h>

#include "option.h"

/* X(name, description) */
#define COMMAND_TABLE(X)                                                                           \
    X(help, "list the commands, or describe one COMMAND")                                          \
    X(check, "report errors and warnings in robot files")                                          \
    X(info, "summarize a robot: coordinates, mass, mimic joints, limits")                          \
    X(tree, "print the tree of links and joints, as text or as a graph")                           \
    X(closure, "compute all joints from the independent ones, q = M y + b")                        \
    X(complete, "compute all joints from measured ones")                                           \
    X(fk, "forward kinematics: compute the pose of every link")                                    \
    X(ik, "inverse kinematics: find joint positions for a link pose")                              \
    X(calibrate, "fit lengths, axes and points of a robot to recorded points")                     \
    X(id, "inverse dynamics: compute the torques for one or many states")                          \
    X(fd, "forward dynamics: compute accelerations for one or many states")                        \
    X(simulate, "simulate the motion of a robot, and print it as a table")                         \
    X(trajectory, "plan a motion through points, within the robot's limits")                       \
    X(recording, "analyze a recorded motion: torques, power, limits")                              \
    X(sweep, "evaluate very many states: extremes, histograms, maps")                              \
    X(fit, "fit the curve of a mimic joint to a recorded table")                                   \
    X(mass, "compute the mass matrix")                                                             \
    X(derivatives, "compute derivatives of torques or accelerations")                              \
    X(linearize, "linearize the dynamics: modes, frequencies, LQR gains")                          \
    X(equilibrium, "find where a robot rests under loads, and how stiff a link is")                \
    X(energy, "compute energy, center of mass and momentum")                                       \
    X(jacobian, "compute the Jacobian of a link or of a point on it")                              \
    X(contributions, "show how much each link and joint adds to a joint's force")                  \
    X(view, "write an interactive page of the robot, for any browser")                             \
    X(export, "write the robot as normalized URDF, or as MJCF for MuJoCo")                         \
    X(diff, "compare two robots: inertias, joints, loops, torques")                                \
    X(plot, "plot a table: one panel per quantity, one curve per joint")                           \
    X(robots, "list the robots that come with tandem, and their paths")                            \
    X(verify, "check the identities of dynamics on this robot")                                    \
    X(bench, "measure the cost of calls for this robot on this machine")

/* Exit codes. Commands that return more than 1 write nothing, except the rows of a motion up to the
   failure. */
enum exit_code {
    EXIT_GOOD = 0,     /* done; the model may have warnings */
    EXIT_NEGATIVE = 1, /* done, but the answer is no or a result is missing: robots differ, a check
                          fails, a pose is out of reach, a row of a table has no result */
    EXIT_USAGE = 2,    /* error in the command line, or names that the robot lacks */
    EXIT_FILE = 3, /* a file cannot be read or written, or is invalid: a robot with errors, or with
                      warnings under --strict, a table, a specification */
    EXIT_COMPUTE = 4, /* no result: a singular state, loops that do not close, no memory */
};

/* Returns whether a command failed. Signals (128 and above) do not count. */
static inline bool exit_failed(int code)
{
    return code >= EXIT_USAGE && code <= EXIT_COMPUTE;
}

/* argv[0] is "tandem NAME"; returns an exit_code. */
#define COMMAND_PROTOTYPE(name, summary)                                                           \
    int command_##name(int argc, char **argv);                                                     \
    extern const option_set options_of_##name;
COMMAND_TABLE(COMMAND_PROTOTYPE)
#undef COMMAND_PROTOTYPE

#endif
