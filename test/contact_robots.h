/* SPDX-License-Identifier: MIT */
/*
 * Robots for the tests of stops and friction: random trees and mechanisms, to whose joints a test
 * gives limits and friction.
 */
#ifndef TD_CONTACT_ROBOTS_H
#define TD_CONTACT_ROBOTS_H

#include "td_test.h"

/* the most entries of q that one of them has */
enum { CONTACT_ROOM = 200 };

/* Trees with followers, chains of loops, bundled mechanisms, by turns of the seed. */
td_model *contact_robot_plain(td_random *random, int seed);

/* Where it stands first: y, and q of it. */
void contact_robot_start(const td_model *model, double *y, double *q);

/* The same robot with other joints and loops: change is called for each of the records, the other
   one being NULL. A floating base stays one, without a call. */
typedef void (*contact_change)(void *context, td_joint_place place, td_joint *joint, td_loop *loop);
td_model *contact_robot_changed(const td_model *model, contact_change change, void *context);

#endif
