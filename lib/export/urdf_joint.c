/* SPDX-License-Identifier: MIT */
/*
 * URDF: joints and followers.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "export/writer.h"
#include "model/joint_kind.h"

enum { LONGEST_TITLE = 160 };

static void put_end(td_writer *w, const char *word, const char *link, const td_joint *joint)
{
    td_put_format(&w->sink, "    <%s", word);
    td_put_attribute(w, "link", link, "a link", joint->source);
    td_put_text(&w->sink, "/>\n");
}

/* Attributes that are written if their numbers are given. An element without attributes is
   omitted. */
typedef struct item {
    const char *name;
    double value, absent;
} item;

static void put_items(td_writer *w, const char *word, const item *items, size_t count)
{
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(items[i].value) || items[i].value == items[i].absent)
            continue;
        if (!any) {
            td_put_text(&w->sink, "    <");
            td_put_text(&w->sink, word);
        }
        any = true;
        td_put_numbers(w, items[i].name, &items[i].value, 1);
    }
    if (any)
        td_put_text(&w->sink, "/>\n");
}

#define ITEMS(...) (const item[]){__VA_ARGS__}, sizeof((const item[]){__VA_ARGS__}) / sizeof(item)

static void put_numbers_of(td_writer *w, const td_joint *joint)
{
    const td_limit *l = &joint->limit;
    if (w->dynamic)
        put_items(w, "limit", ITEMS({"lower", l->lower, NAN}, {"upper", l->upper, NAN}));
    else
        put_items(w, "limit",
                  ITEMS({"lower", l->lower, NAN}, {"upper", l->upper, NAN},
                        {"effort", l->effort, NAN}, {"velocity", l->velocity, NAN},
                        {"acceleration", l->acceleration, NAN},
                        {"deceleration", l->deceleration, NAN}, {"jerk", l->jerk, NAN}));
    put_items(w, "dynamics",
              ITEMS({"damping", joint->damping, 0}, {"friction", joint->friction, 0},
                    {"spring_stiffness", joint->spring_stiffness, 0},
                    {"spring_reference", joint->spring_reference, 0}));
    if (w->dynamic)
        return;
    put_items(w, "calibration",
              ITEMS({"rising", joint->calibration_rising, NAN},
                    {"falling", joint->calibration_falling, NAN}));
    put_items(w, "safety_controller",
              ITEMS({"soft_lower_limit", joint->soft_lower, NAN},
                    {"soft_upper_limit", joint->soft_upper, NAN},
                    {"k_position", joint->k_position, NAN},
                    {"k_velocity", joint->k_velocity, NAN}));
}

/* ---- followers ------------------------------------------------------------------------------- */

/* Writes the range of a polynomial or a sine. If only one bound is given, the other is ±DBL_MAX. */
static void put_range(td_writer *w, const td_curve *curve)
{
    const double range[2] = {fmax(curve->lower, -DBL_MAX), fmin(curve->upper, DBL_MAX)};
    if (isfinite(curve->lower) || isfinite(curve->upper))
        td_put_numbers(w, "range", range, 2);
}

static void put_spline(td_writer *w, const td_curve *curve)
{
    static const char *const ends[] = {"natural", "clamped", "periodic", "hermite"};
    const double degree = curve->degree;
    td_put_numbers(w, "degree", &degree, 1);
    td_put_attribute(w, "ends", ends[curve->ends], "", TD_NOWHERE);
    td_put_numbers(w, "at", curve->at, curve->points);
    td_put_numbers(w, "value", curve->value, curve->points);
    if (curve->ends == TD_CURVE_ENDS_CLAMPED) {
        td_put_numbers(w, "end_slope", curve->end_slope, 2);
        if (curve->degree == 5)
            td_put_numbers(w, "end_curvature", curve->end_curvature, 2);
    }
    if (curve->ends == TD_CURVE_ENDS_HERMITE) {
        td_put_numbers(w, "slope", curve->slope, curve->points);
        if (curve->degree == 5)
            td_put_numbers(w, "curvature", curve->curvature, curve->points);
    }
    if (curve->kinks)
        td_put_text(&w->sink, " kinks=\"true\"");
}

static void put_curve(td_writer *w, const td_curve *curve, td_source source)
{
    static const char *const types[] = {"polynomial", "sine", "spline"};
    td_put_text(&w->sink, "      <curve");
    td_put_attribute(w, "joint", curve->leader, "a joint", source);
    td_put_attribute(w, "type", types[curve->type], "", source);
    switch (curve->type) {
    case TD_CURVE_POLYNOMIAL:
        td_put_numbers(w, "coefficients", curve->coefficient, curve->coefficients);
        put_range(w, curve);
        break;
    case TD_CURVE_SINE:
        td_put_numbers(w, "amplitude", &curve->amplitude, 1);
        td_put_unless(w, "frequency", curve->frequency, 1);
        td_put_unless(w, "phase", curve->phase, 0);
        put_range(w, curve);
        break;
    case TD_CURVE_SPLINE:
        put_spline(w, curve);
        break;
    }
    td_put_text(&w->sink, "/>\n");
}

/* Writes a curve in the syntax of other dialects if possible: polycoef, or a sine of the unscaled
   leader. Returns false otherwise. */
