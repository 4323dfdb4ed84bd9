/* SPDX-License-Identifier: MIT */
/*
 * tandem info: prints one screen about a robot. Long lists are shortened with a note; --all prints
 * them in full, and --json has everything.
 */
#include "commands/info.h"
#include "input/option_value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "input/combination.h"
#include "input/loops.h"
#include "options.h"
#include "output/paragraph.h"
#include "output/table.h"
#include "run.h"
#include "text.h"

typedef struct info_options {
    tool_options common;
    bool all;
    bool plan;
} info_options;

static void check(command_line *line)
{
    ((tool_options *)line->options)->quiet = !is_verbose();
}

#define AT(member) .at = offsetof(info_options, member)

static const command_option command_rows[] = {
    {"all", NULL, "Print complete lists, however long", option_flag, AT(all), .letter = 'a',
     .group = 2},
    {"plan", NULL, "Print how forward dynamics is computed, and what it costs", option_flag,
     AT(plan), .group = 2},
    {0},
};
const option_set options_of_info = {
    .rows = command_rows,
    .usage = "FILE...",
    .check = check,
    .about =
        "Summarize each robot on one screen: coordinates, mass, mimic joints with chains resolved, "
        "limits including those of followers, faulty inertias, and missing data.",
    .parts = {&model_set, &package_set, &gravity_set, &actuated_set, &plan_set}};

/* ---- sections -------------------------------------------------------------------------------- */

/* Prints the numbers of diagnostics and, if there are warnings, the command that lists them. */
static void print_diagnostics(const session *s)
{
    size_t warnings = td_diagnostics_count(s->diagnostics, TD_SEVERITY_WARNING);
    char *counts =
        severity_counts(td_diagnostics_count(s->diagnostics, TD_SEVERITY_ERROR), warnings,
                        td_diagnostics_count(s->diagnostics, TD_SEVERITY_NOTE));
    const char *file = strcmp(s->file, "<stdin>") == 0 ? "-" : s->file;
    if (warnings > 0) {
        put_fact("diagnostics", "%s ('tandem check %s' lists %s)", counts, file,
                 warnings == 1 ? "it" : "them");
    } else {
        put_paragraph("diagnostics", counts);
    }
    free(counts);
}

static void print_locked(const td_load_options *load)
{
    name_list list = {NULL, 0};
    for (size_t i = 0; i < load->locked_count; i++) {
        scoped char *text = text_format("%s = %s", load->locked[i].joint,
                                        number_clear(load->locked[i].position).text);
        names_add(&list, text);
    }
    names_print(&list, "locked");
}

static void print_overview(const session *s, const td_load_options *load)
{
    const td_model *m = s->model;
    size_t movable = td_movable_count(m);
    bool floating = td_model_base(m) == TD_BASE_FLOATING;
    const double *g = td_gravity(m, NULL);
    double com[3];
    reference_center_of_mass(s, com);
    put_fact("robot", "%s: %s, %s (%zu movable, %zu fixed)",
             *td_model_name(m) != '\0' ? td_model_name(m) : "(no name)",
             counted(td_link_count(m), "link").text, counted(td_joint_count(m), "joint").text,
             movable, td_joint_count(m) - movable);
    put_fact("base", "%s, %s%s%s; gravity %s %s %s m/s²", td_link_at(m, td_root_link(m))->name,
             floating ? "floating (" : "fixed", floating ? td_joint_at(m, 0)->name : "",
             floating ? ")" : "", number_brief(g[0]).text, number_brief(g[1]).text,
             number_brief(g[2]).text);
    print_locked(load);
    put_fact("coordinates", "nq %zu, nv %zu, ny %zu, nyd %zu, nu %zu", td_nq(m), td_nv(m), td_ny(m),
             td_nyd(m), td_nu(m));
    put_fact("mass", "%s kg, moving %s kg", number_brief(td_total_mass(m)).text,
             number_brief(td_moving_mass(m)).text);
    if (td_total_mass(m) > 0) {
        put_fact("COM", "%s %s %s m at %s", number_place(com[0]).text, number_place(com[1]).text,
                 number_place(com[2]).text,
                 reference_is_zero(m) ? "y = 0" : "the reference configuration");
    } else {
        put_paragraph("COM", "none: the robot has no mass");
    }
    put_fact("kernels", "%s, %s", td_isa(m), counted(td_lanes(m), "lane").text);
    print_diagnostics(s);
}

/* Prints the plan of forward dynamics. wanted: the plan of --fd-plan. */
static void print_plan(const td_model *model, td_plan wanted)
{
    td_plan_info plan = td_plan_of(model);
    const char *forced = plan.plan == wanted && plan.reduced_cost > 0 ? " (forced)" : "";
    if (plan.plan == TD_PLAN_REDUCED) {
        put_fact("forward", "%s%s: factors of GᵀHG, %zu × %zu", plan_text(plan.plan), forced,
                 td_nyd(model), td_nyd(model));
    } else {
        put_fact("forward", "%s%s: articulated bodies over clusters", plan_text(plan.plan), forced);
    }
    put_fact("clusters", "%zu, the largest with %s", plan.clusters,
             counted(plan.largest_cluster, "body").text);
    if (plan.cluster_cost > 0 || plan.reduced_cost > 0) {
        put_fact("estimates", "cluster %s, reduced %s instructions",
                 number_brief(plan.cluster_cost).text, number_brief(plan.reduced_cost).text);
        put_fact("in batches", "%s: cluster %s, reduced %s a state", plan_text(plan.batch_plan),
                 number_brief(plan.batch_cluster_cost).text,
                 number_brief(plan.batch_reduced_cost).text);
    }
}

