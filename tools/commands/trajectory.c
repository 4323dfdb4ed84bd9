/* SPDX-License-Identifier: MIT */
/*
 * tandem trajectory: plans a motion through points within a robot's limits, and computes its
 * forces.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "input/option_value.h"
#include "input/passive.h"
#include "input/table_input.h"
#include "output/coordinates_json.h"
#include "run.h"
#include "text.h"
#include "trajectory.h"

/* ---- arguments ------------------------------------------------------------------------------- */

static const option_choice curves[] = {
#define CURVE_WORD(name, word) {word, CURVE_##name},
    CURVE_TABLE(CURVE_WORD)
#undef CURVE_WORD
        {0}};

static void read_curve(const command_option *o, char *text, command_line *line)
{
    const char *words[CURVE_COUNT];
    for (size_t i = 0; i < CURVE_COUNT; i++) {
        words[i] = curves[i].word;
        if (strcmp(text, words[i]) == 0) {
            *(int *)option_place(o, line) = curves[i].value;
            return;
        }
    }
    option_error(line, "--curve: %s", unknown_name("curve", text, words, CURVE_COUNT));
}

static void check(command_line *line)
{
    trajectory_options *options = line->options;
    options_take_suffix(&options->common, &options->output, true, line);
}

#define AT(member) .at = offsetof(trajectory_options, member)

static const command_option command_rows[] = {
    {"curve", "KIND",
     "Choose the curve through the rows of a table; without stops: 'cubic' (spline, default), "
     "'quintic' or 'b-spline'; from rest to rest between rows: 'minimum-jerk', 'septic', "
     "'cycloid', or as fast as limits allow: 'trapezoid' (velocity and acceleration), "
     "'jerk-limited' (jerk as well)",
     read_curve, AT(curve)},
    {"rate", "HZ", "Set the rows per second (default 100); the last row is at the end",
     option_frequency, AT(rate)},
    {"time-scale", NULL, "Slow down where limits would be violated (else a violation is an error)",
     option_flag, AT(slower)},
    {"velocity", "V",
     "Limit the velocity of joints that have no such limit in FILE (rad/s, m/s); a unit restricts "
     "it "
     "to revolute or to prismatic joints",
     option_joint_amount, AT(velocity), .number = 1},
    {"acceleration", "A", "Limit the acceleration in the same way (rad/s², m/s²)",
     option_joint_amount, AT(acceleration), .number = 2},
    {"jerk", "J", "Limit the jerk in the same way (rad/s³, m/s³)", option_joint_amount, AT(jerk),
     .number = UNIT_JERK},
    {"output", "FILE", OUTPUT_FILE_HELP, option_text, AT(output), .letter = 'o'},
    {0},
};
static const option_argument arguments[] = {
    {"POINTS", AT(points), "the table POINTS is missing ('-' is standard input)", .takes = NULL},
    {0},
};
const option_set options_of_trajectory = {
    .rows = command_rows,
    .usage = "FILE POINTS",
    .arguments = arguments,
    .check = check,
    .about =
        "Plan a motion through points within the limits of FILE, and print a table of its "
        "positions, "
        "velocities, accelerations and forces. Limits of followers apply to their leaders.\vPOINTS "
        "is "
        "a CSV table ('-' is standard input) with columns q:JOINT and optionally t (s), one point "
        "per "
        "row. Joints without a column stay where -q puts them. Without t the motion is as fast as "
        "limits of velocity, acceleration and effort allow. Limits of ball and floating joints "
        "apply "
        "to the lengths of angular and linear vectors. With t it follows the given times; "
        "--time-scale slows it down where limits require it. A motion that rests at its points is "
        "scaled separately between each two of them.\n\nColumns of the result: t, q:, qd:, qdd:, "
        "tau: "
        "(forces along the joints) and, where they differ, u: (of the motors). Standard error "
        "reports "
        "which limit is active. 'tandem simulate --computed-torque' tracks the result. A table of "
        "'tandem ik' is refused if some row was not reached.\n\nExample:\n  tandem trajectory "
        "robot.urdf points.csv -o motion.csv",
    .parts = {&load_set, &state_set, &picture_set, &hidden_columns_set, &no_passive_set,
              &actuated_set},
    .header = {[1] = "The robot:"},
    .group[1] = 4};

