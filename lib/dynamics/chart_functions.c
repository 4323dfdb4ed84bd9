/* SPDX-License-Identifier: MIT */
/*
 * Public functions of charts: selecting the coordinates that a workspace uses.
 */
#include "tandem/chart.h"

#include <math.h>
#include <string.h>

#include "dynamics/call.h"
#include "dynamics/workspace.h"

/* ---- a configuration ------------------------------------------------------------------------- */

/* Reads the configuration q into w of the scratch. Returns TD_OK if it is valid. */
static td_status take(const td_model *model, td_workspace *workspace, const double *q)
{
    td_status status = td_check_pair(model, workspace);
    if (status != TD_OK)
        return status;
    if (!q && model->tree.nq)
        return td_refuse(workspace, "q");
    status = td_check_positions(model, TD_COORDINATES_TREE, q);
    if (status == TD_OK && model->closure.loops.solved) {
        td_coordinates_w(model, q, workspace->single.w);
    }
    return status;
}

/* Computes J of all groups at w, in the slots of a closure. Returns the status of the loops. */
static td_status look(td_workspace *workspace, const td_closure_map *closure)
{
    const td_model *model = workspace->model;
    const double *outcome = workspace->single.outcome;
    model->single->tangent(&model->tree, closure, &workspace->single);
    workspace->failure.loop = (int)outcome[TD_OUTCOME_LOOP];
    workspace->failure.residual = outcome[TD_OUTCOME_RESIDUAL];
    workspace->failure.reached = 1;
    return td_outcome_status(outcome);
}

/* Switches the workspace to u (`chart`) or y, and makes γ start at w. */
static void begin(td_workspace *workspace, bool chart)
{
    td_workspace_speak(workspace, chart);
    const size_t bytes = workspace->model->closure.nw * sizeof(double);
    memcpy(workspace->anchor, workspace->single.w, bytes);
    memcpy(workspace->last, workspace->single.w, bytes);
}

/* ---- the choice ------------------------------------------------------------------------------ */

/* Makes the chart y, until give_back restores its order. */
static void choose_y(td_workspace *workspace)
{
    td_chart *chart = &workspace->chart;
    memcpy(chart->kept, chart->order, chart->slots * sizeof *chart->order);
    if (td_chart_is_y(chart))
        return;
    td_chart_choose_y(chart, workspace->model);
    td_chart_finish(chart, workspace->model);
}

static void give_back(td_workspace *workspace)
{
    td_chart *chart = &workspace->chart;
    const size_t bytes = chart->slots * sizeof *chart->order;
    if (memcmp(chart->order, chart->kept, bytes) == 0)
        return;
    memcpy(chart->order, chart->kept, bytes);
    td_chart_finish(chart, workspace->model);
}

static td_status choose(const td_model *model, td_workspace *workspace, const unsigned char *keep)
{
    td_chart *chart = &workspace->chart;
    td_status status = look(workspace, &chart->closure);
    if (status == TD_ERROR_ASSEMBLY)
        return status;
    const int lost = td_chart_improve(chart, model, &workspace->single, keep);
    if (lost < 0) {
        td_chart_finish(chart, model);
        return look(workspace, &chart->closure);
    }
    workspace->failure.loop = chart->closure.loops.group[lost].loop[0].index;
    return TD_ERROR_CLOSURE_SINGULAR;
}

td_status td_chart_choose(const td_model *model, td_workspace *workspace, const double *q,
                          const unsigned char *keep, bool *changed)
{
    td_status status = take(model, workspace, q);
    if (status == TD_OK && !changed)
        return td_refuse(workspace, "changed");
    if (changed)
        *changed = false;
    if (status != TD_OK || !model->charts.any)
        return status;
    td_chart *chart = &workspace->chart;
    const size_t bytes = chart->slots * sizeof *chart->order;
    const bool was_used = td_chart_is_used(workspace);
    memcpy(chart->kept, chart->order, bytes);
    if (!was_used)
        choose_y(workspace);
    status = choose(model, workspace, keep);
    if (status != TD_OK) {
        give_back(workspace);
        return status;
    }
    const bool is_y = td_chart_is_y(chart);
    *changed = was_used ? memcmp(chart->order, chart->kept, bytes) != 0 : !is_y;
    if (was_used || !is_y)
        begin(workspace, !is_y);
    return TD_OK;
}

static td_status find_speeds(td_workspace *workspace, const unsigned char *keep, double both[2])
{
    td_chart *chart = &workspace->chart;
    const bool used = td_chart_is_used(workspace);
    if (!used)
        choose_y(workspace);
    td_status status = look(workspace, &chart->closure);
    if (status != TD_ERROR_ASSEMBLY) {
        status = TD_OK;
        both[1] = td_chart_speed(chart, workspace->model, &workspace->single, keep, true);
        both[0] = used ? td_chart_speed(chart, workspace->model, &workspace->single, keep, false)
                       : both[1];
    }
    if (!used)
        give_back(workspace);
    return status;
}

td_status td_chart_speeds(const td_model *model, td_workspace *workspace, const double *q,
                          const unsigned char *keep, double *of_u, double *of_y)
{
    td_status status = take(model, workspace, q);
    double both[2] = {0, 0};
    if (status == TD_ERROR_ARGUMENT)
        return status;
    if (status == TD_OK && model->charts.any)
        status = find_speeds(workspace, keep, both);
    if (of_u)
        *of_u = status == TD_OK ? both[0] : NAN;
    if (of_y)
        *of_y = status == TD_OK ? both[1] : NAN;
    return status;
}

td_status td_chart_leave(const td_model *model, td_workspace *workspace, const double *q)
{
    td_status status = take(model, workspace, q);
    if (status != TD_OK || !td_chart_is_used(workspace))
        return status;
    status = look(workspace, &model->closure);
    if (status == TD_OK)
        begin(workspace, false);
    return status;
}

/* ---- use of the chart ------------------------------------------------------------------------ */

bool td_chart_use(td_workspace *workspace, bool used)
{
    const bool before = td_chart_is_used(workspace);
    if (workspace && used != before)
        td_workspace_speak(workspace, used && workspace->model->charts.any &&
                                          !td_chart_is_y(&workspace->chart));
    return before;
}

size_t td_chart_positions(const td_model *model)
{
    return model ? td_widest_closure(model)->ny : 0;
}

td_status td_chart_entries(const td_model *model, td_workspace *workspace, size_t *positions,
                           size_t *velocities)
{
    td_status status = td_check_pair(model, workspace);
    if (status != TD_OK)
        return status;
    for (size_t i = 0; positions && i < workspace->eval.closure->ny; i++)
        positions[i] = (size_t)workspace->eval.closure->q_of_y[i];
    for (size_t i = 0; velocities && i < model->closure.nyd; i++)
        velocities[i] = (size_t)workspace->eval.closure->qd_of_yd[i];
    return TD_OK;
}
