/* SPDX-License-Identifier: MIT */
/*
 * Prints the messages of tandem simulate on standard error: its progress on a terminal and, at the
 * end, a summary and whether the energy balances.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "simulate.h"
#include "text.h"

/* ---- progress -------------------------------------------------------------------------------- */

static const double interval = 0.1; /* s between updates */

/* Starts the progress, which is shown on a terminal unless the table goes to the same terminal. */
progress progress_start(const simulate_options *options)
{
    bool same = options->output == NULL && isatty(STDOUT_FILENO) == 1;
    progress p = {.shown = notes_shown() && isatty(STDERR_FILENO) == 1 && !same, .next = interval};
    clock_gettime(CLOCK_MONOTONIC, &p.start);
    return p;
}

double progress_elapsed(const progress *p)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - p->start.tv_sec) + 1e-9 * (double)(now.tv_nsec - p->start.tv_nsec);
}

/* Returns the columns of the terminal of standard error. */
static size_t columns_of_progress(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

static char *duration_text(double seconds)
{
    double s = ceil(seconds);
    return s < 60     ? text_format("%.0f s", s)
           : s < 3600 ? text_format("%.0f min %02.0f s", floor(s / 60), fmod(s, 60))
                      : text_format("%.0f h %02.0f min", floor(s / 3600), fmod(s / 60, 60));
}

bool progress_update(progress *p, double t, double end)
{
    double elapsed = progress_elapsed(p);
    if (elapsed < p->next) {
        return false;
    }
    p->next = elapsed + interval;
    if (!p->shown || t <= 0) {
        return true;
    }
    scoped char *rest = duration_text(elapsed * (end - t) / t);
    scoped char *text = text_format("%3.0f %%, t = %.4g s, %.3g × real time, %s left",
                                    floor(100 * t / end), t, t / elapsed, rest);
    size_t columns = columns_of_progress();
    size_t bytes = 0;
    for (size_t width = 0; text[bytes] != '\0'; bytes++) { /* leaves the last column free */
        width += ((unsigned char)text[bytes] & 0xc0) != 0x80;
        if (width >= columns) {
            break;
        }
    }
    fprintf(stderr, "\r\033[K%.*s", (int)bytes, text);
    fflush(stderr);
    p->drawn = true;
    return true;
}

void progress_clear(const progress *p)
{
    if (p->drawn) {
        fputs("\r\033[K", stderr);
        fflush(stderr); /* standard error is line-buffered */
    }
}

/* ---- limits ---------------------------------------------------------------------------------- */

/* Explains why a joint can pass its limit. */
static const char *what_stops(const row_writer *w, size_t joint)
{
    const td_joint_place place = td_joint_place_at(w->s->model, joint);
    const bool prescribed = !place.dependent && w->given != NULL && w->given[place.yd] != 0;
    if (!td_joint_kind_of(td_joint_at(w->s->model, joint)->type)->bounded) {
        return "limits of continuous joints are not stops";
    }
    if (prescribed) {
        return "its motion is prescribed";
    }
    switch (w->options->stops) {
    case TD_STOPS_SPRING:
        return "the spring of its stop yields";
    case TD_STOPS_IMPACT:
        return "it starts beyond its stop";
    default:
        return "limits are not stops without --stops";
    }
}

void report_limits(const row_writer *w)
{
    const limit_watch *l = &w->limits;
    for (size_t i = 0; i < l->count && i < LIMIT_LINES; i++) {
        const limit_passed *p = &l->passed[i];
        const char *side = p->below ? "below" : "above";
        tell_note("%s: joint '%s' is first %s its limit %s at t = %s s, and farthest at %s (t = %s "
                  "s); %s",
                  w->s->file, td_joint_at(w->s->model, p->joint)->name, side,
                  number_brief(p->limit).text, number_brief(p->first).text,
                  number_brief(p->most_at).text, number_brief(p->most).text,
                  what_stops(w, p->joint));
    }
    limit_watch_tell_rest(l);
}

/* ---- summary --------------------------------------------------------------------------------- */

/* With a larger relative energy error, the motion is considered wrong. */
static const double WRONG = 1e-3;

/* Prints a message and returns false if the steps were too long for the motion. Ignores energy
   errors that are only rounding. */
static bool judge_balance(const row_writer *w)
{
    double rounding = 1e-9 * (fabs(w->first[0]) + fabs(w->first[1])) + 1e-12;
    const bool right = w->worst_balance <= WRONG * w->exchanged || w->worst_balance <= rounding;
    if (!right) {
        complain(
            "%s: the motion is wrong: energy - work drifts by %.1g of the energy exchanged; %s",
            w->s->file, w->worst_balance / w->exchanged,
            td_method_is_fixed(w->options->method) ? "use shorter steps (--step), or 'auto'"
                                                   : "use a smaller --rtol");
    }
    return right;
}

static void print_counts(const row_writer *w, double elapsed)
{
    td_integrator_counts n = td_simulation_counts(w->simulation);
    double t = td_simulation_time(w->simulation);
    double share = w->exchanged > 0 ? w->worst_balance / w->exchanged : 0;
    fprintf(stderr, "time     %s s, %s\n", number_clear(t).text, counted(w->written, "row").text);
    fprintf(stderr, "steps    %zu, %zu rejected, %s", n.steps, n.rejected,
            counted(n.evaluations, "evaluation").text);
    if (n.stiff > 0 && n.stiff < n.steps) {
        fprintf(stderr, "; %zu by 'radau'", n.stiff);
    }
    fputc('\n', stderr);
    fprintf(stderr, "events   %zu\n", w->event_count);
    fprintf(stderr, "energy   from %s J to %s J, work %s J\n",
            number_brief(w->first[0] + w->first[1]).text, number_brief(w->energy).text,
            number_brief(w->work).text);
    fprintf(stderr, "balance  energy - work stays within %.2g J (%.1g of the energy exchanged)\n",
            w->worst_balance, share);
    fprintf(stderr, "speed    %.3g × real time (%.3g s)\n", elapsed > 0 ? t / elapsed : INFINITY,
            elapsed);
}

bool print_summary(const row_writer *w, double elapsed)
{
    if (notes_shown()) {
        print_counts(w, elapsed);
    }
    return judge_balance(w);
}