static bool put_single(td_writer *w, const td_follower *follower)
{
    const td_curve *curve = follower->curves == 1 ? td_curve_at(follower, 0) : NULL;
    const bool polynomial = curve && curve->type == TD_CURVE_POLYNOMIAL && follower->offset == 0;
    const bool sine =
        curve && curve->type == TD_CURVE_SINE && curve->frequency == 1 && curve->phase == 0;
    if (!polynomial && !sine)
        return false;
    td_put_text(&w->sink, "    <mimic");
    td_put_attribute(w, "joint", curve->leader, "a joint", follower->source);
    if (sine) {
        td_put_text(&w->sink, " type=\"sin\"");
        td_put_numbers(w, "multiplier", &curve->amplitude, 1);
        td_put_unless(w, "offset", follower->offset, 0);
    } else {
        td_put_numbers(w, "polycoef", curve->coefficient, curve->coefficients);
    }
    put_range(w, curve);
    td_put_text(&w->sink, "/>\n");
    return true;
}

static void put_follower(td_writer *w, const td_follower *follower)
{
    if (put_single(w, follower))
        return;
    td_put_text(&w->sink, "    <mimic");
    td_put_unless(w, "offset", follower->offset, 0);
    td_put_text(&w->sink, ">\n");
    for (size_t k = 0; k < follower->curves; k++)
        put_curve(w, td_curve_at(follower, k), follower->source);
    td_put_text(&w->sink, "    </mimic>\n");
}

static void put_mimic(td_writer *w, const td_applied *applied, size_t i)
{
    const td_joint *joint = &applied->joint[i];
    if (joint->mimic) {
        td_put_text(&w->sink, "    <mimic");
        td_put_attribute(w, "joint", joint->mimic, "a joint", joint->source);
        td_put_unless(w, "multiplier", joint->multiplier, 1);
        td_put_unless(w, "offset", joint->offset, 0);
        td_put_text(&w->sink, "/>\n");
    } else if (applied->follows[i] >= 0) /* fixed joints have neither of these */
        put_follower(w, &applied->follower[applied->follows[i]]);
}

/* ---- joints ---------------------------------------------------------------------------------- */

/* Writes where loop assembly starts: the record's reference, or the model's initial configuration.
   The latter is written if the load options give a start, or if the robot has loops and the options
   lock joints or ignore limits. With ignored limits, it is also written for joints that begin away
   from 0. */
static void put_reference(td_writer *w, const td_joint *joint)
{
    const td_load_options *options = &w->model->given_options;
    const int index = td_index_in(td_joint_index(w->model, joint->name));
    const int count = td_joint_row_of(joint->type)->kind.nq;
    const bool moved = options->start_count || ((options->locked_count || options->ignore_limits) &&
                                                w->model->given.loop.count);
    const td_place *place = index < 0 ? NULL : &w->model->place[index];
    double reference[TD_MOST_POSITIONS];
    memcpy(reference, joint->reference, sizeof reference);
    if ((moved || options->ignore_limits) && place && place->q >= 0 &&
        (place->y >= 0 || place->cluster >= 0))
        for (int k = 0; k < count; k++) {
            const double x = td_reference(w->model, TD_COORDINATES_TREE)[place->q + k];
            if (moved || x != 0)
                reference[k] = fabs(x) < 1e-14 ? 0 : x; /* rounding errors of closing the loops */
        }
    for (int k = 0; k < count; k++)
        if (isnan(reference[k]))
            return;
    if (count)
        td_put_numbers(w, "reference", reference, (size_t)count);
}

void td_write_urdf_joint(td_writer *w, const td_applied *applied, size_t i)
{
    const td_joint *joint = &applied->joint[i];
    const td_joint_kind *kind = td_joint_kind_of(joint->type);
    const bool locked = !isnan(applied->constant[i]);
    char title[LONGEST_TITLE];
    snprintf(title, sizeof title, "joint '%.100s'", joint->name);
    td_put_text(&w->sink, "  <joint");
    td_put_attribute(w, "name", joint->name, title, joint->source);
    td_put_attribute(w, "type", kind->word, "", joint->source);
    if (joint->independent >= 0 && !locked)
        td_put_attribute(w, "independent", joint->independent ? "true" : "false", "",
                         joint->source);
    if (!locked)
        put_reference(w, joint);
    td_put_text(&w->sink, ">\n");
    td_put_origin(w, "    ", &joint->origin, title, joint->source);
    put_end(w, "parent", joint->parent, joint);
    put_end(w, "child", joint->child, joint);
    if (kind->axis) {
        td_put_text(&w->sink, "    <axis");
        td_put_numbers(w, "xyz", joint->axis, 3);
        td_put_text(&w->sink, "/>\n");
    }
    if (kind->pitched) {
        td_put_text(&w->sink, "    <screw_thread_pitch");
        td_put_numbers(w, "value", &joint->pitch, 1);
        td_put_text(&w->sink, "/>\n");
    }
    if (!locked) {
        put_numbers_of(w, joint);
        put_mimic(w, applied, i);
    }
    td_put_text(&w->sink, "  </joint>\n");
}
