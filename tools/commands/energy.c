/* SPDX-License-Identifier: MIT */
/*
 * tandem energy: what one state of the robot amounts to as a whole.
 */
#include <math.h>
#include <string.h>

#include "command.h"
#include "output/json.h"
#include "output/row_table.h"
#include "output/table.h"
#include "run.h"
#include "text.h"

typedef struct energy_options {
    tool_options common;
    td_scope scope;
} energy_options;

/* In the order in which the library has them. */
typedef struct totals {
    double mass;
    double energy[2];   /* kinetic, potential */
    double com[9];      /* position, velocity, acceleration */
    double momentum[6]; /* angular about the centre of mass, linear */
} totals;

enum { KEY_SCOPE = 0x200, ROW_NUMBERS = 15 };

static const char *const scopes[] = {
    [TD_SCOPE_ALL] = "all", [TD_SCOPE_MOVING] = "moving", [TD_SCOPE_SPRINGS] = "springs"};

/* Returns false for an unknown name. */
static bool read_scope(const char *word, td_scope *scope)
{
    for (size_t i = 0; i < sizeof scopes / sizeof *scopes; i++) {
        if (strcmp(word, scopes[i]) == 0) {
            *scope = (td_scope)i;
            return true;
        }
    }
    return false;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    energy_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->common;
        state->child_inputs[1] = &options->common;
        state->child_inputs[2] = &options->common;
        options->common.takes_states = true;
        break;
    case KEY_SCOPE:
        if (!read_scope(arg, &options->scope)) {
            option_error(state, "--scope is 'all', 'moving' or 'springs', not '%s'", arg);
        }
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_option argp_options[] = {
    {"scope", KEY_SCOPE, "SCOPE", 0,
     "Of 'all' links (default), of those 'moving' against the world, or of all links and all "
     "'springs'",
     0},
    {0},
};
static const struct argp_child children[] = {{&payload_argp, 0, NULL, 0},
                                             {&velocity_argp, 0, NULL, 0},
                                             {&table_argp, 0, NULL, 0},
                                             {&gravity_argp, 0, NULL, 0},
                                             {0}};
const struct argp energy_argp = {
    argp_options,
    parse,
    "FILE [STATES]",
    "Energy, mass, centre of mass and momentum of one state, in world "
    "axes. The potential is gravity's and zero at the world's origin; "
    "rotors and springs are not in it. Joints without -q are in the reference configuration, "
    "without --qd at rest. STATES is a CSV table ('-' is standard input) with columns "
    "q:JOINT and qd:JOINT; the result is one with a row a state.",
    children,
    NULL,
    NULL};

static void add_scalar(table *t, const char *name, number x, const char *unit)
{
    table_add(t, "%s", name);
    table_add(t, "%s", x.text);
    table_add(t, "%s", "");
    table_add(t, "%s", "");
    table_add(t, "%s", unit);
}

static void add_vector(table *t, const char *name, const number x[3], const char *unit)
{
    table_add(t, "%s", name);
    for (size_t i = 0; i < 3; i++) {
        table_add(t, "%s", x[i].text);
    }
    table_add(t, "%s", unit);
}

static void add_position(table *t, const char *name, const double x[3])
{
    number n[3] = {number_place(x[0]), number_place(x[1]), number_place(x[2])};
    add_vector(t, name, n, "m");
}

/* A part of the motion, beside the largest of its numbers. */
static void add_motion(table *t, const char *name, const double x[3], double scale,
                       const char *unit)
{
    number n[3] = {number_of_scale(x[0], scale), number_of_scale(x[1], scale),
                   number_of_scale(x[2], scale)};
    add_vector(t, name, n, unit);
}

static void print_totals(const totals *x)
{
    double energy = largest_of(x->energy, 2);
    double motion = fmax(largest_of(x->com + 3, 3), largest_of(x->momentum, 6));
    table t = table_new("lrrrl");
    t.plain = true;
    add_scalar(&t, "kinetic energy", number_of_scale(x->energy[0], energy), "J");
    add_scalar(&t, "potential energy", number_of_scale(x->energy[1], energy), "J");
    add_scalar(&t, "total energy", number_of_scale(x->energy[0] + x->energy[1], energy), "J");
    add_scalar(&t, "mass", number_brief(x->mass), "kg");
    if (x->mass == 0) {
        table_add(&t, "%s", "COM");
        table_add(&t, "%s", "none");
        table_add(&t, "%s", "");
        table_add(&t, "%s", "");
        table_add(&t, "%s", "there is no mass");
    } else {
        add_position(&t, "COM", x->com);
        add_motion(&t, "COM velocity", x->com + 3, motion, "m/s");
        add_motion(&t, "linear momentum", x->momentum + 3, motion, "kg m/s");
        add_motion(&t, "angular momentum", x->momentum, motion, "kg m²/s about the COM");
    }
    table_print(&t, 0);
}

static double mass_of(const td_model *model, const energy_options *options)
{
    const bool moving = options->scope == TD_SCOPE_MOVING;
    return (moving ? td_moving_mass(model) : td_total_mass(model)) +
           loads_mass(&options->common.loads, model, moving);
}

static cJSON *json_head(const coordinates *c, const void *context)
{
    const energy_options *options = context;
    cJSON *root = json_root(td_model_name(c->model));
    loads_add_json(&options->common.loads, root);
    cJSON_AddItemToObject(root, "scope", json_text(scopes[options->scope]));
    return root;
}

/* row: as run_table has it */
static void json_state(const coordinates *c, const void *context, const double *row, cJSON *state)
{
    cJSON_AddItemToObject(state, "kinetic", json_number(row[0]));
    cJSON_AddItemToObject(state, "potential", json_number(row[1]));
    cJSON_AddItemToObject(state, "total", json_number(row[2]));
    cJSON_AddItemToObject(state, "mass", json_number(mass_of(c->model, context)));
    cJSON_AddItemToObject(state, "com", json_point(row + 3));
    cJSON_AddItemToObject(state, "com_velocity", json_point(row + 6));
    cJSON_AddItemToObject(state, "linear_momentum", json_point(row + 9));
    cJSON_AddItemToObject(state, "angular_momentum", json_point(row + 12));
}

static td_status find_totals(const session *s, const energy_options *options, const double *q,
                             const double *qd, totals *t)
{
    const td_scope scope = options->scope;
    t->mass = mass_of(s->model, options);
    td_status status = td_energy(s->model, s->workspace, q, qd, scope, t->energy);
    if (status == TD_OK) {
        t->energy[1] += 0.0; /* no "-0" without gravity */
        td_center_of_mass_motion(s->model, s->workspace, q, qd, NULL, scope, t->com);
        td_centroidal_momentum(s->model, s->workspace, q, qd, scope, t->momentum);
    }
    return status;
}

/* In the order of the columns of run_table. */
static void put_row(const totals *t, double *row)
{
    const double x[] = {t->energy[0],   t->energy[1],   t->energy[0] + t->energy[1],
                        t->com[0],      t->com[1],      t->com[2],
                        t->com[3],      t->com[4],      t->com[5],
                        t->momentum[3], t->momentum[4], t->momentum[5],
                        t->momentum[0], t->momentum[1], t->momentum[2]};
    memcpy(row, x, sizeof x);
}

static td_status energy_row(const session *s, const coordinates *c, const double *q,
                            const double *qd, const double *qdd, const void *context, double *out)
{
    (void)c, (void)qdd;
    totals t;
    td_status status = find_totals(s, context, q, qd, &t);
    if (status == TD_OK) {
        put_row(&t, out);
    }
    return status;
}

static int run_table(const session *s, const energy_options *options)
{
    static const char *const names[][2] = {{"energy", "kinetic"}, {"energy", "potential"},
                                           {"energy", "total"},   {"com", "x"},
                                           {"com", "y"},          {"com", "z"},
                                           {"com", "vx"},         {"com", "vy"},
                                           {"com", "vz"},         {"linear", "x"},
                                           {"linear", "y"},       {"linear", "z"},
                                           {"angular", "x"},      {"angular", "y"},
                                           {"angular", "z"}};
    row_columns columns = {.name = NULL};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        row_columns_add(&columns, names[i][0], names[i][1]);
    }
    const row_form form = {.velocities = true,
                           .compute = energy_row,
                           .context = options,
                           .json_head = json_head,
                           .json_state = json_state};
    int code = row_table(s, &options->common, &form, &columns);
    row_columns_free(&columns);
    return code;
}

static int run_one(const session *s, const coordinates *c, const robot_state *x, void *context)
{
    const energy_options *options = context;
    totals t;
    td_status status = find_totals(s, options, x->value[QUANTITY_Q], x->value[QUANTITY_QD], &t);
    if (status != TD_OK) {
        return session_complain(s, NULL, status);
    }
    if (options->common.json) {
        double row[ROW_NUMBERS];
        cJSON *root = json_head(c, options);
        put_row(&t, row);
        json_state(c, options, row, root);
        json_print(root, false);
    } else {
        print_totals(&t);
    }
    return EXIT_GOOD;
}

static int run(const session *s, void *context)
{
    energy_options *options = context;
    if (options_tabular(&options->common)) {
        return run_table(s, options);
    }
    return run_state(s, &options->common, true, options, run_one);
}

int command_energy(int argc, char **argv)
{
    energy_options options = {.scope = TD_SCOPE_ALL};
    return run_session_needing(NEEDS_WORKSPACE, &energy_argp, argc, argv, &options, &options.common,
                               run);
}
