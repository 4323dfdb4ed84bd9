/* SPDX-License-Identifier: MIT */
/*
 * The C column of the table in triples.h, for triples.py. Prints situations and rows as JSON
 * objects, one per line. Then prints the result of every row in every situation, with numbers in
 * hexadecimal.
 *
 *   triples
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "linear/linear.h"
#include "objects.h"
#include "sweep/sample.h"
#include "tandem/simulation.h"
#include "tandem/tandem.h"
#include "tandem/trajectory.h"

enum { MOST_WRENCHES = 2, MOST_NUMBERS = 200000 };

/* A force and a moment at a point of a link. */
typedef struct link_wrench {
    const char *link; /* NULL: none */
    double force[3], moment[3], point[3];
} link_wrench;

typedef struct link_payload {
    const char *link; /* NULL: none */
    double mass, com[3], inertia[6];
} link_payload;

/* A robot, its state, and the forces on it. */
typedef struct situation {
    const char *name, *robot; /* a bundled robot */
    bool floating, passive;
    double gravity[3];              /* NULL or zeros: the default */
    const char *q, *qd, *qdd, *tau; /* COORDINATE=VALUE, separated by commas; NULL: none */
    link_payload payload;
    link_wrench wrench[MOST_WRENCHES];
    const char *frame; /* frame of the wrenches; NULL: "aligned" */
    const char *link;  /* link that rows refer to */
    const char *joint; /* independent joint that rows refer to; NULL: none */
    double point[3];   /* point of that link */
    bool aimed;        /* there is a target */
    double target[3];  /* target for that point */
} situation;

/* A situation in one kind of coordinates, as the rows use it. */
typedef struct scene {
    const situation *at;
    td_model *model;
    td_workspace *work;
    td_coordinates coordinates;
    size_t n, ny, nq, nv, nu, links, joints, loops, rows, springs, entries, link;
    size_t points;              /* number of extra links and joints, after the robot's */
    double *y, *yd, *ydd, *tau; /* in those coordinates: ny, n, n, n */
    double *q, *qd, *qdd;       /* y, yd and ydd in the tree: nq, nv, nv */
    double *u;                  /* 1, 2, 3, ..., nu */
    double *wrenches;           /* wrenches of all links for `forces`, or NULL */
    unsigned char *zeros;       /* n */
    td_forces forces, moving;   /* moving: forces for motions, passive forces included */
    double *numbers, *memory;   /* results of a row, and its scratch */
    size_t count, used;
} scene;

/* Returns the next numbers of the row's result, filled with NAN. */
static double *out(scene *s, size_t count)
{
    double *next = s->numbers + s->count;
    s->count += count;
    if (s->count > MOST_NUMBERS) {
        fprintf(stderr, "triples: '%s' has more than %d numbers in a row\n", s->at->name,
                MOST_NUMBERS);
        exit(EXIT_FAILURE);
    }
    for (size_t i = 0; i < count; i++) {
        next[i] = NAN;
    }
    return next;
}

/* Returns memory that is valid until the row ends. */
static double *scratch(scene *s, size_t count)
{
    double *next = s->memory + s->used;
    s->used += count;
    if (s->used > MOST_NUMBERS) {
        fprintf(stderr, "triples: '%s' takes more than %d numbers of scratch\n", s->at->name,
                MOST_NUMBERS);
        exit(EXIT_FAILURE);
    }
    return next;
}

/* Ends the program with a message unless the call succeeded. */
static void require(td_status status, const char *what)
{
    if (status != TD_OK) {
        fprintf(stderr, "triples: %s: %s\n", what, td_status_text(status));
        exit(EXIT_FAILURE);
    }
}

/* ---- rows that need several calls ------------------------------------------------------------ */

static void put(scene *s, const double *numbers, size_t count)
{
    memcpy(out(s, count), numbers, count * sizeof *numbers);
}

