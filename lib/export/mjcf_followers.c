/* SPDX-License-Identifier: MIT */
/*
 * MJCF: joints that follow others. With one leader, this is an equality of two joints,
 *
 *   q1 − r1 = Σ c_k (q2 − r2)^k,  k ≤ 4,
 *
 * where r are positions in qpos0. With several leaders and linear curves, it is an equality of a
 * fixed tendon whose length is the sum. Other functions of one leader are fitted if the options
 * allow it.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "export/mjcf.h"
#include "model/motors.h"

/* ---- equalities ------------------------------------------------------------------------------ */

/* The name of an equality, as arguments of td_mjcf_name. */
typedef struct naming {
    const char *kind, *name;
    size_t i;
} naming;

static void put_name(td_mjcf *m, const char *attribute, const naming *of)
{
    td_mjcf_name(m, attribute, of->name, of->kind, of->i);
}

/* Writes an equality. c: q1 = Σ c_k q2^k in tandem's coordinates; leader −1: q1 = c_0. k: the
   coordinate of the joint, as in td_mjcf_coordinate_name. */
static void put_joints(td_mjcf *m, const naming *of, int joint, int k, int leader,
                       const double c[TD_QUARTIC])
{
    const td_joint *record = &m->model->records.joint.at[joint];
    const double slide = k < 0 ? record->pitch / (2 * M_PI) : 1;
    double shifted[TD_QUARTIC];
    memcpy(shifted, c, sizeof shifted);
    if (leader >= 0)
        td_polynomial_shift(shifted, TD_QUARTIC, td_mjcf_zero(m, leader));
    shifted[0] -= slide * td_mjcf_zero(m, joint);
    td_put_text(&m->w->sink, "    <joint");
    put_name(m, "name", of);
    td_mjcf_coordinate_name(m, "joint1", joint, k);
    if (leader >= 0)
        td_mjcf_coordinate_name(m, "joint2", leader, 0);
    td_put_numbers(m->w, "polycoef", shifted, TD_QUARTIC);
    td_put_text(&m->w->sink, "/>\n");
}

/* ---- sums over several leaders --------------------------------------------------------------- */

/* q_joint − Σ factor q_k − offset = 0, or a coupling, written as a tendon with this name */
typedef struct combination {
    naming naming;
    double *factor; /* per joint */
    double offset;
} combination;

static size_t terms_of(const td_mjcf *m, const combination *c)
{
    size_t terms = 0;
    for (size_t i = 0; i < m->model->records.joint.count; i++)
        terms += c->factor[i] != 0;
    return terms;
}

static void put_tendon(td_mjcf *m, const combination *c)
{
    td_put_text(&m->w->sink, "    <fixed");
    put_name(m, "name", &c->naming);
    td_put_text(&m->w->sink, ">\n");
    for (size_t i = 0; i < m->model->records.joint.count; i++) {
        if (c->factor[i] == 0)
            continue;
        td_put_text(&m->w->sink, "      <joint");
        td_mjcf_coordinate_name(m, "joint", (int)i, 0);
        td_put_numbers(m->w, "coef", &c->factor[i], 1);
        td_put_text(&m->w->sink, "/>\n");
    }
    td_put_text(&m->w->sink, "    </fixed>\n");
}

/* Writes the equality of a tendon, whose length is relative to its value in qpos0. */
static void put_tendon_equality(td_mjcf *m, const combination *c)
{
    double coefficients[TD_QUARTIC] = {c->offset};
    for (size_t i = 0; i < m->model->records.joint.count; i++)
        if (c->factor[i] != 0)
            coefficients[0] -= c->factor[i] * td_mjcf_zero(m, (int)i);
    td_put_text(&m->w->sink, "    <tendon");
    put_name(m, "name", &c->naming);
    put_name(m, "tendon1", &c->naming);
    td_put_numbers(m->w, "polycoef", coefficients, TD_QUARTIC);
    td_put_text(&m->w->sink, "/>\n");
}

/* Writes an equality of two joints, or of a tendon if there are more. tendon: writes the tendon
   instead. */
static void put_combination(td_mjcf *m, const combination *c, bool tendon)
{
    const size_t joints = m->model->records.joint.count, terms = terms_of(m, c);
    int at[2], found = 0;
    if (terms > 2 && tendon)
        put_tendon(m, c);
    else if (terms > 2)
        put_tendon_equality(m, c);
    if (terms > 2 || tendon || terms == 0)
        return;
    for (size_t i = joints; i-- > 0;)
        if (c->factor[i] != 0)
            at[found++] = (int)i;
    const double first = c->factor[at[0]];
    double coefficients[TD_QUARTIC] = {c->offset / first};
    if (terms == 2)
        coefficients[1] = -c->factor[at[1]] / first;
    put_joints(m, &c->naming, at[0], 0, terms == 2 ? at[1] : -1, coefficients);
}

/* ---- couplings ------------------------------------------------------------------------------- */

