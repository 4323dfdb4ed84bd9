/* SPDX-License-Identifier: MIT */
/*
 * Finds mesh files; see mesh_place.h.
 */
#include "meshes/mesh_place.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "text.h"

/* Returns whether a real path is below a real folder. */
static bool is_below(const char *path, const char *folder)
{
    const size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && path[length] == '/' && path[length + 1] != '\0';
}

mesh_place mesh_place_find(const td_file_search *places, const char *name)
{
    mesh_place found = {.path = NULL};
    char text[PATH_MAX];
    size_t folder;
    const td_status status = td_find_file(places, name, text, sizeof text, &folder);
    const char *package = strncasecmp(name, "file:", 5) != 0 ? strstr(name, "://") : NULL;
    if (status == TD_OK) {
        found.path = text_format("%s", text);
        found.folder = text_format("%.*s", (int)folder, text);
    } else if (status != TD_ERROR_IO) {
        found.why = text_format("%s", text);
    } else if (package != NULL) {
        package += 3;
        found.why = text_format("%s; name the folder of the package with --package %.*s=DIR", text,
                                (int)strcspn(package, "/"), package);
    } else {
        found.why = text_format("%s; add one with --mesh-root DIR", text);
    }
    return found;
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
