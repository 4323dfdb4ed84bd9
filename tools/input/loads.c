/* SPDX-License-Identifier: MIT */
/*
 * Puts payloads and wrenches on a robot; see loads.h.
 */
#include "input/loads.h"

#include <stdlib.h>
#include <string.h>

#include "input/link_name.h"
#include "output/frame_name.h"
#include "output/json.h"
#include "output/model_text.h"
#include "text.h"

td_frame loads_frame(const robot_loads *loads)
{
    return loads->wrenches > 0 ? loads->wrench[0].frame : TD_FRAME_ALIGNED;
}

void loads_free(robot_loads *loads)
{
    for (size_t i = 0; i < loads->payloads; i++) {
        free(loads->payload[i].link);
    }
    for (size_t i = 0; i < loads->wrenches; i++) {
        free(loads->wrench[i].link);
    }
    free(loads->payload);
    free(loads->wrench);
    free(loads->total);
}

/* ---- on a robot ------------------------------------------------------------------------------ */

/* Finds the link and the point of a payload or wrench. The default point is the link's origin. */
static bool find(const td_model *model, const char *name, const double point[3], size_t *index,
                 double at[3])
{
    const int link = find_link_point(model, name, true, point, at);
    *index = (size_t)link;
    return link >= 0;
}

/* Writes a name in quotes, as in model files. */
static void put_quoted(FILE *to, const char *name)
{
    fputc('"', to);
    for (const unsigned char *c = (const unsigned char *)name; *c != '\0'; c++) {
        if (*c < 0x20 || *c == 0x7f) {
            fprintf(to, "\\x%02x", *c);
        } else {
            fprintf(to, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
        }
    }
    fputc('"', to);
}

/* Returns whether the wrench needs a link at its point: if it is given in the world's axes, its
   moment about the origin of the link changes as the link rotates. */
static bool needs_link(const point_wrench *w)
{
    return w->frame == TD_FRAME_ALIGNED && (w->at[0] != 0 || w->at[1] != 0 || w->at[2] != 0);
}

static char *name_of_point(size_t i)
{
    return text_format("$point:%zu", i + 1);
}

/* Writes a model file that adds a link at the point of each such wrench, in a new string. Prints a
   message and returns NULL on failure. */
static char *text_with_points(const robot_loads *loads, const td_model *model)
{
    static const char end[] = "end\n";
    scoped char *before = model_text(model);
    text_stream text;
    if (before == NULL) {
        return NULL;
    }
    text_open(&text);
    FILE *to = text.stream;
    fprintf(to, "%.*s", (int)(strlen(before) - strlen(end)), before);
    for (size_t i = 0; i < loads->wrenches; i++) {
        const point_wrench *w = &loads->wrench[i];
        scoped char *name = name_of_point(i);
        if (needs_link(w)) {
            fprintf(to, "link name=\"%s\"\njoint name=\"%s\" type=fixed parent=", name, name);
            put_quoted(to, td_link_at(model, w->index)->name);
            fprintf(to, " child=\"%s\" origin.position=%s,%s,%s\n", name,
                    number_exact(w->at[0]).text, number_exact(w->at[1]).text,
                    number_exact(w->at[2]).text);
        }
    }
    fputs(end, to);
    return text_close(&text);
}

/* Replaces the model by one with links at these points. */
static bool place_points(robot_loads *loads, td_model **model)
{
    scoped char *text = text_with_points(loads, *model);
    td_model *placed = NULL;
    const td_status status =
        text != NULL ? td_load_model_memory(text, strlen(text), "model", NULL, NULL, &placed)
                     : TD_ERROR_MEMORY;
    if (status != TD_OK) {
        complain("--wrench: %s", td_status_text(status));
        return false;
    }
    td_model_free(*model);
    *model = placed;
    for (size_t i = 0; i < loads->wrenches; i++) {
        if (needs_link(&loads->wrench[i])) {
            scoped char *name = name_of_point(i);
            loads->wrench[i].index = td_link_index(placed, name);
            loads->points++;
        }
    }
    return true;
}

/* Adds up the wrenches of the options. */
static void sum_wrenches(robot_loads *loads, const td_model *model)
{
    loads->total = allocate(6 * td_link_count(model), sizeof *loads->total);
    for (size_t i = 0; i < loads->wrenches; i++) {
        const point_wrench *w = &loads->wrench[i];
        double *total = loads->total + 6 * w->index;
        for (size_t a = 0; a < 3; a++) {
            total[a] += w->moment[a];
            total[3 + a] += w->force[a];
        }
        for (size_t a = 0; a < 3 && w->frame == TD_FRAME_BODY; a++) {
            const size_t b = (a + 1) % 3, c = (a + 2) % 3;
            total[a] += w->at[b] * w->force[c] - w->at[c] * w->force[b];
        }
    }
}

bool loads_find(robot_loads *loads, td_model **model)
{
    bool points = false;
    for (size_t i = 0; i < loads->payloads; i++) {
        payload *p = &loads->payload[i];
        if (!find(*model, p->link, p->com, &p->index, p->at)) {
            return false;
        }
        for (size_t k = 0; k < i; k++) {
            if (loads->payload[k].index == p->index) {
                complain("--payload: link '%s' already has a payload",
                         td_link_at(*model, p->index)->name);
                return false;
            }
        }
    }
    for (size_t i = 0; i < loads->wrenches; i++) {
        point_wrench *w = &loads->wrench[i];
        if (!find(*model, w->link, w->point, &w->index, w->at)) {
            return false;
        }
        points = points || needs_link(w);
    }
    if (points && !loads->apart && !place_points(loads, model)) {
        return false;
    }
    if (loads->wrenches > 0) {
        sum_wrenches(loads, *model);
    }
    return true;
}

bool loads_carry(const robot_loads *loads, const td_model *model, td_workspace *workspace)
{
    for (size_t i = 0; i < loads->payloads; i++) {
        const payload *p = &loads->payload[i];
        const td_status status = td_set_payload(workspace, p->index, p->mass, p->at, p->inertia);
        if (status != TD_OK) {
            complain("--payload: link '%s': %s", td_link_at(model, p->index)->name,
                     td_status_text(status));
            return false;
        }
    }
    return true;
}

/* Returns whether the link is part of a moving body. */
static bool moves(const td_model *model, size_t link)
{
    const size_t joint = td_link_parent_joint(model, link);
    return joint != TD_NONE && td_joint_place_at(model, joint).body != TD_NONE;
}

double loads_mass(const robot_loads *loads, const td_model *model, bool moving)
{
    double sum = 0;
    for (size_t i = 0; i < loads->payloads; i++) {
        const payload *p = &loads->payload[i];
        sum += moving && !moves(model, p->index) ? 0 : p->mass;
    }
    return sum;
}

/* ---- messages -------------------------------------------------------------------------------- */

void loads_tell(const robot_loads *loads)
{
    for (size_t i = 0; i < loads->payloads; i++) {
        const payload *p = &loads->payload[i];
        tell_note("payload on '%s': %s kg at %s %s %s m", p->link, number_clear(p->mass).text,
                  number_clear(p->com[0]).text, number_clear(p->com[1]).text,
                  number_clear(p->com[2]).text);
    }
    for (size_t i = 0; i < loads->wrenches; i++) {
        const point_wrench *w = &loads->wrench[i];
        char *moment =
            largest_of(w->moment, 3) > 0
                ? text_format(" and the moment %s %s %s N m", number_clear(w->moment[0]).text,
                              number_clear(w->moment[1]).text, number_clear(w->moment[2]).text)
                : text_format("%s", "");
        scoped char *frame = w->frame == TD_FRAME_ALIGNED
                                 ? text_format("%s", "")
                                 : text_format(", frame %s", frame_name(w->frame));
        tell_note("wrench on '%s': the force %s %s %s N%s at %s %s %s m%s", w->link,
                  number_clear(w->force[0]).text, number_clear(w->force[1]).text,
                  number_clear(w->force[2]).text, moment, number_clear(w->point[0]).text,
                  number_clear(w->point[1]).text, number_clear(w->point[2]).text, frame);
        free(moment);
    }
}

void loads_add_json(const robot_loads *loads, cJSON *root)
{
    cJSON *list = loads->payloads > 0 ? cJSON_AddArrayToObject(root, "payloads") : NULL;
    for (size_t i = 0; i < loads->payloads; i++) {
        const payload *p = &loads->payload[i];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToObject(item, "link", json_text(p->link));
        cJSON_AddItemToObject(item, "mass", json_number(p->mass));
        cJSON_AddItemToObject(item, "com", json_numbers(p->com, 3));
        const double *m = p->inertia;
        const double inertia[9] = {m[0], m[1], m[2], m[1], m[3], m[4], m[2], m[4], m[5]};
        cJSON_AddItemToObject(item, "inertia", json_matrix(inertia, 3, 3));
        cJSON_AddItemToArray(list, item);
    }
    list = loads->wrenches > 0 ? cJSON_AddArrayToObject(root, "wrenches") : NULL;
    for (size_t i = 0; i < loads->wrenches; i++) {
        const point_wrench *w = &loads->wrench[i];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToObject(item, "link", json_text(w->link));
        cJSON_AddItemToObject(item, "force", json_numbers(w->force, 3));
        cJSON_AddItemToObject(item, "moment", json_numbers(w->moment, 3));
        cJSON_AddItemToObject(item, "point", json_numbers(w->point, 3));
        cJSON_AddItemToObject(item, "frame", json_text(frame_name(w->frame)));
        cJSON_AddItemToArray(list, item);
    }
}
