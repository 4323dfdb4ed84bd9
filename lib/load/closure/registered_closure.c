/* SPDX-License-Identifier: MIT */
/*
 * Handles user-supplied closures at load time. Finds their joints, checks their derivatives by
 * finite differences, and makes each closure a group that is solved by a call.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "load/closure/loop_analysis.h"
#include "model/joint_kind.h"

const char *td_function_name(const td_closure_function *f)
{
    return f->name ? f->name : "";
}

static bool refuse(td_build *build, const td_closure_function *f, const char *joint,
                   const char *remedy, const char *what)
{
    td_report(build->diagnostics, TD_CODE_CLOSURE_FUNCTION, TD_NOWHERE, remedy,
              "closure '%s' of the options, joint '%s': %s", td_function_name(f),
              joint ? joint : "", what);
    return false;
}

/* Returns the joint with this name. Returns −1 and reports why if a closure cannot use it. */
static int find_joint(td_build *build, const td_closure_function *f, const char *name)
{
    td_model *model = build->model;
    int i = td_names_find(&model->joint_names, name);
    if (i < 0) {
        char text[TD_SUGGESTION];
        refuse(build, f, name,
               td_suggest(build, &model->joint_names, name, NULL, "name an existing joint", text),
               "the joint does not exist");
    } else if (!td_joint_is_scalar(model->records.joint.at[i].type)) {
        refuse(build, f, name, "name joints with one coordinate",
               "the joint does not have exactly one coordinate");
        i = -1;
    } else if (model->closure.w[i] < 0 || model->follower[i] >= 0) {
        refuse(build, f, name, "remove its <mimic>, curves or coupling, or name its leader",
               "the joint already follows others");
        i = -1;
    }
    return i;
}

/* Finds the joints of a closure. owner[joint]: the closure that decides it, or −1. Stores joints in
   g->coordinate, as loops do until w is renumbered. */
static bool find_joints(td_build *build, int index, td_loop_group *g, int *owner)
{
    const td_closure_function *f = &build->options->closures[index];
    bool good = true;
    for (int k = 0; k < g->dependents + g->independents; k++) {
        bool dependent = k < g->dependents;
        const char *name = dependent ? f->dependent[k] : f->independent[k - g->dependents];
        int joint = find_joint(build, f, name);
        for (int l = 0; joint >= 0 && l < k; l++)
            if (g->coordinate[l] == joint) {
                refuse(build, f, name, "name every joint once", "the joint is named twice");
                joint = -1;
            }
        if (joint >= 0 && dependent && owner[joint] >= 0) {
            refuse(build, f, name, "name it as dependent in only one closure",
                   "another closure already determines it");
            joint = -1;
        }
        good = good && joint >= 0;
        g->coordinate[k] = joint;
        g->velocity[k] = 0;
        g->unit[k] = 1;
    }
    for (int k = 0; good && k < g->dependents; k++)
        owner[g->coordinate[k]] = index;
    return good;
}

/* ---- values ---------------------------------------------------------------------------------- */

typedef struct sample {
    double *y, *yd, *ydd, *f, *x, *G, *G_rate, *x_there, *G_there;
    double *velocity_y, *acceleration_y, *force_y; /* as in td_closure_function.derivatives */
} sample;

static bool sample_new(td_arena *arena, size_t x, size_t y, sample *s)
{
    double **parts[] = {&s->y,
                        &s->yd,
                        &s->ydd,
                        &s->f,
                        &s->x,
                        &s->G,
                        &s->G_rate,
                        &s->x_there,
                        &s->G_there,
                        &s->velocity_y,
                        &s->acceleration_y,
                        &s->force_y};
    size_t sizes[] = {y, y, y, x, x, x * y, x * y, x, x * y, x * y, x * y, y * y};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        *parts[k] = TD_ARENA_NEW(arena, double, sizes[k]);
        if (!*parts[k])
            return false;
    }
    return true;
}

/* Returns the larger of worst and the relative error of a slope against its difference quotient. */
static double worse(double worst, double slope, double quotient)
{
    double error = fabs(slope - quotient) / fmax(1, fmax(fabs(slope), fabs(quotient)));
    return error <= worst ? worst : error; /* keeps a NaN */
}

/* Returns the largest error of G and Ġ against central differences, along every coordinate and
   along ẏ. */
