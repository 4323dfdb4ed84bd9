/* SPDX-License-Identifier: MIT */
/*
 * The default floating-point environment for what loads: numbers are rounded to nearest when they
 * are read and when matrices are made of them, whatever the caller rounds to or traps. The caller's
 * environment is restored with its flags.
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
