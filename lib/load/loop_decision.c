/* SPDX-License-Identifier: MIT */
/*
 * Decides how to solve a group of loops. The group is assembled (loop_assembly.c) and its rank is
 * determined (loop_rank.c). If φ vanishes everywhere for a linear map with small integer factors,
 * as in parallelograms, its dependent joints become linear combinations, like mimic joints. Other
 * groups have a closed form (slider.c, four_bar.c) or are solved by Newton's method
 * (kernel/loops/follow.h). Reports the result, or why the group cannot be closed.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/jacobi.h"
#include "load/loop_decision.h"
#include "load/repair/repair.h"

/* Returns the name of the group's first loop, which represents the group in messages. */
static const char *first_name(const td_loop_analysis *analysis)
{
    return td_loop_name(analysis->model, analysis->group->loop[0].index);
}

/* Writes "joint" or "joint.x": the joint alone if all its coordinates are on one side. */
static void name_slot(const td_loop_analysis *analysis, int slot, char *text, size_t size)
{
    int joint = analysis->joint[slot];
    const td_place *place = &analysis->model->place[joint];
    const td_joint *record = &analysis->model->records.joint.at[joint];
    bool part = !place->dependent && place->dependents;
    snprintf(text, size, "%s%s", record->name,
             part ? td_component_suffix(record->type, TD_QUANTITY_VELOCITY,
                                        (size_t)analysis->component[slot])
                  : "");
}

/* Reports which joints were chosen as independent, if the file does not determine the choice or its
   declarations cannot be met. */
static void report_choice(const td_loop_analysis *analysis)
{
    const td_model *model = analysis->model;
    const td_loop *loop = &model->records.loop.at[analysis->group->loop[0].index];
    /* with locked joints, a lock may be the cause */
    if (analysis->rank == analysis->slots && !analysis->build->locked)
        td_report(analysis->build->diagnostics, TD_CODE_LOOP_LOCKS, loop->source,
                  "check its type, axis and frames, or make the joints fixed",
                  "loop '%s' leaves its joints no freedom", first_name(analysis));
    bool some = false, decided[2] = {true, true}; /* dependent and independent joints */
    for (size_t k = 0; k < analysis->build->found_count; k++)
        if (analysis->build->found_loop[k] == analysis->group->loop[0].index)
            td_report_declared(analysis, analysis->build->found_joint[k], false);
    for (int k = 0; k < analysis->slots; k++) {
        const td_joint *joint = &model->records.joint.at[analysis->joint[analysis->pick[k]]];
        some = some || joint->independent >= 0;
        decided[k >= analysis->rank] = decided[k >= analysis->rank] &&
                                       (joint->independent >= 0 || joint->flexible ||
                                        model->follower[analysis->joint[analysis->pick[k]]] >= 0);
        td_report_declared(analysis, analysis->joint[analysis->pick[k]], k >= analysis->rank);
    }
    if (decided[0] || decided[1])
        return; /* the other side is determined, too */
    char list[200] = "", name[100], last[100] = "";
    int listed = 0;
    for (int k = analysis->rank; k < analysis->slots; k++) {
        size_t used = strlen(list);
        name_slot(analysis, analysis->pick[k], name, sizeof name);
        if (strcmp(name, last) == 0)
            continue;
        snprintf(list + used, sizeof list - used, "%s'%s'", used ? ", " : "", name);
        memcpy(last, name, sizeof last);
        listed++;
    }
    td_report(analysis->build->diagnostics, TD_CODE_LOOP_CHOICE, loop->source,
              some ? "to choose others, write independent=\"true\" or \"false\" on the joints of "
                     "the loop that have neither"
                   : "to choose others, write independent=\"true\" or \"false\" on the joints",
              "in loop '%s', %s %s chosen as independent", first_name(analysis),
              *list ? list : "none", listed == 1 ? "is" : "are");
}

/* Returns whether a loop of the group is half a turn off in the examined configuration. */
static bool is_turned(const td_loop_analysis *analysis, int l)
{
    const td_loop_joint *loop = &analysis->closing.loop[l];
    return loop->turn.aligned != 0 &&
           fabs(analysis->phi[loop->first + loop->rows - 1]) > 0.5 * loop->turn.aligned;
}

/* Reports loops that close only if half a turn off. Newton's method may also have turned a loop
   that closes otherwise. So if the group closes after a single loop is turned, only such loops are
   named; otherwise all turned loops are. */
