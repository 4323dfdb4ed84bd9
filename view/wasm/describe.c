/* SPDX-License-Identifier: MIT */
/*
 * Writes the parts of the robot that stay constant while it moves, as JSON. The interfaces in
 * src/description.ts have the same members.
 */
#include <math.h>
#include <stdlib.h>

#include "model/joint_kind.h"
#include "model/model.h"
#include "page.h"

static void put_key(page_text *t, const char *key)
{
    text_put(t, "\"%s\":", key);
}

static void put_string(page_text *t, const char *key, const char *value)
{
    put_key(t, key);
    text_string(t, value);
    text_put(t, ",");
}

static void put_number(page_text *t, const char *key, double value)
{
    put_key(t, key);
    text_number(t, value);
    text_put(t, ",");
}

/* Writes -1 for TD_NONE. */
static void put_index(page_text *t, const char *key, size_t index)
{
    put_number(t, key, td_index_in(index));
}

static void put_numbers(page_text *t, const char *key, const double *value, size_t n)
{
    put_key(t, key);
    text_numbers(t, value, n);
    text_put(t, ",");
}

static void put_pose(page_text *t, const char *key, const td_pose *pose)
{
    text_put(t, "\"%s\":{\"position\":", key);
    text_numbers(t, pose->position, 3);
    text_put(t, ",\"rotation\":");
    text_numbers(t, pose->rotation, 9);
    text_put(t, "},");
}

static void put_geometry(page_text *t, const td_geometry *g)
{
    static const char *const shapes[] = {"box", "sphere", "cylinder", "capsule", "mesh"};
    text_put(t, "{");
    put_string(t, "shape", shapes[g->shape]);
    put_string(t, "file", g->file);
    put_numbers(t, "size", g->size, 3);
    put_numbers(t, "rgba", g->rgba, 4);
    put_pose(t, "origin", &g->origin);
    text_put(t, "\"collision\":%s}", g->collision ? "true" : "false");
}

static void put_link(page_text *t, size_t index)
{
    const td_link *link = td_link_at(page.model, index);
    const td_inertia_audit audit = td_link_audit(page.model, index);
    text_put(t, "{");
    put_string(t, "name", link->name);
    put_number(t, "line", link->source.line);
    put_number(t, "mass", link->has_inertial ? link->mass : 0);
    put_pose(t, "inertial", &link->inertial);
    put_numbers(t, "inertia", link->inertia, 6);
    put_numbers(t, "moments", audit.moments, 3);
    put_index(t, "body", td_link_body(page.model, index));
    put_index(t, "parentJoint", td_link_parent_joint(page.model, index));
    /* the importer's tolerance: accepts thin plates and rods with rounded moments */
    text_put(t, "\"impossible\":%s,\"geometry\":[",
             !audit.massless && (audit.indefinite || audit.triangle_margin < -1e-6) ? "true"
                                                                                    : "false");
    for (size_t i = 0; i < link->geometry_count; i++) {
        text_put(t, i ? "," : "");
        put_geometry(t, td_geometry_at(link, i));
    }
    text_put(t, "]}");
}

static void put_limits(page_text *t, size_t index, const td_joint *joint)
{
    const td_effective_limit e = td_effective_limit_at(page.model, index);
    put_number(t, "lower", joint->limit.lower);
    put_number(t, "upper", joint->limit.upper);
    text_put(t, "\"effective\":{");
    put_number(t, "lower", e.lower);
    put_number(t, "upper", e.upper);
    put_number(t, "effort", e.effort);
    text_put(t, "\"lowerJoint\":%d,\"upperJoint\":%d},", td_index_in(e.lower_joint),
             td_index_in(e.upper_joint));
}

static bool has_motor(size_t joint)
{
    for (size_t i = 0; i < td_nu(page.model); i++)
        if (td_actuator_at(page.model, i).joint == joint)
            return true;
    return false;
}

