/* SPDX-License-Identifier: MIT */
/*
 * Adds meshes to a page; see view_meshes.h. A file with several names, due to "./" or links for
 * example, is stored under the first name, to which the others refer.
 */
#include "meshes/view_meshes.h"

#include <stdlib.h>
#include <string.h>

#include "input/file_use.h"
#include "meshes/mesh_file.h"
#include "output/json.h"
#include "run.h"
#include "text.h"

/* Limit for all meshes in the page. Browsers limit the length of strings, the strictest to 512
   MiB. */
enum { MOST_MEBIBYTES = 256 };

/* A file in the page, and its name there. */
typedef struct placed {
    char *path;
    const char *type, *name;
} placed;

typedef struct mesh_data {
    cJSON *meshes, *left_out;
    const char *file;   /* the file of the robot */
    const char *output; /* path of the page */
    placed *at;
    size_t count;
    size_t bytes;
    size_t largest; /* size of the largest mesh, and its name */
    const char *largest_name;
} mesh_data;

/* Returns whether writing the page leaves a mesh intact. */
static bool spares(const char *path, const char *output)
{
    file_use use = {.reads = 0};
    file_use_read(&use, path);
    file_use_write(&use, output);
    const bool good = file_use_check(&use);
    file_use_free(&use);
    return good;
}

static void leave_out(mesh_data *d, const char *name, const char *why)
{
    cJSON *item = cJSON_CreateObject();
    cJSON_AddItemToObject(item, "file", json_text(name));
    cJSON_AddItemToObject(item, "why", json_text(why));
    cJSON_AddItemToArray(d->left_out, item);
}

/* Returns whether the data already contain a name. */
static bool is_known(const mesh_data *d, const char *name)
{
    bool known = cJSON_GetObjectItemCaseSensitive(d->meshes, name) != NULL;
    for (const cJSON *other = d->left_out->child; !known && other != NULL; other = other->next) {
        known = strcmp(cJSON_GetObjectItem(other, "file")->valuestring, name) == 0;
    }
    return known;
}

/* Refers to a file if it is already in the page. Returns whether it is. */
static bool refer(mesh_data *d, const mesh_file *file, const char *name)
{
    for (size_t i = 0; file->place.path != NULL && i < d->count; i++) {
        const placed *p = &d->at[i];
        if (p->type == file->type && strcmp(p->path, file->place.path) == 0) {
            cJSON *item = cJSON_CreateObject();
            cJSON_AddItemToObject(item, "same", json_text(p->name));
            cJSON_AddItemToObject(d->meshes, name, item);
            return true;
        }
    }
    return false;
}

/* Returns the total length of the texts of an object, including nested objects. */
static size_t length_of(const cJSON *object)
{
    size_t sum = 0;
    for (const cJSON *item = object->child; item != NULL; item = item->next) {
        sum += cJSON_IsString(item) ? strlen(item->valuestring) : length_of(item);
    }
    return sum;
}

/* Adds a mesh. Prints a message and returns false if the meshes exceed the limit. */
static bool put(mesh_data *d, mesh_file *file, const char *name)
{
    cJSON *item = mesh_file_json(file);
    const size_t length = length_of(item);
    cJSON_AddItemToObject(d->meshes, name, item);
    d->at = reallocate(d->at, d->count + 1, sizeof *d->at);
    d->at[d->count++] = (placed){file->place.path, file->type, name};
    file->place.path = NULL; /* now owned by the list */
    d->bytes += length;
    if (length > d->largest) {
        d->largest = length;
        d->largest_name = name;
    }
    if (d->bytes <= (size_t)MOST_MEBIBYTES << 20) {
        return true;
    }
    scoped char *largest = text_clean(d->largest_name);
    tell_note("%s: its meshes exceed %d MiB, the most that browsers open; the largest of the first "
              "%zu is '%s' with %zu MiB (simplify meshes, or leave them out with --no-meshes)",
              d->file, MOST_MEBIBYTES, d->count, largest, d->largest >> 20);
    return false;
}

/* Adds a mesh by its name. Prints a message and returns false on failure. */
static bool add_mesh(mesh_data *d, const td_file_search *places, const char *name)
{
    if (is_known(d, name)) {
        return true;
    }
    mesh_file file = mesh_file_find(places, name);
    bool good = spares(file.place.path, d->output);
    if (good && !refer(d, &file, name)) {
        mesh_file_fill(&file);
        if (file.bytes != NULL) {
            good = put(d, &file, name);
        } else {
            leave_out(d, name, file.why);
        }
    }
    mesh_file_free(&file);
    return good;
}

static void tell_left_out(const mesh_data *d)
{
    const int lost = cJSON_GetArraySize(d->left_out);
    if (lost > 0) {
        const cJSON *first = d->left_out->child;
        scoped char *name = text_clean(cJSON_GetObjectItem(first, "file")->valuestring);
        tell_note("%s: %d mesh%s left out; first '%s': %s", d->file, lost, lost == 1 ? "" : "es",
                  name, cJSON_GetObjectItem(first, "why")->valuestring);
    }
}

bool view_add_meshes(cJSON *data, const session *s, const tool_options *options, bool none,
                     const char *output)
{
    mesh_data d = {.meshes = cJSON_AddObjectToObject(data, "meshes"),
                   .left_out = cJSON_AddArrayToObject(data, "left_out"),
                   .file = s->file,
                   .output = output};
    const td_file_search places = options_mesh_places(options, options->file);
    bool good = true;
    for (size_t i = 0; i < td_link_count(s->model) && !none && good; i++) {
        const td_link *link = td_link_at(s->model, i);
        for (size_t k = 0; k < link->geometry_count && good; k++) {
            const td_geometry *g = td_geometry_at(link, k);
            if (g->shape == TD_SHAPE_MESH && g->file != NULL) {
                good = add_mesh(&d, &places, g->file);
            }
        }
    }
    tell_left_out(&d);
    for (size_t i = 0; i < d.count; i++) {
        free(d.at[i].path);
    }
    free(d.at);
    return good;
}
