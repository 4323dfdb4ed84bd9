/* SPDX-License-Identifier: MIT */
/*
 * Writes parts of a model as JSON; see model_json.h.
 */
#include "output/model_json.h"

#include <inttypes.h>
#include <stdlib.h>

#include "input/combination.h"
#include "input/loops.h"
#include "text.h"

cJSON *json_loops(const td_model *model)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < td_loop_count(model); i++) {
        const td_loop *loop = td_loop_at(model, i);
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToObject(item, "name", json_text(loop->name));
        cJSON_AddItemToObject(item, "type", json_text(td_loop_type_text(loop->type)));
        cJSON_AddItemToObject(item, "predecessor", json_text(loop->predecessor));
        cJSON_AddItemToObject(item, "successor", json_text(loop->successor));
        td_loop_place place = td_loop_place_at(model, i);
        cJSON_AddItemToObject(item, "form", json_text(loop_form_text(place.form)));
        cJSON_AddItemToObject(item, "cluster",
                              place.cluster == TD_NONE ? cJSON_CreateNull()
                                                       : json_count(place.cluster));
        cJSON_AddItemToArray(list, item);
    }
    return list;
}

/* Adds the joint that a coupling determines and its terms: q = sum of factor · q_joint + offset.
   Adds nothing if joint is -1. */
static void add_solution(cJSON *item, const td_model *model, int joint)
{
    cJSON_AddItemToObject(item, "joint",
                          json_text(joint < 0 ? NULL : td_joint_at(model, (size_t)joint)->name));
    if (joint < 0) {
        return;
    }
    combination c = combination_of(model, (size_t)joint);
    cJSON *terms = cJSON_CreateArray();
    for (size_t i = 0; i < c.count; i++) {
        cJSON *term = cJSON_CreateObject();
        cJSON_AddItemToObject(term, "joint",
                              json_text(td_joint_at(model, (size_t)c.joint[i])->name));
        cJSON_AddItemToObject(term, "factor", json_number(c.factor[i]));
        cJSON_AddItemToArray(terms, term);
    }
    cJSON_AddItemToObject(item, "terms", terms);
    cJSON_AddItemToObject(item, "offset", json_number(c.offset));
    combination_free(&c);
}

cJSON *json_couplings(const td_model *model)
{
    scoped int *joint = coupled_joints(model);
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < td_coupling_count(model); i++) {
        const td_coupling *coupling = td_coupling_at(model, i);
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToObject(item, "name", json_text(coupling->name));
        cJSON_AddItemToObject(item, "predecessor", json_text(coupling->predecessor));
        cJSON_AddItemToObject(item, "successor", json_text(coupling->successor));
        cJSON_AddItemToObject(item, "ratio", json_number(coupling->ratio));
        add_solution(item, model, joint[i]);
        cJSON_AddItemToArray(list, item);
    }
    return list;
}

number digest_text(uint64_t digest)
{
    number n;
    snprintf(n.text, sizeof n.text, "%016" PRIx64, digest);
    return n;
}

cJSON *json_digest(const td_model *model, const td_workspace *workspace)
{
    uint64_t digest;
    const td_status status = td_model_digest(model, workspace, &digest);
    if (status == TD_ERROR_MEMORY) {
        end_without_memory();
    }
    return json_text(status == TD_OK ? digest_text(digest).text : NULL);
}
