/* SPDX-License-Identifier: MIT */
/*
 * Constructors as in owned.h for objects that are not in the public headers.
 */
#ifndef TD_TEST_OWNED_INSIDE_H
#define TD_TEST_OWNED_INSIDE_H

#include "owned.h"
#include "simulation/ode.h"
#include "sweep/reduction_api.h"

TEST_RELEASES(integrator)
TEST_RELEASES(reduction)

TEST_MAKES(integrator, integrator_new,
           (const td_ode *ode, const td_integrator_options *options, td_integrator **made),
           (ode, options, made))
TEST_MAKES(reduction, reduction_new,
           (uint64_t total, size_t columns, const td_keep *keeps, size_t count, size_t examples,
            td_reduction **made),
           (total, columns, keeps, count, examples, made))

#endif
