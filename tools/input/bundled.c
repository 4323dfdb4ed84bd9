/* SPDX-License-Identifier: MIT */
/*
 * Recognizes words that name a robot; see bundled.h.
 */
#include "input/bundled.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "input/file_use.h"
#include "text.h"

#define SUFFIX ".urdf"

bool names_robot(const char *word)
{
    const char *suffix = path_suffix(word);
    return strcmp(suffix, SUFFIX) == 0 || strcmp(suffix, ".xml") == 0 ||
           strcmp(suffix, ".xacro") == 0 || td_is_bundled(word);
}

void bundled_hint(const char *file)
{
    const char *slash = strrchr(file, '/');
    char *word = text_format(TD_BUNDLED "%s", slash != NULL ? slash + 1 : file), *path;
    if (!td_is_bundled(file) && access(file, F_OK) != 0 &&
        td_bundled_find(word, NULL, &path) == TD_OK) {
        const char *name = strrchr(path, '/') + 1;
        complain("a robot of this name comes with tandem: " TD_BUNDLED "%.*s, which is %s",
                 (int)(strlen(name) - strlen(SUFFIX)), name, path);
        free(path);
    }
    free(word);
}
