/* SPDX-License-Identifier: MIT */
/*
 * tandem energy: computes energies, center of mass and momentum of the whole robot.
 */
#include <string.h>

#include "command.h"
#include "input/option_value.h"
#include "output/json.h"
#include "state_command.h"

typedef struct energy_options {
    tool_options common;
    td_scope scope;
} energy_options;

static const option_choice scopes[] = {
    {"all", TD_SCOPE_ALL}, {"moving", TD_SCOPE_MOVING}, {"springs", TD_SCOPE_SPRINGS}, {0}};

static const command_option command_rows[] = {
    {"scope", "SCOPE",
     "Include 'all' links (default), only links 'moving' relative to the world, or all links and "
     "'springs'",
     option_choose, .at = offsetof(energy_options, scope), .of = scopes},
    {0},
};
const option_set options_of_energy = {
    .rows = command_rows,
    .usage = "FILE [STATES]",
    .about =
        "Compute energy, mass, center of mass and momentum, in world axes. The potential energy is "
        "due "
        "to gravity and zero at the world's origin; rotors and springs are not included. Joints "
        "without -q are in the reference configuration, joints without --qd at rest. STATES is a "
        "CSV "
        "table ('-' is standard input) with columns q:JOINT and qd:JOINT; the result has one row "
        "per "
        "state.",
    .parts = {&payload_set, &velocity_set, &table_set, &gravity_set}};

enum { MOTION = 1, ENERGY }; /* groups of numbers that share a scale for rounding */

static double mass_of(const td_model *model, const energy_options *options)
{
    const bool moving = options->scope == TD_SCOPE_MOVING;
    return (moving ? td_moving_mass(model) : td_total_mass(model)) +
           loads_mass(&options->common.loads, model, moving);
}

static bool declare(outputs *o, const session *s, void *context)
{
    static const char *const energies[] = {"kinetic", "potential", "total", "mass"};
    static const char *const place[] = {"x", "y", "z"};
    static const char *const velocity[] = {"vx", "vy", "vz"};
    static const output declared[] = {
        {.key = "kinetic", .prefix = "energy", .title = "kinetic energy", .unit = "J"},
        {.key = "potential", .prefix = "energy", .title = "potential energy", .unit = "J"},
        {.key = "total", .prefix = "energy", .title = "total energy", .unit = "J"},
        {.key = "mass", .title = "mass", .unit = "kg", .group = GROUP_BRIEF, .no_columns = true},
        {.key = "com",
         .prefix = "com",
         .title = "COM",
         .unit = "m",
         .none = "the robot has no mass",
         .column = place},
        {.key = "com_velocity",
         .prefix = "com",
         .title = "COM velocity",
         .unit = "m/s",
         .column = velocity,
         .group = MOTION},
        {.key = "linear_momentum",
         .prefix = "linear",
         .title = "linear momentum",
         .unit = "kg m/s",
         .column = place,
         .group = MOTION},
        {.key = "angular_momentum",
         .prefix = "angular",
         .title = "angular momentum",
         .unit = "kg m²/s about the COM",
         .column = place,
         .group = MOTION}};
    (void)s, (void)context;
    for (size_t i = 0; i < sizeof declared / sizeof *declared; i++) {
        output *added = outputs_add(o, declared[i]);
        const bool number = added->column == NULL;
        added->kind = number ? OUTPUT_NUMBER : OUTPUT_POINT;
        added->columns = number ? 1 : 3;
        added->column = number ? &energies[i] : added->column;
        added->group = number && added->group == 0 ? ENERGY : added->group;
    }
    return true;
}

static td_status compute(const session *s, const coordinates *c, const given_state *x,
                         void *context, double *const *out)
{
    const energy_options *options = context;
    const td_scope scope = options->scope;
    double energy[2], com[9], momentum[6]; /* in the library's order */
    (void)c;
    const td_status status = td_energy(s->model, s->workspace, x->q, x->qd, scope, energy);
    if (status != TD_OK) {
        return status;
    }
    td_center_of_mass_motion(s->model, s->workspace, x->q, x->qd, NULL, scope, com);
    td_centroidal_momentum(s->model, s->workspace, x->q, x->qd, scope, momentum);
    *out[0] = energy[0];
    *out[1] = energy[1] + 0.0; /* no "-0" without gravity */
    *out[2] = energy[0] + energy[1];
    *out[3] = mass_of(s->model, options);
    memcpy(out[4], com, sizeof(double[3]));
    memcpy(out[5], com + 3, sizeof(double[3]));
    memcpy(out[6], momentum + 3, sizeof(double[3]));
    memcpy(out[7], momentum, sizeof(double[3]));
    return status;
}

static void add_head(cJSON *root, const session *s, const void *context)
{
    const energy_options *options = context;
    (void)s;
    loads_add_json(&options->common.loads, root);
    cJSON_AddItemToObject(root, "scope", json_text(choice_word(scopes, (int)options->scope)));
}

int command_energy(int argc, char **argv)
{
    static const state_command command = {.set = &options_of_energy,
                                          .needs = NEEDS_WORKSPACE,
                                          .used = USES_Q | USES_QD,
                                          .head = add_head,
                                          .declare = declare,
                                          .compute = compute};
    energy_options options = {.common = {.takes_states = true}, .scope = TD_SCOPE_ALL};
    return run_state_command(&command, argc, argv, &options);
}
