/* SPDX-License-Identifier: MIT */
/*
 * What joints and closed loops carry, as text and JSON.
 */
#include "commands/reactions.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/frame_name.h"
#include "output/json.h"
#include "output/table.h"
#include "text.h"

enum { PARTS = 6 };

td_status reactions_find(reactions *r, const session *s, const coordinates *c, const robot_state *x,
                         const dynamics_options *options)
{
    const size_t joints = PARTS * td_joint_count(s->model), loops = PARTS * td_loop_count(s->model);
    const td_forces forces = options_forces(&options->common);
    *r = (reactions){.model = s->model,
                     .listed = td_joint_count(s->model) - s->loads->points,
                     .frame = options->frame,
                     .tree = c->tree,
                     .joints = allocate(joints, sizeof(double)),
                     .loops = allocate(loops, sizeof(double)),
                     .joint_ambiguity = allocate(joints, sizeof(double)),
                     .loop_ambiguity = allocate(loops, sizeof(double))};
    return td_loop_reactions(s->model, s->workspace, x->value[QUANTITY_Q], x->value[QUANTITY_QD],
                             x->value[QUANTITY_QDD], &forces, r->frame, r->joints, r->loops,
                             r->joint_ambiguity, r->loop_ambiguity);
}

void reactions_free(reactions *r)
{
    free(r->joints);
    free(r->loops);
    free(r->joint_ambiguity);
    free(r->loop_ambiguity);
}

/* whether the joint that closes the loop is part of the model */
static bool is_closed(const reactions *r, size_t loop)
{
    return !r->tree && td_loop_place_at(r->model, loop).form != TD_LOOP_FORM_OPEN;
}

/* the largest moment or force of all rows */
static double scale_of(const reactions *r, size_t first)
{
    double scale = 0;
    for (size_t k = first; k < PARTS * td_joint_count(r->model); k += k % 3 == 2 ? 4 : 1) {
        scale = fmax(scale, fabs(r->joints[k]));
    }
    for (size_t k = first; k < PARTS * td_loop_count(r->model); k += k % 3 == 2 ? 4 : 1) {
        scale = fmax(scale, fabs(r->loops[k]));
    }
    return scale;
}

open_parts reactions_open(const double ambiguity[PARTS])
{
    open_parts open = {""};
    for (size_t i = 0; i < PARTS; i++) {
        if (ambiguity[i] > 0) {
            const size_t length = strlen(open.text);
            snprintf(open.text + length, sizeof open.text - length, "%s%s", length > 0 ? " " : "",
                     wrench_part[i]);
        }
    }
    return open;
}

static void add_row(table *t, const char *kind, const char *name, const double *wrench,
                    const double *ambiguity, const double scale[2])
{
    table_add(t, "%s%s", kind, name);
    for (size_t i = 0; i < PARTS; i++) {
        table_add(t, "%s", number_of_scale(wrench[i], scale[i / 3]).text);
    }
    table_add(t, "%s", reactions_open(ambiguity).text);
}

void reactions_print(const reactions *r)
{
    const double scale[2] = {scale_of(r, 0), scale_of(r, 3)};
    table t = table_new("lrrrrrrl");
    table_add(&t, "reaction (N m, N)");
    for (size_t i = 0; i < PARTS; i++) {
        table_add(&t, "%s", wrench_part[i]);
    }
    table_add(&t, "not unique");
    for (size_t i = 0; i < r->listed; i++) {
        add_row(&t, "", td_joint_at(r->model, i)->name, r->joints + PARTS * i,
                r->joint_ambiguity + PARTS * i, scale);
    }
    for (size_t i = 0; i < td_loop_count(r->model); i++) {
        if (is_closed(r, i)) {
            add_row(&t, "loop ", td_loop_at(r->model, i)->name, r->loops + PARTS * i,
                    r->loop_ambiguity + PARTS * i, scale);
        }
    }
    fputc('\n', stdout);
    table_print(&t, 0);
}

static void add_json(cJSON *list, const char *name, const double *wrench, const double *ambiguity)
{
    cJSON *item = cJSON_CreateObject();
    cJSON_AddItemToObject(item, "moment", json_numbers(wrench, 3));
    cJSON_AddItemToObject(item, "force", json_numbers(wrench + 3, 3));
    cJSON_AddItemToObject(item, "ambiguity", json_numbers(ambiguity, PARTS));
    cJSON_AddItemToObject(list, name, item);
}

void reactions_add_json(const reactions *r, cJSON *root)
{
    cJSON_AddItemToObject(root, "reaction_frame", json_text(frame_name(r->frame)));
    cJSON *joints = cJSON_AddObjectToObject(root, "reactions");
    for (size_t i = 0; i < r->listed; i++) {
        add_json(joints, td_joint_at(r->model, i)->name, r->joints + PARTS * i,
                 r->joint_ambiguity + PARTS * i);
    }
    cJSON *loops = cJSON_AddObjectToObject(root, "loop_reactions");
    for (size_t i = 0; i < td_loop_count(r->model); i++) {
        if (is_closed(r, i)) {
            add_json(loops, td_loop_at(r->model, i)->name, r->loops + PARTS * i,
                     r->loop_ambiguity + PARTS * i);
        }
    }
}