static void put_joint(page_text *t, size_t index)
{
    const td_joint *joint = td_joint_at(page.model, index);
    const td_joint_kind *kind = td_joint_kind_of(joint->type);
    const td_joint_place p = td_joint_place_at(page.model, index);
    text_put(t, "{");
    put_string(t, "name", joint->name);
    put_string(t, "type", kind->word);
    put_index(t, "quaternion", kind->quaternion);
    text_put(t, "\"hasAxis\":%s,\"bounded\":%s,", kind->axis ? "true" : "false",
             kind->bounded ? "true" : "false");
    put_number(t, "line", joint->source.line);
    put_pose(t, "origin", &joint->origin);
    put_numbers(t, "axis", joint->axis, 3);
    put_string(t, "mimic", joint->mimic);
    put_string(t, "flexible", joint->flexible);
    put_number(t, "spring", joint->spring_stiffness);
    text_put(t, "\"motor\":%s,", has_motor(index) ? "true" : "false");
    put_limits(t, index, joint);
    put_number(t, "multiplier", p.multiplier);
    put_number(t, "offset", p.offset);
    put_index(t, "follower", td_follower_of(page.model, index));
    put_index(t, "parent", p.parent_link);
    put_index(t, "child", p.child_link);
    put_index(t, "q", p.q);
    put_index(t, "qd", p.qd);
    put_index(t, "y", p.y);
    put_index(t, "yd", p.yd);
    put_index(t, "leader", p.leader);
    put_index(t, "cluster", p.cluster);
    text_put(t, "\"nq\":%zu,\"nv\":%zu,\"ny\":%zu,\"nyd\":%zu,\"terms\":%zu,\"dependent\":%s}",
             p.nq, p.nv, p.ny, p.nyd, p.terms, p.dependent ? "true" : "false");
}

static void put_loop(page_text *t, size_t index)
{
    static const char *const forms[] = {"open",     "implied",     "linear",
                                        "iterated", "closed form", "registered"};
    const td_loop *loop = td_loop_at(page.model, index);
    text_put(t, "{");
    put_string(t, "name", loop->name);
    put_string(t, "type", td_loop_type_text(loop->type));
    put_string(t, "form", forms[td_loop_place_at(page.model, index).form]);
    put_number(t, "line", loop->source.line);
    put_pose(t, "predecessorOrigin", &loop->predecessor_origin);
    put_pose(t, "successorOrigin", &loop->successor_origin);
    text_put(t, "\"predecessor\":%d,\"successor\":%d}",
             td_index_in(td_link_index(page.model, loop->predecessor)),
             td_index_in(td_link_index(page.model, loop->successor)));
}

static void put_coupling(page_text *t, size_t index)
{
    const td_coupling *coupling = td_coupling_at(page.model, index);
    text_put(t, "{");
    put_string(t, "name", coupling->name);
    put_number(t, "ratio", coupling->ratio);
    text_put(t, "\"predecessor\":%d,\"successor\":%d}",
             td_index_in(td_link_index(page.model, coupling->predecessor)),
             td_index_in(td_link_index(page.model, coupling->successor)));
}

/* Writes the leader, type, parameters and range of a curve. Tables are written without their
   points. */
static void put_curve(page_text *t, const td_curve *curve)
{
    static const char *const types[] = {"polynomial", "sine", "spline"};
    static const char *const ends[] = {"natural", "clamped", "periodic", "Hermite"};
    const bool table = curve->type == TD_CURVE_SPLINE;
    const double range[2] = {table ? curve->at[0] : curve->lower,
                             table ? curve->at[curve->points - 1] : curve->upper};
    text_put(t, "{");
    put_string(t, "leader", curve->leader);
    put_string(t, "type", types[curve->type]);
    put_numbers(t, "coefficients", curve->coefficient, curve->coefficients);
    put_number(t, "amplitude", curve->amplitude);
    put_number(t, "frequency", curve->frequency);
    put_number(t, "phase", curve->phase);
    put_number(t, "degree", curve->degree);
    put_string(t, "ends", ends[curve->ends]);
    put_number(t, "points", (double)curve->points);
    text_put(t, "\"range\":");
    text_numbers(t, range, 2);
    text_put(t, "}");
}

static void put_follower(page_text *t, size_t index)
{
    const td_follower *follower = td_follower_at(page.model, index);
    text_put(t, "{");
    put_number(t, "offset", follower->offset);
    text_put(t, "\"curves\":[");
    for (size_t k = 0; k < follower->curves; k++) {
        text_put(t, k ? "," : "");
        put_curve(t, td_curve_at(follower, k));
    }
    text_put(t, "]}");
}