/* Puts the wrench of each joint and its ambiguity, then wrench and ambiguity of each loop. */
static td_status reactions(scene *s, td_frame frame)
{
    const size_t joints = td_joint_count(s->model); /* with joints of added points */
    double *joint = scratch(s, 6 * joints), *loop = scratch(s, 6 * s->loops);
    double *joint_ambiguity = scratch(s, 6 * joints), *loop_ambiguity = scratch(s, 6 * s->loops);
    const td_status status = td_loop_reactions(s->model, s->work, s->y, s->yd, s->ydd, &s->forces,
                                               frame, joint, loop, joint_ambiguity, loop_ambiguity);
    for (size_t i = 0; i < s->joints; i++) {
        put(s, joint + 6 * i, 6);
        put(s, joint_ambiguity + 6 * i, 6);
    }
    /* in tree coordinates loops are cut, and the command omits them */
    for (size_t i = 0; i < s->loops && s->coordinates == TD_COORDINATES_INDEPENDENT; i++) {
        put(s, loop + 6 * i, 6);
        put(s, loop_ambiguity + 6 * i, 6);
    }
    return status;
}

static td_status linearize(scene *s)
{
    td_linearization *l;
    td_status status = td_linearization_new(s->model, TD_INPUTS_MOTORS, &l);
    if (status == TD_OK) {
        status = td_linearize_held(l, s->work, s->y, s->yd, &s->forces);
    }
    if (status == TD_OK) {
        const size_t n = td_linearization_states(l), m = td_linearization_inputs(l);
        const double *A = td_linearization_A(l), *B = td_linearization_B(l);
        put(s, A, n * n);
        put(s, B, n * m);
        put(s, td_linearization_u(l), m);
        double *real = out(s, n), *imaginary = out(s, n);
        status = td_linear_eigenvalues(n, A, real, imaginary);
        double *Ad = out(s, n * n), *Bd = out(s, n * m);
        status = status == TD_OK ? td_linear_discrete(n, m, A, B, 0.01, Ad, Bd) : status;
    }
    td_linearization_free(l);
    return status;
}

static td_status constant_force(void *context, const td_action *action)
{
    const scene *s = context;
    memcpy(action->tau_y, s->tau, s->n * sizeof *s->tau);
    return TD_OK;
}

/* Puts samples at 0, 0.01, 0.02 and 0.03 s. */
static td_status simulate(scene *s)
{
    td_simulation *simulation;
    td_simulation_options options = td_simulation_options_default();
    options.forces = &s->moving;
    options.act = constant_force;
    options.context = s;
    td_status status = td_simulation_new(s->model, &options, &simulation);
    if (status != TD_OK) {
        return status;
    }
    const link_payload *p = &s->at->payload;
    if (p->link != NULL) {
        td_set_payload(td_simulation_workspace(simulation), td_link_index(s->model, p->link),
                       p->mass, p->com, p->inertia);
    }
    status = td_simulation_start(simulation, 0, s->y, s->yd, NULL);
    for (size_t i = 0; i <= 3 && status == TD_OK; i++) {
        const double t = (double)i / 100;
        while (status == TD_OK && td_simulation_time(simulation) < t) {
            status = td_simulation_step(simulation, 0.03);
        }
        td_simulation_sample sample = td_simulation_sample_default();
        sample.q = out(s, s->nq);
        sample.qd = out(s, s->nv);
        sample.qdd = out(s, s->nv);
        sample.tau_y = out(s, s->n);
        double *work = out(s, 1);
        sample.tau_c = out(s, s->nv);
        status = status == TD_OK ? td_simulation_evaluate(simulation, t, &sample) : status;
        *work = sample.work;
    }
    td_simulation_free(simulation);
    return status;
}

/* Returns five rows of the same numbers. */
static double *copies(scene *s, const double *x, size_t size)
{
    double *rows = scratch(s, 5 * size);
    for (size_t i = 0; i < 5; i++) {
        memcpy(rows + i * size, x, size * sizeof *x);
    }
    return rows;
}

/* Returns five rows of n numbers: x, 2 x, ..., 5 x. */
static double *multiples(scene *s, const double *x)
{
    double *rows = scratch(s, 5 * s->n);
    for (size_t i = 0; i < 5 * s->n; i++) {
        rows[i] = (double)(i / s->n + 1) * x[i % s->n];
    }
    return rows;
}

/* Puts a motion with its forces, each second: y at 0 s, half of it at 4 s, y again at 9 s. */
static td_status trajectory(scene *s)
{
    const size_t n = s->n;
    const double t[] = {0, 4, 9};
    double *points = scratch(s, 3 * n);
    td_trajectory *way;
    for (size_t i = 0; i < 3 * n; i++) {
        points[i] = i / n == 1 ? s->y[i % n] / 2 : s->y[i % n];
    }
    td_status status =
        td_trajectory_spline(3, n, t, points, 3, TD_SPLINE_CLAMPED, NULL, NULL, &way);
    for (size_t i = 0; i < 10 && status == TD_OK; i++) {
        double *y = out(s, n), *yd = out(s, n), *ydd = out(s, n), *tau = out(s, n);
        td_trajectory_evaluate(way, (double)i, y, yd, ydd);
        status = td_inverse_dynamics(s->model, s->work, y, yd, ydd, &s->moving, tau);
    }
    td_trajectory_free(way);
    return status;
}

