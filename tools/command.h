/* SPDX-License-Identifier: MIT */
/*
 * The subcommands of tandem. A new one is a file with a function command_NAME, its argument parser
 * NAME_argp, which is one over the children of options.h, and a row in the table below.
 */
#ifndef TOOL_COMMAND_H
#define TOOL_COMMAND_H

#include <argp.h>
#include <stdbool.h>

/* X(name, what it does) */
#define COMMAND_TABLE(X)                                                                           \
    X(help, "this list, or what a COMMAND does")                                                   \
    X(check, "say what is wrong with robot files")                                                 \
    X(info, "one screen about a robot: coordinates, mass, mimic joints, limits")                   \
    X(tree, "print the tree of links and joints, or a graph of it")                                \
    X(closure, "how all joints follow from the independent ones, q = M y + b")                     \
    X(complete, "all joints from measured ones")                                                   \
    X(fk, "forward kinematics: the pose of every link")                                            \
    X(ik, "inverse kinematics: the joints at which a link has a pose")                             \
    X(id, "inverse dynamics: torques of one state or of a table of states")                        \
    X(fd, "forward dynamics: accelerations of one state or a table of states")                     \
    X(simulate, "the motion of a robot over time, as a table")                                     \
    X(trajectory, "a motion through points within the robot's limits")                             \
    X(recording, "what a recorded motion needs: torques, power, limits")                           \
    X(sweep, "very many states: extremes, histograms, maps, in parts")                             \
    X(fit, "fit the curve by which a joint follows another one to a table")                        \
    X(mass, "the mass matrix at one configuration")                                                \
    X(derivatives, "how torques or accelerations change with the state")                           \
    X(linearize, "a linear model: frequencies, regulators")                                        \
    X(equilibrium, "where a robot rests under loads, and how a link yields")                       \
    X(energy, "energy, centre of mass and momentum of one state")                                  \
    X(jacobian, "the Jacobian of a link or of a point on it")                                      \
    X(contributions, "which links and joints the force of a joint comes from")                     \
    X(view, "write a page in which the robot moves, for any browser")                              \
    X(export, "write the robot as normalised URDF, or for MuJoCo")                                 \
    X(diff, "what two robots differ in: inertias, joints, loops, torques")                         \
    X(plot, "draw a table: a panel for each quantity, a curve for each joint")                     \
    X(robots, "the robots that come with tandem, and where they are")                              \
    X(verify, "check the identities of dynamics on this robot")                                    \
    X(bench, "what this robot costs per call on this machine")

/* Exit codes. Above 1 nothing is written, except the rows of a motion up to the failure. */
enum exit_code {
    EXIT_GOOD = 0, /* done; the model may have warnings */
    EXIT_NEGATIVE =
        1,            /* done, but the answer is no, or something asked for has no result: robots
                         differ, a check fails, a pose is out of reach, a row of a table has none */
    EXIT_USAGE = 2,   /* the command line: options, their values, names that the robot lacks */
    EXIT_FILE = 3,    /* a file cannot be read or written, or what it holds is wrong: a robot with
                         errors, or with warnings under --strict, a table, a specification */
    EXIT_COMPUTE = 4, /* there is no result: a singular state, loops that do not close, no memory */
};

/* Whether nothing was written; signals (128 and above) are no failures of ours. */
static inline bool exit_failed(int code)
{
    return code >= EXIT_USAGE && code <= EXIT_COMPUTE;
}

/* argv[0] is "tandem NAME"; returns an exit_code. */
#define COMMAND_PROTOTYPE(name, summary)                                                           \
    int command_##name(int argc, char **argv);                                                     \
    extern const struct argp name##_argp;
COMMAND_TABLE(COMMAND_PROTOTYPE)
#undef COMMAND_PROTOTYPE

#endif
