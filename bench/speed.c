/* SPDX-License-Identifier: MIT */
/*
 * The comparison of speed. All libraries are open at the same time and take turns: a round measures
 * each of them once, so that what disturbs the machine disturbs all. Before that, the results of
 * all for the same states are compared; one that differs has no time.
 */
#include "speed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

enum { MOST = 16, COMPARED = 8, LEAST_STATES = 8 };

const char *operation_key(operation op)
{
    static const char *const keys[] = {
#define KEY(name, key, text, results) #key,
        OPERATION_TABLE(KEY)
#undef KEY
    };
    return keys[op];
}

const char *operation_text(operation op)
{
    static const char *const texts[] = {
#define TEXT(name, key, text, results) text,
        OPERATION_TABLE(TEXT)
#undef TEXT
    };
    return texts[op];
}

size_t operation_results(const bench_robot *robot, operation op)
{
    size_t n = robot->joints, k = robot->independent;
    const size_t results[] = {
#define RESULTS(name, key, text, results) results,
        OPERATION_TABLE(RESULTS)
#undef RESULTS
    };
    (void)k;
    return results[op];
}

/* What a contender did with one operation. */
typedef struct cell {
    bool offered, agrees; /* false for operations that the library lacks */
    double difference;    /* from the first row */
    size_t states;        /* in one measurement: all, or a few where one takes long */
    size_t passes;        /* over them */
    double *times;        /* ns per state */
    sample sample;
} cell;

typedef struct row {
    const contender *who;
    void *self;
    cell cell[OPERATIONS];
} row;

/* ---- agreement ------------------------------------------------------------------------------- */

static double largest(const double *x, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = isfinite(x[i]) ? fmax(most, fabs(x[i])) : INFINITY;
    return most;
}

/* to += H from, magnitude += |H| |from| */
static void add_forces(size_t n, const double *H, const double *from, double *to, double *magnitude)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            to[i] += H[i * n + j] * from[j];
            magnitude[i] += fabs(H[i * n + j] * from[j]);
        }
}

/* The forces that accelerations x take, and the size of what they are the sum of. With couplings:
   Gᵀ H G x. */
static void forces(const bench_robot *r, operation op, const double *H, const double *x,
                   double *force, double *size)
{
    size_t n = r->joints, k = r->independent;
    if (op != OP_COUPLED) {
        double *magnitude = allocate(n, sizeof *magnitude);
        memset(force, 0, n * sizeof *force);
        add_forces(n, H, x, force, magnitude);
        *size = largest(magnitude, n);
        free(magnitude);
        return;
    }
    double *room = allocate(3 * n + k, sizeof *room);
    double *qdd = room, *of_tree = room + n, *magnitude = room + 2 * n, *magnitude_y = room + 3 * n;
    for (size_t i = 0; i < n; i++)
        for (size_t l = r->row[i]; l < r->row[i + 1]; l++)
            qdd[i] += r->value[l] * x[r->column[l]];
    add_forces(n, H, qdd, of_tree, magnitude);
    memset(force, 0, k * sizeof *force);
    for (size_t i = 0; i < n; i++)
        for (size_t l = r->row[i]; l < r->row[i + 1]; l++) {
            force[r->column[l]] += r->value[l] * of_tree[i];
            magnitude_y[r->column[l]] += fabs(r->value[l]) * magnitude[i];
        }
    *size = largest(magnitude_y, k);
    free(room);
}

/* The difference at one state, and the size of what should be there. */
static void compare_state(const bench_robot *robot, const row *reference, const row *r,
                          operation op, size_t state, double *difference, double *size)
{
    const peer *first = reference->who->library, *library = r->who->library;
    size_t n = operation_results(robot, op), nn = robot->joints * robot->joints;
    double *room = allocate(3 * n + nn, sizeof *room);
    double *expected = room, *got = room + n, *force = room + 2 * n, *H = room + 3 * n;
    first->run(reference->self, op, state, 1);
    first->result(reference->self, op, expected);
    library->run(r->self, op, 0, state + 1); /* in a batch: another lane every time */
    library->result(r->self, op, got);
    for (size_t i = 0; i < n; i++)
        got[i] -= expected[i];
    *size = largest(expected, n);
    if (op == OP_SOLVE || op == OP_ABA || op == OP_COUPLED) {
        double unused;
        first->run(reference->self, OP_CRBA, state, 1);
        first->result(reference->self, OP_CRBA, H);
        forces(robot, op, H, got, force, &unused);
        memcpy(got, force, n * sizeof *got);
        forces(robot, op, H, expected, force, size);
    }
    *difference = largest(got, n);
    free(room);
}

