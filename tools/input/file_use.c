/* SPDX-License-Identifier: MIT */
/*
 * Compares files that are read and written; see file_use.h.
 */
#include "input/file_use.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../urdf/bundled.h"
#include "text.h"

static void add(const char ***list, size_t *count, const char *path)
{
    if (path != NULL) {
        *list = reallocate(*list, *count + 1, sizeof **list);
        (*list)[(*count)++] = path;
    }
}

void file_use_read(file_use *use, const char *path)
{
    add(&use->read, &use->reads, path);
}

void file_use_write(file_use *use, const char *path)
{
    if (path != NULL && strcmp(path, "-") != 0) {
        add(&use->written, &use->writes, path);
    }
}

void file_use_free(file_use *use)
{
    free(use->read);
    free(use->written);
}

/* Gets the status of the file that a word stands for: a path, standard input, or a robot that comes
   with tandem. */
static int find_file(const char *word, struct stat *file)
{
    char *path = NULL;
    if (strcmp(word, "-") == 0) {
        return fstat(STDIN_FILENO, file);
    }
    if (!td_is_bundled(word)) {
        return stat(word, file);
    }
    const int found = td_bundled_find(word, NULL, &path) == TD_OK ? stat(path, file) : -1;
    free(path);
    return found;
}

/* Returns whether both paths lead to the same regular file. Pipes and devices may be read and
   written at once. */
static bool is_same(const char *read, const char *written)
{
    struct stat from, to;
    const int found = find_file(read, &from);
    return found == 0 && stat(written, &to) == 0 && S_ISREG(from.st_mode) &&
           from.st_dev == to.st_dev && from.st_ino == to.st_ino;
}

bool file_use_check(const file_use *use)
{
    for (size_t i = 0; i < use->writes; i++) {
        const char *to = use->written[i];
        for (size_t k = 0; k < use->reads; k++) {
            const char *from = use->read[k];
            if (!is_same(from, to)) {
                continue;
            }
            const bool standard = strcmp(from, "-") == 0;
            const bool named = !standard && strcmp(from, to) != 0;
            complain("%s is also read%s%s%s and would be overwritten; choose another output file",
                     to, standard ? " (standard input)" : "", named ? " as " : "",
                     named ? from : "");
            return false;
        }
    }
    return true;
}

const char *path_suffix(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    return dot != NULL && dot > name && dot[1] != '\0' ? dot : "";
}