static td_status regulate(scene *s)
{
    td_linearization *l;
    td_status status = td_linearization_new(s->model, TD_INPUTS_MOTORS, &l);
    if (status == TD_OK) {
        status = td_linearize_held(l, s->work, s->y, s->yd, &s->forces);
    }
    if (status == TD_OK) {
        const size_t n = td_linearization_states(l), m = td_linearization_inputs(l);
        double *Q = scratch(s, n * n), *R = scratch(s, m * m), *K = out(s, m * n);
        memset(Q, 0, n * n * sizeof *Q);
        memset(R, 0, m * m * sizeof *R);
        for (size_t i = 0; i < n; i++) {
            Q[i * n + i] = i < n / 2 ? 100 : 1;
        }
        for (size_t i = 0; i < m; i++) {
            R[i * m + i] = 0.1;
        }
        status = td_linear_regulator(n, m, td_linearization_A(l), td_linearization_B(l), Q, R,
                                     false, K, NULL);
    }
    td_linearization_free(l);
    return status;
}

/* Puts the force of a joint, and the factor and torque of each joint that contribute to it. */
static td_status contributions(scene *s)
{
    const size_t n = s->n, nv = s->nv;
    double *unit = scratch(s, n), *tau_y = scratch(s, n);
    double *factor = scratch(s, nv), *torque = scratch(s, nv);
    size_t at;
    td_status status =
        td_coordinate_of(s->model, TD_COORDINATES_INDEPENDENT, s->at->joint, NULL, &at);
    memset(unit, 0, n * sizeof *unit);
    unit[at] = 1;
    if (status == TD_OK) {
        status = td_inverse_dynamics(s->model, s->work, s->y, s->yd, s->ydd, &s->forces, tau_y);
    }
    if (status == TD_OK) {
        td_use_coordinates(s->work, TD_COORDINATES_TREE);
        status = td_inverse_dynamics(s->model, s->work, s->q, s->qd, s->qdd, &s->forces, torque);
        td_use_coordinates(s->work, TD_COORDINATES_INDEPENDENT);
    }
    if (status == TD_OK) {
        status = td_closure(s->model, s->work, s->y, unit, NULL, NULL, factor, NULL);
    }
    put(s, tau_y + at, 1);
    for (size_t i = 0; i < nv; i++) {
        if (factor[i] != 0) {
            put(s, factor + i, 1);
        }
    }
    for (size_t i = 0; i < nv; i++) {
        if (factor[i] != 0) {
            put(s, torque + i, 1);
        }
    }
    return status;
}

/* Puts counts, gravity, masses, and the limits of independent joints, NAN for missing ones. */
static td_status describe(scene *s)
{
    const td_model *model = s->model;
    const size_t counts[] = {s->links, s->joints, s->nq, s->nv, s->ny, td_nyd(model), s->nu};
    const size_t joints = td_independent_count(model);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        *out(s, 1) = (double)counts[i];
    }
    put(s, td_gravity(model, NULL), 3);
    *out(s, 1) = td_total_mass(model);
    *out(s, 1) = td_moving_mass(model);
    td_workspace *plain = new_workspace(model);
    const td_status status = td_center_of_mass(model, plain, td_reference(model, s->coordinates),
                                               TD_SCOPE_ALL, out(s, 3));
    td_workspace_free(plain);
    for (size_t kind = 0; kind < 4; kind++) {
        for (size_t i = 0; i < joints; i++) {
            const size_t joint = (size_t)td_independent_joint(model, i);
            const td_effective_limit limit = td_effective_limit_at(model, joint);
            const double of_kind[] = {limit.lower, limit.upper, limit.velocity, limit.effort};
            if (td_joint_place_at(model, joint).nv == 1 ||
                td_joint_kind_of(td_joint_at(model, joint)->type)->bounded) {
                *out(s, 1) = isfinite(of_kind[kind]) ? of_kind[kind] : NAN;
            }
        }
    }
    return status;
}

enum { RECORDED = 12 };

