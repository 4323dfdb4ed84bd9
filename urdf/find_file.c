/* SPDX-License-Identifier: MIT */
/*
 * Finds files that a URDF names; see td_find_file. First resolves components ".." of a path as
 * text; those left at the front lead to parent folders. Accepts a file only if its real path is
 * below the real path of the folder.
 */
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/printf_like.h"
#include "base/sized.h"
#include "tandem/urdf.h"

enum { most_folders_up = 4 };

typedef struct search {
    td_file_search places;
    char *text; /* the caller's; first the folders that were searched, separated by commas */
    size_t capacity, length;
    bool found, outside; /* outside: a file exists, but not within the folder */
    char path[PATH_MAX]; /* of the file */
    size_t folder;       /* its part that is the folder */
} search;

/* ---- text ------------------------------------------------------------------------------------ */

static void add(search *s, const char *format, ...) TD_PRINTF_LIKE(2, 3);

/* Appends text as far as it fits. */
static void add(search *s, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(s->text + s->length, s->capacity - s->length, format, arguments);
    va_end(arguments);
    s->length += length > 0 ? (size_t)length : 0;
    s->length = s->length < s->capacity ? s->length : s->capacity - 1;
}

/* Prints a path. Returns false if it is too long for any file. */
static bool print_path(char path[PATH_MAX], const char *format, ...) TD_PRINTF_LIKE(2, 3);
static bool print_path(char path[PATH_MAX], const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(path, PATH_MAX, format, arguments);
    va_end(arguments);
    return length >= 0 && length < PATH_MAX;
}

/* Copies a path without ".." and ".". Returns the number of ".." at its front. */
static size_t simplify(const char *path, char plain[PATH_MAX])
{
    char *end = plain;
    size_t climbs = 0;
    while (*path != '\0') {
        const size_t length = strcspn(path, "/");
        if (length == 2 && strncmp(path, "..", 2) == 0) {
            climbs += end == plain;
            while (end > plain && *--end != '/')
                continue;
        } else if (length > 0 && !(length == 1 && *path == '.')) {
            if (end > plain)
                *end++ = '/';
            memcpy(end, path, length);
            end += length;
        }
        path += length + (path[length] == '/');
    }
    *end = '\0';
    return climbs;
}

/* Returns whether a real path is below a real folder. */
static bool is_below(const char *path, const char *folder)
{
    const size_t length = strcmp(folder, "/") == 0 ? 0 : strlen(folder);
    return strncmp(path, folder, length) == 0 && path[length] == '/' && path[length + 1] != '\0';
}

/* ---- folders --------------------------------------------------------------------------------- */

/* Searches REST in a folder, which ends the search if it is there. */
static bool try_folder(search *s, const char *folder, const char *rest)
{
    char root[PATH_MAX], path[PATH_MAX], real[PATH_MAX];
    if (!realpath(folder, root) || *rest == '\0' || !print_path(path, "%s/%s", folder, rest) ||
        !realpath(path, real))
        return false;
    if (!is_below(real, root)) {
        s->outside = true;
        return false;
    }
    s->found = true;
    strcpy(s->path, real);
    s->folder = strcmp(root, "/") == 0 ? 0 : strlen(root);
    return true;
}

/* Searches FOLDER/PACKAGE/REST, which must be within FOLDER/PACKAGE, which must be in FOLDER. */
static bool try_package(search *s, const char *folder, const char *package, const char *rest)
{
    char inside[PATH_MAX], outer[PATH_MAX], inner[PATH_MAX];
    if (!realpath(folder, outer) || !print_path(inside, "%s/%s", folder, package) ||
        !realpath(inside, inner))
        return false;
    if (!is_below(inner, outer)) {
        s->outside = s->outside || *package != '\0';
        return false;
    }
    return try_folder(s, inside, rest);
}

/* Searches PACKAGE/REST, then REST, and lists the folder. */
static bool try_both(search *s, const char *folder, const char *package, const char *rest)
{
    add(s, "%s%s", s->length > 0 ? ", " : "", folder);
    return try_package(s, folder, package, rest) || try_folder(s, folder, rest);
}

