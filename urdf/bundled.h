/* SPDX-License-Identifier: MIT */
/*
 * Finds the robots that come with tandem. They have names instead of paths, such as tandem:gripper.
 */
#ifndef TD_BUNDLED_H
#define TD_BUNDLED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/private.h"
#include "tandem/diagnostic.h"
#include "tandem/status.h"

#define TD_BUNDLED "tandem:"

extern const char td_bundled_installed[]; /* folder of the robots in the prefix of this build */

/* Returns whether the word is tandem:NAME. */
TD_PRIVATE bool td_is_bundled(const char *word);

/* Returns the folder of the robots in a new string, or NULL if memory is short. Searches
   $TANDEM_ROBOTS, robots/ beside the Python module with this code, share/tandem/robots in the
   prefix of the library or program, and td_bundled_installed. */
TD_PRIVATE char *td_bundled_folder(void);

/* Returns the sorted names of the robots in a folder, without .urdf, as a new list of new strings
   that ends with NULL. Returns NULL if memory is short. */
TD_PRIVATE char **td_bundled_names(const char *folder);
TD_PRIVATE void td_bundled_names_free(char **names);

/* Finds the file of tandem:NAME or tandem:NAME.urdf, and sets *path to a new string. If there is no
   such robot, reports the list of bundled robots and returns TD_ERROR_IO. May also return
   TD_ERROR_MEMORY. */
TD_PRIVATE td_status td_bundled_find(const char *word, td_diagnostics *diagnostics, char **path);

#endif
