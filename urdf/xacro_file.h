/* SPDX-License-Identifier: MIT */
/*
 * Recognizes xacro files and their arguments, for the command.
 */
#ifndef TD_XACRO_FILE_H
#define TD_XACRO_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/private.h"

/* Follows the name of a file in the name of xacro's result. */
#define TD_XACRO_RESULT " (expanded)"

/* Returns the length of the name in NAME:=VALUE, or 0 if the word is no argument of xacro. */
TD_PRIVATE size_t td_xacro_name_length(const char *word);

/* Returns whether td_load_urdf would expand a file, by its name or its content. */
TD_PRIVATE bool td_is_xacro_file(const char *path);

#endif
