/* SPDX-License-Identifier: MIT */
/*
 * Queries of a model: counts, records by index, and indices by name.
 */
#include <math.h>
#include <string.h>

#include "base/sized.h"
#include "model/model.h"

const char *td_model_name(const td_model *model)
{
    return model->records.name;
}

size_t td_nq(const td_model *model)
{
    return model->tree.nq;
}

size_t td_nv(const td_model *model)
{
    return model->tree.nv;
}

size_t td_ny(const td_model *model)
{
    return model->closure.ny;
}

size_t td_nyd(const td_model *model)
{
    return model->closure.nyd;
}

td_base td_model_base(const td_model *model)
{
    return model->base;
}

/* Returns the i-th element of a list, NULL past its end. */
#define AT(list, i) ((i) < (list).count ? &(list).at[i] : NULL)

size_t td_link_count(const td_model *model)
{
    return model->records.link.count;
}

const td_link *td_link_at(const td_model *model, size_t link)
{
    return AT(model->records.link, link);
}

size_t td_link_index(const td_model *model, const char *name)
{
    return td_index_out(td_names_find(&model->link_names, name));
}

size_t td_root_link(const td_model *model)
{
    return (size_t)model->root;
}

size_t td_joint_count(const td_model *model)
{
    return model->records.joint.count;
}

const td_joint *td_joint_at(const td_model *model, size_t joint)
{
    return AT(model->records.joint, joint);
}

size_t td_joint_index(const td_model *model, const char *name)
{
    if (name && model->base == TD_BASE_FLOATING && strcmp(name, TD_BASE_NAME) == 0)
        return 0;
    return td_index_out(td_names_find(&model->joint_names, name));
}

size_t td_loop_count(const td_model *model)
{
    return model->records.loop.count;
}

const td_loop *td_loop_at(const td_model *model, size_t loop)
{
    return AT(model->records.loop, loop);
}

const char *td_loop_type_text(td_loop_type type)
{
    static const char *const texts[] = {"revolute", "prismatic", "cylindrical",
                                        "planar",   "universal", "spherical",
                                        "fixed",    "distance",  "mask"};
    return (unsigned)type <= TD_LOOP_MASK ? texts[type] : NULL;
}

size_t td_coupling_count(const td_model *model)
{
    return model->records.coupling.count;
}

size_t td_follower_count(const td_model *model)
{
    return model->records.follower.count;
}

const td_follower *td_follower_at(const td_model *model, size_t follower)
{
    return AT(model->records.follower, follower);
}

size_t td_follower_of(const td_model *model, size_t joint)
{
    return td_index_out(joint < model->records.joint.count ? model->follower[joint] : -1);
}

const td_coupling *td_coupling_at(const td_model *model, size_t coupling)
{
    return AT(model->records.coupling, coupling);
}

size_t td_spring_count(const td_model *model)
{
    return model->records.spring.count;
}

const td_spring *td_spring_at(const td_model *model, size_t spring)
{
    return AT(model->records.spring, spring);
}

size_t td_transmission_count(const td_model *model)
{
    return model->records.transmission.count;
}

const td_transmission *td_transmission_at(const td_model *model, size_t transmission)
{
    return AT(model->records.transmission, transmission);
}

size_t td_flexible_count(const td_model *model)
{
    return model->records.flexible.count;
}

const td_flexible *td_flexible_at(const td_model *model, size_t flexible)
{
    return AT(model->records.flexible, flexible);
}

static const td_place nowhere = {.parent_link = -1,
                                 .child_link = -1,
                                 .parent_joint = -1,
                                 .body = -1,
                                 .q = -1,
                                 .qd = -1,
                                 .y = -1,
                                 .yd = -1,
                                 .leader = -1,
                                 .cluster = -1};

void td_joint_place_read(const td_model *model, size_t joint, td_joint_place *place, size_t size_of)
{
    const td_place *p = joint < model->records.joint.count ? &model->place[joint] : &nowhere;
    td_joint_place found;
    memset(&found, 0, sizeof found); /* clears the padding, too */
    found.parent_link = td_index_out(p->parent_link);
    found.child_link = td_index_out(p->child_link);
    found.parent_joint = td_index_out(p->parent_joint);
    found.body = td_index_out(p->body);
    found.nq = (size_t)p->nq;
    found.nv = (size_t)p->nv;
    found.q = td_index_out(p->q);
    found.qd = td_index_out(p->qd);
    found.y = td_index_out(p->y);
    found.yd = td_index_out(p->yd);
    found.ny = (size_t)p->ny;
    found.nyd = (size_t)p->nyd;
    found.leader = td_index_out(p->leader);
    found.terms = (size_t)p->terms;
    found.cluster = td_index_out(p->cluster);
    found.dependents = p->dependents;
    found.dependent = p->dependent;
    found.multiplier = p->multiplier;
    found.offset = p->offset;
    td_sized_write(place, size_of, &found, sizeof found);
}