/* ---- rows ------------------------------------------------------------------------------------ */

typedef struct row {
    double t;
    double *value[QUANTITY_COUNT];
    double *u;
    char **actuator; /* NULL: no u */
    size_t actuators;
} row;

static bool table_heading(table_output *t, const coordinates *c, const row *r)
{
    table_output_name(t, "t");
    for (enum quantity quantity = QUANTITY_Q; quantity < QUANTITY_COUNT; quantity++) {
        table_output_names(t, quantity_text(quantity), c->name[quantity], c->size[quantity]);
    }
    table_output_names(t, "u", (const char *const *)r->actuator, r->actuators);
    return table_output_end(t);
}

static void table_row_of(table_output *t, const coordinates *c, const row *r)
{
    table_output_numbers(t, &r->t, 1);
    for (enum quantity quantity = QUANTITY_Q; quantity < QUANTITY_COUNT; quantity++) {
        table_output_numbers(t, r->value[quantity], c->size[quantity]);
    }
    table_output_numbers(t, r->u, r->actuators);
    table_output_end(t);
}

static cJSON *json_row_of(const coordinates *c, const row *r)
{
    cJSON *item = cJSON_CreateObject();
    cJSON_AddItemToObject(item, "t", json_number(r->t));
    for (enum quantity quantity = QUANTITY_Q; quantity < QUANTITY_COUNT; quantity++) {
        coordinates_add_json(c, quantity, r->value[quantity], item);
    }
    if (r->actuator != NULL) {
        cJSON_AddItemToObject(item, "u",
                              json_named((const char *const *)r->actuator, r->u, r->actuators));
    }
    return item;
}

/* Computes the state at t and its forces. */
static td_status compute_row(const plan *p, double t, row *r)
{
    const td_model *model = p->s->model;
    td_forces forces = td_forces_default();
    forces.passive = p->options->common.passive;
    options_add_wrenches(&p->options->common, &forces);
    double *const *value = r->value;
    r->t = t;
    plan_at(p, t, value[QUANTITY_Q], value[QUANTITY_QD], value[QUANTITY_QDD]);
    td_status status =
        td_inverse_dynamics(model, p->s->workspace, value[QUANTITY_Q], value[QUANTITY_QD],
                            value[QUANTITY_QDD], &forces, value[QUANTITY_TAU]);
    if (status == TD_OK && r->actuator != NULL) {
        status = td_forces_to_actuators(model, p->s->workspace, value[QUANTITY_Q],
                                        value[QUANTITY_TAU], NULL, r->u, NULL);
    }
    return status;
}

static size_t row_count(const plan *p)
{
    double steps = (p->end - p->begin) * p->options->rate;
    size_t whole = (size_t)floor(steps + 1e-9);
    bool own = steps - (double)whole > (whole > 0 ? 1e-9 : 0); /* the end is a separate row */
    return whole + 1 + own;
}

/* Writes all rows. *written: false if the heading could not be written, which prints a message. */
static td_status write_rows(const plan *p, table_output *table, row *r, bool *written)
{
    size_t rows = row_count(p);
    cJSON *root = p->options->common.json ? coordinates_json_root(p->c) : NULL;
    if (root != NULL) {
        forces_add_json(&p->options->common, root);
    }
    cJSON *states = root != NULL ? cJSON_AddArrayToObject(root, "states") : NULL;
    td_status status = TD_OK;
    *written = root != NULL || table_heading(table, p->c, r);
    for (size_t i = 0; i < rows && status == TD_OK && *written; i++) {
        bool last = i + 1 == rows;
        status = compute_row(p, last ? p->end : p->begin + (double)i / p->options->rate, r);
        if (status == TD_OK && root != NULL) {
            cJSON_AddItemToArray(states, json_row_of(p->c, r));
        } else if (status == TD_OK) {
            table_row_of(table, p->c, r);
        }
    }
    if (root != NULL) {
        scoped char *text = json_string(root, true);
        fprintf(table->file.stream, "%s\n", text);
    }
    return status;
}

/* ---- summary --------------------------------------------------------------------------------- */

