/* SPDX-License-Identifier: MIT */
/*
 * Searches mesh files; see mesh_place.h. First resolves components ".." of a path as text; those
 * left at the front lead to parent folders. Accepts a file only if its real path is below the real
 * path of the folder.
 */
#include "meshes/mesh_place.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "text.h"

enum { MOST_FOLDERS_UP = 4 };

typedef struct search {
    const mesh_places *places;
    mesh_place found;
    bool outside; /* a file exists, but not within the folder */
} search;

/* Returns the path without ".." and "." in a new string. *climbs receives the number of ".." at its
   front. */
static char *plain_path(const char *path, size_t *climbs)
{
    char *plain = allocate(strlen(path) + 2, 1), *end = plain;
    *climbs = 0;
    while (*path != '\0') {
        const size_t length = strcspn(path, "/");
        if (length == 2 && strncmp(path, "..", 2) == 0) {
            if (end == plain) {
                ++*climbs;
            }
            while (end > plain && *--end != '/') {
            }
        } else if (length > 0 && !(length == 1 && *path == '.')) {
            if (end > plain) {
                *end++ = '/';
            }
            memcpy(end, path, length);
            end += length;
        }
        path += length + (path[length] == '/');
    }
    *end = '\0';
    return plain;
}

/* Returns whether a real path is below a real folder. */
static bool is_below(const char *path, const char *folder)
{
    const size_t length = strcmp(folder, "/") == 0 ? 0 : strlen(folder);
    return strncmp(path, folder, length) == 0 && path[length] == '/' && path[length + 1] != '\0';
}

/* Tries a folder. Returns true if the file is there, which ends the search. */
static bool try_place(search *s, const char *folder, const char *below)
{
    char *root = realpath(folder, NULL);
    char *path = text_format("%s/%s", folder, below);
    char *real = root != NULL && *below != '\0' ? realpath(path, NULL) : NULL;
    const bool within = real != NULL && is_below(real, root);
    s->outside = s->outside || (real != NULL && !within);
    if (within) {
        s->found = (mesh_place){.path = real, .folder = root};
    } else {
        free(real);
        free(root);
    }
    free(path);
    return within;
}

/* Tries DIR/NAME/REST, which must be within DIR/NAME, and DIR/NAME within DIR. */
static bool try_package(search *s, const char *folder, const char *package, const char *rest)
{
    scoped char *inside = text_format("%s/%s", folder, package);
    scoped char *outer = realpath(folder, NULL), *inner = realpath(inside, NULL);
    const bool within = outer != NULL && inner != NULL && is_below(inner, outer);
    s->outside = s->outside || (*package != '\0' && inner != NULL && !within);
    return within && try_place(s, inside, rest);
}

/* Returns the real path of the folder with the robot's file, or NULL without one. */
static char *robot_folder(const mesh_places *places)
{
    if (places->robot == NULL) {
        return NULL;
    }
    const char *slash = strrchr(places->robot, '/');
    scoped char *folder =
        slash == NULL ? text_format(".")
                      : text_format("%.*s", (int)(slash - places->robot) + 1, places->robot);
    return realpath(folder, NULL);
}

/* Replaces a real path by its parent folder. Returns false for folders that are not searched: the
   root, the home folder and its parents, and world-writable folders. */
static bool climb(char *folder)
{
    char *slash = strrchr(folder, '/');
    const char *home = getenv("HOME");
    scoped char *real_home = home != NULL ? realpath(home, NULL) : NULL;
    struct stat status;
    bool good = slash != NULL && slash != folder;
    if (good) {
        *slash = '\0';
        good =
            stat(folder, &status) == 0 && (status.st_mode & S_IWOTH) == 0 &&
            (real_home == NULL || (strcmp(real_home, folder) != 0 && !is_below(real_home, folder)));
    }
    return good;
}

/* Tries the folder of the robot and its parents: in each NAME/REST, then REST. climbs: how many
   levels up REST begins. */
static bool try_folders(search *s, const char *package, const char *rest, size_t climbs)
{
    scoped char *folder = robot_folder(s->places);
    bool found = false, good = folder != NULL;
    for (size_t up = 0; good && !found && up <= MOST_FOLDERS_UP; up++) {
        if (up >= climbs) {
            found = try_package(s, folder, package, rest) || try_place(s, folder, rest);
        }
        good = climb(folder);
    }
    return found;
}

/* Tries the folders of an environment variable, separated by colons: BETWEEN/NAME/REST in each, and
   folders with the name of the package. */
static bool try_variable(search *s, const char *variable, const char *between, const char *package,
                         const char *rest)
{
    const char *list = getenv(variable);
    bool found = false;
    while (list != NULL && *list != '\0' && !found) {
        const size_t length = strcspn(list, ":");
        scoped char *folder = text_format("%.*s%s", (int)length, list, between);
        const char *slash = strrchr(folder, '/');
        if (length > 0 && *folder == '/') {
            found = try_package(s, folder, package, rest) ||
                    (strcmp(slash + 1, package) == 0 && try_place(s, folder, rest));
        }
        list += length + (list[length] == ':');
    }
    return found;
}

