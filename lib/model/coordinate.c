/* SPDX-License-Identifier: MIT */
/*
 * Finds coordinates by name. The coordinate of a joint with one coordinate has the joint's name;
 * other joints append a component.
 */
#include <string.h>

#include "model/joint_kind.h"
#include "model/model.h"

const char *td_component_text(const td_model *model, size_t joint, td_quantity quantity, size_t k)
{
    if (joint >= model->records.joint.count || (unsigned)quantity > TD_QUANTITY_FORCE)
        return NULL;
    return td_component_suffix(model->records.joint.at[joint].type, quantity, k);
}

td_unit td_component_unit(const td_model *model, size_t joint, td_quantity quantity, size_t k)
{
    if (!td_component_text(model, joint, quantity, k))
        return TD_UNIT_NONE;
    const td_joint_row *row = td_joint_row_of(model->records.joint.at[joint].type);
    return quantity == TD_QUANTITY_POSITION ? row->position[k].unit : row->velocity[k].unit;
}

/* Returns the index of a component within a quantity, −1 if it has no such component. */
static int component_index(td_joint_type type, td_quantity quantity, const char *component)
{
    const char *known;
    for (int k = 0; (known = td_component_suffix(type, quantity, (size_t)k)); k++)
        if (strcmp(known, component) == 0)
            return k;
    return -1;
}

/* Returns how many of a joint's first k velocities are not in ẏ because loops determine them. */
static int dependents_before(const td_place *place, int k)
{
    return __builtin_popcount(place->dependents & ((1U << k) - 1));
}

/* Looks up the entries of a joint's component in the positions and velocities; either output may be
   NULL. Returns TD_ERROR_NAME if the joint has no such component. */
static td_status entries_of(const td_model *model, int joint, td_coordinates space,
                            const char *component, size_t *position, size_t *velocity)
{
    const td_place *place = &model->place[joint];
    const td_joint_type type = model->records.joint.at[joint].type;
    int p = component_index(type, TD_QUANTITY_POSITION, component);
    int v = component_index(type, TD_QUANTITY_VELOCITY, component);
    v = v < 0 ? component_index(type, TD_QUANTITY_FORCE, component) : v;
    if ((p < 0 && v < 0) || (position && p < 0) || (velocity && v < 0))
        return TD_ERROR_NAME;
    bool tree = space == TD_COORDINATES_TREE;
    if (!tree && (td_position_is_dependent(place, p < 0 ? v : p) ||
                  (velocity && (place->dependents >> v & 1))))
        return TD_ERROR_DEPENDENT;
    if (position) { /* a joint with a quaternion has all positions in y, or none */
        const int left_out = place->nq == place->nv ? dependents_before(place, p) : 0;
        *position = (size_t)(tree ? place->q + p : place->y + p - left_out);
    }
    if (velocity)
        *velocity = (size_t)(tree ? place->qd + v : place->yd + v - dependents_before(place, v));
    return TD_OK;
}

/* The name is a joint's name, or a joint's name followed by a component after the last dot. */
td_status td_coordinate_of(const td_model *model, td_coordinates coordinates, const char *name,
                           size_t *position, size_t *velocity)
{
    if (!model || !name || (unsigned)coordinates > TD_COORDINATES_TREE)
        return TD_ERROR_ARGUMENT;
    const char *dot = strrchr(name, '.'), *end = name + strlen(name);
    td_status status = TD_ERROR_NAME;
    for (int parts = 1; parts <= (dot ? 2 : 1) && status == TD_ERROR_NAME; parts++) {
        const char *component = parts == 1 ? end : dot;
        int joint = td_names_find_part(&model->joint_names, name, (size_t)(component - name));
        if (joint >= 0)
            status = entries_of(model, joint, coordinates, component, position, velocity);
    }
    return status;
}