/* Puts the largest force of each motor with its time, then the largest speeds, of a recording. The
   recording has RECORDED rows, an eighth of a second apart. Coordinates that differ from the
   reference have (k² − 20 k + 60)/64 times their position in row k. */
static td_status size_motors(scene *s)
{
    const size_t n = s->n, nu = s->nu;
    const double *start = td_reference(s->model, s->coordinates);
    double t[RECORDED], *rows = scratch(s, 3 * RECORDED * n);
    double *force = scratch(s, 2 * nu), *speed = scratch(s, 2 * nu);
    td_forces forces = td_forces_default();
    forces.passive = true;
    td_status status = TD_OK;
    for (size_t k = 0; k < RECORDED; k++) {
        t[k] = (double)k / 8;
    }
    double *x = rows, *v = x + RECORDED * n, *a = v + RECORDED * n;
    memset(rows, 0, 3 * RECORDED * n * sizeof *rows);
    for (size_t i = 0; i < n && status == TD_OK; i++) {
        double column[RECORDED];
        td_trajectory *spline = NULL;
        const bool moves = s->y[i] != start[i];
        for (size_t k = 0; k < RECORDED; k++) {
            const double factor = (double)(k * k + 60) - 20 * (double)k;
            column[k] = moves ? s->y[i] * (factor / 64) : start[i];
            x[k * n + i] = column[k];
        }
        if (moves) {
            status = td_trajectory_spline(RECORDED, 1, t, column, 5, TD_SPLINE_NOT_A_KNOT, NULL,
                                          NULL, &spline);
        }
        for (size_t k = 0; k < RECORDED && moves && status == TD_OK; k++) {
            status = td_trajectory_evaluate(spline, t[k], NULL, &v[k * n + i], &a[k * n + i]);
        }
        td_trajectory_free(spline);
    }
    td_trajectory *curve = NULL;
    status = status == TD_OK ? td_trajectory_hermite(RECORDED, n, t, x, v, a, &curve) : status;
    memset(force, 0, 2 * nu * sizeof *force);
    memset(speed, 0, 2 * nu * sizeof *speed);
    for (size_t k = 0; k < RECORDED && status == TD_OK; k++) {
        double *y = scratch(s, 4 * n + 2 * nu), *yd = y + n, *ydd = yd + n, *tau = ydd + n;
        double *u = tau + n, *w = u + nu;
        td_trajectory_evaluate(curve, t[k], y, yd, ydd);
        status = td_inverse_dynamics(s->model, s->work, y, yd, ydd, &forces, tau);
        if (status == TD_OK) {
            status = td_forces_to_actuators(s->model, s->work, y, tau, NULL, u, NULL);
        }
        if (status == TD_OK) {
            status = td_motion_to_actuators(s->model, s->work, y, yd, NULL, NULL, w, NULL);
        }
        for (size_t i = 0; i < nu; i++) { /* the first of equal ones */
            if (fabs(u[i]) > fabs(force[i]) * (1 + 1e-12)) {
                force[i] = u[i], force[nu + i] = t[k];
            }
            if (fabs(w[i]) > fabs(speed[i]) * (1 + 1e-12)) {
                speed[i] = w[i], speed[nu + i] = t[k];
            }
        }
    }
    td_trajectory_free(curve);
    put(s, force, 2 * nu);
    put(s, speed, 2 * nu);
    return status;
}

/* Puts state 3 of a sweep with seed 7 over the given positions, each between half of its value and
   its value: y, ẏ, ÿ of zeros, and the forces. */
static td_status sample_sweep(scene *s)
{
    double *y = scratch(s, s->ny), *ydd = scratch(s, s->n), *point = scratch(s, s->ny);
    size_t varying = 0, k = 0;
    for (const char *at = s->at->q; at != NULL; at = strchr(at + 1, ',')) {
        varying++;
    }
    td_random_points(7, 3, 1, varying, point);
    memset(ydd, 0, s->n * sizeof *ydd);
    memcpy(y, td_reference(s->model, s->coordinates), s->ny * sizeof *y);
    for (const char *at = s->at->q; at != NULL; at = strchr(at, ','), k++) {
        char name[50];
        size_t index;
        at += *at == ',';
        if (sscanf(at, "%49[^=]", name) != 1) {
            require(TD_ERROR_NAME, at);
        }
        require(td_coordinate_of(s->model, s->coordinates, name, &index, NULL), name);
        const double from = fmin(s->y[index] / 2, s->y[index]);
        const double to = fmax(s->y[index] / 2, s->y[index]);
        y[index] = from + (to - from) * point[k];
    }
    put(s, y, s->ny);
    put(s, s->yd, s->n);
    put(s, ydd, s->n);
    return td_batch_inverse_dynamics(s->model, s->work, 1, y, s->yd, NULL, &s->forces, out(s, s->n),
                                     NULL);
}

