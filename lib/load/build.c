/* SPDX-License-Identifier: MIT */
/*
 * Builds a model from a builder's records. Runs the steps of load/build.h, and stops when errors
 * make the next step meaningless.
 */
#include <math.h>
#include <stdlib.h>

#include "base/environment.h"
#include "base/sized.h"
#include "load/build.h"

/* Number of character comparisons: more than any robot needs, but they take only a fraction of a
   second. */
static const size_t search_budget = 100000000;

bool td_options_read(const td_load_options *given, td_load_options *ours)
{
    *ours = td_load_options_default();
    return !given || td_sized_read(ours, sizeof *ours, given);
}

/* Runs the steps. Errors within a group of steps are collected; a group runs only if the previous
   ones had no errors. */
static td_status run_steps(td_build *build)
{
    typedef bool (*step)(td_build *);
    enum { MOST_STEPS = 20 };
    static const step groups[][MOST_STEPS] = {
        {td_expand_flexible, td_check_transmissions, td_add_shafts, td_check_names},
        {td_imply_links, td_check_joints, td_check_loops, td_connect_links},
        {td_order_joints},
        {td_find_followers},
        {td_read_start},
        {td_lock_joints},
        {td_check_curve_ranges, td_resolve_mimic, td_report_loops, td_check_springs,
         td_leave_out_loops},
        {td_resolve_couplings, td_number_tree},
        {td_build_tree, td_place_springs, td_choose_kernels, td_settle_followers, td_build_linear,
         td_choose_axes},
        {td_close_loops},
        {td_check_declared},
        {td_number_independent, td_build_velocity, td_finish_loops,    td_balance_loops,
         td_find_motor_limits,  td_fold_limits,    td_place_reference, td_build_pattern,
         td_build_clusters,     td_lay_columns,    td_choose_plan,     td_audit_inertia,
         td_check_magnitudes,   td_find_idle,      td_find_spins,      td_report_idle,
         td_choose_actuation,   td_check_motors,   td_make_charts,     td_ignore_limits},
    };
    size_t before = td_diagnostics_count(build->diagnostics, TD_SEVERITY_ERROR);
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
        for (size_t s = 0; s < MOST_STEPS && groups[g][s]; s++)
            if (!groups[g][s](build))
                return TD_ERROR_MEMORY;
        if (td_build_has_errors(build, before))
            return TD_ERROR_MODEL;
    }
    return TD_OK;
}

/* Reads closure n of the options. All elements of a caller's array have the size of the first
   one. */
static bool read_closure(const td_load_options *options, size_t n, td_closure_function *ours)
{
    const td_closure_function *given = td_sized_at(options->closures, n);
    *ours = (td_closure_function){0};
    return given->size_of == options->closures->size_of && td_sized_read(ours, sizeof *ours, given);
}

/* Replaces options->closures by copies in the library's own struct. */
static bool own_closures(td_arena *arena, td_load_options *options)
{
    td_closure_function *own = TD_ARENA_NEW(arena, td_closure_function, options->closure_count);
    for (size_t n = 0; own && n < options->closure_count; n++)
        read_closure(options, n, &own[n]);
    options->closures = own;
    return own != NULL;
}

/* Copies positions. Returns NULL if memory runs out. */
static td_joint_position *copy_positions(td_arena *arena, const td_joint_position *given,
                                         size_t count)
{
    td_joint_position *copy = td_arena_copy(arena, given, count, sizeof *copy);
    for (size_t n = 0; copy && n < count; n++)
        if (!(copy[n].joint = td_arena_string(arena, copy[n].joint)))
            return NULL;
    return copy;
}