/* Counts joints that are sums of others. Joints of iterated loops are listed with their loops. */
static size_t count_followers(const td_model *model)
{
    size_t count = 0;
    for (size_t i = 0; i < td_movable_count(model); i++) {
        size_t joint = td_movable_joint(model, i);
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
    put_fact("mimic", "%s, chains resolved", counted(count, "follower").text);
    table t = table_new("llrr");
    table_add(&t, "joint");
    table_add(&t, "leader");
    table_add(&t, "multiplier");
    table_add(&t, "offset");
    for (size_t i = 0; i < td_movable_count(model) && (all || shown < FEW); i++) {
        size_t joint = td_movable_joint(model, i);
        td_joint_place place = td_joint_place_at(model, joint);
        if (place.dependent && !solved_by_loops(model, joint)) {
            table_add(&t, "%s", joint_name(model, joint));
            if (place.terms > 1) {
                combination sum = combination_of(model, joint);
                scoped char *text = combination_text(model, &sum);
                table_add(&t, "= %s", text);
                table_add(&t, "%s", "");
                table_add(&t, "%s", "");
                combination_free(&sum);
            } else {
                bool constant = place.leader == TD_NONE;
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

/* Adds a limit and, if another joint determines it, that joint. */
static void add_limit(table *t, const td_model *model, double value, size_t by, size_t joint)
{
    if (!isfinite(value)) {
        table_add(t, "-");
        table_add(t, "%s", "");
    } else {
        table_add(t, "%s", number_brief(value).text);
        table_add(t, "%s", by != TD_NONE && by != joint ? joint_name(model, by) : "");
    }
}

static bool bound_by_follower(td_effective_limit limit, size_t joint)
{
    return (limit.lower_joint != TD_NONE && limit.lower_joint != joint) ||
           (limit.upper_joint != TD_NONE && limit.upper_joint != joint) ||
           (limit.velocity_joint != TD_NONE && limit.velocity_joint != joint) ||
           (limit.effort_joint != TD_NONE && limit.effort_joint != joint);
}

static void print_limits(const td_model *model, bool all)
{
    static const char *const heading[] = {"joint",    "lower", "by",     "upper", "by",
                                          "velocity", "by",    "effort", "by"};
    size_t count = 0;
    size_t shown = 0;
    table t = table_new("lrlrlrlrl");
    for (size_t i = 0; i < t.columns; i++) {
        table_add(&t, "%s", heading[i]);
    }
    /* limits that a follower determines come first, since users do not expect them */
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < td_independent_count(model); i++) {
            size_t joint = td_independent_joint(model, i);
            td_effective_limit limit = td_effective_limit_at(model, joint);
            const td_joint_type type = td_joint_at(model, joint)->type;
            if ((td_joint_place_at(model, joint).nv != 1 && !td_joint_kind_of(type)->bounded) ||
                bound_by_follower(limit, joint) != (pass == 0) ||
                (isinf(limit.lower) && isinf(limit.upper) && isinf(limit.velocity) &&
                 isinf(limit.effort))) {
                continue;
            }
            count++;
            if (all || shown < FEW) {
                table_add(&t, "%s", joint_name(model, joint));
                add_limit(&t, model, limit.lower, limit.lower_joint, joint);
                add_limit(&t, model, limit.upper, limit.upper_joint, joint);
                add_limit(&t, model, limit.velocity, limit.velocity_joint, joint);
                add_limit(&t, model, limit.effort, limit.effort_joint, joint);
                shown++;
            }
        }
    }
    if (count > 0) {
        put_paragraph("limits", "of independent joints, SI units ('by': the follower that binds)");
        table_print(&t, 2);
        put_more(count, shown);
    } else {
        table_free(&t);
    }
}

static int run(const session *s, void *context)
{
    const info_options *options = context;
    if (options->common.json) {
        info_json(s, &options->common.load);
        return EXIT_GOOD;
    }
    print_overview(s, &options->common.load);
    if (options->plan) {
        print_plan(s->model, options->common.load.plan);
    }
    print_actuated(s, options->all);
    print_flexible(s->model, options->all);
    print_mimic(s->model, options->all);
    print_limits(s->model, options->all);
    print_inertia(s, options->all);
    print_missing(s->model, options->all);
    print_closures(s->model, options->all);
    return EXIT_GOOD;
}

int command_info(int argc, char **argv)
{
    info_options options = {.common = {.checks_meshes = true}, .all = false};
    return run_session_needing(NEEDS_WORKSPACE, &options_of_info, argc, argv, &options, run);
}