/* Finds the real path of the folder with the robot. */
static bool find_robot_folder(const search *s, char folder[PATH_MAX])
{
    char path[PATH_MAX];
    const char *robot = s->places.robot;
    const char *slash = robot ? strrchr(robot, '/') : NULL;
    return robot &&
           print_path(path, "%.*s", slash ? (int)(slash - robot) + 1 : 1, slash ? robot : ".") &&
           realpath(path, folder);
}

/* Replaces a real path by its parent folder. Returns false for folders that are not searched: the
   root, the home folder and its parents, and world-writable folders. */
static bool climb(char folder[PATH_MAX])
{
    char *slash = strrchr(folder, '/');
    const char *home = getenv("HOME");
    char real_home[PATH_MAX];
    struct stat status;
    if (!slash || slash == folder)
        return false;
    *slash = '\0';
    if (stat(folder, &status) != 0 || (status.st_mode & S_IWOTH))
        return false;
    return !home || !realpath(home, real_home) ||
           (strcmp(real_home, folder) != 0 && !is_below(real_home, folder));
}

/* Searches the folder of the robot and its parents. climbs: how many levels up REST begins. */
static bool try_parents(search *s, const char *package, const char *rest, size_t climbs)
{
    char folder[PATH_MAX];
    bool good = find_robot_folder(s, folder);
    for (size_t up = 0; good && !s->found && up <= most_folders_up; up++) {
        if (up >= climbs)
            try_both(s, folder, package, rest);
        good = climb(folder);
    }
    return s->found;
}

/* Searches the absolute folders of an environment variable, separated by colons. below: what
   follows each of them. */
static bool try_variable(search *s, const char *variable, const char *below, const char *package,
                         const char *rest)
{
    const char *list = getenv(variable);
    if (!list || *list == '\0')
        add(s, "%s%s (not set)", s->length > 0 ? ", " : "", variable);
    while (list && *list != '\0' && !s->found) {
        char folder[PATH_MAX];
        const size_t length = strcspn(list, ":");
        if (length < PATH_MAX && *list == '/' &&
            print_path(folder, "%.*s%s", (int)length, list, below)) {
            add(s, "%s%s (%s)", s->length > 0 ? ", " : "", folder, variable);
            if (!try_package(s, folder, package, rest) &&
                strcmp(strrchr(folder, '/') + 1, package) == 0)
                try_folder(s, folder, rest);
        }
        list += length + (list[length] == ':');
    }
    return s->found;
}

static bool try_roots(search *s, const char *package, const char *rest)
{
    for (size_t i = 0; i < s->places.root_count && !s->found; i++)
        try_both(s, s->places.roots[i], package, rest);
    return s->found;
}

/* ---- names ----------------------------------------------------------------------------------- */

static td_status refuse(search *s, const char *why)
{
    s->length = 0;
    add(s, "%s", why);
    return TD_ERROR_NAME;
}

/* Ends a search. The text already lists the folders. */
static td_status finish(search *s)
{
    static const char before[] = "it is in none of the folders searched: ";
    const size_t length = sizeof before - 1;
    if (s->found) {
        s->length = 0;
        add(s, "%s", s->path);
        return strlen(s->path) < s->capacity ? TD_OK : TD_ERROR_ARGUMENT;
    }
    if (s->outside)
        return refuse(s, "a link leads out of the folder");
    if (s->length == 0)
        add(s, "none");
    if (s->capacity > length) {
        const size_t kept = s->length < s->capacity - length ? s->length : s->capacity - length - 1;
        memmove(s->text + length, s->text, kept);
        memcpy(s->text, before, length);
        s->text[length + kept] = '\0';
    }
    return TD_ERROR_IO;
}

