/* SPDX-License-Identifier: MIT */
/*
 * Springs at random, for the tests of springs between links and of what depends on them.
 */
#ifndef TD_SPRUNG_ROBOTS_H
#define TD_SPRUNG_ROBOTS_H

#include "td_test.h"

/* Between random links and frames of a robot, stiff by some 10 N/m and N m/rad and with dampers; of
   a bushing whose springs along the axes are equal, or not. */
td_spring random_spring(td_random *random, const td_model *plain, bool bushing, bool equal);

/* A body of 2 kg that floats without gravity, with a spring (NULL: none). Its links are "body" and
   "plate", at one place; those of the world are "base" and "ground". */
td_model *hanging(const td_spring *spring);

#endif