static double mistake(const td_closure_function *f, sample *s)
{
    const double h = 1e-6;
    size_t x = f->dependents, y = f->independents;
    double worst = 0;
    if (f->solve(f->context, s->y, s->yd, s->x, s->G, s->G_rate))
        return 0;                     /* no solution here: nothing to check */
    for (size_t k = 0; k <= y; k++) { /* the last pass goes along ẏ */
        double *ends[2][2] = {{s->x_there, s->G_there}, {s->x_there + x, s->G_there + x * y}};
        int bad = 0;
        for (int side = 0; side < 2; side++) {
            double step = side ? h : -h;
            for (size_t l = 0; l < y; l++)
                s->y[l] += step * (k == y ? s->yd[l] : k == l);
            bad |= f->solve(f->context, s->y, NULL, ends[side][0], ends[side][1], NULL);
            for (size_t l = 0; l < y; l++)
                s->y[l] -= step * (k == y ? s->yd[l] : k == l);
        }
        for (size_t i = 0; !bad && i < x; i++) {
            double slope = (ends[1][0][i] - ends[0][0][i]) / (2 * h);
            if (k < y)
                worst = worse(worst, s->G[i * y + k], slope);
            for (size_t l = 0; k == y && l < y; l++)
                worst = worse(worst, s->G_rate[i * y + l],
                              (ends[1][1][i * y + l] - ends[0][1][i * y + l]) / (2 * h));
        }
    }
    return worst;
}

/* Adds factor times the contributions of G and Ġ at a displaced position to ẋ, ẍ and Wᵀ f. */
static void add_side(const td_closure_function *f, const sample *s, double factor, double *velocity,
                     double *acceleration, double *force)
{
    const size_t x = f->dependents, y = f->independents;
    for (size_t i = 0; i < x; i++)
        for (size_t l = 0; l < y; l++) {
            const double G = factor * s->G[i * y + l], G_rate = factor * s->G_rate[i * y + l];
            velocity[i] += G * s->yd[l];
            acceleration[i] += G * s->ydd[l] + G_rate * s->yd[l];
            force[l] += G * s->f[i];
        }
}

/* Returns the largest error of the derivatives along every coordinate, against central differences
   of ẋ, ẍ and Wᵀ f. */
static double mistake_of_derivatives(const td_closure_function *f, sample *s)
{
    const double h = 1e-6;
    const size_t x = f->dependents, y = f->independents;
    double worst = 0;
    if (f->derivatives(f->context, s->y, s->yd, s->ydd, s->f, s->velocity_y, s->acceleration_y,
                       s->force_y))
        return 0;
    for (size_t k = 0; k < y; k++) {
        double *velocity = s->x_there, *acceleration = s->x_there + x, *force = s->G_there;
        memset(s->x_there, 0, 2 * x * sizeof *velocity);
        memset(force, 0, y * sizeof *force);
        const double here = s->y[k];
        int bad = 0;
        for (int side = -1; side <= 1; side += 2) {
            s->y[k] = here + side * h;
            bad |= f->solve(f->context, s->y, s->yd, s->x, s->G, s->G_rate);
            add_side(f, s, side / (2 * h), velocity, acceleration, force);
        }
        s->y[k] = here;
        for (size_t i = 0; !bad && i < x; i++) {
            worst = worse(worst, s->velocity_y[i * y + k], velocity[i]);
            worst = worse(worst, s->acceleration_y[i * y + k], acceleration[i]);
        }
        for (size_t l = 0; !bad && l < y; l++)
            worst = worse(worst, s->force_y[l * y + k], force[l]);
    }
    return worst;
}

static void fill_randomly(size_t n, unsigned *seed, double *x)
{
    for (size_t k = 0; k < n; k++)
        x[k] = 0.1 * td_analysis_random(seed);
}

