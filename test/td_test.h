/* SPDX-License-Identifier: MIT */
/*
 * What the tests share: random numbers with a fixed seed, loading of bundled robots, comparison
 * relative to the size of the numbers.
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

/* Uniform in [-1, 1]; the sequence depends on the seed alone. */
typedef struct td_random {
    uint64_t state;
} td_random;

double td_random_number(td_random *random);
size_t td_random_below(td_random *random, size_t n);
void td_random_fill(td_random *random, size_t n, double *x);

/* A rotation matrix by three random angles. */
void td_random_rotation(td_random *random, double rotation[9]);

/* The largest entry of G at y; infinite where loops do not close. */
double td_largest_rate(const td_model *model, td_workspace *workspace, const double *y);

/* A random configuration of the tree (tree = true: nq) or in independent coordinates (ny):
   positions in [-scale, scale], quaternions of unit length. */
void td_draw_configuration(td_random *random, const td_model *model, bool tree, double scale,
                           double *q);

/* The rate of the coordinates of a configuration (tree: nq, else ny) at a velocity: the velocity
   itself but for floating joints, whose velocity is a twist in body axes. */
void td_coordinate_rate(const td_model *model, bool tree, const double *q, const double *qd,
                        double *rate);

/* Of a joint's own damper, friction and spring, from the records: the power that is taken at a
   velocity of the tree, friction being smoothed, and the energy that the spring holds. */
double td_joint_power(const td_model *model, size_t joint, const double *qd,
                      double friction_velocity);
double td_joint_spring_energy(const td_model *model, size_t joint, const double *q);

double td_largest(size_t n, const double *x);
double td_largest_difference(size_t n, const double *x, const double *y);

/* Fails unless a call returns TD_OK, and names the status that it returned. */
#define assert_ok(...)                                                                             \
    do {                                                                                           \
        const td_status returned_ = (__VA_ARGS__);                                                 \
        ck_assert_msg(returned_ == TD_OK, "%s: %s", #__VA_ARGS__, td_status_text(returned_));      \
    } while (0)

/* Fails unless |x - y| <= tolerance * max(scale, |x|, |y|) for all; NaN fails. */
#define td_assert_close(n, x, y, tolerance, scale)                                                 \
    do {                                                                                           \
        double error_ = td_relative_difference(n, x, y, scale);                                    \
        ck_assert_msg(error_ <= (tolerance), "%s and %s differ by %.3g relative, %.3g allowed",    \
                      #x, #y, error_, (double)(tolerance));                                        \
    } while (0)
double td_relative_difference(size_t n, const double *x, const double *y, double scale);

/* A file's text, terminated. Where it cannot be read the first fails the test; the second returns
   NULL, and the caller frees the text. */
char *td_read_file(const char *path, size_t *size);
char *td_read_text(const char *path, size_t *size);

/* A random robot with that many movable joints of all types (scalar: of one coordinate only), fixed
   joints and rotated inertials in between, damping, friction, springs and rotors at some of its
   scalar joints; followers: up to that many of those follow another one. The caller finishes the
   builder. */
td_builder *td_random_robot(td_random *random, size_t joints, size_t followers, bool scalar);
/* The same with limbs of some length: all but one joint of so many go on from the last link. */
td_builder *td_random_limbs(td_random *random, size_t joints, size_t followers, bool scalar,
                            size_t length);

/* A link of that mass, if it has any, with the same moment of inertia about all axes. */
td_link td_solid_link(const char *name, double mass, double inertia);

/* x = H⁻¹ b by td_mass_matrix_factors and td_factors_solve, in the coordinates of the workspace;
   the status of the first of them that fails, with x NaN. */
td_status td_solve_mass_matrix(const td_model *model, td_workspace *workspace, const double *y,
                               const double *b, const td_forces *forces, double *x);

/* The objects of a builder or a model, which must be made. */
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

/* All bundled robots, NULL at the end. */
extern const char *const td_robots[];
int td_robot_count(void);

/* Directory of the bundled robots; of test data from elsewhere, NULL where it is not there. */
const char *td_robot_directory(void);
const char *td_data_directory(void);

#if TANDEM_HAS_URDF
/* A bundled robot, which must load without an error. */
td_model *td_load_robot(const char *name, const td_load_options *options);
#endif

/* Forces that are the default but for the passive ones, which act. */
td_forces with_passive_forces(void);

/* A struct of another version: the first size bytes of one of this version, or all of it (known
   bytes) and zeros. */
void *struct_of_version(size_t size, const void *ours, size_t known);

/* A closure function (td_closure_function): x = 2 y. */
int doubled_closure(const void *context, const double *y, const double *yd, double *x, double *G,
                    double *G_rate);

/* The entry of q that a joint of one coordinate has. */
size_t td_joint_entry(const td_model *model, const char *joint);

/* FNV-1a of bytes, from the digest of those before them. */
uint64_t td_digest(uint64_t before, const void *at, size_t size);

/* The first diagnostic of that code, NULL for none. */
const td_diagnostic *td_find_diagnostic(const td_diagnostics *list, const char *code);

/* From here on divisions by zero, results that are none and overflows end the process, where the
   processor traps them (nothing on most of 64-bit ARM) and the C library says so; and no more.
   What a test calls then comes to its result without any of them. */
void td_trap(void);
void td_trap_no_more(void);

/* Prints that the whole program is skipped, and why; 0. */
int td_test_skip(const char *why);

#endif