static void report_turned(td_loop_analysis *analysis)
{
    enum { MOST_TRIED = 8 };
    const td_loop_group *g = &analysis->closing;
    td_model *model = analysis->model;
    char names[200] = "";
    int first = -1, count = 0;
    bool alone[MOST_TRIED] = {false}, enough = false;
    for (int l = 0; g->loops > 1 && g->loops <= MOST_TRIED && l < g->loops; l++) {
        alone[l] = g->loop[l].turn.aligned != 0 && td_analysis_closes_turned(analysis, l);
        enough = enough || alone[l];
    }
    td_analysis_closes_turned(analysis, TD_ALL_LOOPS);
    td_analysis_openness(analysis, analysis->w);
    for (int l = 0; l < g->loops; l++) {
        const size_t used = strlen(names);
        if (enough ? !alone[l] : !is_turned(analysis, l))
            continue;
        first = first < 0 ? g->loop[l].index : first;
        snprintf(names + used, sizeof names - used, "%s'%s'", used ? ", " : "",
                 td_loop_name(model, g->loop[l].index));
        count++;
    }
    first = first < 0 ? g->loop[0].index : first;
    td_report(
        analysis->build->diagnostics, TD_CODE_LOOP_ASSEMBLY, model->records.loop.at[first].source,
        "rotate the frame of its predecessor or successor by half a turn, if that is intended",
        count > 1 && enough ? "loops %s cannot be closed together: the frames of one of them match "
                              "only when rotated by half a turn"
        : count > 1
            ? "loops %s cannot be closed: their frames match only when rotated by half a turn"
            : "loop %s cannot be closed: its frames match only when rotated by half a turn",
        names);
}

/* Returns the largest sine of an angle between the frames of a loop, at w. *loop: index in the
   group. */
static double find_angle(td_loop_analysis *analysis, int *loop)
{
    const td_loop_group *g = &analysis->closing;
    double largest = 0;
    *loop = 0;
    td_analysis_openness(analysis, analysis->w);
    for (int l = 0; l < g->loops; l++)
        for (int i = 0; i < analysis->group->loop[l].rows; i++) {
            const int row = g->loop[l].first + i;
            if (g->row[row].kind != TD_ROW_DOT || !(fabs(analysis->phi[row]) > largest))
                continue;
            largest = fabs(analysis->phi[row]);
            *loop = l;
        }
    return largest;
}

/* Reports a group that cannot be closed: an error, or a warning if mimic joints keep it open. */
static void report_open(td_loop_analysis *analysis, double residual)
{
    td_model *model = analysis->model;
    const td_loop *loop = &model->records.loop.at[analysis->group->loop[0].index];
    /* sine of an angle: rounded numbers in a file cannot cause larger ones */
    static const double most_angle = 0.5;
    if (td_analysis_closes_turned(analysis, TD_ALL_LOOPS)) {
        report_turned(analysis);
        return;
    }
    int apart;
    const double angle = find_angle(analysis, &apart);
    if (angle > most_angle) {
        const int index = analysis->group->loop[apart].index;
        td_report(analysis->build->diagnostics, TD_CODE_LOOP_ASSEMBLY,
                  model->records.loop.at[index].source,
                  "rotate the frame of its predecessor or successor, if that is intended",
                  "loop '%s' cannot be closed: its frames stay at least %.3g degrees apart",
                  td_loop_name(model, index), 180 / M_PI * asin(fmin(angle, 1)));
        return;
    }
    if (analysis->group->curves) {
        td_report(analysis->build->diagnostics, TD_CODE_LOOP_ASSEMBLY, loop->source,
                  "check the curves, the frames of the loop and the lengths of its links",
                  "loop '%s' cannot be closed while joint '%s' follows others by curves: the "
                  "smallest gap found is %.3g of its size",
                  first_name(analysis),
                  model->records.joint.at[analysis->group->curves->joint[0]].name, residual);
        return;
    }
    for (int n = 0; n < analysis->group->columns; n++) {
        const td_csr *rate = &model->closure.rate;
        int row = analysis->group->column[n].velocity;
        if (rate->row[row + 1] == rate->row[row] + 1 && rate->value[rate->row[row]] == 1 &&
            rate->column[rate->row[row]] >= 0)
            continue;
        for (size_t j = 0; j < model->movable_count; j++) {
            int i = model->movable[j];
            if (model->place[i].qd != row || !model->place[i].dependent)
                continue;
            td_report(analysis->build->diagnostics, TD_CODE_LOOP_CONTRADICTS, loop->source,
                      "correct the loop's frames, or the multiplier and offset of the joint",
                      "loop '%s' contradicts joint '%s', which follows another joint: the loop "
                      "stays open by %.3g of its size",
                      first_name(analysis), model->records.joint.at[i].name, residual);
            td_set_loop_form(analysis, TD_LOOP_FORM_OPEN);
            return;
        }
    }
    td_report(analysis->build->diagnostics, TD_CODE_LOOP_ASSEMBLY, loop->source,
              "check the frames of the loop and the lengths of its links",
              "loop '%s' cannot be closed: the smallest gap found is %.3g of its size",
              first_name(analysis), residual);
}

/* Computes the singular values of the dependent columns. */
static void rate_columns(td_loop_analysis *analysis, td_loop_cluster *c)
{
    size_t m = (size_t)analysis->group->rows;
    td_analysis_examine(analysis, analysis->w);
    for (int k = 0; k < analysis->rank; k++)
        memcpy(analysis->copy + (size_t)k * m, analysis->J + (size_t)analysis->pick[k] * m,
               m * sizeof(double));
    *c = (td_loop_cluster){.loops = (size_t)analysis->group->loops,
                           .rows = m,
                           .rank = (size_t)analysis->rank,
                           .independent = (size_t)(analysis->slots - analysis->rank)};
    td_singular_values((int)m, analysis->rank, analysis->copy, &c->smallest, &c->largest);
}

