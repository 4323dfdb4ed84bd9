/* SPDX-License-Identifier: MIT */
/*
 * What tandem tree and tandem dot share: they show the same links and joints.
 */
#ifndef TOOL_STRUCTURE_H
#define TOOL_STRUCTURE_H

#include <argp.h>

#include "tandem/tandem.h"

/* A whole subcommand over model_argp: prints by that function, with --json the same JSON for all.
   Returns an exit_code. */
int structure_command(const struct argp *argp, int argc, char **argv,
                      void (*print)(const td_model *model));

#endif
