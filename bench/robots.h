/* SPDX-License-Identifier: MIT */
/*
 * Robots to measure with: from a URDF file, or a chain made up here, and random states of them.
 */
#ifndef BENCH_ROBOTS_H
#define BENCH_ROBOTS_H

#include "peer.h"
#include "tandem/tandem.h"

/* A chain of that many joints about x, y and z in turn; its URDF is written into scratch. file is
   set to its path, to be freed. False where it cannot be written. */
bool chain_new(size_t joints, const char *scratch, char **file);

/* The robot of a URDF file with that many random states; the tree's URDF is written into scratch.
   NULL, with a message on standard error, where the file does not load, or has loops or joints of
   several coordinates. */
bench_robot *robot_new(const char *file, const char *scratch, size_t states);
void robot_free(bench_robot *robot);

/* Writes the URDF that all other libraries get: what tandem has read, and nothing that libraries
   take in different ways. Links that are fixed to each other are one, so that none of them computes
   more bodies than another. There is no geometry, no limit, no damping and no mimic joint. A moving
   link without mass gets a nanogram, because some libraries refuse it and some make it a kilogram.
   False where the file cannot be written. */
bool tree_write(const td_model *model, const char *path);

#endif
