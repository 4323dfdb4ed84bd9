/* SPDX-License-Identifier: MIT */
/*
 * tandem info --json: writes all facts about the robot as JSON.
 */
#include <stdlib.h>

#include "commands/info.h"
#include "input/follower.h"
#include "output/json.h"
#include "output/model_json.h"
#include "output/records.h"
#include "text.h"

/* Returns the name of a joint, or null for TD_NONE. */
static cJSON *json_joint_name(const td_model *model, size_t joint)
{
    return json_text(joint == TD_NONE ? NULL : joint_name(model, joint));
}

static void add_counts(cJSON *root, const td_model *model)
{
    const struct {
        const char *name;
        size_t count;
    } counts[] = {
        {"links", td_link_count(model)},
        {"joints", td_joint_count(model)},
        {"movable", td_movable_count(model)},
        {"nq", td_nq(model)},
        {"nv", td_nv(model)},
        {"ny", td_ny(model)},
        {"nyd", td_nyd(model)},
        {"nu", td_nu(model)},
    };
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        cJSON_AddItemToObject(root, counts[i].name, json_count(counts[i].count));
    }
}

/* Lists followers, with chains resolved to their first leader. */
static cJSON *mimic_list(const td_model *model)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < td_movable_count(model); i++) {
        size_t joint = td_movable_joint(model, i);
        td_joint_place place = td_joint_place_at(model, joint);
        if (place.dependent && place.cluster == TD_NONE &&
            place.terms <= 1) { /* "couplings" lists sums */
            cJSON *item = cJSON_CreateObject();
            cJSON_AddItemToObject(item, "joint", json_joint_name(model, joint));
            cJSON_AddItemToObject(item, "leader", json_joint_name(model, place.leader));
            cJSON_AddItemToObject(item, "multiplier", json_number(place.multiplier));
            cJSON_AddItemToObject(item, "offset", json_number(place.offset));
            cJSON_AddItemToArray(list, item);
        }
    }
    return list;
}

static cJSON *limit_list(const td_model *model)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < td_independent_count(model); i++) {
        size_t joint = td_independent_joint(model, i);
        if (td_joint_place_at(model, joint).nv != 1 &&
            !td_joint_kind_of(td_joint_at(model, joint)->type)->bounded) {
            continue;
        }
        td_effective_limit limit = td_effective_limit_at(model, joint);
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToObject(item, "joint", json_joint_name(model, joint));
        cJSON_AddItemToObject(item, "lower", json_number(limit.lower));
        cJSON_AddItemToObject(item, "lower_by", json_joint_name(model, limit.lower_joint));
        cJSON_AddItemToObject(item, "upper", json_number(limit.upper));
        cJSON_AddItemToObject(item, "upper_by", json_joint_name(model, limit.upper_joint));
        cJSON_AddItemToObject(item, "velocity", json_number(limit.velocity));
        cJSON_AddItemToObject(item, "velocity_by", json_joint_name(model, limit.velocity_joint));
        cJSON_AddItemToObject(item, "effort", json_number(limit.effort));
        cJSON_AddItemToObject(item, "effort_by", json_joint_name(model, limit.effort_joint));
        cJSON_AddItemToArray(list, item);
    }
    return list;
}

/* Lists the audit of every link with mass. */
static cJSON *inertia_list(const td_model *model)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < td_link_count(model); i++) {
        const td_link *link = td_link_at(model, i);
        td_inertia_audit audit = td_link_audit(model, i);
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToObject(item, "link", json_text(link->name));
        cJSON_AddItemToObject(item, "mass", json_number(link->has_inertial ? link->mass : 0));
        cJSON_AddItemToObject(item, "moments", json_numbers(audit.moments, 3));
        cJSON_AddItemToObject(item, "triangle_margin", json_number(audit.triangle_margin));
        cJSON_AddItemToObject(item, "finding", json_text(audit_finding(link, audit)));
        cJSON_AddItemToArray(list, item);
    }
    return list;
}

/* Lists the limits of motors that transmissions have. */
static cJSON *motor_limit_list(const td_model *model)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < td_nu(model); i++) {
        const td_actuator a = td_actuator_at(model, i);
        if (isinf(a.effort_limit) && isinf(a.velocity_limit) && isinf(a.power_limit)) {
            continue;
        }
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToObject(item, "motor", json_text(a.name));
        cJSON_AddItemToObject(item, "effort", json_number(a.effort_limit));
        cJSON_AddItemToObject(item, "velocity", json_number(a.velocity_limit));
        cJSON_AddItemToObject(item, "power", json_number(a.power_limit));
        cJSON_AddItemToArray(list, item);
    }
    return list;
}

