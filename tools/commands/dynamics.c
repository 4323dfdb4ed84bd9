/* SPDX-License-Identifier: MIT */
/*
 * Commands for inverse and forward dynamics, see dynamics.h.
 */
#include "commands/dynamics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "input/motors.h"
#include "input/passive.h"
#include "output/frame_name.h"
#include "output/json.h"
#include "state_command.h"
#include "text.h"

/* ---- arguments ------------------------------------------------------------------------------- */

const option_set dynamics_set = {.parts = {&load_set, &velocity_set, &passive_set, &table_set}};

/* ---- outputs --------------------------------------------------------------------------------- */

output effect_output(const coordinates *c, enum quantity effect)
{
    return (output){.kind = OUTPUT_NAMED,
                    .key = quantity_text(effect),
                    .prefix = quantity_text(effect),
                    .column = c->name[effect],
                    .columns = c->size[effect],
                    .coordinates = true,
                    .quantity = effect};
}

/* Declares forces of motors. Tables and text contain them only if they differ from the forces of
   joints. Returns whether there are any. */
static bool declare_motors(outputs *o, const session *s, const dynamics_options *options)
{
    const bool differ = actuators_differ(o->c);
    char **name = differ || options->common.json ? actuator_names(o->c) : NULL;
    if (name == NULL) {
        return false;
    }
    const size_t count = td_nu(s->model);
    const char **unit = outputs_keep(o, allocate(count, sizeof *unit));
    for (size_t i = 0; i < count; i++) {
        unit[i] = td_actuator_at(s->model, i).turns ? "N m" : "N";
        outputs_keep(o, name[i]);
    }
    outputs_add(o, (output){.kind = OUTPUT_NAMED,
                            .key = "u",
                            .prefix = "u",
                            .title = "motor",
                            .column = outputs_keep(o, name),
                            .columns = count,
                            .units = unit,
                            .no_columns = !differ});
    return true;
}

/* Returns whether the loop's cut joint is closed in the model. */
static bool is_closed(const outputs *o, size_t loop)
{
    return !o->c->tree && td_loop_place_at(o->c->model, loop).form != TD_LOOP_FORM_OPEN;
}

/* Declares reactions, except for joints that --wrench adds for its points. */
static void declare_reactions(outputs *o, const session *s)
{
    const size_t joints = td_joint_count(s->model) - s->loads->points;
    const size_t loops = td_loop_count(s->model);
    const char **joint = outputs_keep(o, allocate(joints, sizeof *joint));
    const char **loop = outputs_keep(o, allocate(loops, sizeof *loop));
    size_t closed = 0;
    for (size_t i = 0; i < joints; i++) {
        joint[i] = td_joint_at(s->model, i)->name;
    }
    for (size_t i = 0; i < loops; i++) {
        if (is_closed(o, i)) {
            loop[closed++] = td_loop_at(s->model, i)->name;
        }
    }
    outputs_add(o, (output){.kind = OUTPUT_WRENCHES,
                            .key = "reactions",
                            .prefix = "reaction",
                            .title = "",
                            .row = joint,
                            .rows = joints});
    outputs_add(o, (output){.kind = OUTPUT_WRENCHES,
                            .key = "loop_reactions",
                            .prefix = "reaction",
                            .title = "loop ",
                            .row = loop,
                            .rows = closed});
}

static bool declare(outputs *o, const session *s, void *context)
{
    dynamics_options *options = context;
    o->plain = !options->reactions && !options->ground.given;
    o->one_by_one = !o->plain;
    outputs_add(o, effect_output(o->c, options->effect));
    if (options->effect == QUANTITY_TAU) {
        options->motors = declare_motors(o, s, options);
        if (!o->c->tree) {
            options->watch = motor_watch_new(s->model, s->workspace, options->motors ? NULL : o->c);
        }
    }
    if (options->reactions) {
        const size_t rows = td_joint_count(s->model) + td_loop_count(s->model);
        options->wrench = outputs_keep(o, allocate(2 * WRENCH_PARTS * rows, sizeof(double)));
        declare_reactions(o, s);
    }
    if (options->ground.given) {
        ground_declare(o);
        return ground_find(&options->plane, &options->ground, options->frame, s);
    }
    return true;
}

static void finish(void *context)
{
    dynamics_options *options = context;
    if (options->watch.model != NULL) {
        motor_watch_tell(&options->watch, options_tabular(&options->common));
        motor_watch_free(&options->watch);
    }
}

/* ---- computation ----------------------------------------------------------------------------- */

/* Appends a wrench and its ambiguity to an output. */
static void put_reaction(const double *wrench, const double *ambiguity, double **to)
{
    memcpy(*to, wrench, sizeof(double[WRENCH_PARTS]));
    memcpy(*to + WRENCH_PARTS, ambiguity, sizeof(double[WRENCH_PARTS]));
    *to += WRENCH_NUMBERS;
}