static void put_list(page_text *t, const char *key, size_t n,
                     void (*put)(page_text *t, size_t index))
{
    text_put(t, "\"%s\":[", key);
    for (size_t i = 0; i < n; i++) {
        text_put(t, i ? "," : "");
        put(t, i);
    }
    text_put(t, "],");
}

/* Returns the index in y or ẏ of the k-th coordinate of a joint, -1 if the joint is dependent. */
static int independent_entry(size_t joint, td_quantity quantity, size_t k)
{
    size_t entry = 0;
    page_text name = {0};
    text_put(&name, "%s%s", td_joint_at(page.model, joint)->name,
             td_component_text(page.model, joint, quantity, k));
    const bool position = quantity == TD_QUANTITY_POSITION;
    const bool found = !name.failed && td_coordinate_of(page.model, TD_COORDINATES_INDEPENDENT,
                                                        name.text, position ? &entry : NULL,
                                                        position ? NULL : &entry) == TD_OK;
    free(name.text);
    return found ? (int)entry : -1;
}

/* Writes the names of the components of q or q̇, as used in tables and by the command. */
static void put_components(page_text *t, const char *key, td_quantity quantity)
{
    static const char *const units[] = {
        [TD_UNIT_NONE] = "none", [TD_UNIT_ANGLE] = "angle", [TD_UNIT_LENGTH] = "length"};
    text_put(t, "\"%s\":[", key);
    const char *between = "";
    for (size_t j = 0; j < td_joint_count(page.model); j++) {
        const td_joint_place p = td_joint_place_at(page.model, j);
        const size_t n = quantity == TD_QUANTITY_POSITION ? p.nq : p.nv;
        for (size_t k = 0; k < n; k++) {
            text_put(t, "%s{\"joint\":%zu,\"component\":%zu,\"entry\":%d,", between, j, k,
                     independent_entry(j, quantity, k));
            put_string(t, "unit", units[td_component_unit(page.model, j, quantity, k)]);
            text_put(t, "\"text\":");
            text_string(t, td_component_text(page.model, j, quantity, k));
            text_put(t, "}");
            between = ",";
        }
    }
    text_put(t, "],");
}

/* Returns true if the file limits the position of any joint, even if these limits are ignored. */
static bool has_limits(const td_model *model)
{
    const td_records *given = &model->given;
    double lower = -INFINITY, upper = INFINITY;
    for (size_t i = 0; i < given->joint.count && isinf(lower) && isinf(upper); i++)
        td_joint_limits(&given->joint.at[i], &lower, &upper);
    return isfinite(lower) || isfinite(upper);
}

/* Returns the description as a new string, or NULL if memory runs out. Free it with tv_free. */
char *tv_description(void)
{
    const td_model *m = page.model;
    page_text t = {0};
    text_put(&t, "{");
    put_string(&t, "name", td_model_name(m));
    put_string(&t, "version", td_version());
    put_numbers(&t, "gravity", td_gravity(m, NULL), 3);
    put_number(&t, "mass", td_total_mass(m));
    text_put(&t, "\"limited\":%s,\"ignoresLimits\":%s,", has_limits(m) ? "true" : "false",
             m->given_options.ignore_limits ? "true" : "false");
    put_number(&t, "root", (double)td_root_link(m));
    put_numbers(&t, "reference", td_reference(m, TD_COORDINATES_TREE), td_nq(m));
    put_list(&t, "links", td_link_count(m), put_link);
    put_list(&t, "joints", td_joint_count(m), put_joint);
    put_list(&t, "loops", td_loop_count(m), put_loop);
    put_list(&t, "couplings", td_coupling_count(m), put_coupling);
    put_list(&t, "followers", td_follower_count(m), put_follower);
    put_components(&t, "positions", TD_QUANTITY_POSITION);
    put_components(&t, "velocities", TD_QUANTITY_VELOCITY);
    text_put(&t, "\"ny\":%zu,\"nyd\":%zu,\"nq\":%zu,\"nv\":%zu}", td_ny(m), td_nyd(m), td_nq(m),
             td_nv(m));
    return text_end(&t);
}
