/* SPDX-License-Identifier: MIT */
/*
 * tandem info: one screen about a robot. Lists are cut to fit one, and say so; --all lifts that,
 * and --json has everything.
 */
#include "info.h"

#include <math.h>
#include <stdlib.h>

#include "combination.h"
#include "command.h"
#include "loops.h"
#include "options.h"
#include "session.h"
#include "table.h"
#include "text.h"

typedef struct info_options {
    tool_options common;
    bool all;
    bool plan;
} info_options;

enum { KEY_PLAN = 0x200 };

static error_t parse(int key, char *arg, struct argp_state *state)
{
    info_options *options = state->input;
    (void)arg;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->common;
        break;
    case 'a':
        options->all = true;
        break;
    case KEY_PLAN:
        options->plan = true;
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_option argp_options[] = {
    {"all", 'a', NULL, 0, "Whole lists, however long", 2},
    {"plan", KEY_PLAN, NULL, 0, "How forward dynamics is computed, and what it costs", 2},
    {0},
};
static const struct argp_child children[] = {{&model_argp, 0, NULL, 0}, {0}};
const struct argp info_argp = {
    argp_options,
    parse,
    "FILE",
    "One screen about a robot: coordinates, mass, mimic joints with chains resolved, limits as the "
    "followers leave them, what is wrong with inertias, and what is missing.",
    children,
    NULL,
    NULL};

/* ---- sections -------------------------------------------------------------------------------- */

static void print_overview(const session *s)
{
    const td_model *m = s->model;
    size_t movable = td_movable_count(m);
    const double *g = td_gravity(m);
    double com[3];
    neutral_center_of_mass(s, com);
    char *counts = severity_counts(td_diagnostics_count(s->diagnostics, TD_SEVERITY_ERROR),
                                   td_diagnostics_count(s->diagnostics, TD_SEVERITY_WARNING),
                                   td_diagnostics_count(s->diagnostics, TD_SEVERITY_NOTE));
    put_label("robot");
    put_clean(stdout, *td_model_name(m) != '\0' ? td_model_name(m) : "(no name)");
    printf(": %zu links, %zu joints (%zu movable, %zu fixed)\n", td_link_count(m),
           td_joint_count(m), movable, td_joint_count(m) - movable);
    put_label("base");
    put_clean(stdout, td_link_at(m, td_root_link(m))->name);
    if (td_model_base(m) == TD_BASE_FLOATING) {
        printf(", floating (%s)", td_joint_at(m, 0)->name);
    } else {
        fputs(", fixed", stdout);
    }
    printf("; gravity %s %s %s m/s²\n", number_brief(g[0]).text, number_brief(g[1]).text,
           number_brief(g[2]).text);
    put_label("coordinates");
    printf("nq %zu, nv %zu, ny %zu, nyd %zu, nu %zu\n", td_nq(m), td_nv(m), td_ny(m), td_nyd(m),
           td_nu(m));
    put_label("mass");
    printf("%s kg, moving %s kg\n", number_brief(td_total_mass(m)).text,
           number_brief(td_moving_mass(m)).text);
    put_label("COM");
    printf("%s %s %s m at %s\n", number_place(com[0]).text, number_place(com[1]).text,
           number_place(com[2]).text,
           has_solved_loops(m) ? "the reference configuration" : "y = 0");
    put_label("kernels");
    printf("%s, %zu lane%s\n", td_isa(m), td_lanes(m), td_lanes(m) == 1 ? "" : "s");
    put_label("diagnostics");
    printf("%s\n", counts);
    free(counts);
}

/* wanted: by --forward; where no joint depends on others, there is only one way. */
static void print_plan(const td_model *model, td_plan wanted)
{
    td_plan_info plan = td_plan_of(model);
    bool forced = plan.plan == wanted && plan.reduced_cost > 0;
    put_label("forward");
    printf("%s%s: ", plan_text(plan.plan), forced ? " (forced)" : "");
    if (plan.plan == TD_PLAN_REDUCED) {
        printf("factors of GᵀHG, %zu × %zu\n", td_nyd(model), td_nyd(model));
    } else {
        puts("articulated bodies over clusters");
    }
    put_label("clusters");
    printf("%zu, the largest of %zu bod%s\n", plan.clusters, plan.largest_cluster,
           plan.largest_cluster == 1 ? "y" : "ies");
    if (plan.cluster_cost > 0 || plan.reduced_cost > 0) {
        put_label("estimates");
        printf("cluster %s, reduced %s instructions\n", number_brief(plan.cluster_cost).text,
               number_brief(plan.reduced_cost).text);
        put_label("in batches");
        printf("%s: cluster %s, reduced %s a state\n", plan_text(plan.batch_plan),
               number_brief(plan.batch_cluster_cost).text,
               number_brief(plan.batch_reduced_cost).text);
    }
}

/* Joints that are sums of others; those of iterated loops are listed with these. */
static size_t count_followers(const td_model *model)
{
    size_t count = 0;
    for (size_t i = 0; i < td_movable_count(model); i++) {
        size_t joint = (size_t)td_movable_joint(model, i);
        count += td_joint_place_at(model, joint).dependent && !solved_by_loops(model, joint);
    }
    return count;
}

static void print_mimic(const td_model *model, bool all)
{
    size_t count = count_followers(model);
    size_t shown = 0;
    if (count == 0) {
        return;
    }
    put_label("mimic");
    printf("%zu follower%s, chains resolved\n", count, count == 1 ? "" : "s");
    table t = table_new("llrr");
    table_add(&t, "joint");
    table_add(&t, "leader");
    table_add(&t, "multiplier");
    table_add(&t, "offset");
    for (size_t i = 0; i < td_movable_count(model) && (all || shown < FEW); i++) {
        int joint = td_movable_joint(model, i);
        td_joint_place place = td_joint_place_at(model, (size_t)joint);
        if (place.dependent && !solved_by_loops(model, (size_t)joint)) {
            table_add(&t, "%s", joint_name(model, joint));
            if (place.terms > 1) {
                combination sum = combination_of(model, (size_t)joint);
                char *text = combination_text(model, &sum);
                table_add(&t, "= %s", text);
                table_add(&t, "%s", "");
                table_add(&t, "%s", "");
                free(text);
                combination_free(&sum);
            } else {
                bool constant = place.leader < 0;
                table_add(&t, "%s", constant ? "(constant)" : joint_name(model, place.leader));
                table_add(&t, "%s", number_clear(place.multiplier).text);
                table_add(&t, "%s", number_clear(place.offset).text);
            }
            shown++;
        }
    }
    table_print(&t, 2);
    put_more(count, shown);
}

/* A limit and, where it is another joint's, whose. */
static void add_limit(table *t, const td_model *model, double value, int by, int joint)
{
    if (!isfinite(value)) {
        table_add(t, "-");
        table_add(t, "%s", "");
    } else {
        table_add(t, "%s", number_brief(value).text);
        table_add(t, "%s", by >= 0 && by != joint ? joint_name(model, by) : "");
    }
}

static bool bound_by_follower(td_effective_limit limit, int joint)
{
    return (limit.lower_joint >= 0 && limit.lower_joint != joint) ||
           (limit.upper_joint >= 0 && limit.upper_joint != joint) ||
           (limit.velocity_joint >= 0 && limit.velocity_joint != joint);
}

static void print_limits(const td_model *model, bool all)
{
    static const char *const heading[] = {"joint", "lower", "by", "upper", "by", "velocity", "by"};
    size_t count = 0;
    size_t shown = 0;
    table t = table_new("lrlrlrl");
    for (size_t i = 0; i < t.columns; i++) {
        table_add(&t, "%s", heading[i]);
    }
    /* those that a follower binds come first: they are the surprising ones */
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < td_independent_count(model); i++) {
            int joint = td_independent_joint(model, i);
            td_effective_limit limit = td_effective_limit_at(model, (size_t)joint);
            if (td_joint_place_at(model, (size_t)joint).nv != 1 ||
                bound_by_follower(limit, joint) != (pass == 0) ||
                (isinf(limit.lower) && isinf(limit.upper) && isinf(limit.velocity))) {
                continue;
            }
            count++;
            if (all || shown < FEW) {
                table_add(&t, "%s", joint_name(model, joint));
                add_limit(&t, model, limit.lower, limit.lower_joint, joint);
                add_limit(&t, model, limit.upper, limit.upper_joint, joint);
                add_limit(&t, model, limit.velocity, limit.velocity_joint, joint);
                shown++;
            }
        }
    }
    if (count > 0) {
        put_label("limits");
        puts("of independent joints, rad and m ('by': the follower that binds)");
        table_print(&t, 2);
        put_more(count, shown);
    } else {
        table_free(&t);
    }
}

int command_info(int argc, char **argv)
{
    info_options options = {.all = false};
    session s;
    parse_arguments(&info_argp, argc, argv, &options, &options.common);
    int code = session_open(&s, &options.common, !options.common.notes);
    if (code == EXIT_GOOD) {
        if (options.common.json) {
            info_json(&s);
        } else {
            print_overview(&s);
            if (options.plan) {
                print_plan(s.model, options.common.load.plan);
            }
            print_actuated(s.model, options.all);
            print_mimic(s.model, options.all);
            print_limits(s.model, options.all);
            print_inertia(s.model, options.all);
            print_missing(s.model, options.all);
            print_closures(s.model, options.all);
        }
        session_close(&s);
    }
    options_free(&options.common);
    return code;
}
