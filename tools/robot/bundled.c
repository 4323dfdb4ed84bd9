/* SPDX-License-Identifier: MIT */
/*
 * The robots that come with tandem, see bundled.h.
 */
#include "robot/bundled.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file_use.h"
#include "text.h"

#define SUFFIX ".urdf"

/* The length of a name that ends with .urdf, without that; else of all of it. */
static size_t stem_length(const char *name)
{
    const size_t length = strlen(name), suffix = strlen(SUFFIX);
    return length > suffix && strcmp(name + length - suffix, SUFFIX) == 0 ? length - suffix
                                                                          : length;
}

/* folder/../share/tandem/robots of the folder that this program is in; NULL where that is unknown.
 */
static char *beside_program(void)
{
    char path[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0 || length == sizeof path - 1) { /* which may be cut */
        return NULL;
    }
    path[length] = '\0';
    for (int up = 0; up < 2; up++) { /* bin/tandem */
        char *slash = strrchr(path, '/');
        if (slash == NULL) {
            return NULL;
        }
        *slash = '\0';
    }
    return text_format("%s/share/tandem/robots", path);
}

char *bundled_folder(void)
{
    const char *told = getenv("TANDEM_ROBOTS");
    if (told != NULL && *told != '\0') {
        return text_format("%s", told);
    }
    char *place = beside_program();
    if (place != NULL && access(place, X_OK) == 0) {
        return place;
    }
    free(place);
    return text_format("%s", TOOL_ROBOTS);
}

char *bundled_path(const char *name)
{
    char *folder = strchr(name, '/') == NULL && *name != '\0' ? bundled_folder() : NULL;
    if (folder == NULL) { /* no name of a robot */
        return NULL;
    }
    char *path = text_format("%s/%.*s" SUFFIX, folder, (int)stem_length(name), name);
    free(folder);
    if (access(path, R_OK) != 0) {
        free(path);
        return NULL;
    }
    return path;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

char **bundled_names(size_t *count)
{
    char **names = NULL;
    char *folder = bundled_folder();
    DIR *directory = opendir(folder);
    *count = 0;
    for (struct dirent *e; directory != NULL && (e = readdir(directory)) != NULL;) {
        const size_t length = stem_length(e->d_name);
        if (e->d_name[length] != '\0' && e->d_name[0] != '.') {
            names = reallocate(names, *count + 1, sizeof *names);
            names[(*count)++] = text_format("%.*s", (int)length, e->d_name);
        }
    }
    if (directory != NULL) {
        closedir(directory);
    }
    free(folder);
    if (names != NULL) {
        qsort(names, *count, sizeof *names, compare_names);
    }
    return names;
}

void bundled_names_free(char **names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(names[i]);
    }
    free(names);
}

const char *bundled_file(const char *file)
{
    static char **kept;
    static size_t kept_count;
    if (strncmp(file, BUNDLED, strlen(BUNDLED)) != 0) {
        return file;
    }
    const char *name = file + strlen(BUNDLED);
    char *path = bundled_path(name);
    if (path == NULL) {
        size_t count;
        char **names = bundled_names(&count);
        const char *nearest = nearest_name(name, (const char *const *)names, count);
        if (count == 0) {
            complain("%s: the robots that come with tandem are not installed", file);
        } else if (nearest != NULL) {
            complain("%s: no such robot; did you mean " BUNDLED "%s?", file, nearest);
        } else {
            complain("%s: no such robot; 'tandem robots' lists them", file);
        }
        bundled_names_free(names, count);
        return NULL;
    }
    kept = reallocate(kept, kept_count + 1, sizeof *kept);
    return kept[kept_count++] = path;
}

bool names_robot(const char *word)
{
    const char *suffix = path_suffix(word);
    return strcmp(suffix, SUFFIX) == 0 || strcmp(suffix, ".xml") == 0 ||
           strncmp(word, BUNDLED, strlen(BUNDLED)) == 0;
}

void bundled_hint(const char *file)
{
    const char *slash = strrchr(file, '/');
    char *path = access(file, F_OK) != 0 ? bundled_path(slash != NULL ? slash + 1 : file) : NULL;
    if (path != NULL) {
        const char *name = strrchr(path, '/') + 1;
        complain("a robot of this name comes with tandem: " BUNDLED "%.*s, which is %s",
                 (int)stem_length(name), name, path);
    }
    free(path);
}
