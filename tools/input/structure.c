/* SPDX-License-Identifier: MIT */
/*
 * Prints the structure of a model as JSON; see structure.h.
 */
#include "input/structure.h"

#include "input/coordinate_name.h"
#include "input/follower.h"
#include "output/json.h"
#include "output/model_json.h"

static cJSON *json_joint(const td_joint *joint)
{
    cJSON *item = cJSON_CreateObject();
    cJSON_AddItemToObject(item, "name", json_text(joint->name));
    cJSON_AddItemToObject(item, "type", json_text(joint_type_text(joint)));
    cJSON_AddItemToObject(item, "parent", json_text(joint->parent));
    cJSON_AddItemToObject(item, "child", json_text(joint->child));
    if (td_joint_kind_of(joint->type)->axis) {
        cJSON_AddItemToObject(item, "axis", json_numbers(joint->axis, 3));
    }
    if (joint->mimic != NULL) {
        cJSON *mimic = cJSON_CreateObject();
        cJSON_AddItemToObject(mimic, "leader", json_text(joint->mimic));
        cJSON_AddItemToObject(mimic, "multiplier", json_number(joint->multiplier));
        cJSON_AddItemToObject(mimic, "offset", json_number(joint->offset));
        cJSON_AddItemToObject(item, "mimic", mimic);
    }
    return item;
}

/* Adds "links", "joints", "loops" and "couplings" to root. */
static void add_structure(cJSON *root, const td_model *model)
{
    cJSON_AddItemToObject(root, "root", json_text(td_link_at(model, td_root_link(model))->name));
    cJSON *links = cJSON_CreateArray();
    for (size_t i = 0; i < td_link_count(model); i++) {
        cJSON_AddItemToArray(links, json_text(td_link_at(model, i)->name));
    }
    cJSON_AddItemToObject(root, "links", links);
    cJSON *joints = cJSON_CreateArray();
    for (size_t i = 0; i < td_joint_count(model); i++) {
        cJSON_AddItemToArray(joints, json_joint(td_joint_at(model, i)));
    }
    cJSON_AddItemToObject(root, "joints", joints);
    if (td_follower_count(model) > 0) {
        cJSON_AddItemToObject(root, "followers", json_followers(model));
    }
    cJSON_AddItemToObject(root, "couplings", json_couplings(model));
    cJSON_AddItemToObject(root, "loops", json_loops(model));
}

void structure_print_json(const td_model *model)
{
    cJSON *root = json_root(td_model_name(model));
    add_structure(root, model);
    json_print(root, false);
}