/* Adds times · the coordinates between a link and its common ancestor with another link. */
static void add_path(td_mjcf *m, const char *link, const char *other, double times, combination *c)
{
    const int end = td_index_in(td_link_index(m->model, other));
    int at = td_index_in(td_link_index(m->model, link));
    while (at >= 0 && !td_is_above(m->model, at, end)) {
        const int joint = m->model->link_joint[at];
        if (joint < 0)
            return;
        if (m->model->place[joint].nq > 0)
            c->factor[joint] += times;
        at = m->model->place[joint].parent_link;
    }
}

static void each_coupling(td_mjcf *m, bool tendon)
{
    const td_records *records = &m->model->records;
    for (size_t i = 0; i < records->coupling.count; i++) {
        const td_coupling *coupling = &records->coupling.at[i];
        const char *locked;
        combination c = {{"coupling", coupling->name, i},
                         TD_ARENA_NEW(&m->w->arena, double, records->joint.count),
                         td_coupling_offset(m->model, &m->applied, coupling, &locked)};
        if (!c.factor) {
            m->w->failed = true;
            return;
        }
        add_path(m, coupling->successor, coupling->predecessor, 1, &c);
        add_path(m, coupling->predecessor, coupling->successor, -coupling->ratio, &c);
        put_combination(m, &c, tendon);
    }
}

void td_mjcf_couplings(td_mjcf *m)
{
    each_coupling(m, false);
}

/* ---- followers by curves --------------------------------------------------------------------- */

/* A follower and its curves. Leaders that cannot move are part of the offset. */
typedef struct sum {
    const td_model *model;
    size_t record; /* its record in the model */
    const td_follower *of;
    const bool *constant; /* per curve: whether its leader cannot move */
    double offset;
    int leader;     /* the common leader of all curves; −1 if there are several */
    double *factor; /* per joint, if all curves are linear */
    bool linear, any;
    double coefficient[TD_QUARTIC];
    bool polynomial;     /* of degree 4 at most */
    double lower, upper; /* common range of validity of the curves */
} sum;

static double value_at(const void *context, double x)
{
    const sum *s = context;
    double value = s->offset, f[4];
    for (size_t k = 0; k < s->of->curves; k++)
        if (!s->constant[k] && td_curve_value(s->model, s->record, k, x, f) == TD_OK)
            value += f[0];
    return value;
}

/* Returns the position of a joint that the options lock; 0 for others. */
static double locked_position(const td_mjcf *m, const char *name)
{
    const int given = td_names_find(&m->applied.names, name);
    return given < 0 || isnan(m->applied.constant[given]) ? 0 : m->applied.constant[given];
}

static void add_curve(sum *s, const td_curve *curve, const td_curve_data *data, int leader)
{
    const bool polynomial = curve->type == TD_CURVE_POLYNOMIAL;
    s->leader = s->any && s->leader != leader ? -1 : leader;
    s->any = true;
    s->polynomial = s->polynomial && polynomial && curve->coefficients <= TD_QUARTIC;
    s->linear = s->linear && polynomial && curve->coefficients <= 2;
    for (size_t k = 0; polynomial && k < curve->coefficients && k < TD_QUARTIC; k++)
        s->coefficient[k] += curve->coefficient[k];
    if (polynomial && curve->coefficients > 1)
        s->factor[leader] -= curve->coefficient[1];
    s->lower = fmax(s->lower, data->lower);
    s->upper = fmin(s->upper, data->upper);
}

static bool read_sum(td_mjcf *m, size_t record, sum *s)
{
    const td_follower *follower = &m->model->records.follower.at[record];
    bool *constant = TD_ARENA_NEW(&m->w->arena, bool, follower->curves);
    *s = (sum){.model = m->model,
               .record = record,
               .of = follower,
               .constant = constant,
               .offset = follower->offset,
               .leader = -1,
               .factor = TD_ARENA_NEW(&m->w->arena, double, m->model->records.joint.count),
               .linear = true,
               .polynomial = true,
               .lower = -INFINITY,
               .upper = INFINITY};
    if (!constant || !s->factor) {
        m->w->failed = true;
        return false;
    }
    for (size_t k = 0; k < follower->curves; k++) {
        const td_curve *curve = td_curve_at(follower, k);
        const int leader = td_index_in(td_joint_index(m->model, curve->leader));
        double f[4];
        if (m->model->place[leader].nq == 0) {
            constant[k] = true;
            if (td_curve_value(m->model, record, k, locked_position(m, curve->leader), f) == TD_OK)
                s->offset += f[0];
        } else {
            add_curve(s, curve, &m->model->curves[record].curve[k], leader);
        }
    }
    s->coefficient[0] += s->offset;
    return true;
}