/* The largest difference at all states that are compared, over the largest number expected there.
 */
static void check(const bench_robot *robot, const row *reference, row *r, operation op)
{
    cell *c = &r->cell[op];
    double difference = 0, size = 0;
    for (size_t state = 0; state < COMPARED && state < robot->states; state++) {
        double of_state, size_of_state;
        compare_state(robot, reference, r, op, state, &of_state, &size_of_state);
        difference = fmax(difference, of_state);
        size = fmax(size, size_of_state);
    }
    c->difference = size > 0 ? difference / size : difference;
    c->agrees = c->difference <= (r->who->soft ? AGREEMENT_SOFT : AGREEMENT);
}

/* ---- time ------------------------------------------------------------------------------------ */

static double measure(const row *r, operation op)
{
    const cell *c = &r->cell[op];
    double start = now_ns();
    for (size_t pass = 0; pass < c->passes; pass++)
        r->who->library->run(r->self, op, 0, c->states);
    return (now_ns() - start) / (double)(c->passes * c->states);
}

static void calibrate(const row *r, cell *c, operation op, size_t states, double target)
{
    c->passes = 1;
    for (c->states = LEAST_STATES; c->states < states; c->states *= 2)
        if (measure(r, op) * (double)c->states >= target)
            return;
    for (c->states = states; c->passes < 1 << 20; c->passes *= 2)
        if (measure(r, op) * (double)(c->passes * states) >= target)
            return;
}

static void time_operation(const settings *s, const bench_robot *robot, row *rows, size_t count,
                           operation op)
{
    for (size_t i = 0; i < count; i++) {
        cell *c = &rows[i].cell[op];
        c->times = allocate(s->rounds, sizeof *c->times);
        if (c->agrees)
            calibrate(&rows[i], c, op, robot->states, s->target);
    }
    for (size_t round = 0; round < s->rounds; round++)
        for (size_t i = 0; i < count; i++)
            if (rows[i].cell[op].agrees)
                rows[i].cell[op].times[round] = measure(&rows[i], op);
    for (size_t i = 0; i < count; i++) {
        cell *c = &rows[i].cell[op];
        c->sample = c->agrees ? sample_of(c->times, s->rounds) : (sample){NAN, NAN};
        free(c->times);
    }
}

/* ---- report ---------------------------------------------------------------------------------- */

static bool is_tandem(const row *r)
{
    return strncmp(r->who->name, "tandem", 6) == 0;
}

/* The best time of all other libraries, 0 for none. */
static double best_peer(const row *rows, size_t count, operation op)
{
    double best = 0;
    for (size_t i = 0; i < count; i++) {
        const cell *c = &rows[i].cell[op];
        bool counts = !is_tandem(&rows[i]) && !rows[i].who->soft && c->agrees;
        if (counts && (best == 0 || c->sample.best < best))
            best = c->sample.best;
    }
    return best;
}

/* The figure printed for a cell. */
typedef enum figure { BEST, MEDIAN, RATIO, DIFFERENCE } figure;

static void put_cell(FILE *to, figure what, const cell *c, double best_peer)
{
    if (!c->offered || (what == RATIO && best_peer == 0))
        fprintf(to, " %9s", "-");
    else if (what == DIFFERENCE)
        fprintf(to, " %9.1e", c->difference);
    else if (!c->agrees)
        fprintf(to, " %9s", "differs");
    else if (what == RATIO)
        fprintf(to, " %9.2f", c->sample.best / best_peer);
    else
        fprintf(to, " %9.0f", what == BEST ? c->sample.best : c->sample.median);
}