/* ---- the table ------------------------------------------------------------------------------- */

enum { INDEPENDENT = 0, BOTH = 1, OF_LINKS = 2, WITH_Q = 4, AIMED = 8, OF_JOINT = 16 };

#define SITUATION(...) {__VA_ARGS__},
static const situation situations[] = {
#include "triples.h"
};

typedef struct row {
    const char *name;
    int where;
    const char *command, *fields, *python, *c;
    td_status (*call)(scene *s);
} row;

#define OUT(name, count) double *const name = out(s, count)
#define CALL(row_name, where, command, fields, python, ...)                                        \
    static td_status call_##row_name(scene *s)                                                     \
    {                                                                                              \
        td_model *const model = s->model;                                                          \
        td_workspace *const work = s->work;                                                        \
        const td_coordinates coordinates = s->coordinates;                                         \
        const size_t n = s->n, ny = s->ny, nq = s->nq, nv = s->nv, nu = s->nu, links = s->links;   \
        const size_t joints = s->joints, loops = s->loops, rows = s->rows, springs = s->springs;   \
        const size_t entries = s->entries, link = s->link;                                         \
        const double *const y = s->y, *const yd = s->yd, *const ydd = s->ydd, *const tau = s->tau; \
        const double *const q = s->q, *const qd = s->qd, *const qdd = s->qdd, *const u = s->u;     \
        const double *const point = s->at->point, *const target = s->at->target;                   \
        const unsigned char *const zeros = s->zeros;                                               \
        const td_forces *const forces = &s->forces, *const moving = &s->moving;                    \
        (void)coordinates, (void)n, (void)ny, (void)nq, (void)nv, (void)nu, (void)links;           \
        (void)joints, (void)loops, (void)rows, (void)springs, (void)entries, (void)link;           \
        (void)y, (void)yd, (void)ydd, (void)tau, (void)q, (void)qd, (void)qdd, (void)u;            \
        (void)point, (void)target, (void)zeros, (void)forces, (void)moving, (void)work;            \
        (void)model;                                                                               \
        td_status status = TD_OK;                                                                  \
        __VA_ARGS__;                                                                               \
        return status;                                                                             \
    }
#include "triples.h"

