/* SPDX-License-Identifier: MIT */
/*
 * Finds the robots that come with tandem; see bundled.h.
 */
#include "bundled.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diagnostic.h"
#include "base/nearest.h"

#define SUFFIX ".urdf"

bool td_is_bundled(const char *word)
{
    return strncmp(word, TD_BUNDLED, strlen(TD_BUNDLED)) == 0;
}

/* Returns the length of a name without the suffix .urdf. */
static size_t stem_length(const char *name)
{
    const size_t length = strlen(name), suffix = strlen(SUFFIX);
    return length > suffix && strcmp(name + length - suffix, SUFFIX) == 0 ? length - suffix
                                                                          : length;
}

/* ---- the folder of the robots ---------------------------------------------------------------- */

/* Writes a path to place: the path of file without its last names, followed by below. Returns
   whether that folder exists. */
static bool is_folder(const char *file, size_t names, const char *below, char place[PATH_MAX])
{
    size_t length = strlen(file);
    for (size_t i = 0; i < names; i++) {
        while (length > 0 && file[length - 1] != '/')
            length--;
        if (length == 0)
            return false;
        length--;
    }
    const int size = snprintf(place, PATH_MAX, "%.*s/%s", (int)length, file, below);
    return size > 0 && size < PATH_MAX && access(place, X_OK) == 0;
}

/* Looks beside the file that contains this code: a Python module, a shared library, or a
   program. */
static bool beside_code(char place[PATH_MAX])
{
    static const char here;
    Dl_info info;
    if (dladdr(&here, &info) == 0 || !info.dli_fname)
        return false;
    const char *slash = strrchr(info.dli_fname, '/');
    if (slash && strncmp(slash, "/_tandem.", 9) == 0 &&
        is_folder(info.dli_fname, 1, "robots", place))
        return true;
    return is_folder(info.dli_fname, 2, "share/tandem/robots", place) || /* lib/libtandem.so.0 */
           is_folder(info.dli_fname, 3, "share/tandem/robots", place);   /* lib/MACHINE/ */
}

static bool beside_program(char place[PATH_MAX])
{
    char program[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0 || length == sizeof program - 1) /* the path may be truncated */
        return false;
    program[length] = '\0';
    return is_folder(program, 2, "share/tandem/robots", place) || /* bin/tandem */
           is_folder(program, 3, "urdf/robots", place); /* BUILD/tools/tandem in the sources */
}

char *td_bundled_folder(void)
{
    char place[PATH_MAX];
    const char *told = getenv("TANDEM_ROBOTS");
    if (told && *told)
        return strdup(told);
    return strdup(beside_code(place) || beside_program(place) ? place : td_bundled_installed);
}

/* ---- robots ---------------------------------------------------------------------------------- */

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void td_bundled_names_free(char **names)
{
    for (size_t i = 0; names && names[i]; i++)
        free(names[i]);
    free(names);
}

/* Adds a name to a list of count names. Frees the list and returns NULL if memory is short. */
static char **add_name(char **names, size_t count, const char *name, size_t length)
{
    char **larger = realloc(names, (count + 2) * sizeof *names);
    if (!larger) {
        td_bundled_names_free(names);
        return NULL;
    }
    larger[count] = strndup(name, length);
    larger[count + 1] = NULL;
    if (!larger[count]) {
        td_bundled_names_free(larger);
        return NULL;
    }
    return larger;
}

char **td_bundled_names(const char *folder)
{
    size_t count = 0;
    char **names = calloc(1, sizeof *names);
    DIR *directory = names ? opendir(folder) : NULL;
    if (names && !directory && errno == ENOMEM) {
        free(names);
        return NULL;
    }
    for (struct dirent *e; names && directory && (e = readdir(directory));) {
        const size_t length = stem_length(e->d_name);
        if (e->d_name[length] != '\0' && e->d_name[0] != '.')
            names = add_name(names, count++, e->d_name, length);
    }
    if (directory)
        closedir(directory);
    if (names)
        qsort(names, count, sizeof *names, compare_names);
    return names;
}

static const char *name_at(const void *context, size_t i)
{
    return ((char *const *)context)[i];
}

/* Reports an unknown robot and suggests a similar name. */
static void report_absent(const char *word, const char *folder, char **names,
                          td_diagnostics *diagnostics)
{
    const td_source source = {word, 0, 0, NULL};
    if (!names[0]) {
        td_report(diagnostics, TD_CODE_FILE_UNREADABLE, source,
                  "set TANDEM_ROBOTS to the folder of tandem's robots",
                  "there are no robots in '%s'", folder);
        return;
    }
    char remedy[1024] = "";
    const char *near = td_nearest_name(word + strlen(TD_BUNDLED), name_at, names, NULL, NULL);
    size_t used = 0;
    for (size_t i = 0; !near && names[i] && used < sizeof remedy; i++)
        used += (size_t)snprintf(remedy + used, sizeof remedy - used, "%s%s",
                                 i == 0 ? "the robots are " : ", ", names[i]);
    if (near)
        snprintf(remedy, sizeof remedy, "did you mean " TD_BUNDLED "%s?", near);
    td_report(diagnostics, TD_CODE_FILE_UNREADABLE, source, remedy,
              "tandem includes no robot with this name");
}

/* Returns the path of the robot in a new string, or NULL if memory is short. */
static char *path_in(const char *folder, const char *name)
{
    const size_t size = strlen(folder) + strlen(name) + sizeof "/" SUFFIX;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s/%s" SUFFIX, folder, name);
    return path;
}

td_status td_bundled_find(const char *word, td_diagnostics *diagnostics, char **path)
{
    const char *name = word + strlen(TD_BUNDLED);
    char *folder = td_bundled_folder();
    char **names = folder ? td_bundled_names(folder) : NULL;
    size_t i = 0;
    while (names && names[i] &&
           (strncmp(names[i], name, stem_length(name)) != 0 || names[i][stem_length(name)] != '\0'))
        i++;
    *path = names && names[i] ? path_in(folder, names[i]) : NULL;
    td_status status = *path ? TD_OK : TD_ERROR_MEMORY;
    if (names && !names[i]) {
        report_absent(word, folder, names, diagnostics);
        status = td_diagnostics_failed(diagnostics) ? TD_ERROR_MEMORY : TD_ERROR_IO;
    }
    td_bundled_names_free(names);
    free(folder);
    return status;
}