size_t td_movable_count(const td_model *model)
{
    return model->movable_count;
}

size_t td_movable_joint(const td_model *model, size_t i)
{
    return i < model->movable_count ? (size_t)model->movable[i] : TD_NONE;
}

size_t td_independent_count(const td_model *model)
{
    return model->independent_count;
}

size_t td_independent_joint(const td_model *model, size_t i)
{
    return i < model->independent_count ? (size_t)model->independent[i] : TD_NONE;
}

size_t td_body_count(const td_model *model)
{
    return model->tree.bodies;
}

size_t td_link_body(const td_model *model, size_t link)
{
    return td_index_out(link < model->tree.links ? model->tree.link[link].body : -1);
}

size_t td_link_parent_joint(const td_model *model, size_t link)
{
    return td_index_out(link < model->tree.links ? model->link_joint[link] : -1);
}

void td_link_audit_read(const td_model *model, size_t link, td_inertia_audit *audit, size_t size_of)
{
    static const td_inertia_audit none = {.massless = true};
    const td_inertia_audit *found = link < model->tree.links ? &model->audit[link] : &none;
    td_sized_write(audit, size_of, found, sizeof *found);
}

double td_moving_mass(const td_model *model)
{
    double mass = 0;
    for (size_t i = 0; i < model->tree.bodies; i++)
        mass += model->tree.body[i].mass;
    return mass;
}

double td_total_mass(const td_model *model)
{
    return model->tree.world_mass + td_moving_mass(model);
}

/* ---- internal
 * ------------------------------------------------------------------------------------ */

const td_effective_limit td_no_limit = {
    .lower = -INFINITY,
    .upper = INFINITY,
    .velocity = INFINITY,
    .effort = INFINITY,
    .lower_joint = TD_NONE,
    .upper_joint = TD_NONE,
    .velocity_joint = TD_NONE,
    .effort_joint = TD_NONE,
};

bool td_csr_new(td_csr *A, td_arena *arena, size_t rows, size_t columns, size_t entries)
{
    A->rows = (int)rows;
    A->columns = (int)columns;
    A->row = TD_ARENA_NEW(arena, int, rows + 1);
    A->column = TD_ARENA_NEW(arena, int, entries);
    A->value = TD_ARENA_NEW(arena, double, entries);
    return A->row && A->column && A->value;
}

bool td_csr_publish(const td_csr *A, td_arena *arena, td_sparse *published)
{
    const size_t rows = (size_t)A->rows, entries = rows ? (size_t)A->row[rows] : 0;
    size_t *row = TD_ARENA_NEW(arena, size_t, rows + 1);
    size_t *column = TD_ARENA_NEW(arena, size_t, entries);
    if (!row || !column)
        return false;
    row[0] = 0;
    for (size_t i = 0; i < rows; i++)
        row[i + 1] = (size_t)A->row[i + 1];
    for (size_t k = 0; k < entries; k++)
        column[k] = (size_t)A->column[k];
    *published = (td_sparse){rows, (size_t)A->columns, row, column, A->value};
    return true;
}

void td_csr_dense(const td_csr *A, double *matrix)
{
    size_t columns = (size_t)A->columns;
    if (A->rows && columns) /* otherwise the matrix may be NULL */
        memset(matrix, 0, (size_t)A->rows * columns * sizeof *matrix);
    for (int i = 0; i < A->rows; i++)
        for (int k = A->row[i]; k < A->row[i + 1]; k++)
            matrix[(size_t)i * columns + (size_t)A->column[k]] = A->value[k];
}

bool td_weights_are_sound(const td_model *model, const double *weight)
{
    for (size_t i = 0; weight && i < model->actuation.nu; i++)
        if (!(weight[i] > 0) || !isfinite(weight[i]))
            return false;
    return true;
}

int td_loop_axis_of(const td_loop_group *group, int loop)
{
    for (int k = 0; k < group->axes; k++)
        if (group->loop[group->axis[k].loop].index == loop)
            return k;
    return -1;
}