#define CALL(name, where, command, fields, python, ...)                                            \
    {#name, where, command, fields, python, #__VA_ARGS__, call_##name},
static const row calls[] = {
#include "triples.h"
};

/* ---- robots ---------------------------------------------------------------------------------- */

static const char *cases; /* the folder of test/tool */

/* Keeps memory until the program ends; fails on NULL. */
static void *keep(void *memory)
{
    static void *kept[200];
    static size_t count;
    if (memory == NULL || count == sizeof kept / sizeof *kept) {
        fputs("triples: no memory\n", stderr);
        exit(EXIT_FAILURE);
    }
    return kept[count++] = memory;
}

/* Returns the file of a robot of the tests. */
static const char *path_of(const char *name)
{
    const size_t size = strlen(cases) + strlen(name) + sizeof "/.urdf";
    char *path = keep(malloc(size));
    snprintf(path, size, "%s/%s.urdf", cases, name);
    return path;
}

/* Returns the file that a word of the table stands for: a bundled robot or a robot of the tests. */
static const char *source_of(const char *word)
{
    return strncmp(word, "tandem:", strlen("tandem:")) == 0 ? word : path_of(word);
}

static td_model *load(const char *word)
{
    td_model *model;
    require(td_load_urdf(source_of(word), NULL, NULL, &model), word);
    return keep(model);
}

static td_workspace *workspace(const td_model *model)
{
    return keep(new_workspace(model));
}

/* Returns the reference with one coordinate set to a value. */
static double *with(const td_model *model, const char *name, double value)
{
    const size_t size = td_ny(model) * sizeof(double);
    double *y = keep(malloc(size));
    size_t at;
    memcpy(y, td_reference(model, TD_COORDINATES_INDEPENDENT), size);
    require(td_coordinate_of(model, TD_COORDINATES_INDEPENDENT, name, &at, NULL), name);
    y[at] = value;
    return y;
}

typedef struct mistake {
    const char *name;
    int exit_code;
    const char *exception, *command, *python;
    td_status (*call)(void);
} mistake;

#define MISTAKE(name, exit_code, exception, command, python, ...)                                  \
    static td_status mistake_##name(void)                                                          \
    {                                                                                              \
        td_status status = TD_OK;                                                                  \
        __VA_ARGS__;                                                                               \
        return status;                                                                             \
    }
#include "triples.h"

#define MISTAKE(name, exit_code, exception, command, python, ...)                                  \
    {#name, exit_code, exception, command, python, mistake_##name},
static const mistake mistakes[] = {
#include "triples.h"
};

/* ---- a situation in C ------------------------------------------------------------------------ */

/* Reads the file of a bundled robot; *size is the length of the text. */
static char *read_robot(const char *name, size_t *size)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/%s.urdf", getenv("TANDEM_ROBOTS"), name);
    FILE *file = fopen(path, "rb");
    char *text = malloc(1 << 20);
    if (file == NULL || text == NULL) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    *size = fread(text, 1, 1 << 20, file);
    fclose(file);
    return text;
}

/* Returns whether a wrench needs an extra link at its point. In world axes its moment about the
   origin of its link changes as the link rotates. */
static bool needs_link(const situation *at, const link_wrench *w)
{
    const bool pointed = w->point[0] != 0 || w->point[1] != 0 || w->point[2] != 0;
    return w->link != NULL && pointed && at->frame == NULL;
}

static size_t count_points(const situation *at)
{
    size_t count = 0;
    for (size_t i = 0; i < MOST_WRENCHES; i++) {
        count += needs_link(at, &at->wrench[i]);
    }
    return count;
}

/* Builds the robot with an extra massless link, after all others, at each point that needs one. */
static td_model *load_situation(const situation *at)
{
    char word[100];
    size_t size;
    td_builder *builder;
    td_model *model;
    td_load_options options = td_load_options_default();
    snprintf(word, sizeof word, "tandem:%s", at->robot);
    options.base = at->floating ? TD_BASE_FLOATING : TD_BASE_FIXED;
    if (at->gravity[2] != 0) {
        memcpy(options.gravity, at->gravity, sizeof options.gravity);
    }
    if (count_points(at) == 0) {
        require(td_load_urdf(source_of(word), &options, NULL, &model), word);
        return model;
    }
    char *text = read_robot(at->robot, &size);
    require(td_parse_urdf_memory(text, size, word, &options, NULL, &builder), word);
    for (size_t i = 0; i < MOST_WRENCHES; i++) {
        if (needs_link(at, &at->wrench[i])) {
            char name[20];
            snprintf(name, sizeof name, "point %zu", i);
            td_link link = td_link_default(name);
            td_joint joint = td_joint_default(name, TD_JOINT_FIXED, at->wrench[i].link, name);
            memcpy(joint.origin.position, at->wrench[i].point, sizeof joint.origin.position);
            require(td_builder_add_link(builder, &link), name);
            require(td_builder_add_joint(builder, &joint), name);
        }
    }
    require(td_builder_finish(builder, &options, NULL, &model), word);
    td_builder_free(builder);
    free(text);
    return model;
}

/* Fills positions (order 0) or rates from COORDINATE=VALUE,... */
static void assign(const scene *s, const char *words, int order, double *values)
{
    while (words != NULL) {
        char name[50];
        int length;
        size_t index;
        if (sscanf(words, "%49[^=]=%n", name, &length) != 1) {
            require(TD_ERROR_NAME, words);
        }
        require(td_coordinate_of(s->model, s->coordinates, name, order == 0 ? &index : NULL,
                                 order == 0 ? NULL : &index),
                name);
        values[index] = strtod(words + length, NULL);
        words = strchr(words, ',');
        words = words != NULL ? words + 1 : NULL;
    }
}

static double *zeros(size_t count)
{
    double *numbers = calloc(count + 1, sizeof *numbers);
    if (numbers == NULL) {
        abort();
    }
    return numbers;
}

/* Returns the wrenches of all links, summed. */
static double *all_wrenches(const scene *s)
{
    double *total = zeros(6 * td_link_count(s->model));
    for (size_t i = 0; i < MOST_WRENCHES && s->at->wrench[i].link != NULL; i++) {
        const link_wrench *w = &s->at->wrench[i];
        char name[20];
        snprintf(name, sizeof name, "point %zu", i);
        const size_t link = td_link_index(s->model, needs_link(s->at, w) ? name : w->link);
        const double *r = w->point, *f = w->force;
        double *sum = total + 6 * link;
        for (size_t k = 0; k < 3; k++) {
            sum[k] += w->moment[k];
            sum[3 + k] += f[k];
        }
        if (!needs_link(s->at, w)) { /* rotates with the link, or acts at its origin */
            sum[0] += r[1] * f[2] - r[2] * f[1];
            sum[1] += r[2] * f[0] - r[0] * f[2];
            sum[2] += r[0] * f[1] - r[1] * f[0];
        }
    }
    return total;
}

static td_frame frame_of(const char *word)
{
    return word == NULL                ? TD_FRAME_ALIGNED
           : strcmp(word, "body") == 0 ? TD_FRAME_BODY
                                       : TD_FRAME_WORLD;
}

static scene begin(const situation *at, td_coordinates coordinates)
{
    const bool tree = coordinates == TD_COORDINATES_TREE;
    td_model *model = load_situation(at);
    scene s = {.at = at,
               .model = model,
               .work = new_workspace(model),
               .coordinates = coordinates,
               .n = tree ? td_nv(model) : td_nyd(model),
               .ny = tree ? td_nq(model) : td_ny(model),
               .nq = td_nq(model),
               .nv = td_nv(model),
               .nu = td_nu(model),
               .links = td_link_count(model) - count_points(at),
               .joints = td_joint_count(model) - count_points(at),
               .points = count_points(at),
               .loops = td_loop_count(model),
               .rows = td_constraint_count(model),
               .springs = td_spring_count(model),
               .entries = td_packed_entries(model, coordinates),
               .link = td_link_index(model, at->link),
               .numbers = zeros(MOST_NUMBERS),
               .memory = zeros(MOST_NUMBERS)};
    s.y = zeros(s.ny);
    s.yd = zeros(s.n);
    s.ydd = zeros(s.n);
    s.tau = zeros(s.n);
    s.q = zeros(s.nq);
    s.qd = zeros(s.nv);
    s.qdd = zeros(s.nv);
    s.u = zeros(s.nu);
    s.zeros = calloc(s.n + 1, 1);
    memcpy(s.y, td_reference(model, coordinates), s.ny * sizeof *s.y);
    assign(&s, at->q, 0, s.y);
    assign(&s, at->qd, 1, s.yd);
    assign(&s, at->qdd, 1, s.ydd);
    assign(&s, at->tau, 1, s.tau);
    td_normalize(model, coordinates, s.y);
    for (size_t i = 0; i < s.nu; i++) {
        s.u[i] = (double)(i + 1);
    }
    td_use_coordinates(s.work, coordinates);
    if (at->payload.link != NULL) {
        const link_payload *p = &at->payload;
        require(td_set_payload(s.work, td_link_index(model, p->link), p->mass, p->com, p->inertia),
                p->link);
    }
    if (!tree) { /* corresponds to tree_state in Python */
        require(td_closure(model, s.work, s.y, s.yd, s.ydd, s.q, s.qd, s.qdd), at->name);
    }
    s.forces = td_forces_default();
    s.forces.wrenches = s.wrenches = at->wrench[0].link != NULL ? all_wrenches(&s) : NULL;
    s.forces.wrench_frame = frame_of(at->frame);
    s.forces.passive = at->passive;
    s.moving = s.forces;
    s.moving.passive = true;
    return s;
}

static void end(scene *s)
{
    double *const arrays[] = {s->y,   s->yd, s->ydd,     s->tau,    s->q,       s->qd,
                              s->qdd, s->u,  s->numbers, s->memory, s->wrenches};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        free(arrays[i]);
    }
    free(s->zeros);
    td_workspace_free(s->work);
    td_model_free(s->model);
}

