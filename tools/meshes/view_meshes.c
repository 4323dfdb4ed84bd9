/* SPDX-License-Identifier: MIT */
/*
 * Meshes in a page, see view_meshes.h. A file that has several names, by "./" or links for example,
 * is there by the first one, and other names refer to that.
 */
#include "meshes/view_meshes.h"

#include <stdlib.h>
#include <string.h>

#include "input/file_use.h"
#include "meshes/mesh_file.h"
#include "output/json.h"
#include "run.h"
#include "text.h"

/* Of all meshes as they are in the page. Browsers have a bound on texts, 512 MiB the lowest. */
enum { MOST_MEBIBYTES = 256 };

/* A file that is in the page, and the name by which it is there. */
typedef struct placed {
    char *path;
    const char *type, *name;
} placed;

typedef struct mesh_data {
    cJSON *meshes, *left_out;
    const char *file;   /* of the robot */
    const char *output; /* the page */
    placed *at;
    size_t count;
    size_t bytes;
    size_t largest; /* of a mesh, whose name is */
    const char *largest_name;
} mesh_data;

/* Returns whether the page would not be written over a mesh. */
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

/* Returns whether a name is known before. */
static bool is_known(const mesh_data *d, const char *name)
{
    bool known = cJSON_GetObjectItemCaseSensitive(d->meshes, name) != NULL;
    for (const cJSON *other = d->left_out->child; !known && other != NULL; other = other->next) {
        known = strcmp(cJSON_GetObjectItem(other, "file")->valuestring, name) == 0;
    }
    return known;
}

/* Refers to a file that is in the page already; whether it is. */
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

/* How long the texts of an object are, those in objects included. */
static size_t length_of(const cJSON *object)
{
    size_t sum = 0;
    for (const cJSON *item = object->child; item != NULL; item = item->next) {
        sum += cJSON_IsString(item) ? strlen(item->valuestring) : length_of(item);
    }
    return sum;
}

/* False, with a message, where the meshes so far are more than there is room for. */
static bool put(mesh_data *d, mesh_file *file, const char *name)
{
    cJSON *item = mesh_file_json(file);
    const size_t length = length_of(item);
    cJSON_AddItemToObject(d->meshes, name, item);
    d->at = reallocate(d->at, d->count + 1, sizeof *d->at);
    d->at[d->count++] = (placed){file->place.path, file->type, name};
    file->place.path = NULL; /* it is the list's now */
    d->bytes += length;
    if (length > d->largest) {
        d->largest = length;
        d->largest_name = name;
    }
    if (d->bytes <= (size_t)MOST_MEBIBYTES << 20) {
        return true;
    }
    char *largest = text_clean(d->largest_name);
    tell_note("%s: its meshes exceed %d MiB, the most that browsers open; the largest of the first "
              "%zu is '%s' with %zu MiB (simplify meshes, or leave them out with --no-meshes)",
              d->file, MOST_MEBIBYTES, d->count, largest, d->largest >> 20);
    free(largest);
    return false;
}

/* False with a message. */
static bool add_mesh(mesh_data *d, const mesh_places *places, const char *name)
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
        char *name = text_clean(cJSON_GetObjectItem(first, "file")->valuestring);
        tell_note("%s: %d mesh%s left out; first '%s': %s", d->file, lost, lost == 1 ? "" : "es",
                  name, cJSON_GetObjectItem(first, "why")->valuestring);
        free(name);
    }
}

bool view_add_meshes(cJSON *data, const session *s, const tool_options *options, bool none,
                     const char *output)
{
    mesh_data d = {.meshes = cJSON_AddObjectToObject(data, "meshes"),
                   .left_out = cJSON_AddArrayToObject(data, "left_out"),
                   .file = s->file,
                   .output = output};
    const mesh_places places = options_mesh_places(options, options->file);
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
