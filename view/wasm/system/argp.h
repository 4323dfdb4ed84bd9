/* SPDX-License-Identifier: MIT */
/* The page has no command line: names that headers of the command have of argp. */
#ifndef VIEW_SYSTEM_ARGP_H
#define VIEW_SYSTEM_ARGP_H

struct argp;
struct argp_state;

#endif
