/* SPDX-License-Identifier: MIT */
/*
 * The ground reactions in the report of tandem recording: extremes along the motion, and what
 * remains in flight. See recording_ground.h.
 */
#include <math.h>
#include <stdio.h>

#include "commands/recording_ground.h"
#include "output/json.h"
#include "output/paragraph.h"
#include "output/table.h"
#include "text.h"
#include "vectors.h"

typedef enum series_kind {
    SERIES_NORMAL,
    SERIES_TANGENTIAL,
    SERIES_MOMENT,
    SERIES_CENTER,
    SERIES_ZMP = SERIES_CENTER + 3,
    SERIES_KINDS = SERIES_ZMP + 3
} series_kind;

static const char *const series_name[SERIES_KINDS] = {
    "normal force", "tangential force", "free moment", "cop:x", "cop:y", "cop:z", "zmp:x", "zmp:y",
    "zmp:z"};

static const char *series_unit(series_kind kind)
{
    return kind < SERIES_MOMENT ? "N" : kind == SERIES_MOMENT ? "N m" : "m";
}

/* A number of every row: of the ground, or the normal force of a foot. */
typedef struct series {
    const char *name, *unit;
    const char *foot; /* NULL: of all feet together */
    size_t least, most;
    double low, high; /* values in these rows; NaN: no row has a value */
} series;

static double value_of(const ground_motion *m, series_kind kind, size_t i)
{
    const double *x = m->numbers + i * GROUND_ALL, *force = x + GROUND_WORLD + 3;
    const double *n = m->plane.normal, normal = dot(force, n);
    const double along[3] = {force[0] - normal * n[0], force[1] - normal * n[1],
                             force[2] - normal * n[2]};
    switch (kind) {
    case SERIES_NORMAL:
        return normal;
    case SERIES_TANGENTIAL:
        return length_of(along);
    case SERIES_MOMENT:
        return x[GROUND_MOMENT];
    default:
        return kind < SERIES_ZMP ? x[GROUND_CENTER + kind - SERIES_CENTER]
                                 : x[GROUND_ZMP + kind - SERIES_ZMP];
    }
}

static double foot_value(const ground_motion *m, size_t foot, size_t i)
{
    return dot(m->wrenches + 6 * (i * m->feet + foot) + 3, m->plane.normal);
}

static size_t series_count(const ground_motion *m)
{
    return SERIES_KINDS + m->feet;
}

/* Returns the largest normal force. */
static double largest_normal(const ground_motion *m)
{
    double largest = 0;
    for (size_t i = 0; i < m->n; i++) {
        largest = fmax(largest, fabs(value_of(m, SERIES_NORMAL, i)));
    }
    return largest;
}

/* scale: size of forces (N) and moments (N m), relative to which small ones are rounding errors and
   count as 0, as do positions below 1e-12 m; 0: none is rounded. */
static series series_at(const ground_motion *m, size_t k, double scale)
{
    const bool whole = k < SERIES_KINDS, place = whole && k >= SERIES_CENTER;
    const size_t foot = whole ? 0 : k - SERIES_KINDS;
    const series_kind kind = whole ? (series_kind)k : SERIES_NORMAL;
    series s = {.name = series_name[kind],
                .unit = series_unit(kind),
                .foot = whole ? NULL : m->foot[foot].name,
                .low = (double)NAN,
                .high = (double)NAN};
    for (size_t i = 0; i < m->n; i++) {
        const double exact = whole ? value_of(m, kind, i) : foot_value(m, foot, i);
        const double x = significant(exact, place && scale > 0 ? 100 : scale);
        if (x < s.low || (isnan(s.low) && !isnan(x))) {
            s.low = x, s.least = i;
        }
        if (x > s.high || (isnan(s.high) && !isnan(x))) {
            s.high = x, s.most = i;
        }
    }
    return s;
}

/* What the motion needs although no foot is in contact. A consistent motion needs nothing. */
typedef struct flight {
    size_t rows;
    double force, moment; /* largest */
} flight;