static cJSON *actuated_list(const td_model *model)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < td_nu(model); i++) {
        td_actuator a = td_actuator_at(model, i);
        bool again = i > 0 && a.joint != TD_NONE && td_actuator_at(model, i - 1).joint == a.joint;
        if (!again) { /* a planar joint has an entry for each coordinate */
            cJSON_AddItemToArray(list, json_text(a.name));
        }
    }
    return list;
}

static cJSON *plan_object(const td_model *model)
{
    td_plan_info plan = td_plan_of(model);
    cJSON *item = cJSON_CreateObject();
    cJSON_AddItemToObject(item, "forward", json_text(plan_text(plan.plan)));
    cJSON_AddItemToObject(item, "forward_in_batches", json_text(plan_text(plan.batch_plan)));
    cJSON_AddItemToObject(item, "clusters", json_count(plan.clusters));
    cJSON_AddItemToObject(item, "largest_cluster", json_count(plan.largest_cluster));
    cJSON_AddItemToObject(item, "cluster_cost", json_number(plan.cluster_cost));
    cJSON_AddItemToObject(item, "reduced_cost", json_number(plan.reduced_cost));
    cJSON_AddItemToObject(item, "batch_cluster_cost", json_number(plan.batch_cluster_cost));
    cJSON_AddItemToObject(item, "batch_reduced_cost", json_number(plan.batch_reduced_cost));
    return item;
}

static cJSON *locked_list(const td_load_options *load)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < load->locked_count; i++) {
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToObject(item, "joint", json_text(load->locked[i].joint));
        cJSON_AddItemToObject(item, "position", json_number(load->locked[i].position));
        cJSON_AddItemToArray(list, item);
    }
    return list;
}

static cJSON *idle_list(const td_model *model)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < td_idle_count(model); i++) {
        const td_idle_direction idle = td_idle_direction_at(model, i);
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToObject(item, "link", json_text(td_link_at(model, idle.link)->name));
        cJSON_AddItemToObject(item, "joint", json_text(td_joint_at(model, idle.joint)->name));
        cJSON_AddItemToObject(item, "yd", json_count(idle.yd));
        cJSON_AddItemToObject(item, "alone", cJSON_CreateBool(idle.alone));
        cJSON_AddItemToObject(item, "massless", cJSON_CreateBool(idle.massless));
        cJSON_AddItemToArray(list, item);
    }
    return list;
}

void info_json(const session *s, const td_load_options *load)
{
    const td_model *model = s->model;
    double com[3];
    reference_center_of_mass(s, com);
    bool floating = td_model_base(model) == TD_BASE_FLOATING;

    cJSON *root = json_root(td_model_name(model));
    cJSON_AddItemToObject(root, "file", json_text(s->file));
    add_counts(root, model);
    cJSON_AddItemToObject(root, "base", json_text(floating ? "floating" : "fixed"));
    cJSON_AddItemToObject(root, "gravity", json_numbers(td_gravity(model, NULL), 3));
    cJSON_AddItemToObject(root, "locked", locked_list(load));
    cJSON_AddItemToObject(root, "isa", json_text(td_isa(model)));
    cJSON_AddItemToObject(root, "lanes", json_count(td_lanes(model)));
    cJSON_AddItemToObject(root, "plan", plan_object(model));
    cJSON_AddItemToObject(root, "mass", json_number(td_total_mass(model)));
    cJSON_AddItemToObject(root, "moving_mass", json_number(td_moving_mass(model)));
    cJSON_AddItemToObject(root, "com", json_point(com));
    cJSON_AddItemToObject(root, "mimic", mimic_list(model));
    if (td_follower_count(model) > 0) {
        cJSON_AddItemToObject(root, "followers", json_followers(model));
    }
    cJSON_AddItemToObject(root, "limits", limit_list(model));
    cJSON_AddItemToObject(root, "inertia", inertia_list(model));
    cJSON_AddItemToObject(root, "couplings", json_couplings(model));
    cJSON_AddItemToObject(root, "loops", json_loops(model));
    if (td_idle_count(model) > 0) {
        cJSON_AddItemToObject(root, "idle", idle_list(model));
    }
    cJSON_AddItemToObject(root, "actuated", actuated_list(model));
    cJSON_AddItemToObject(root, "motor_limits", motor_limit_list(model));
    cJSON_AddItemToObject(root, "actuation", json_text(td_status_text(td_actuation_status(model))));
    cJSON_AddItemToObject(root, "records", json_records(model));
    cJSON_AddItemToObject(root, "diagnostics", json_diagnostics(s->diagnostics, s->file));
    json_print(root, false);
}
