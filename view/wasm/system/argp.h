/* SPDX-License-Identifier: MIT */
/* Declares the types of argp that headers of the command mention; the page has no command line. */
#ifndef VIEW_SYSTEM_ARGP_H
#define VIEW_SYSTEM_ARGP_H

struct argp;
struct argp_state;

#endif