static bool check_values(td_build *build, const td_closure_function *f, td_loop_group *g,
                         double *of_joint)
{
    size_t x = f->dependents, y = f->independents;
    sample s;
    td_arena_scope(&build->temporary);
    if (!sample_new(&build->temporary, 2 * x, y, &s))
        return false;
    if (f->solve(f->context, s.y, NULL, s.x, s.G, NULL)) {
        td_report(build->diagnostics, TD_CODE_CLOSURE_VALUE, TD_NOWHERE,
                  "define the closure at zero, or rotate the joint frames so that zero is a valid "
                  "configuration",
                  "closure '%s' has no value where its independent joints are zero",
                  td_function_name(f));
        return true;
    }
    for (size_t i = 0; i < x; i++)
        of_joint[TD_MOST_POSITIONS * g->coordinate[i]] = s.x[i];
    unsigned seed = 7;
    for (int n = 0; n < 8; n++) {
        fill_randomly(y, &seed, s.y);
        fill_randomly(y, &seed, s.yd);
        double error = mistake(f, &s);
        if (!(error <= 1e-4)) {
            td_report(build->diagnostics, TD_CODE_CLOSURE_VALUE, TD_NOWHERE,
                      "correct G or G_rate of the closure",
                      "closure '%s': G is not the derivative of x, or G_rate is not the derivative "
                      "of G (relative error %.2g)",
                      td_function_name(f), error);
            break;
        }
        if (!f->derivatives)
            continue;
        fill_randomly(y, &seed, s.ydd);
        fill_randomly(x, &seed, s.f);
        error = mistake_of_derivatives(f, &s);
        if (!(error <= 1e-4)) {
            td_report(build->diagnostics, TD_CODE_CLOSURE_VALUE, TD_NOWHERE,
                      "correct the derivatives of the closure, or omit them",
                      "closure '%s': its derivatives do not match its G (relative error %.2g)",
                      td_function_name(f), error);
            break;
        }
    }
    return true;
}

/* ---- groups ---------------------------------------------------------------------------------- */

static bool make_group(td_build *build, int index, td_loop_group *g)
{
    td_model *model = build->model;
    td_arena *arena = &model->records.arena;
    const td_closure_function *f = &build->options->closures[index];
    size_t n = f->dependents + f->independents;
    *g = (td_loop_group){.form = TD_FORM_FUNCTION,
                         .dependents = (int)f->dependents,
                         .independents = (int)f->independents,
                         .rows = (int)f->dependents,
                         .coordinate = TD_ARENA_NEW(arena, int, n),
                         .velocity = TD_ARENA_NEW(arena, int, n),
                         .y = TD_ARENA_NEW(arena, int, n),
                         .yd = TD_ARENA_NEW(arena, int, n),
                         .unit = TD_ARENA_NEW(arena, double, n),
                         .function = TD_ARENA_NEW(arena, td_loop_function, 1)};
    if (!g->coordinate || !g->velocity || !g->y || !g->yd || !g->unit || !g->function)
        return false;
    *g->function = (td_loop_function){.solve = f->solve,
                                      .derivatives = f->derivatives,
                                      .context = f->context,
                                      .q = TD_ARENA_NEW(arena, int, n),
                                      .qd = TD_ARENA_NEW(arena, int, n)};
    return g->function->q && g->function->qd;
}

bool td_make_functions(td_build *build, int *owner, double *of_joint)
{
    td_model *model = build->model;
    td_loops *loops = &model->closure.loops;
    for (size_t n = 0; n < build->options->closure_count; n++) {
        const td_closure_function *f = &build->options->closures[n];
        td_loop_group *g = &loops->group[loops->solved];
        if (!make_group(build, (int)n, g))
            return false;
        if (!find_joints(build, (int)n, g, owner))
            continue;
        if (!check_values(build, f, g, of_joint))
            return false;
        for (int k = 0; k < g->dependents + g->independents; k++) {
            td_place *place = &model->place[g->coordinate[k]];
            g->function->q[k] = place->q;
            g->function->qd[k] = place->qd;
            if (k < g->dependents) {
                place->dependent = true;
                place->cluster = (int)loops->solved;
            }
        }
        model->closure.loop_cluster[loops->solved++] = (td_loop_cluster){
            .rows = f->dependents, .rank = f->dependents, .independent = f->independents};
    }
    return true;
}

void td_check_functions(td_build *build)
{
    td_model *model = build->model;
    for (size_t n = 0; n < model->closure.loops.solved; n++) {
        const td_loop_group *g = &model->closure.loops.group[n];
        if (g->form != TD_FORM_FUNCTION)
            continue;
        for (int k = g->dependents; k < g->dependents + g->independents; k++) {
            int joint = g->coordinate[k];
            if (!model->place[joint].dependent)
                continue;
            td_report(
                build->diagnostics, TD_CODE_CLOSURE_FUNCTION, TD_NOWHERE,
                "declare it independent, or let one closure determine all of these joints",
                "a closure of the options uses joint '%s' as independent, but it is dependent",
                model->records.joint.at[joint].name);
        }
    }
}
