/* SPDX-License-Identifier: MIT */
/*
 * The robots that come with tandem, which have names in place of paths: tandem:gripper.
 */
#ifndef TD_BUNDLED_H
#define TD_BUNDLED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/private.h"
#include "tandem/diagnostic.h"
#include "tandem/status.h"

#define TD_BUNDLED "tandem:"

extern const char td_bundled_installed[]; /* their folder in the prefix of this build */

/* Returns whether the word is tandem:NAME. */
TD_PRIVATE bool td_is_bundled(const char *word);

/* Returns their folder in a new string, NULL without memory: $TANDEM_ROBOTS; robots/ beside the
   module of Python that this code is in; share/tandem/robots of the prefix that the library or the
   program is in; or where they are installed. */
TD_PRIVATE char *td_bundled_folder(void);

/* Returns the names in that folder without .urdf, sorted, each in a new string as the list is,
   which ends with NULL; NULL without memory. */
TD_PRIVATE char **td_bundled_names(const char *folder);
TD_PRIVATE void td_bundled_names_free(char **names);

/* Finds the file of tandem:NAME, also of tandem:NAME.urdf, and sets *path to a new string. Fails
   with TD_ERROR_IO after a report that lists the bundled robots, or with TD_ERROR_MEMORY. */
TD_PRIVATE td_status td_bundled_find(const char *word, td_diagnostics *diagnostics, char **path);

#endif
