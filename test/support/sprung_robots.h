/* SPDX-License-Identifier: MIT */
/*
 * Random springs for the tests of springs between links and of the functions that depend on them.
 */
#ifndef TD_SPRUNG_ROBOTS_H
#define TD_SPRUNG_ROBOTS_H

#include "td_test.h"

/* Returns a spring between random links and frames of a robot, with stiffnesses of tens of N/m and
   N m/rad and with dampers. `equal`: the translational springs of a bushing are equal along all
   axes. */
td_spring random_spring(td_random *random, const td_model *plain, bool bushing, bool equal);

/* Returns a body of 2 kg that floats without gravity, with a spring (NULL: none). Its links "body"
   and "plate" coincide, as do the world's links "base" and "ground". */
td_model *hanging(const td_spring *spring);

#endif