/* Keeps what td_model_write needs, including copies of everything that options points to. */
static td_status keep_given(td_model *model, const td_records *records,
                            const td_load_options *options)
{
    td_arena *arena = &model->given.arena;
    const char **actuated = TD_ARENA_NEW(arena, const char *, options->actuated_count);
    td_joint_position *locked = copy_positions(arena, options->locked, options->locked_count);
    td_joint_position *start = copy_positions(arena, options->start, options->start_count);
    if (!actuated || !locked || !start)
        return TD_ERROR_MEMORY;
    for (size_t n = 0; n < options->actuated_count; n++)
        if (options->actuated[n] && !(actuated[n] = td_arena_string(arena, options->actuated[n])))
            return TD_ERROR_MEMORY;
    model->given_options = *options;
    model->given_options.actuated = actuated;
    model->given_options.locked = locked;
    model->given_options.start = start;
    model->given_options.closures = NULL; /* closure_count still contains their number */
    model->given_options.submechanisms = NULL;
    model->given_options.closing_frames = NULL;
    model->given_options.xacro = NULL;
    model->given_options.xacro_arguments = NULL;
    model->given_options.xacro_argument_count = 0;
    return td_records_copy(&model->given, records);
}

static td_status make_model(const td_builder *builder, td_load_options *options,
                            td_diagnostics *list, const td_model *unlocked, td_model *model)
{
    td_build build = {.model = model,
                      .options = options,
                      .diagnostics = list,
                      .search_budget = search_budget,
                      .incomplete = builder->incomplete,
                      .unlocked = unlocked};
    size_t warnings = td_diagnostics_count(list, TD_SEVERITY_WARNING);
    model->base = options->base;
    td_status status = own_closures(&model->records.arena, options)
                           ? td_records_copy(&model->records, &builder->records)
                           : TD_ERROR_MEMORY;
    if (status == TD_OK)
        status = keep_given(model, &builder->records, options);
    if (status == TD_OK)
        status = run_steps(&build);
    td_arena_free(&build.temporary);
    if (status == TD_ERROR_MODEL && model->closure.offset && !model->single)
        status = TD_ERROR_ISA;
    if (td_diagnostics_failed(list))
        status = TD_ERROR_MEMORY;
    if (status == TD_OK && builder->incomplete)
        status = TD_ERROR_MODEL; /* the errors were reported when the file was read */
    if (status == TD_OK && options->strict &&
        td_diagnostics_count(list, TD_SEVERITY_WARNING) > warnings)
        status = TD_ERROR_MODEL;
    return status;
}

/* Loading compares rounding errors to find ranks and starts, and may divide by zero. So it runs in
   the default floating-point environment, regardless of the caller's rounding mode and traps. */
td_status td_make_model(const td_builder *builder, td_load_options *options, td_diagnostics *list,
                        const td_model *unlocked, td_model *model)
{
    const fenv_t caller = td_environment_begin();
    const td_status status = make_model(builder, options, list, unlocked, model);
    td_environment_end(&caller);
    return status;
}

static bool positions_are_valid(const td_joint_position *given, size_t count)
{
    for (size_t n = 0; n < count; n++)
        if (!given || !given[n].joint || !isfinite(given[n].position))
            return false;
    return true;
}

bool td_xacro_options_are_valid(const td_load_options *options)
{
    bool good =
        options->xacro_timeout >= 0 && (options->xacro_arguments || !options->xacro_argument_count);
    for (size_t n = 0; good && n < options->xacro_argument_count; n++)
        good = options->xacro_arguments[n] != NULL;
    return good;
}

bool td_options_are_valid(const td_load_options *options)
{
    td_closure_function f;
    for (size_t n = 0; n < options->closure_count; n++)
        if (!options->closures || !read_closure(options, n, &f) || !f.solve || !f.dependents ||
            !f.dependent || (!f.independent && f.independents))
            return false;
    if (!positions_are_valid(options->locked, options->locked_count) ||
        !positions_are_valid(options->start, options->start_count))
        return false;
    return isfinite(options->gravity[0]) && isfinite(options->gravity[1]) &&
           isfinite(options->gravity[2]) && (unsigned)options->base <= TD_BASE_FLOATING &&
           (unsigned)options->actuation <= TD_ACTUATION_COMMANDED &&
           (unsigned)options->plan <= TD_PLAN_REDUCED && options->loop_evaluations &&
           (options->actuated || !options->actuated_count) && td_xacro_options_are_valid(options);
}
