/* SPDX-License-Identifier: MIT */
/*
 * Helpers shared by the tests: random numbers with a fixed seed, loading of bundled robots, and
 * comparisons relative to the size of the numbers.
 */
#ifndef TD_TEST_H
#define TD_TEST_H

#include <check.h>
#include <stddef.h>
#include <stdint.h>

#include "base/coordinates.h"
#include "objects.h"
#include "owned.h"
#include "run.h"
#include "tandem/tandem.h"

/* Returns a number uniform in [-1, 1]; the sequence depends on the seed only. */
typedef struct td_random {
    uint64_t state;
} td_random;

double td_random_number(td_random *random);
size_t td_random_below(td_random *random, size_t n);
void td_random_fill(td_random *random, size_t n, double *x);

/* Draws a rotation matrix from three random angles. */
void td_random_rotation(td_random *random, double rotation[9]);

/* Returns the largest entry of G at y, or infinity where loops do not close. */
double td_largest_rate(const td_model *model, td_workspace *workspace, const double *y);

/* Draws a random configuration of the tree (tree = true: nq) or in independent coordinates (ny).
   Positions are in [-scale, scale]; quaternions have unit length. */
void td_draw_configuration(td_random *random, const td_model *model, bool tree, double scale,
                           double *q);

/* Computes the rate of a configuration's coordinates (tree: nq, else ny) from a velocity. It equals
   the velocity except for floating joints, whose velocity is a twist in body axes. */
void td_coordinate_rate(const td_model *model, bool tree, const double *q, const double *qd,
                        double *rate);

/* Compute, from its record, the effects of the damper, friction and spring of a joint: the
   dissipated power at a tree velocity (friction is smoothed), and the energy of the spring. */
double td_joint_power(const td_model *model, size_t joint, const double *qd,
                      double friction_velocity);
double td_joint_spring_energy(const td_model *model, size_t joint, const double *q);

double td_largest(size_t n, const double *x);
double td_largest_difference(size_t n, const double *x, const double *y);

/* Fails unless a call returns TD_OK, and prints the status that it returned. */
#define assert_ok(...)                                                                             \
    do {                                                                                           \
        const td_status returned_ = (__VA_ARGS__);                                                 \
        ck_assert_msg(returned_ == TD_OK, "%s: %s", #__VA_ARGS__, td_status_text(returned_));      \
    } while (0)

/* Fails unless |x - y| <= tolerance * max(scale, |x|, |y|) for all entries; NaN fails. */
#define td_assert_close(n, x, y, tolerance, scale)                                                 \
    do {                                                                                           \
        double error_ = td_relative_difference(n, x, y, scale);                                    \
        ck_assert_msg(error_ <= (tolerance), "%s and %s differ by %.3g relative, %.3g allowed",    \
                      #x, #y, error_, (double)(tolerance));                                        \
    } while (0)
double td_relative_difference(size_t n, const double *x, const double *y, double scale);

/* Return the text of a file, zero-terminated. If it cannot be read, the first fails the test and
   the second returns NULL. The caller frees the text of the second. */
char *td_read_file(const char *path, size_t *size);
char *td_read_text(const char *path, size_t *size);

/* Builds a random robot with the given number of movable joints of all types (scalar: one
   coordinate only), fixed joints and rotated inertials in between. Some scalar joints have damping,
   friction, springs and rotors; up to `followers` of them follow another joint. The caller finishes
   the builder. */
td_builder *td_random_robot(td_random *random, size_t joints, size_t followers, bool scalar);
/* Same with longer limbs: all but one joint in `length` continue from the last link. */
td_builder *td_random_limbs(td_random *random, size_t joints, size_t followers, bool scalar,
                            size_t length);

/* Returns a link of the given mass, if positive, with the same moment of inertia about all axes. */
td_link td_solid_link(const char *name, double mass, double inertia);

/* Solves H x = b by td_mass_matrix_factors and td_factors_solve in the coordinates of the
   workspace. Returns the status of the first call that fails, with x NaN. */
td_status td_solve_mass_matrix(const td_model *model, td_workspace *workspace, const double *y,
                               const double *b, const td_forces *forces, double *x);

/* Build an object from a builder or a model; fail if that is impossible. */
td_model *model_of_builder(const td_builder *builder, const td_load_options *options);

static inline td_simulation *simulation_of(const td_model *model,
                                           const td_simulation_options *options)
{
    td_simulation *simulation;
    assert_ok(test_simulation_new(model, options, &simulation));
    return simulation;
}

static inline td_ik *ik_of(const td_model *model, const td_ik_goal *goals, size_t count,
                           const td_ik_options *options)
{
    td_ik *ik;
    assert_ok(test_ik_new(model, goals, count, options, &ik));
    return ik;
}

static inline td_ik_rate *ik_rate_of(const td_model *model, const td_ik_goal *goals, size_t count,
                                     const td_ik_rate_options *options)
{
    td_ik_rate *rate;
    assert_ok(test_ik_rate_new(model, goals, count, options, &rate));
    return rate;
}

/* The names of all bundled robots, ending with NULL. */
extern const char *const td_robots[];
int td_robot_count(void);

/* Return the directory of the bundled robots, or of external test data (NULL if absent). */
const char *td_robot_directory(void);
const char *td_data_directory(void);

#if TANDEM_HAS_URDF
/* Loads a bundled robot, and fails if it has errors. */
td_model *td_load_robot(const char *name, const td_load_options *options);
#endif

/* Returns default forces with passive forces switched on. */
td_forces with_passive_forces(void);

/* Allocates a struct as another version of the library declares it, with `size` bytes: a copy of
   `ours` (`known` bytes), cut off or followed by zeros, with its size set. */
void *struct_of_version(size_t size, const void *ours, size_t known);

/* A closure function (td_closure_function): x = 2 y. */
int doubled_closure(const void *context, const double *y, const double *yd, double *x, double *G,
                    double *G_rate);

/* Returns the entry of q of a joint with one coordinate. */
size_t td_joint_entry(const td_model *model, const char *joint);

/* Returns the FNV-1a digest of bytes, continued from the digest of the bytes before. */
uint64_t td_digest(uint64_t before, const void *at, size_t size);

/* Returns the first diagnostic with that code, or NULL. */
const td_diagnostic *td_find_diagnostic(const td_diagnostics *list, const char *code);

/* After td_trap, divisions by zero, invalid operations and overflows end the process until
   td_trap_no_more. This needs a processor that can trap them (most 64-bit ARM cannot) and support
   by the C library. Code that a test calls in between must not raise any of them. */
void td_trap(void);
void td_trap_no_more(void);

/* Prints that the whole program is skipped, with the reason. Returns 0. */
int td_test_skip(const char *why);

#endif
