/* SPDX-License-Identifier: MIT */
/*
 * The report of tandem recording, as text, JSON and CSV.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands/recording_sizing.h"
#include "input/passive.h"
#include "output/csv_output.h"
#include "output/json.h"
#include "output/limit_watch.h"
#include "output/paragraph.h"
#include "output/table.h"
#include "text.h"

enum { SHARES = 3, LISTED_VIOLATIONS = 20 };

/* A part of a motor's worst force. */
typedef struct share {
    char *name; /* name of a joint or link */
    double value;
} share;

static int by_size(const void *a, const void *b)
{
    const double x = fabs(((const share *)a)->value), y = fabs(((const share *)b)->value);
    return (x < y) - (x > y);
}

/* Returns the shares of the joints or of the links, largest first, in a new array. */
static share *shares_of(const recorded_result *m, const motor_size *z, bool links, size_t *count)
{
    const contributions *e = &z->worst;
    *count = links ? e->link_count : e->joint_count;
    share *list = allocate(*count, sizeof *list);
    for (size_t i = 0; i < *count; i++) {
        if (links) {
            list[i].name = text_format("%s", td_link_at(m->s->model, e->link[i].link)->name);
            list[i].value = link_share_total(&e->link[i]);
        } else {
            const joint_share *s = &e->joint[i];
            const td_joint_place place = td_joint_place_at(m->s->model, s->joint);
            list[i].name = coordinate_text(m->s->model, s->joint, QUANTITY_TAU, s->qd - place.qd);
            list[i].value = joint_share_total(s);
        }
    }
    qsort(list, *count, sizeof *list, by_size);
    return list;
}

static void shares_free(share *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(list[i].name);
    }
    free(list);
}

static double time_of(const sizing *z, extreme e)
{
    return z->m->t[e.row];
}

/* ---- text ------------------------------------------------------------------------------------ */

static char *append_share(char *text, const char *name, double value, double scale)
{
    char *longer = text_format("%s%s%s %s", text, *text != '\0' ? ", " : "", name,
                               number_of_scale(value, scale).text);
    free(text);
    return longer;
}

static char *shares_text(const recorded_result *m, const motor_size *z, bool links)
{
    size_t count;
    share *list = shares_of(m, z, links, &count);
    const double scale =
        1e5 * fabs(z->force.value); /* values below 1e-9 of the force are rounding errors */
    char *text = text_format("%s", "");
    for (size_t i = 0; i < count && i < SHARES; i++) {
        if (fabs(list[i].value) > 1e-3 * fabs(z->force.value)) {
            text = append_share(text, list[i].name, list[i].value, scale);
        }
    }
    shares_free(list, count);
    const share others[] = {{"(wrenches)", z->wrenches},
                            {"(cables)", z->cables},
                            {"(springs)", z->springs},
                            {"(passive)", z->passive}};
    for (size_t i = 0; i < sizeof others / sizeof *others && links; i++) {
        if (fabs(others[i].value) > 1e-3 * fabs(z->force.value)) {
            text = append_share(text, others[i].name, others[i].value, scale);
        }
    }
    return text;
}

static void add_extreme(table *t, const sizing *z, extreme e)
{
    table_add(t, "%s", number_brief(e.value).text);
    table_add(t, "%s", number_brief(time_of(z, e)).text);
}

/* Returns whether all forces have standard errors. */
static bool knows_noise(const sizing *z)
{
    for (size_t k = 0; k < z->motors; k++) {
        if (isnan(z->motor[k].force_error)) {
            return false;
        }
    }
    return z->motors > 0;
}

/* Rounds an estimate to two digits. */
static number number_rough(double x)
{
    number n;
    snprintf(n.text, sizeof n.text, "%.2g", x);
    return n;
}

/* Prints the largest value of each motor and its root mean square. */
static void print_extremes(const sizing *z, const char *what, bool forces)
{
    const bool errors = forces && knows_noise(z);
    table t = table_new(errors ? "lrrrrl" : "lrrrl");
    const char *const heading[] = {"motor", what, "at s", "RMS", errors ? "error" : "unit", "unit"};
    for (size_t i = 0; i < t.columns; i++) {
        table_add(&t, "%s", heading[i]);
    }
    for (size_t k = 0; k < z->motors; k++) {
        const motor_size *motor = &z->motor[k];
        table_add(&t, "%s", motor->name);
        add_extreme(&t, z, forces ? motor->force : motor->speed);
        table_add(&t, "%s", number_brief(forces ? motor->force_rms : motor->speed_rms).text);
        if (errors) {
            table_add(&t, "%s", number_rough(motor->force_error).text);
        }
        table_add(&t, "%s", sizing_unit(motor->turns, forces ? 3 : 1));
    }
    printf("\nlargest %s\n", what);
    table_print(&t, 2);
}

