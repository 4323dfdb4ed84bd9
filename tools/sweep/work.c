/* SPDX-License-Identifier: MIT */
/*
 * Computes a sweep on one machine; see work.h.
 */
#include "sweep/work.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dynamics/threads.h"
#include "input/file_use.h"
#include "output/output_file.h"
#include "output/progress.h"
#include "sweep/chosen.h"
#include "sweep/worker.h"
#include "text.h"

enum { LEAF = TD_REDUCTION_LEAF };

/* Duration of a round, which bounds the delay of signals and checkpoints. */
static const double round_seconds = 0.2;
enum { MOST_LEAVES = 1 << 14 };
/* Limit of numbers in chosen rows that stay in memory until the end of a round. */
enum { MOST_NUMBERS = 1 << 22 };

typedef struct sweep_run {
    const sweep_job *job;
    td_pool *pool;
    size_t members;
    sweep_worker **worker;
    uint64_t first, end, done; /* workers or the result contain states first to done − 1 */
    sweep_rows *rows;          /* per leaf of a round */
    td_status *status;         /* per leaf of a round */
    sweep_result *result;
    chosen_rows chosen;
    double saved; /* time of the last checkpoint */
} sweep_run;

/* ---- signals --------------------------------------------------------------------------------- */

static volatile sig_atomic_t stop;
static const int stopping[] = {SIGTERM, SIGINT, SIGHUP, SIGXCPU, SIGUSR1};
enum { STOPPING = sizeof stopping / sizeof *stopping };

static void on_stop(int caught)
{
    stop = caught;
}

