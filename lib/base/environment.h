/* SPDX-License-Identifier: MIT */
/*
 * The default floating-point environment for loading. Numbers are rounded to nearest when they
 * are parsed and processed, whatever rounding mode and traps the caller uses. td_environment_end
 * restores the caller's environment and flags.
 */
#ifndef TD_ENVIRONMENT_H
#define TD_ENVIRONMENT_H

#include <fenv.h>

static inline fenv_t td_environment_begin(void)
{
    fenv_t caller;
    fegetenv(&caller);
    fesetenv(FE_DFL_ENV);
    return caller;
}

static inline void td_environment_end(const fenv_t *caller)
{
    fesetenv(caller);
}

#endif