/* ---- output ---------------------------------------------------------------------------------- */

static void put_text(const char *key, const char *text)
{
    printf("\"%s\": ", key);
    if (text == NULL) {
        fputs("null, ", stdout);
        return;
    }
    putchar('"');
    for (const char *c = text; *c != '\0'; c++) {
        printf(*c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
    }
    fputs("\", ", stdout);
}

static void put_numbers(const char *key, const double *x, size_t count)
{
    printf("\"%s\": [", key);
    for (size_t i = 0; i < count; i++) {
        printf("%s%.17g", i > 0 ? ", " : "", x[i]);
    }
    fputs("], ", stdout);
}

static void print_situation(const situation *at)
{
    fputs("{\"kind\": \"situation\", ", stdout);
    put_text("name", at->name);
    put_text("robot", at->robot);
    put_text("q", at->q);
    put_text("qd", at->qd);
    put_text("qdd", at->qdd);
    put_text("tau", at->tau);
    put_text("frame", at->frame);
    put_text("link", at->link);
    put_text("joint", at->joint);
    put_numbers("point", at->point, 3);
    put_numbers("gravity", at->gravity, 3);
    put_numbers("target", at->target, at->aimed ? 3 : 0);
    fputs("\"payload\": {", stdout);
    put_text("link", at->payload.link);
    put_numbers("com", at->payload.com, 3);
    put_numbers("inertia", at->payload.inertia, 6);
    printf("\"mass\": %.17g}, \"wrenches\": [", at->payload.mass);
    for (size_t i = 0; i < MOST_WRENCHES && at->wrench[i].link != NULL; i++) {
        fputs(i > 0 ? ", {" : "{", stdout);
        put_text("link", at->wrench[i].link);
        put_numbers("force", at->wrench[i].force, 3);
        put_numbers("moment", at->wrench[i].moment, 3);
        put_numbers("point", at->wrench[i].point, 3);
        fputs("\"of\": 0}", stdout);
    }
    printf("], \"floating\": %d, \"passive\": %d}\n", at->floating, at->passive);
}

static void print_row(const row *r)
{
    fputs("{\"kind\": \"call\", ", stdout);
    put_text("name", r->name);
    put_text("command", r->command);
    put_text("fields", r->fields);
    put_text("python", r->python);
    put_text("c", r->c);
    printf("\"tree\": %d}\n", r->where & BOTH);
}

static void print_mistake(const mistake *m)
{
    fputs("{\"kind\": \"mistake\", ", stdout);
    put_text("name", m->name);
    put_text("command", m->command);
    put_text("python", m->python);
    put_text("exception", m->exception);
    const td_status status = m->call();
    put_text("text", td_status_text(status));
    printf("\"exit\": %d, \"status\": %d}\n", m->exit_code, (int)status);
}

static bool is_asked(const row *r, const scene *s)
{
    const int where = r->where;
    return (s->coordinates == TD_COORDINATES_INDEPENDENT || (where & BOTH) != 0) &&
           (s->points == 0 || (where & OF_LINKS) == 0) &&
           (s->at->q != NULL || (where & WITH_Q) == 0) && (s->at->aimed || (where & AIMED) == 0) &&
           (s->at->joint != NULL || (where & OF_JOINT) == 0);
}

/* Prints the result of a row on one line. */
static void print_result(scene *s, const row *r)
{
    s->count = s->used = 0;
    const td_status status = r->call(s);
    fputs("{\"kind\": \"result\", ", stdout);
    put_text("situation", s->at->name);
    put_text("call", r->name);
    printf("\"tree\": %d, \"status\": %d, \"numbers\": [", s->coordinates == TD_COORDINATES_TREE,
           (int)status);
    for (size_t i = 0; i < s->count; i++) {
        printf("%s\"%a\"", i > 0 ? ", " : "", s->numbers[i]);
    }
    fputs("]}\n", stdout);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fputs("usage: triples FOLDER, that of the robots of test/tool\n", stderr);
        return EXIT_FAILURE;
    }
    cases = argv[1];
    for (size_t i = 0; i < sizeof situations / sizeof *situations; i++) {
        print_situation(&situations[i]);
    }
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        print_row(&calls[i]);
    }
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        print_mistake(&mistakes[i]);
    }
    for (size_t i = 0; i < sizeof situations / sizeof *situations; i++) {
        for (int tree = 0; tree <= 1; tree++) {
            scene s =
                begin(&situations[i], tree ? TD_COORDINATES_TREE : TD_COORDINATES_INDEPENDENT);
            for (size_t k = 0; k < sizeof calls / sizeof *calls; k++) {
                if (is_asked(&calls[k], &s)) {
                    print_result(&s, &calls[k]);
                }
            }
            end(&s);
        }
    }
    return EXIT_SUCCESS;
}