/* Fits a quartic over the leader's range. */
static bool fit(td_mjcf *m, sum *s)
{
    const td_effective_limit limit = td_effective_limit_at(m->model, (size_t)s->leader);
    const td_limit *own = &m->model->records.joint.at[s->leader].limit;
    const double lower = fmax(s->lower, isfinite(limit.lower) ? limit.lower : own->lower);
    const double upper = fmin(s->upper, isfinite(limit.upper) ? limit.upper : own->upper);
    double error;
    if (!m->w->fit || !isfinite(lower) || !isfinite(upper) || !(lower < upper))
        return false;
    td_quartic_fit(value_at, s, lower, upper, s->coefficient, &error);
    td_report(m->w->diagnostics, TD_CODE_EXPORT_FITTED, s->of->source,
              "keep the leader within that range",
              "joint '%s' follows by a fitted polynomial of degree 4, with an error of up to %.3g "
              "from %.9g to %.9g of '%s'",
              s->of->joint, error, lower, upper, m->model->records.joint.at[s->leader].name);
    return true;
}

static void put_follower(td_mjcf *m, int joint, size_t record, bool tendon)
{
    sum s;
    if (!read_sum(m, record, &s))
        return;
    s.factor[joint] += 1;
    const combination c = {{"follower", s.of->joint, record}, s.factor, s.coefficient[0]};
    if (s.any && s.leader < 0 && s.linear) {
        put_combination(m, &c, tendon);
        return;
    }
    if (tendon)
        return;
    if (!s.any || (s.leader >= 0 && s.polynomial) || (s.leader >= 0 && fit(m, &s)))
        put_joints(m, &c.naming, joint, 0, s.any ? s.leader : -1, s.coefficient);
    else
        TD_REFUSE(m->w, s.of->source,
                  s.leader < 0
                      ? "make it a sum of linear functions, or a function of one joint"
                      : "request a fit, for which the leader needs limits, or use a polynomial",
                  "joint '%s' follows %s, which no equality of MuJoCo can represent", s.of->joint,
                  s.leader < 0 ? "nonlinear functions of several joints"
                               : "a function that is not a polynomial of degree 4 or less");
}

/* ---- all followers --------------------------------------------------------------------------- */

static void put_linear(td_mjcf *m, int joint)
{
    const td_joint *record = &m->model->records.joint.at[joint];
    const int leader = td_index_in(td_joint_index(m->model, record->mimic));
    double c[TD_QUARTIC] = {record->offset, record->multiplier};
    const bool moves = leader >= 0 && m->model->place[leader].nq > 0;
    if (!moves)
        c[0] = m->model->place[joint].offset, c[1] = 0;
    put_joints(m, &(naming){"follower", record->name, 0}, joint, 0, moves ? leader : -1, c);
}

void td_mjcf_followers(td_mjcf *m)
{
    const td_records *records = &m->model->records;
    for (size_t i = 0; i < records->joint.count; i++) {
        const td_joint *joint = &records->joint.at[i];
        const td_place *place = &m->model->place[i];
        const int follower = m->model->follower[i];
        if (place->nq == 0)
            continue;
        if (td_joint_kind_of(joint->type)->pitched && joint->pitch != 0)
            put_joints(m, &(naming){"screw", joint->name, i}, (int)i, -1, (int)i,
                       (double[TD_QUARTIC]){0, joint->pitch / (2 * M_PI)});
        if (follower >= 0)
            put_follower(m, (int)i, (size_t)follower, false);
        else if (joint->mimic && place->dependent)
            put_linear(m, (int)i);
    }
}

/* Writes the tendon of a motor of several joints. Its shaft has no body. */
static void put_shaft(td_mjcf *m, const td_motor *motor)
{
    const int shaft = td_index_in(td_joint_index(m->model, motor->record->shaft));
    const td_joint *record = &m->model->records.joint.at[shaft];
    td_put_text(&m->w->sink, "    <fixed");
    td_put_attribute(m->w, "name", record->name, "a motor", record->source);
    td_put_unless(m->w, "damping", record->damping, 0);
    td_put_unless(m->w, "frictionloss", record->friction, 0);
    td_put_unless(m->w, "armature", m->model->tree.passive[m->model->place[shaft].qd].rotor, 0);
    td_put_text(&m->w->sink, ">\n");
    for (size_t k = motor->first; k < motor->end; k++) {
        const td_transmission *t = &m->model->records.transmission.at[k];
        const int joint = td_index_in(td_joint_index(m->model, t->joint));
        if (m->model->place[joint].nq == 0)
            continue;
        td_put_text(&m->w->sink, "      <joint");
        td_mjcf_coordinate_name(m, "joint", joint, 0);
        td_put_numbers(m->w, "coef", &t->ratio, 1);
        td_put_text(&m->w->sink, "/>\n");
    }
    td_put_text(&m->w->sink, "    </fixed>\n");
}

void td_mjcf_tendons(td_mjcf *m)
{
    for (td_motor motor = {0}; td_next_motor(&m->model->records, &motor);)
        if (motor.record->shaft)
            put_shaft(m, &motor);
    for (size_t i = 0; i < m->model->records.joint.count; i++)
        if (m->model->place[i].nq > 0 && m->model->follower[i] >= 0)
            put_follower(m, (int)i, (size_t)m->model->follower[i], true);
    each_coupling(m, true);
    td_mjcf_spatial(m);
}
