/* SPDX-License-Identifier: MIT */
/*
 * tandem mass: computes the joint-space mass matrix at one configuration.
 */
#include "command.h"
#include "input/passive.h"
#include "state_command.h"

const option_set options_of_mass = {
    .usage = "FILE [STATES]",
    .about = "Compute the mass matrix H (kg m², kg m, kg). Joints without -q are in the reference "
             "configuration. If the matrix is too large for a page, only its nonzero entries are "
             "printed, "
             "each pair once. --passive adds the rotors. STATES is a CSV table ('-' is standard "
             "input) with "
             "columns q:JOINT; the result has one row per state, with the entries on and below the "
             "diagonal.",
    .parts = {&payload_set, &state_set, &passive_set, &table_set}};

static void add_head(cJSON *root, const session *s, const void *options)
{
    (void)s;
    forces_add_json(options, root);
}

static bool declare(outputs *o, const session *s, void *options)
{
    const size_t n = o->c->size[QUANTITY_QD];
    const char *const *names = o->c->name[QUANTITY_QD];
    (void)s, (void)options;
    outputs_add(o, (output){.kind = OUTPUT_SYMMETRIC,
                            .key = "H",
                            .prefix = "H",
                            .row = names,
                            .column = names,
                            .rows = n,
                            .columns = n});
    return true;
}

static td_status compute(const session *s, const coordinates *c, const given_state *x,
                         void *options, double *const *out)
{
    (void)c, (void)options;
    return td_mass_matrix(s->model, s->workspace, x->q, &x->forces, out[0]);
}

int command_mass(int argc, char **argv)
{
    static const state_command command = {.set = &options_of_mass,
                                          .needs = NEEDS_MATRICES,
                                          .used = USES_Q,
                                          .head = add_head,
                                          .declare = declare,
                                          .compute = compute};
    tool_options options = {.takes_states = true};
    return run_state_command(&command, argc, argv, &options);
}