static void print_power(const sizing *z)
{
    static const char *const heading[] = {"motor", "most W",  "at s",   "least W",
                                          "at s",  "given J", "taken J"};
    table t = table_new("lrrrrrr");
    for (size_t i = 0; i < t.columns; i++) {
        table_add(&t, "%s", heading[i]);
    }
    for (size_t k = 0; k < z->motors; k++) {
        const motor_size *motor = &z->motor[k];
        table_add(&t, "%s", motor->name);
        add_extreme(&t, z, motor->power);
        add_extreme(&t, z, motor->power_least);
        table_add(&t, "%s", number_brief(motor->given).text);
        table_add(&t, "%s", number_brief(motor->taken).text);
    }
    puts("\npower, and energy that motors deliver and absorb");
    table_print(&t, 2);
}

static void print_worst(const sizing *z)
{
    bool any = false;
    for (size_t k = 0; k < z->motors; k++) {
        const motor_size *motor = &z->motor[k];
        if (!motor->found) {
            continue;
        }
        if (!any) {
            puts("\ncontributions to the largest force (see 'tandem contributions')");
            any = true;
        }
        fputs("  ", stdout);
        put_clean(stdout, motor->name);
        printf(": %s %s at %s s%s\n", number_brief(motor->force.value).text,
               sizing_unit(motor->turns, 3), number_brief(time_of(z, motor->force)).text,
               motor->explained ? "" : ", which differs from the sum of its coordinate's shares");
        if (!motor->explained) {
            continue;
        }
        scoped char *joints = shares_text(z->m, motor, false),
                    *links = shares_text(z->m, motor, true);
        put_paragraph("    joints", joints);
        put_paragraph("    links", links);
    }
}

/* Returns the relative excess over a limit, which is infinite for a limit of zero. */
static double excess(const violation *v)
{
    return fabs(v->worst.value - v->limit) / fabs(v->limit);
}

/* Sorts violations by relative excess, largest first; ties keep their order by joint and time. */
static int compare_violations(const void *a, const void *b)
{
    const violation *x = *(const violation *const *)a, *y = *(const violation *const *)b;
    const double first = excess(x), second = excess(y);
    return first > second ? -1 : first < second ? 1 : (x > y) - (x < y);
}

static void print_violations(const sizing *z)
{
    static const char *const heading[] = {"limit of", "what",   "worst", "limit",
                                          "unit",     "from s", "to s",  "worst at s"};
    if (z->violations == 0) {
        puts("\nlimits: no violations");
        return;
    }
    table t = table_new("llrrlrrr");
    for (size_t i = 0; i < t.columns; i++) {
        table_add(&t, "%s", heading[i]);
    }
    scoped const violation **order = allocate(z->violations, sizeof *order);
    for (size_t k = 0; k < z->violations; k++) {
        order[k] = &z->violation[k];
    }
    const bool cut = z->violations > LISTED_VIOLATIONS;
    if (cut) {
        qsort(order, z->violations, sizeof *order, compare_violations);
    }
    for (size_t k = 0; k < z->violations && k < LISTED_VIOLATIONS; k++) {
        const violation *v = order[k];
        table_add(&t, "%s", v->name);
        table_add(&t, "%s", violated_text(v->kind));
        table_add(&t, "%s", number_brief(v->worst.value).text);
        table_add(&t, "%s", number_brief(v->limit).text);
        table_add(&t, "%s", sizing_unit(v->turns, (int)v->kind));
        table_add(&t, "%s", number_brief(z->m->t[v->first]).text);
        table_add(&t, "%s", number_brief(z->m->t[v->last]).text);
        table_add(&t, "%s", number_brief(time_of(z, v->worst)).text);
    }
    printf("\nviolated limits%s\n", cut ? ", worst first" : "");
    table_print(&t, 2);
    if (cut) {
        printf("  and %zu more (--csv and --json list all)\n", z->violations - LISTED_VIOLATIONS);
    }
}

