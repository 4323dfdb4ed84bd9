/* SPDX-License-Identifier: MIT */
/*
 * Restores whole turns of recorded angles; see turns.h.
 */
#include "turns.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "median.h"

static const double turn = 2 * 3.14159265358979323846;

/* The speed around a step is the median over this many steps on each side. */
enum { NEAR = 4 };

/* Rows are missing if the time between two rows is more than this many usual steps. */
static const double gap = 1.5;

typedef struct steps {
    size_t n;
    double *time, *by; /* n: duration (s) and change of angle (rad) of each step */
    double *speed;     /* n: speed of each step, rad/s */
    double *room;      /* n, scratch */
    bool within;       /* all values are within a turn, up to noise */
    double usual;      /* median duration of a step, s */
} steps;

/* Returns the change of angle in step i at the speed of its neighbors; 0 if it has none. */
static double expected(const steps *s, size_t i)
{
    double nearby[2 * NEAR];
    size_t n = 0;
    for (size_t k = 1; k <= NEAR; k++) {
        if (i >= k)
            nearby[n++] = s->speed[i - k];
        if (i + k < s->n)
            nearby[n++] = s->speed[i + k];
    }
    return n == 0 ? 0 : td_median(nearby, n) * s->time[i];
}

/* Returns the whole turns in a change of angle; 0 up to half a turn. */
static double whole(double way)
{
    return fabs(way) <= turn / 2 ? 0 : round(way / turn);
}

/* Fills the steps of x. If all values are within a turn, speeds use the shortest way, because noise
   at its end jumps back and forth. Otherwise turns are counted, and any way is possible. */
static void measure(steps *s, const double *t, const double *x)
{
    double low = x[0], high = x[0];
    for (size_t i = 0; i < s->n; i++) {
        low = fmin(low, x[i + 1]);
        high = fmax(high, x[i + 1]);
        s->time[i] = t[i + 1] - t[i];
        s->by[i] = x[i + 1] - x[i];
        s->room[i] = s->time[i];
    }
    s->within = high - low < 1.1 * turn;
    s->usual = td_median(s->room, s->n);
    for (size_t i = 0; i < s->n; i++) {
        const double turns = s->within ? whole(s->by[i]) : 0;
        s->speed[i] = (s->by[i] - turns * turn) / s->time[i];
    }
}

/* Returns whether step i exceeds the steps around it by about a whole number of turns. */
static bool is_sure(const steps *s, size_t i)
{
    const double way = s->by[i], expect = expected(s, i), turns = round((way - expect) / turn);
    return fabs(way) > turn / 2 && turns != 0 && fabs(way - turns * turn - expect) < turn / 8;
}

/* Returns whether the column loses any turns. */
static bool wraps(const steps *s)
{
    for (size_t i = 0; i < s->n; i++) {
        if (s->within ? fabs(s->by[i]) > turn / 2 : is_sure(s, i))
            return true;
    }
    return false;
}

/* Returns the whole turns in step i; 0 if the column loses none (losing is false). */
static double turns_of(const steps *s, size_t i, bool losing, bool *doubtful)
{
    const double way = s->by[i], expect = expected(s, i);
    const double nearest = whole(way), guess = round((way - expect) / turn);
    const bool far = s->time[i] > gap * s->usual;
    const bool counted = !s->within && fabs(way - expect) < turn / 8;
    double turns = 0;
    if (losing)
        turns = far || (!s->within && nearest != 0) ? guess : nearest;
    *doubtful = !counted && (nearest != guess || fabs(way - turns * turn) > 0.375 * turn);
    return turns;
}

td_status td_unwrap(size_t n, const double *t, double *x, td_turns *found)
{
    *found = (td_turns){0};
    if (n < 2)
        return TD_OK;
    double *room = calloc(4 * n, sizeof *room);
    if (!room)
        return TD_ERROR_MEMORY;
    steps s = {
        .n = n - 1, .time = room, .by = room + n, .speed = room + 2 * n, .room = room + 3 * n};
    measure(&s, t, x);
    const bool losing = wraps(&s);
    double away = 0;
    for (size_t i = 0; i < s.n; i++) {
        bool doubtful;
        const double turns = turns_of(&s, i, losing, &doubtful);
        const size_t at = i + 1;
        away += turns;
        x[at] -= away * turn;
        if (turns != 0 && found->jumps++ == 0)
            found->first = at;
        if (is_sure(&s, i) && found->sure++ == 0)
            found->first_sure = at;
        if (doubtful && found->doubtful++ == 0)
            found->first_doubtful = at;
    }
    free(room);
    return TD_OK;
}

/* ---- quaternions ----------------------------------------------------------------------------- */

static double at(const double *column, size_t row)
{
    return column ? column[row] : 0;
}

static double dot(double *const p[4], size_t a, size_t b)
{
    double sum = 0;
    for (size_t k = 0; k < 4; k++)
        sum += at(p[k], a) * at(p[k], b);
    return sum;
}

static bool is_missing(double *const p[4], size_t row)
{
    bool missing = false;
    for (size_t k = 0; k < 4; k++)
        missing = missing || isnan(at(p[k], row));
    return missing;
}

void td_align_signs(size_t n, double *const p[4], td_turns *found)
{
    /* the quaternions of a turn by φ enclose the angle φ/2 */
    const double least = cos(3.0 / 8 * acos(-1));
    size_t before[2] = {0, 0}, rows = 0;
    *found = (td_turns){0};
    for (size_t i = 0; i < n; i++) {
        if (is_missing(p, i))
            continue;
        double product = 1;
        for (size_t k = 0; k < 2 && k < rows; k++) {
            const double other = dot(p, i, before[k]);
            product = k == 0 || fabs(other) > fabs(product) ? other : product;
        }
        for (size_t k = 0; k < 4 && product < 0; k++)
            if (p[k])
                p[k][i] = 0 - p[k][i];
        if (fabs(product) < least) {
            found->first_doubtful = found->doubtful ? found->first_doubtful : i;
            found->doubtful++;
        }
        before[1] = before[0];
        before[0] = i;
        rows++;
    }
}