static flight find_flight(const ground_motion *m)
{
    flight f = {0, 0, 0};
    for (size_t i = 0; i < m->n && m->feet > 0; i++) {
        bool any = isnan(m->numbers[i * GROUND_ALL]);
        for (size_t k = 0; k < m->feet; k++) {
            any = any || m->contact[i * m->feet + k];
        }
        if (!any) {
            const double *x = m->numbers + i * GROUND_ALL;
            f.rows++;
            f.moment = fmax(f.moment, length_of(x));
            f.force = fmax(f.force, length_of(x + GROUND_FORCE));
        }
    }
    return f;
}

/* ---- text ------------------------------------------------------------------------------------ */

void ground_motion_print(const ground_motion *m)
{
    static const char *const heading[] = {"ground", "least", "at s", "most", "at s", "unit"};
    table t = table_new("lrrrrl");
    for (size_t i = 0; i < t.columns; i++) {
        table_add(&t, "%s", heading[i]);
    }
    const double scale = largest_normal(m);
    for (size_t k = 0; k < series_count(m); k++) {
        const series s = series_at(m, k, scale);
        if (isnan(s.low)) {
            continue;
        }
        table_add(&t, s.foot != NULL ? "%s, %s" : "%s", s.name, s.foot);
        table_add(&t, "%s", number_brief(s.low).text);
        table_add(&t, "%s", number_brief(m->t[s.least]).text);
        table_add(&t, "%s", number_brief(s.high).text);
        table_add(&t, "%s", number_brief(m->t[s.most]).text);
        table_add(&t, "%s", s.unit);
    }
    puts("\nground reactions");
    table_print(&t, 2);
    const flight f = find_flight(m);
    if (f.rows > 0) {
        printf("  in flight (%s) the motion needs up to %s N and %s N m\n",
               counted(f.rows, "row").text, number_brief(f.force).text,
               number_brief(f.moment).text);
    }
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static cJSON *json_extreme(const ground_motion *m, double value, size_t row)
{
    cJSON *item = cJSON_CreateObject();
    cJSON_AddItemToObject(item, "value", json_number(value));
    cJSON_AddItemToObject(item, "t", json_number(isnan(value) ? value : m->t[row]));
    return item;
}

void ground_motion_add_json(const ground_motion *m, cJSON *root)
{
    cJSON *ground = cJSON_AddObjectToObject(root, "ground");
    ground_add_json(&m->plane, ground);
    cJSON *list = cJSON_AddArrayToObject(ground, "extremes");
    for (size_t k = 0; k < series_count(m); k++) {
        const series s = series_at(m, k, 0);
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToObject(item, "name", json_text(s.name));
        cJSON_AddItemToObject(item, "foot", json_text(s.foot));
        cJSON_AddItemToObject(item, "unit", json_text(s.unit));
        cJSON_AddItemToObject(item, "least", json_extreme(m, s.low, s.least));
        cJSON_AddItemToObject(item, "most", json_extreme(m, s.high, s.most));
        cJSON_AddItemToArray(list, item);
    }
    const flight f = find_flight(m);
    cJSON *item = cJSON_AddObjectToObject(ground, "flight");
    cJSON_AddItemToObject(item, "rows", json_count(f.rows));
    cJSON_AddItemToObject(item, "force", json_number(f.force));
    cJSON_AddItemToObject(item, "moment", json_number(f.moment));
}

/* ---- CSV ------------------------------------------------------------------------------------- */

void ground_motion_put(const ground_motion *m, ground_line *put)
{
    const double none = (double)NAN;
    for (size_t k = 0; k < series_count(m); k++) {
        const series s = series_at(m, k, 0);
        if (isnan(s.low)) {
            continue;
        }
        scoped char *least = text_format("least %s", s.name);
        scoped char *most = text_format("largest %s", s.name);
        put("ground", s.foot != NULL ? s.foot : "", least, s.low, s.unit, m->t[s.least]);
        put("ground", s.foot != NULL ? s.foot : "", most, s.high, s.unit, m->t[s.most]);
    }
    const flight f = find_flight(m);
    if (f.rows > 0) {
        put("ground", "", "largest force in flight", f.force, "N", none);
        put("ground", "", "largest moment in flight", f.moment, "N m", none);
    }
}
