/* SPDX-License-Identifier: MIT */
/*
 * Robots for the tests of stops and friction: random trees and mechanisms. The test adds limits and
 * friction to their joints.
 */
#ifndef TD_CONTACT_ROBOTS_H
#define TD_CONTACT_ROBOTS_H

#include "td_test.h"

/* more than the largest nq of these robots */
enum { CONTACT_ROOM = 200 };

/* Returns trees with followers, chains of loops and bundled mechanisms in turn, selected by the
   seed. */
td_model *contact_robot_plain(td_random *random, int seed);

/* Computes where the robot starts: y, and q = γ(y). */
void contact_robot_start(const td_model *model, double *y, double *q);

/* Returns the same robot with changed joints and loops. Calls `change` for each record, with the
   other pointer NULL. A floating base stays floating, and `change` is not called for it. */
typedef void (*contact_change)(void *context, td_joint_place place, td_joint *joint, td_loop *loop);
td_model *contact_robot_changed(const td_model *model, contact_change change, void *context);

#endif