static bool try_roots(search *s, const char *package, const char *rest)
{
    bool found = false;
    for (size_t i = 0; i < s->places->roots && !found; i++) {
        found = try_package(s, s->places->root[i], package, rest) ||
                try_place(s, s->places->root[i], rest);
    }
    return found;
}

/* Finds package://NAME/REST. */
static bool find_in_package(search *s, const char *name)
{
    const size_t length = strcspn(name, "/");
    scoped char *package = text_format("%.*s", (int)length, name);
    size_t climbs;
    scoped char *rest = plain_path(name + length, &climbs);
    bool found = false;
    if (climbs > 0 || strcmp(package, "..") == 0 || strcmp(package, ".") == 0) {
        s->found.why = text_format("it leads out of the folder");
    } else {
        bool named = false;
        for (size_t i = 0; i < s->places->packages && !found; i++) {
            const mesh_package *p = &s->places->package[i];
            const bool same = p->name_length == length && strncmp(p->name, package, length) == 0;
            found = same && try_place(s, p->folder, rest);
            named = named || same;
        }
        /* if the user names folders of the package, no others are searched */
        found =
            found || (!named && (try_folders(s, package, rest, 0) ||
                                 try_variable(s, "ROS_PACKAGE_PATH", "", package, rest) ||
                                 try_variable(s, "AMENT_PREFIX_PATH", "/share", package, rest) ||
                                 try_roots(s, package, rest)));
        if (!found && !s->outside) {
            s->found.why = named ? text_format("it is not in the folder of --package %s", package)
                                 : text_format("it is in none of the folders searched; name the "
                                               "folder of the package with --package %s=DIR",
                                               package);
        }
    }
    return found;
}

/* Finds a path without a scheme, or with file:. */
static bool find_path(search *s, const char *name)
{
    size_t climbs;
    scoped char *rest = plain_path(name, &climbs);
    bool found = false;
    if (*name != '/') {
        found = try_folders(s, "", rest, climbs) || try_roots(s, "", rest);
    } else {
        scoped char *real = realpath(name, NULL);
        scoped char *folder = robot_folder(s->places);
        const size_t roots = s->places->roots;
        for (size_t i = 0; real != NULL && !found && i <= roots + s->places->packages; i++) {
            char *root = i == 0 ? folder
                                : realpath(i <= roots ? s->places->root[i - 1]
                                                      : s->places->package[i - 1 - roots].folder,
                                           NULL);
            found = root != NULL && is_below(real, root) &&
                    try_place(s, root, real + strlen(root) + (strcmp(root, "/") != 0));
            if (root != folder) {
                free(root);
            }
        }
        if (!found) {
            s->found.why = real == NULL ? text_format("the file does not exist")
                                        : text_format("it lies outside the folder of the URDF and "
                                                      "those that --mesh-root and --package name");
        }
    }
    if (!found && s->found.why == NULL && !s->outside) {
        s->found.why =
            text_format("it is in none of the folders searched; add one with --mesh-root DIR");
    }
    return found;
}

mesh_place mesh_place_find(const mesh_places *places, const char *name)
{
    search s = {.places = places};
    const char *colon = strstr(name, "://");
    const size_t scheme = colon != NULL ? (size_t)(colon - name) : 0;
    bool found = false;
    if (scheme == 7 && strncasecmp(name, "package", 7) == 0) {
        found = find_in_package(&s, colon + 3);
    } else if (scheme == 5 && strncasecmp(name, "model", 5) == 0) {
        found = find_in_package(&s, colon + 3);
    } else if (scheme == 4 && strncasecmp(name, "file", 4) == 0) {
        found = find_path(&s, colon + 3);
    } else if (strncasecmp(name, "file:/", 6) == 0) { /* one slash: no host */
        found = find_path(&s, name + 5);
    } else if (colon != NULL || strncasecmp(name, "file:", 5) == 0) {
        s.found.why = text_format("only package://, model://, file:// and paths are supported");
    } else {
        found = find_path(&s, name);
    }
    if (!found && s.found.why == NULL) {
        s.found.why = text_format("a link leads out of the folder");
    }
    return s.found;
}

char *mesh_place_beside(const mesh_place *mesh, const char *name)
{
    const char *colon = strstr(name, "://");
    const char *path = colon != NULL ? colon + 3 : name;
    const char *last = strrchr(path, '/');
    const char *slash = strrchr(mesh->path, '/');
    const char *const tries[] = {*path == '/' ? NULL : path, last != NULL ? last + 1 : path};
    for (size_t i = 0; i < 2; i++) {
        scoped char *full = tries[i] != NULL ? text_format("%.*s/%s", (int)(slash - mesh->path),
                                                           mesh->path, tries[i])
                                             : NULL;
        char *real = full != NULL ? realpath(full, NULL) : NULL;
        if (real != NULL && is_below(real, mesh->folder)) {
            return real;
        }
        free(real);
    }
    return NULL;
}

void mesh_place_free(mesh_place *place)
{
    free(place->path);
    free(place->folder);
    free(place->why);
}