/* Prints the limits that determine the durations of parts. If there are none, prints the part
   closest to its limits. */
static void print_summary(const plan *p)
{
    enum { LISTED = 10 };
    size_t binding = 0;
    const plan_part *nearest = p->part; /* there is at least one: a path has two points */
    fprintf(stderr, "time     %s s, %s\n", number_brief(p->end - p->begin).text,
            counted(row_count(p), "row").text);
    for (size_t i = 0; i < p->parts; i++) {
        const plan_part *part = &p->part[i];
        nearest = part->scale.factor > nearest->scale.factor ? part : nearest;
        if (!part->bound) {
            continue;
        }
        binding++;
        if (binding <= LISTED) {
            char *text = binding_text(p, part);
            fprintf(stderr, "binds    points %zu to %zu: ", part->from + 1, part->to + 1);
            put_clean(stderr, text);
            fputc('\n', stderr);
            free(text);
        }
    }
    if (binding > LISTED) {
        fprintf(stderr, "         and %zu more parts\n", binding - LISTED);
    }
    if (binding == 0 && nearest->scale.kind == TD_LIMIT_NONE) {
        fputs("binds    nothing\n", stderr);
    } else if (binding == 0) {
        char *text = binding_text(p, nearest);
        fprintf(stderr, "binds    nothing; closest to its limit is the ");
        put_clean(stderr, text);
        fprintf(stderr, "\n         (%s times the duration would suffice)\n",
                number_brief(nearest->scale.factor).text);
        free(text);
    }
}

/* ---- the command ----------------------------------------------------------------------------- */

static int write_plan(const plan *p)
{
    table_output table;
    if (!table_output_open(&table, p->options->output)) {
        return EXIT_FILE;
    }
    row r = {.actuator = p->forces && actuators_differ(p->c) ? actuator_names(p->c) : NULL};
    r.actuators = r.actuator != NULL ? td_nu(p->s->model) : 0;
    r.u = allocate(td_nu(p->s->model), sizeof *r.u);
    for (enum quantity quantity = QUANTITY_Q; quantity < QUANTITY_COUNT; quantity++) {
        r.value[quantity] = allocate(p->c->size[quantity], sizeof(double));
    }
    bool written;
    td_status status = write_rows(p, &table, &r, &written);
    int code = EXIT_GOOD;
    if (status != TD_OK) {
        scoped char *what = text_format("%s: at t = %s s", table_input_name(p->options->points),
                                        number_clear(r.t).text);
        code = session_complain(p->s, what, status);
        table_output_close(&table, false);
    } else if (table_output_close(&table, written)) {
        if (notes_shown()) {
            print_summary(p);
        }
    } else {
        code = EXIT_FILE;
    }
    for (enum quantity quantity = QUANTITY_Q; quantity < QUANTITY_COUNT; quantity++) {
        free(r.value[quantity]);
    }
    free(r.u);
    actuator_names_free(p->c, r.actuator);
    return code;
}

static int run_points(const session *s, const coordinates *c, const robot_state *x, void *context)
{
    const trajectory_options *options = context;
    const state_form form = {
        .read = {QUANTITY_Q}, .count = 1, .reached = true, .words = &options->common.columns};
    motion_table points;
    if (c->tree) {
        complain("--tree: points are given by the independent joints; leave out --tree");
        return EXIT_USAGE;
    }
    if (!motion_table_read(&points, c, &form, false, options->points)) {
        return EXIT_FILE;
    }
    plan p;
    int code = plan_new(&p, s, c, options, &points, x->value[QUANTITY_Q]);
    motion_table_free(&points);
    if (code == EXIT_GOOD) {
        code = write_plan(&p);
        plan_free(&p);
    }
    return code;
}

static int run(const session *s, void *context)
{
    trajectory_options *options = context;
    return run_state(s, &options->common, false, options, run_points);
}

int command_trajectory(int argc, char **argv)
{
    trajectory_options options = {.rate = 100,
                                  .velocity = joint_amount_none(),
                                  .acceleration = joint_amount_none(),
                                  .jerk = joint_amount_none()};
    return run_session_needing(NEEDS_WORKSPACE, &options_of_trajectory, argc, argv, &options, run);
}