static void watch_signals(struct sigaction before[STOPPING])
{
    struct sigaction action = {.sa_handler = on_stop, .sa_flags = SA_RESTART};
    for (size_t i = 0; i < STOPPING; i++) {
        sigaction(stopping[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN) {
            sigaction(stopping[i], &action, NULL);
        }
    }
}

static void restore_signals(const struct sigaction before[STOPPING])
{
    for (size_t i = 0; i < STOPPING; i++) {
        sigaction(stopping[i], &before[i], NULL);
    }
}

int sweep_stopped_by(void)
{
    return (int)stop;
}

/* ---- files ----------------------------------------------------------------------------------- */

char *sweep_shard_path(const char *output, uint64_t shard, uint64_t shards)
{
    const char *suffix = path_suffix(output);
    return shards == 1
               ? text_format("%s", output)
               : text_format("%.*s.shard-%" PRIu64 "-of-%" PRIu64 "%s",
                             (int)(strlen(output) - strlen(suffix)), output, shard, shards, suffix);
}

static char *checkpoint_path(const char *output)
{
    return text_format("%s.checkpoint", output);
}

/* ---- rounds ---------------------------------------------------------------------------------- */

static void work_leaf(void *context, size_t member, size_t piece)
{
    sweep_run *run = context;
    sweep_worker *worker = run->worker[member];
    const uint64_t first = run->done + (uint64_t)piece * LEAF;
    const uint64_t left = run->end - first;
    if (run->job->spec->rows) {
        worker->rows = &run->rows[piece];
        worker->rows->rows = 0;
        worker->rows->chosen = 0;
        worker->rows->most = run->job->spec->most_rows - run->chosen.written;
    }
    run->status[piece] = sweep_worker_leaf(worker, first, left < LEAF ? (size_t)left : LEAF);
}

/* Merges the reductions of all threads into the result. */
static bool collect(sweep_run *run)
{
    for (size_t i = 0; i < run->members; i++) {
        const td_status status =
            td_reduction_merge(run->result->reduction, run->worker[i]->reduction);
        if (status != TD_OK) {
            complain("%s", td_status_text(status));
            return false;
        }
        td_reduction_clear(run->worker[i]->reduction);
    }
    run->result->chosen = run->chosen.chosen;
    run->result->rows = run->chosen.digest;
    return true;
}

static bool save_checkpoint(sweep_run *run)
{
    if (!collect(run)) {
        return false;
    }
    run->saved = seconds_now();
    if (run->job->output == NULL) {
        return true;
    }
    if (run->job->spec->rows && !chosen_rows_save(&run->chosen)) {
        return false;
    }
    scoped char *path = checkpoint_path(run->job->output);
    return sweep_result_write(run->result, path, true);
}

/* Writes the rows of a round's leaves in the order of their states. *numbers receives the count of
   their numbers. */
static bool put_rows(sweep_run *run, size_t leaves, size_t *numbers)
{
    enum { LITTLE = 64 };
    bool good = true;
    for (size_t i = 0; i < leaves && run->job->spec->rows; i++) {
        sweep_rows *rows = &run->rows[i];
        good = good && chosen_rows_add(&run->chosen, rows);
        *numbers += rows->rows * (1 + run->job->spec->form.chosens);
        if (rows->room > LITTLE) { /* free large buffers, since later leaves may have no rows */
            free(rows->value);
            rows->value = NULL;
            rows->room = 0;
        }
    }
    return good;
}

static bool work_round(sweep_run *run, size_t leaves, size_t *numbers)
{
    td_pool_run(run->pool, run->members, leaves, work_leaf, run);
    for (size_t i = 0; i < leaves; i++) {
        if (run->status[i] != TD_OK) {
            complain("%s", td_status_text(run->status[i]));
            return false;
        }
    }
    const uint64_t reached = run->done + (uint64_t)leaves * LEAF;
    run->done = reached < run->end ? reached : run->end;
    return put_rows(run, leaves, numbers);
}

static sweep_outcome work_rounds(sweep_run *run)
{
    size_t leaves = run->members;
    const uint64_t begin = run->done;
    run->saved = seconds_now();
    work_begin((size_t)(run->end - begin), "states");
    while (run->done < run->end) {
        const uint64_t left = (run->end - run->done + LEAF - 1) / LEAF;
        const double before = seconds_now();
        size_t numbers = 0;
        if (!work_round(run, leaves < left ? leaves : (size_t)left, &numbers)) {
            return SWEEP_FAILED;
        }
        const double after = seconds_now();
        if (numbers > MOST_NUMBERS && leaves > run->members) {
            leaves /= 2;
        } else if (after - before < round_seconds && leaves < MOST_LEAVES &&
                   2 * numbers < MOST_NUMBERS) {
            leaves *= 2;
        }
        reading_done((size_t)(run->done - begin));
        reading_rows((size_t)(run->done - begin));
        if (stop != 0) {
            return save_checkpoint(run) ? SWEEP_STOPPED : SWEEP_FAILED;
        }
        if (after - run->saved >= run->job->checkpoint && run->done < run->end &&
            !save_checkpoint(run)) {
            return SWEEP_FAILED;
        }
    }
    return collect(run) ? SWEEP_DONE : SWEEP_FAILED;
}

/* ---- begin and end --------------------------------------------------------------------------- */

/* Computes the inputs of the states that the result mentions. */
static void tell_states(sweep_run *run)
{
    sweep_result *r = run->result;
    free(r->states.value);
    free(r->states.index);
    r->states.index = sweep_result_spoken(r, &r->states.count);
    r->states.value = allocate(r->states.count * r->form.inputs + 1, sizeof(double));
    for (size_t i = 0; i < r->states.count; i++) {
        sweep_worker_state(run->worker[0], r->states.index[i],
                           r->states.value + i * r->form.inputs);
    }
}

/* Returns whether a result from a file belongs to this job. */
static bool is_ours(const sweep_run *run, const sweep_result *r, const char *path)
{
    const char *difference = sweep_form_difference(&r->form, &run->job->spec->form);
    uint64_t first = run->first, end = run->first;
    if (td_reduction_range_count(r->reduction) > 0) {
        td_reduction_range(r->reduction, 0, &first, &end);
    }
    if (difference != NULL) {
        complain("%s: belongs to another sweep with different %s; remove it, or give another -o",
                 path, difference);
    } else if (td_reduction_range_count(r->reduction) > 1 || first != run->first ||
               end > run->end) {
        complain("%s: belongs to another part of the states; remove it, or give another -o", path);
    } else {
        return true;
    }
    return false;
}

/* Returns whether the existing result has its rows beside it. */
static bool has_rows(const sweep_run *run)
{
    const sweep_job *job = run->job;
    bool good = true;
    if (job->spec->rows) {
        scoped char *rows = chosen_rows_path(job->output);
        good = access(rows, F_OK) == 0;
        if (!good) {
            complain("%s: its rows '%s' are missing; remove it to compute both again", job->output,
                     rows);
        }
        good = good && chosen_rows_check(run->result, job->output, job->spec->most_rows);
    }
    return good;
}

/* Reads an existing result or checkpoint, if any. Prints a message and returns false on failure. */
static bool resume(sweep_run *run, bool *whole)
{
    scoped char *checkpoint = checkpoint_path(run->job->output);
    bool good = true;
    *whole = access(run->job->output, F_OK) == 0;
    const char *path = *whole ? run->job->output : checkpoint;
    if (*whole || access(checkpoint, F_OK) == 0) {
        sweep_result before;
        good = sweep_result_read(&before, path);
        if (good && !is_ours(run, &before, path)) {
            sweep_result_free(&before);
            good = false;
        }
        if (good) {
            sweep_result_free(run->result);
            *run->result = before;
            uint64_t first = run->first;
            run->done = run->first;
            if (td_reduction_range_count(before.reduction) > 0) {
                td_reduction_range(before.reduction, 0, &first, &run->done);
            }
            if (*whole && run->done < run->end) {
                complain("%s: does not cover all of these states; remove it, or give another -o",
                         path);
                good = false;
            }
            good = good && (!*whole || has_rows(run));
        }
    }
    return good;
}

/* Locks the rows, before the run reads the checkpoint that belongs to them. */
static bool take_rows(sweep_run *run)
{
    const sweep_job *job = run->job;
    if (!job->spec->rows || (job->output != NULL && access(job->output, F_OK) == 0)) {
        return true;
    }
    scoped char *checkpoint = job->output != NULL ? checkpoint_path(job->output) : NULL;
    return chosen_rows_open(&run->chosen, job->spec, job->output, checkpoint);
}

static bool prepare(sweep_run *run, bool *whole)
{
    const sweep_job *job = run->job;
    *whole = false;
    run->result->form = sweep_form_copy(&job->spec->form);
    run->result->reduction = sweep_form_reduction(&job->spec->form);
    if (run->result->reduction == NULL) {
        return false;
    }
    if (!take_rows(run) || (job->output != NULL && !resume(run, whole))) {
        return false;
    }
    if (job->spec->rows && !*whole &&
        !chosen_rows_resume(&run->chosen, run->result->chosen, run->result->rows)) {
        return false;
    }
    const size_t wanted = td_pool_usable(job->threads);
    run->pool = wanted > 1 ? td_pool_new(wanted) : NULL;
    run->members = td_pool_members(run->pool);
    run->worker = allocate(run->members, sizeof(sweep_worker *));
    for (size_t i = 0; i < run->members; i++) {
        run->worker[i] = sweep_worker_new(job->spec);
        if (run->worker[i] == NULL) {
            return false;
        }
    }
    run->status = allocate(MOST_LEAVES * 2, sizeof *run->status);
    run->rows = allocate(job->spec->rows ? MOST_LEAVES * 2 : 1, sizeof *run->rows);
    return true;
}

/* Writes the result beside its rows. Does not replace a result that another run wrote meanwhile. */
static bool write_result(sweep_run *run)
{
    const char *path = run->job->output;
    sweep_result there;
    bool good = true;
    if (access(path, F_OK) == 0) {
        good = sweep_result_read(&there, path);
        good = good && is_ours(run, &there, path);
        sweep_result_free(&there);
    }
    good = good && sweep_result_write(run->result, path, false);
    if (!good && run->job->spec->rows) {
        unlink(run->chosen.path);
    }
    chosen_rows_keep(&run->chosen);
    return good;
}

/* Removes files that only an interrupted sweep needs. */
static void clean(sweep_run *run, sweep_outcome outcome)
{
    const sweep_job *job = run->job;
    if (job->output == NULL) {
        return;
    }
    scoped char *checkpoint = checkpoint_path(job->output);
    if (outcome == SWEEP_THERE && job->spec->rows && run->chosen.stream == NULL) {
        chosen_rows_clean(job->output, checkpoint);
    } else if (outcome == SWEEP_DONE || outcome == SWEEP_THERE) {
        unlink(checkpoint);
    }
    /* no checkpoint refers to the rows */
    const bool dropped =
        outcome != SWEEP_STOPPED && (run->chosen.made || access(checkpoint, F_OK) != 0);
    chosen_rows_close(&run->chosen, dropped);
}

static void finish(sweep_run *run)
{
    for (size_t i = 0; i < run->members && run->worker != NULL; i++) {
        sweep_worker_free(run->worker[i]);
    }
    for (size_t i = 0; run->rows != NULL && run->job->spec->rows && i < 2 * MOST_LEAVES; i++) {
        free(run->rows[i].value);
    }
    td_pool_free(run->pool);
    free(run->worker);
    free(run->rows);
    free(run->status);
}

sweep_outcome sweep_work(const sweep_job *job, sweep_result *result)
{
    sweep_run run = {.job = job, .result = result};
    struct sigaction before[STOPPING];
    bool whole;
    *result = (sweep_result){.reduction = NULL};
    sweep_shard_range(job->spec->form.states, job->shard, job->shards, &run.first, &run.end);
    run.done = run.first;
    output_prepare();
    watch_signals(before);
    sweep_outcome outcome = SWEEP_FAILED;
    if (prepare(&run, &whole)) {
        outcome = whole ? SWEEP_THERE : work_rounds(&run);
        reading_end();
    }
    if (outcome == SWEEP_DONE) {
        if (job->spec->rows && !chosen_rows_finish(&run.chosen)) {
            outcome = SWEEP_FAILED;
        }
        tell_states(&run);
    }
    finish(&run);
    restore_signals(before);
    if (outcome == SWEEP_DONE && job->output != NULL && !write_result(&run)) {
        outcome = SWEEP_FAILED;
    }
    clean(&run, outcome);
    return outcome;
}