static void put_block(FILE *to, const char *heading, figure what, const row *rows, size_t count,
                      const bool *wanted)
{
    fprintf(to, "  %-26s", heading);
    for (int op = 0; op < OPERATIONS; op++)
        if (wanted[op])
            fprintf(to, " %9s", operation_key((operation)op));
    fputc('\n', to);
    for (size_t i = 0; i < count; i++) {
        fprintf(to, "    %-24s", rows[i].who->name);
        for (int op = 0; op < OPERATIONS; op++)
            if (wanted[op])
                put_cell(to, what, &rows[i].cell[op], best_peer(rows, count, (operation)op));
        fputc('\n', to);
    }
}

static void put_json(FILE *json, const bench_robot *robot, const row *rows, size_t count,
                     const bool *wanted)
{
    for (size_t i = 0; i < count; i++)
        for (int op = 0; op < OPERATIONS; op++) {
            const cell *c = &rows[i].cell[op];
            double best = best_peer(rows, count, (operation)op);
            if (!c->offered || !wanted[op])
                continue;
            json_open(json, NULL, '{');
            json_text(json, "robot", robot->name);
            json_text(json, "operation", operation_key((operation)op));
            json_text(json, "library", rows[i].who->name);
            json_number(json, "best_ns", c->sample.best);
            json_number(json, "median_ns", c->sample.median);
            json_number(json, "of_best_peer", best > 0 ? c->sample.best / best : NAN);
            json_number(json, "difference", c->difference);
            json_flag(json, "agrees", c->agrees);
            json_close(json, '}');
        }
}

/* ---- everything ------------------------------------------------------------------------------ */

static size_t open_rows(FILE *text, const bench_robot *robot, row *rows)
{
    size_t count = 0;
    for (size_t i = 0; i < contender_count && count < MOST; i++) {
        const char *why = "";
        row r = {.who = &contenders[i]};
        r.self = r.who->library->open(robot, r.who->variant, &why);
        if (r.self)
            rows[count++] = r;
        else if (text)
            fprintf(text, "  without %s: %.*s\n", r.who->name, (int)strcspn(why, "\n"), why);
    }
    return count;
}

/* Whether all that offer the operation agree; false in *wanted where none does. */
static bool check_all(const bench_robot *robot, row *rows, size_t count, operation op, bool *wanted)
{
    bool good = true;
    *wanted = false;
    for (size_t i = 0; i < count; i++) {
        cell *c = &rows[i].cell[op];
        c->offered = rows[i].who->library->offers(rows[i].self, op);
        if (!c->offered)
            continue;
        check(robot, &rows[0], &rows[i], op);
        good = good && c->agrees;
        *wanted = true;
    }
    return good;
}

bool compare_speed(const settings *s, const bench_robot *robot)
{
    row rows[MOST];
    bool wanted[OPERATIONS] = {false}, good = true;
    if (s->text)
        fprintf(s->text, "\n%s: %zu joints, %zu independent, %zu states; ns per state\n",
                robot->name, robot->joints, robot->independent, robot->states);
    size_t count = open_rows(s->text, robot, rows);
    for (int op = 0; op < OPERATIONS; op++) {
        if (s->only && strcmp(s->only, operation_key((operation)op)) != 0)
            continue;
        good = check_all(robot, rows, count, (operation)op, &wanted[op]) && good;
        if (wanted[op])
            time_operation(s, robot, rows, count, (operation)op);
    }
    if (s->text) {
        put_block(s->text, "largest difference", DIFFERENCE, rows, count, wanted);
        put_block(s->text, "best", BEST, rows, count, wanted);
        put_block(s->text, "median", MEDIAN, rows, count, wanted);
        put_block(s->text, "best over the best peer's", RATIO, rows, count, wanted);
    }
    if (s->json)
        put_json(s->json, robot, rows, count, wanted);
    for (size_t i = 0; i < count; i++)
        rows[i].who->library->close(rows[i].self);
    return good;
}