/* Marks a group that needs no solving: φ = 0. */
static void settle(td_loop_analysis *analysis, td_loop_form form)
{
    td_set_loop_form(analysis, form);
    td_model *model = analysis->model;
    const td_loop *loop = &model->records.loop.at[analysis->group->loop[0].index];
    if (form == TD_LOOP_FORM_IMPLIED)
        td_report(analysis->build->diagnostics, TD_CODE_LOOP_IMPLIED, loop->source,
                  "no action is needed; the loop is kept for its forces",
                  "loop '%s' is already closed by joints that follow others", first_name(analysis));
}

/* Returns the residual of the loops with all coordinates at zero. */
static double gap_at_zero(td_loop_analysis *analysis)
{
    double *w = analysis->trial;
    memcpy(w, analysis->w, analysis->nw * sizeof *w);
    for (int s = 0; s < analysis->slots; s++) {
        double *x = td_analysis_coordinate(analysis, w, s);
        *x = 0;
        if (td_analysis_has_quaternion(analysis, s)) {
            td_joint_neutral(td_analysis_row(analysis, s), x);
            s += td_analysis_row(analysis, s)->kind.nv - 1;
        }
    }
    return td_analysis_openness(analysis, w);
}

static void report_touching(const td_loop_analysis *analysis)
{
    const td_model *model = analysis->model;
    const int loop = analysis->group->loop[0].index;
    td_report(analysis->build->diagnostics, TD_CODE_LOOP_RANK, model->records.loop.at[loop].source,
              "choose a zero configuration in which the loops can move, or free the direction that "
              "they block",
              "loop '%s' is closed, but tandem cannot determine its dependent joints: some "
              "constraints have no gradient here, yet the loop opens when the joints move",
              first_name(analysis));
}

/* Closes the group at the drawn configuration, or at the closing selected among others. Returns the
   residual, −1 if memory runs out. */
static double close_group(td_loop_analysis *analysis)
{
    td_assembly_try used;
    double residual = td_analysis_assemble(analysis, &used);
    const bool open = !(residual >= 0 && residual <= TD_ASSEMBLED);
    if (!open && !analysis->build->start_is_closed && !td_choose_closing(analysis, used))
        residual = -1;
    analysis->straight = false;
    return residual;
}

bool td_decide_group(td_loop_analysis *analysis, bool *solved)
{
    td_model *model = analysis->model;
    td_closure_map *closure = &model->closure;
    *solved = false;
    td_sort_columns(analysis);
    const double residual = close_group(analysis);
    if (residual < 0)
        return false;
    bool corrected;
    if (!td_correct_rounding(analysis, residual, &corrected))
        return false;
    if (corrected) {
        analysis->build->corrected = true;
        return true;
    }
    td_report_rounding(analysis->build, analysis->group->loop[0].index);
    if (!(residual <= TD_ASSEMBLED)) {
        report_open(analysis, residual);
        return true;
    }
    td_keep_positions(analysis, analysis->build->assembled);
    if (!td_analysis_leave_singularity(analysis) || !td_report_limits(analysis))
        return false;
    if (td_analysis_is_linear(analysis, analysis->w)) { /* only groups without followers */
        settle(analysis, analysis->rank ? TD_LOOP_FORM_LINEAR : TD_LOOP_FORM_IMPLIED);
        if (analysis->rank)
            report_choice(analysis);
        return td_keep_linear(analysis);
    }
    bool touches;
    if (!td_analysis_only_touches(analysis, &touches))
        return false;
    if (touches || analysis->rank == 0) {
        report_touching(analysis);
        return true;
    }
    const td_loop *loop = &model->records.loop.at[analysis->group->loop[0].index];
    const double gap = gap_at_zero(analysis);
    if (gap > TD_ROUNDED_RESIDUAL) /* smaller gaps may come from rounded numbers in the file */
        td_report(analysis->build->diagnostics, TD_CODE_LOOP_START, loop->source,
                  "close the loops in the zero configuration if another branch is intended",
                  "loop '%s' is open by %.3g of its size of %.3g m where all joints are zero; the "
                  "robot starts where the loop closes",
                  first_name(analysis), gap, analysis->size);
    rate_columns(analysis, &closure->loop_cluster[closure->loops.solved]);
    td_set_loop_form(analysis, TD_LOOP_FORM_ITERATED);
    *solved = true;
    if (!td_keep_iterated(analysis, (int)closure->loops.solved))
        return false;
    report_choice(analysis);
    if (!analysis->group->curves && (td_find_slider(analysis) || td_find_four_bar(analysis)))
        td_set_loop_form(analysis, TD_LOOP_FORM_CLOSED_FORM);
    return true;
}