/* Finds package://NAME/REST. */
static td_status find_in_package(search *s, const char *name)
{
    const size_t length = strcspn(name, "/");
    char package[PATH_MAX], rest[PATH_MAX];
    if (!print_path(package, "%.*s", (int)length, name) || simplify(name + length, rest) > 0 ||
        strcmp(package, "..") == 0 || strcmp(package, ".") == 0)
        return refuse(s, "it leads out of the folder");
    bool named = false;
    for (size_t i = 0; i < s->places.package_count && !s->found; i++) {
        const td_package *p = &s->places.packages[i];
        if (strcmp(p->name, package) != 0)
            continue;
        add(s, "%s%s", s->length > 0 ? ", " : "", p->folder);
        try_folder(s, p->folder, rest);
        named = true;
    }
    if (!named && !try_parents(s, package, rest, 0) &&
        !try_variable(s, "ROS_PACKAGE_PATH", "", package, rest) &&
        !try_variable(s, "AMENT_PREFIX_PATH", "/share", package, rest))
        try_roots(s, package, rest);
    return finish(s);
}

/* Searches an absolute path in a folder that may contain it. */
static void try_absolute(search *s, const char *folder, const char *real)
{
    char root[PATH_MAX];
    if (!s->found && folder && realpath(folder, root) && is_below(real, root))
        try_folder(s, root, real + strlen(root) + (strcmp(root, "/") != 0));
}

static td_status find_absolute(search *s, const char *name)
{
    char real[PATH_MAX], folder[PATH_MAX];
    if (!realpath(name, real))
        return refuse(s, "the file does not exist");
    try_absolute(s, find_robot_folder(s, folder) ? folder : NULL, real);
    for (size_t i = 0; i < s->places.root_count; i++)
        try_absolute(s, s->places.roots[i], real);
    for (size_t i = 0; i < s->places.package_count; i++)
        try_absolute(s, s->places.packages[i].folder, real);
    return s->found || s->outside
               ? finish(s)
               : refuse(s,
                        "it lies outside the folder of the robot and the folders that are named");
}

/* Finds a path without a scheme, or with file:. */
static td_status find_path(search *s, const char *name)
{
    char rest[PATH_MAX];
    if (*name == '/')
        return find_absolute(s, name);
    const size_t climbs = simplify(name, rest);
    if (!try_parents(s, "", rest, climbs))
        try_roots(s, "", rest);
    return finish(s);
}

static td_status find_name(search *s, const char *name)
{
    const char *colon = strstr(name, "://");
    const size_t scheme = colon ? (size_t)(colon - name) : 0;
    if ((scheme == 7 && strncasecmp(name, "package", 7) == 0) ||
        (scheme == 5 && strncasecmp(name, "model", 5) == 0))
        return find_in_package(s, colon + 3);
    if (scheme == 4 && strncasecmp(name, "file", 4) == 0)
        return find_path(s, colon + 3);
    if (strncasecmp(name, "file:/", 6) == 0) /* one slash: no host */
        return find_path(s, name + 5);
    if (colon || strncasecmp(name, "file:", 5) == 0)
        return refuse(s, "only package://, model://, file:// and paths are supported");
    return find_path(s, name);
}

static bool places_are_valid(const td_file_search *places)
{
    bool good = (places->packages || places->package_count == 0) &&
                (places->roots || places->root_count == 0);
    for (size_t i = 0; good && i < places->package_count; i++)
        good = places->packages[i].name && places->packages[i].folder;
    for (size_t i = 0; good && i < places->root_count; i++)
        good = places->roots[i] != NULL;
    return good;
}

td_status td_find_file(const td_file_search *given, const char *name, char *text, size_t capacity,
                       size_t *folder)
{
    search s = {.places = td_file_search_default(), .text = text, .capacity = capacity};
    if (folder)
        *folder = 0;
    if (text && capacity > 0)
        *text = '\0';
    if (!name || !text || capacity == 0 ||
        (given && !td_sized_read(&s.places, sizeof s.places, given)) ||
        !places_are_valid(&s.places))
        return TD_ERROR_ARGUMENT;
    if (strlen(name) >= PATH_MAX)
        return refuse(&s, "it is longer than a path can be");
    const td_status status = find_name(&s, name);
    if (folder && status == TD_OK)
        *folder = s.folder;
    return status;
}