static td_status find_reactions(const session *s, const coordinates *c, const given_state *x,
                                const dynamics_options *options, double *joints, double *loops)
{
    const size_t all = td_joint_count(s->model), loop_count = td_loop_count(s->model);
    double *joint = options->wrench, *joint_open = joint + WRENCH_PARTS * all;
    double *loop = joint_open + WRENCH_PARTS * all, *loop_open = loop + WRENCH_PARTS * loop_count;
    const td_status status =
        td_loop_reactions(s->model, s->workspace, x->q, x->qd, x->third, &x->forces, options->frame,
                          joint, loop, joint_open, loop_open);
    const outputs o = {.c = c};
    for (size_t i = 0; i < all - s->loads->points; i++) {
        put_reaction(joint + WRENCH_PARTS * i, joint_open + WRENCH_PARTS * i, &joints);
    }
    for (size_t i = 0; i < loop_count; i++) {
        if (is_closed(&o, i)) {
            put_reaction(loop + WRENCH_PARTS * i, loop_open + WRENCH_PARTS * i, &loops);
        }
    }
    return status;
}

/* Computes ground reactions into their outputs. */
static td_status find_ground(const session *s, const given_state *x,
                             const dynamics_options *options, double *const *out)
{
    double numbers[GROUND_ALL];
    const ground_state state = {x->q, x->qd, x->third, &x->forces};
    const td_status status = ground_compute(&options->plane, s, &state, numbers);
    memcpy(out[0], numbers, sizeof(double[3]));
    memcpy(out[1], numbers + GROUND_FORCE, sizeof(double[3]));
    memcpy(out[2], numbers + GROUND_CENTER, sizeof(double[3]));
    *out[3] = numbers[GROUND_MOMENT];
    memcpy(out[4], numbers + GROUND_ZMP, sizeof(double[3]));
    return status;
}

static td_status compute(const session *s, const coordinates *c, const given_state *x,
                         void *context, double *const *out)
{
    dynamics_options *options = context;
    const bool inverse = options->effect == QUANTITY_TAU;
    __typeof__(&td_inverse_dynamics) call = inverse ? td_inverse_dynamics : td_forward_dynamics;
    td_status status = call(s->model, s->workspace, x->q, x->qd, x->third, &x->forces, out[0]);
    status = check_finite(status, out[0], c->size[options->effect]);
    if (status == TD_OK && options->motors) {
        options->motor_status =
            td_forces_to_actuators(s->model, s->workspace, x->q, out[0], NULL, out[1], NULL);
        for (size_t i = 0; options->motor_status != TD_OK && i < td_nu(s->model); i++) {
            out[1][i] = NAN;
        }
    }
    if (status == TD_OK && options->watch.model != NULL) {
        motor_watch_rows(&options->watch, 1, x->q, x->qd, out[options->motors ? 1 : 0]);
    }
    size_t next = options->motors ? 2 : 1;
    if (status == TD_OK && options->reactions) {
        status = find_reactions(s, c, x, options, out[next], out[next + 1]);
        next += 2;
    }
    if (status == TD_OK && options->ground.given) {
        status = find_ground(s, x, options, out + next);
    }
    return status;
}

static void compute_batch(const session *s, td_workspace *w, const given_states *x, void *context,
                          double *const *out, td_status *each)
{
    dynamics_options *options = context;
    __typeof__(&td_batch_inverse_dynamics) call =
        options->effect == QUANTITY_TAU ? td_batch_inverse_dynamics : td_batch_forward_dynamics;
    call(s->model, w, x->count, x->q, x->qd, x->third, &x->forces, out[0], each);
    if (options->motors) {
        td_batch_forces_to_actuators(s->model, w, x->count, x->q, out[0], NULL, out[1], NULL, NULL);
    }
    if (options->watch.model != NULL) {
        motor_watch_rows(&options->watch, x->count, x->q, x->qd, out[options->motors ? 1 : 0]);
    }
}

/* ---- text and JSON --------------------------------------------------------------------------- */

/* Prints why there are no forces of motors. */
static void print_missing_motors(const session *s, td_status status)
{
    scoped char *missing = motors_missing(s);
    printf("\nno actuator forces: %s%s%s\n", td_status_text(status), *missing != '\0' ? ": " : "",
           missing);
}

static void print(const outputs *o, const session *s, const robot_state *x, const void *context,
                  const double *const *value)
{
    const dynamics_options *options = context;
    outputs_print(o, x, options->cause, value);
    const td_status motors =
        options->motors ? options->motor_status : td_actuation_status(s->model);
    if (options->effect == QUANTITY_TAU && !o->c->tree && motors != TD_OK) {
        print_missing_motors(s, motors);
    }
}

static void add_head(cJSON *root, const session *s, const void *context)
{
    const dynamics_options *options = context;
    (void)s;
    forces_add_json(&options->common, root);
    if (options->reactions) {
        cJSON_AddItemToObject(root, "reaction_frame", json_text(frame_name(options->frame)));
    }
    if (options->ground.given) {
        ground_add_json(&options->plane, cJSON_AddObjectToObject(root, "ground"));
    }
}

int dynamics_command(const option_set *set, int argc, char **argv, enum quantity cause)
{
    dynamics_options options = {
        .common = {.takes_states = true}, .cause = cause, .frame = TD_FRAME_ALIGNED};
    const state_command command = {.set = set,
                                   .needs = cause == QUANTITY_TAU ? NEEDS_FORWARD : NEEDS_WORKSPACE,
                                   .third = &options.cause,
                                   .used = USES_ALL,
                                   .repeats = true,
                                   .wrenches = true,
                                   .declare = declare,
                                   .compute = compute,
                                   .compute_batch = compute_batch,
                                   .head = add_head,
                                   .print = print,
                                   .finish = finish};
    options.effect = cause == QUANTITY_QDD ? QUANTITY_TAU : QUANTITY_QDD;
    return run_state_command(&command, argc, argv, &options);
}
