/* SPDX-License-Identifier: MIT */
/*
 * tandem derivatives: computes derivatives of inverse or forward dynamics with respect to the state
 * and to accelerations or forces, for one state or a table of states.
 */
#include <string.h>

#include "command.h"
#include "commands/dynamics.h"
#include "input/option_value.h"
#include "input/passive.h"
#include "output/json.h"
#include "state_command.h"

enum { MATRICES = 3 };

static const option_choice functions[] = {{"id", QUANTITY_QDD}, {"fd", QUANTITY_TAU}, {0}};

/* Rejects options of the other kind of dynamics. */
static void check_causes(command_line *line)
{
    dynamics_options *options = line->options;
    options->effect = options->cause == QUANTITY_QDD ? QUANTITY_TAU : QUANTITY_QDD;
    for (size_t i = 0; i < options->common.assignment_count; i++) {
        if (options->common.assignments[i].quantity == options->effect) {
            option_error(line, "--%s is not an input of --of %s, which computes it",
                         quantity_text(options->effect),
                         options->effect == QUANTITY_TAU ? "id" : "fd");
        }
    }
}

static const command_option command_rows[] = {
    {"of", "WHAT",
     "Differentiate inverse dynamics ('id', default): ∂τ/∂y, ∂τ/∂ẏ and H = ∂τ/∂ÿ; or forward "
     "dynamics ('fd'): ∂ÿ/∂y, ∂ÿ/∂ẏ and ∂ÿ/∂τ",
     option_choose, .at = offsetof(dynamics_options, cause), .of = functions},
    {"qdd", "JOINT=VALUE", QDD_HELP "; for 'id'", option_assign, .at = QUANTITY_QDD},
    {"tau", "JOINT=VALUE", TAU_HELP "; for 'fd'", option_assign, .at = QUANTITY_TAU},
    {0},
};
const option_set options_of_derivatives = {
    .rows = command_rows,
    .usage = "FILE [STATES]",
    .check = check_causes,
    .about =
        "Compute derivatives of inverse or forward dynamics with respect to coordinates, "
        "velocities, "
        "and accelerations or forces, exact to rounding. Each entry is the derivative of its row's "
        "quantity with respect to its column's; derivatives of floating, ball and planar joints "
        "are "
        "along the velocities of the joint. If a matrix is too large for a page, only its nonzero "
        "entries are printed. STATES is a CSV table as for 'tandem id' or 'tandem fd' ('-' is "
        "standard "
        "input); the result has the columns tau:JOINT, \"dtau_y_dy:JOINT,JOINT\", "
        "\"dtau_y_dyd:...\" "
        "and \"H:...\", or qdd:JOINT and \"dydd_dy:...\", \"dydd_dyd:...\" and "
        "\"dydd_dtau_y:...\", "
        "with --tree dtau_dq and so on.\vExamples:\n  tandem derivatives robot.urdf -q elbow=90deg "
        "--qd elbow=1\n  tandem derivatives --of fd robot.urdf --tau elbow=2 --json\n  tandem "
        "derivatives robot.urdf motion.csv -o derivatives.npy\n",
    .parts = {&dynamics_set, &plan_set}};

/* Returns the key of a matrix. Inverse dynamics: tau by y, yd, and H. Forward dynamics: ydd by y,
   yd, tau. --tree: q for y. */
static const char *matrix_key(const coordinates *c, enum quantity effect, size_t k)
{
    static const char *const key[2][2][MATRICES] = {
        {{"dtau_y_dy", "dtau_y_dyd", "H"}, {"dtau_dq", "dtau_dqd", "H"}},
        {{"dydd_dy", "dydd_dyd", "dydd_dtau_y"}, {"dqdd_dq", "dqdd_dqd", "dqdd_dtau"}}};
    return key[effect == QUANTITY_QDD][c->tree][k];
}

static bool declare(outputs *o, const session *s, void *context)
{
    static const char *const meaning[2][2][MATRICES] = {
        {{"∂τ/∂y", "∂τ/∂ẏ", "∂τ/∂ÿ"}, {"∂τ/∂q", "∂τ/∂q̇", "∂τ/∂q̈"}},
        {{"∂ÿ/∂y", "∂ÿ/∂ẏ", "∂ÿ/∂τ"}, {"∂q̈/∂q", "∂q̈/∂q̇", "∂q̈/∂τ"}}};
    const dynamics_options *options = context;
    const coordinates *c = o->c;
    const size_t n = c->size[QUANTITY_QD];
    const bool forward = options->effect == QUANTITY_QDD;
    (void)s;
    outputs_add(o, effect_output(c, options->effect));
    for (size_t k = 0; k < MATRICES; k++) {
        const char *key = matrix_key(c, options->effect, k);
        outputs_add(o, (output){.kind = OUTPUT_MATRIX,
                                .key = key,
                                .prefix = key,
                                .title = meaning[forward][c->tree][k],
                                .row = c->name[QUANTITY_QD],
                                .column = c->name[QUANTITY_QD],
                                .rows = n,
                                .columns = n});
    }
    return true;
}

static td_status compute(const session *s, const coordinates *c, const given_state *x,
                         void *context, double *const *out)
{
    const dynamics_options *options = context;
    const size_t n = c->size[QUANTITY_QD];
    __typeof__(&td_inverse_dynamics_derivatives) call = options->effect == QUANTITY_TAU
                                                            ? td_inverse_dynamics_derivatives
                                                            : td_forward_dynamics_derivatives;
    td_status status = call(s->model, s->workspace, x->q, x->qd, x->third, &x->forces, out[0],
                            out[1], out[2], out[3]);
    status = check_finite(status, out[0], n);
    for (size_t k = 1; k <= MATRICES; k++) {
        status = check_finite(status, out[k], n * n);
    }
    return status;
}

static void add_head(cJSON *root, const session *s, const void *context)
{
    const dynamics_options *options = context;
    (void)s;
    forces_add_json(&options->common, root);
    cJSON_AddItemToObject(root, "of", json_text(options->effect == QUANTITY_TAU ? "id" : "fd"));
}

int command_derivatives(int argc, char **argv)
{
    dynamics_options options = {
        .common = {.takes_states = true}, .cause = QUANTITY_QDD, .effect = QUANTITY_TAU};
    const state_command command = {.set = &options_of_derivatives,
                                   .needs = NEEDS_MATRICES,
                                   .third = &options.cause,
                                   .used = USES_ALL,
                                   .repeats = true,
                                   .wrenches = true,
                                   .head = add_head,
                                   .declare = declare,
                                   .compute = compute};
    return run_state_command(&command, argc, argv, &options);
}