static const char *filter_text(td_filter kind)
{
    return kind == TD_FILTER_BUTTERWORTH ? "second-order Butterworth, forward and backward"
           : kind == TD_FILTER_SPLINE    ? "smoothing spline"
                                         : "none";
}

static void print_text(const sizing *z)
{
    const recorded_result *m = z->m;
    const recording *r = m->recorded;
    const double whole = m->t[m->n - 1] - m->t[0];
    put_fact("recording ", "%s: %s, %s s from %s s on", r->name, counted(m->n, "row").text,
             number_brief(whole).text, number_brief(m->t[0]).text);
    put_fact("filter    ", "%s", filter_text(m->options->filter));
    name_list cutoffs = {NULL, 0};
    for (size_t k = 0; k < r->channels && m->options->filter != TD_FILTER_NONE; k++) {
        char *text =
            text_format("%s %s Hz%s", r->channel[k].name, number_brief(r->channel[k].cutoff).text,
                        r->channel[k].chosen ? " (chosen)" : "");
        names_add(&cutoffs, text);
        free(text);
    }
    names_print(&cutoffs, "cutoff    ");
    name_list noises = {NULL, 0};
    for (size_t k = 0; k < r->channels && knows_noise(z); k++) {
        const channel *c = &r->channel[k];
        char *text = text_format("%s %s", c->name, number_rough(c->noise / c->factor).text);
        names_add(&noises, text);
        free(text);
    }
    names_print(&noises, "noise     ");
    for (size_t k = 0; k < r->channels; k++) {
        const channel *c = &r->channel[k];
        if (c->jumps > 0) {
            put_fact("turns     ", "%s: removed %s by whole turns", c->name,
                     counted(c->jumps, "jump").text);
        }
        if (c->doubtful > 0) {
            put_fact("doubtful  ", "%s: %s in which rows are too far apart to follow the rotation",
                     c->name, counted(c->doubtful, "step").text);
        }
    }
    for (size_t k = 0; k < z->deviations; k++) {
        const deviation *d = &z->deviation[k];
        put_fact("follower  ",
                 "%s: recorded within %s %s of the position that its leaders imply (most at %s s)",
                 d->name, number_brief(fabs(d->largest.value)).text, sizing_unit(d->turns, 0),
                 number_brief(time_of(z, d->largest)).text);
    }
    print_extremes(z, "force", true);
    print_extremes(z, "speed", false);
    print_power(z);
    print_worst(z);
    if (m->ground != NULL) {
        ground_motion_print(m->ground);
    }
    print_violations(z);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static cJSON *json_extreme(const sizing *z, extreme e)
{
    cJSON *item = cJSON_CreateObject();
    cJSON_AddItemToObject(item, "value", json_number(e.value));
    cJSON_AddItemToObject(item, "t", json_number(time_of(z, e)));
    return item;
}

static cJSON *json_shares(const recorded_result *m, const motor_size *z, bool links)
{
    size_t count;
    share *list = shares_of(m, z, links, &count);
    cJSON *object = cJSON_CreateObject();
    for (size_t i = 0; i < count; i++) {
        cJSON_AddItemToObject(object, list[i].name, json_number(list[i].value));
    }
    shares_free(list, count);
    return object;
}

static cJSON *json_motor(const sizing *z, const motor_size *motor)
{
    cJSON *item = cJSON_CreateObject();
    cJSON_AddItemToObject(item, "name", json_text(motor->name));
    cJSON_AddItemToObject(item, "force_unit", json_text(sizing_unit(motor->turns, 3)));
    cJSON_AddItemToObject(item, "force", json_extreme(z, motor->force));
    cJSON_AddItemToObject(item, "force_rms", json_number(motor->force_rms));
    cJSON_AddItemToObject(item, "force_error", json_number(motor->force_error));
    cJSON_AddItemToObject(item, "speed_unit", json_text(sizing_unit(motor->turns, 1)));
    cJSON_AddItemToObject(item, "speed", json_extreme(z, motor->speed));
    cJSON_AddItemToObject(item, "speed_rms", json_number(motor->speed_rms));
    cJSON_AddItemToObject(item, "power", json_extreme(z, motor->power));
    cJSON_AddItemToObject(item, "power_least", json_extreme(z, motor->power_least));
    cJSON_AddItemToObject(item, "energy_given", json_number(motor->given));
    cJSON_AddItemToObject(item, "energy_taken", json_number(motor->taken));
    if (motor->explained) {
        cJSON *worst = cJSON_AddObjectToObject(item, "worst");
        cJSON_AddItemToObject(worst, "joints", json_shares(z->m, motor, false));
        cJSON_AddItemToObject(worst, "links", json_shares(z->m, motor, true));
        cJSON_AddItemToObject(worst, "cables", json_number(motor->cables));
        cJSON_AddItemToObject(worst, "wrenches", json_number(motor->wrenches));
        cJSON_AddItemToObject(worst, "springs", json_number(motor->springs));
        cJSON_AddItemToObject(worst, "passive", json_number(motor->passive));
    }
    return item;
}

static void json_filters(cJSON *root, const sizing *z)
{
    static const char *const word[] = {[TD_FILTER_NONE] = "none",
                                       [TD_FILTER_BUTTERWORTH] = "butterworth",
                                       [TD_FILTER_SPLINE] = "spline"};
    const recording *r = z->m->recorded;
    cJSON_AddItemToObject(root, "filter", json_text(word[z->m->options->filter]));
    cJSON *columns = cJSON_AddArrayToObject(root, "columns");
    for (size_t k = 0; k < r->channels; k++) {
        const channel *c = &r->channel[k];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToObject(item, "name", json_text(c->name));
        cJSON_AddItemToObject(item, "noise", json_number(c->noise));
        if (c->jumps > 0) {
            cJSON_AddItemToObject(item, "jumps_taken_out", json_count(c->jumps));
        }
        if (c->doubtful > 0) {
            cJSON_AddItemToObject(item, "doubtful_steps", json_count(c->doubtful));
        }
        if (c->filter != TD_FILTER_NONE) {
            cJSON_AddItemToObject(item, "cutoff", json_number(c->cutoff));
            cJSON_AddItemToObject(item, "chosen", cJSON_CreateBool(c->chosen));
        }
        cJSON_AddItemToArray(columns, item);
    }
}

static void print_json(const sizing *z)
{
    const recorded_result *m = z->m;
    cJSON *root = json_root(td_model_name(m->s->model));
    forces_add_json(&m->options->common, root);
    cJSON_AddItemToObject(root, "recording", json_text(m->recorded->name));
    cJSON_AddItemToObject(root, "row_count", json_count(m->n));
    cJSON_AddItemToObject(root, "begin", json_number(m->t[0]));
    cJSON_AddItemToObject(root, "end", json_number(m->t[m->n - 1]));
    json_filters(root, z);
    cJSON *motors = cJSON_AddArrayToObject(root, "motors");
    for (size_t k = 0; k < z->motors; k++) {
        cJSON_AddItemToArray(motors, json_motor(z, &z->motor[k]));
    }
    cJSON *violations = cJSON_AddArrayToObject(root, "violations");
    for (size_t k = 0; k < z->violations; k++) {
        const violation *v = &z->violation[k];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToObject(item, "name", json_text(v->name));
        cJSON_AddItemToObject(item, "kind", json_text(violated_text(v->kind)));
        cJSON_AddItemToObject(item, "from", json_number(m->t[v->first]));
        cJSON_AddItemToObject(item, "to", json_number(m->t[v->last]));
        cJSON_AddItemToObject(item, "worst", json_extreme(z, v->worst));
        cJSON_AddItemToObject(item, "limit", json_number(v->limit));
        cJSON_AddItemToArray(violations, item);
    }
    cJSON *followers = cJSON_AddArrayToObject(root, "followers");
    for (size_t k = 0; k < z->deviations; k++) {
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToObject(item, "name", json_text(z->deviation[k].name));
        cJSON_AddItemToObject(item, "deviation", json_extreme(z, z->deviation[k].largest));
        cJSON_AddItemToArray(followers, item);
    }
    if (m->ground != NULL) {
        ground_motion_add_json(m->ground, root);
    }
    json_print(root, false);
}

/* ---- CSV ------------------------------------------------------------------------------------- */

/* Writes one number of the report. A t of NaN leaves the time empty. */
static void put_line(const char *kind, const char *name, const char *quantity, double value,
                     const char *unit, double t)
{
    csv_line line = {false, NULL};
    csv_cell(&line, kind);
    csv_cell(&line, name);
    csv_cell(&line, quantity);
    csv_numbers(&line, &value, 1);
    csv_cell(&line, unit);
    csv_cell(&line, isnan(t) ? "" : number_exact(t).text);
    csv_end(&line);
}

static void put_extreme(const sizing *z, const char *name, const char *quantity, extreme e,
                        const char *unit)
{
    put_line("motor", name, quantity, e.value, unit, time_of(z, e));
}

static void put_shares(const sizing *z, const motor_size *motor, bool links)
{
    size_t count;
    share *list = shares_of(z->m, motor, links, &count);
    for (size_t i = 0; i < count; i++) {
        char *quantity =
            text_format("largest force: %s %s", links ? "link" : "joint", list[i].name);
        put_line("share", motor->name, quantity, list[i].value, sizing_unit(motor->turns, 3),
                 time_of(z, motor->force));
        free(quantity);
    }
    shares_free(list, count);
}

static void print_csv(const sizing *z)
{
    const double none = (double)NAN;
    puts("kind,name,quantity,value,unit,t");
    for (size_t k = 0; k < z->motors; k++) {
        const motor_size *motor = &z->motor[k];
        const char *name = motor->name, *force = sizing_unit(motor->turns, 3);
        const char *speed = sizing_unit(motor->turns, 1);
        put_extreme(z, name, "largest force", motor->force, force);
        put_line("motor", name, "RMS force", motor->force_rms, force, none);
        if (!isnan(motor->force_error)) {
            put_line("motor", name, "standard error of force", motor->force_error, force, none);
        }
        put_extreme(z, name, "largest speed", motor->speed, speed);
        put_line("motor", name, "RMS speed", motor->speed_rms, speed, none);
        put_extreme(z, name, "largest power", motor->power, "W");
        put_extreme(z, name, "least power", motor->power_least, "W");
        put_line("motor", name, "energy given", motor->given, "J", none);
        put_line("motor", name, "energy taken", motor->taken, "J", none);
        if (motor->explained) {
            put_shares(z, motor, false);
            put_shares(z, motor, true);
        }
    }
    for (size_t k = 0; k < z->violations; k++) {
        const violation *v = &z->violation[k];
        const char *unit = sizing_unit(v->turns, (int)v->kind), *what = violated_text(v->kind);
        char *text[] = {text_format("%s: begins", what), text_format("%s: worst", what),
                        text_format("%s: ends", what), text_format("%s: limit", what)};
        const double time[] = {z->m->t[v->first], time_of(z, v->worst), z->m->t[v->last]};
        put_line("limit", v->name, text[3], v->limit, unit, none);
        put_line("limit", v->name, text[0], none, unit, time[0]);
        put_line("limit", v->name, text[1], v->worst.value, unit, time[1]);
        put_line("limit", v->name, text[2], none, unit, time[2]);
        for (size_t i = 0; i < 4; i++) {
            free(text[i]);
        }
    }
    for (size_t k = 0; k < z->deviations; k++) {
        const deviation *d = &z->deviation[k];
        put_line("follower", d->name, "largest deviation", d->largest.value,
                 sizing_unit(d->turns, 0), time_of(z, d->largest));
    }
    if (z->m->ground != NULL) {
        ground_motion_put(z->m->ground, put_line);
    }
}

/* Prints one line if positions beyond limits seem to be in degrees. */
static void tell_degrees(const sizing *z)
{
    for (size_t k = 0; k < z->violations; k++) {
        const violation *v = &z->violation[k];
        if (v->kind == VIOLATED_POSITION &&
            limit_tell_degrees(z->m->s->model, td_joint_index(z->m->s->model, v->name),
                               v->worst.value)) {
            return;
        }
    }
}

void recorded_report(const recorded_result *m)
{
    sizing z = sizing_new(m);
    if (m->options->common.json) {
        print_json(&z);
    } else if (m->options->csv) {
        print_csv(&z);
    } else {
        print_text(&z);
    }
    tell_degrees(&z);
    sizing_free(&z);
}
