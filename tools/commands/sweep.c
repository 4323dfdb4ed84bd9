/* SPDX-License-Identifier: MIT */
/*
 * tandem sweep: computes statistics and extremes of very many states.
 */
#include "command.h"
#include "sweep/sweep_command.h"

int command_sweep(int argc, char **argv)
{
    return sweep_command(argc, argv, NULL);
}
