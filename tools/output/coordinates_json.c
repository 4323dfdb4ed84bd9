/* SPDX-License-Identifier: MIT */
/*
 * Writes quantities of coordinates as JSON; see coordinates_json.h.
 */
#include "output/coordinates_json.h"

cJSON *coordinates_json_root(const coordinates *c)
{
    cJSON *root = json_root(td_model_name(c->model));
    cJSON_AddItemToObject(root, "coordinates", json_text(c->tree ? "tree" : "independent"));
    return root;
}

void coordinates_add_json(const coordinates *c, enum quantity quantity, const double *x,
                          cJSON *object)
{
    cJSON_AddItemToObject(object, quantity_text(quantity),
                          json_named(c->name[quantity], x, c->size[quantity]));
}

void coordinates_add_names(const coordinates *c, cJSON *object)
{
    cJSON_AddItemToObject(object, "names", json_texts(c->name[QUANTITY_QD], c->size[QUANTITY_QD]));
}
