/* SPDX-License-Identifier: MIT */
/*
 * Implements the command of sweeps; see sweep_command.h.
 */
#include "sweep/sweep_command.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sink.h"
#include "command.h"
#include "input/option_value.h"
#include "input/session.h"
#include "options.h"
#include "output/json.h"
#include "output/plot.h"
#include "output/table.h"
#include "sweep/merge.h"
#include "sweep/picture.h"
#include "sweep/spec_read.h"
#include "sweep/work.h"
#include "sweep/worker.h"
#include "text.h"

/* ---- arguments ------------------------------------------------------------------------------- */

enum { MOST_SHARDS = 100000000, MOST_THREADS = 1024 };

typedef struct sweep_options {
    tool_options common;
    const char *spec, *output, *plot;
    bool merge, at;
    uint64_t state; /* of --at */
    uint64_t shard, shards;
    size_t threads;
    double checkpoint;
} sweep_options;

/* Reads the integer at the start of the text. Returns false without one. */
static bool read_whole(const char *text, char **end, uint64_t *n)
{
    *n = 0;
    *end = (char *)text;
    while (**end >= '0' && **end <= '9' && *n < MOST_SHARDS) {
        *n = 10 * *n + (uint64_t)(*(*end)++ - '0');
    }
    return *end > text && *n <= MOST_SHARDS;
}

static uint64_t slurm(const char *name, command_line *line)
{
    scoped char *variable = text_format("SLURM_ARRAY_TASK_%s", name);
    const char *text = getenv(variable);
    char *end;
    uint64_t n = 0;
    if (text == NULL || !read_whole(text, &end, &n) || *end != '\0') {
        option_error(line, "--shard auto requires a job array: %s is %s%s", variable,
                     text != NULL ? "not a number: " : "not set", text != NULL ? text : "");
    }
    return n;
}

/* I/N, auto, or auto/N: of a job array the task's number, of N shards. */
static void read_shard(const command_option *o, char *text, command_line *line)
{
    sweep_options *options = line->options;
    (void)o;
    char *end = (char *)text;
    const bool automatic = strncmp(text, "auto", 4) == 0;
    if (strcmp(text, "auto") == 0) {
        const uint64_t least = slurm("MIN", line), most = slurm("MAX", line);
        options->shard = slurm("ID", line) - least;
        options->shards = slurm("COUNT", line);
        if (most - least + 1 != options->shards || options->shard >= options->shards) {
            option_error(line, "the job array leaves out tasks, and --shard auto cannot tell how "
                               "many shards there are: --shard auto/N");
        }
        return;
    }
    if (automatic) {
        options->shard = slurm("ID", line);
        end += 4;
    }
    if ((!automatic && !read_whole(text, &end, &options->shard)) || *end != '/' ||
        !read_whole(end + 1, &end, &options->shards) || *end != '\0' ||
        options->shard >= options->shards) {
        option_error(line, "--shard must be I/N, with I from 0 to N-1, auto or auto/N, not '%s'",
                     text);
    }
}

static void read_at(const command_option *o, char *text, command_line *line)
{
    sweep_options *options = line->options;
    double at;
    (void)o;
    if (!parse_number(text, &at) || !(at >= 0 && at < 0x1p52) || at != floor(at)) {
        option_error(line, "--at must be the number of a state, from 0, not '%s'", text);
    }
    options->at = true;
    options->state = (uint64_t)at;
}

static bool takes_spec(const void *options, const char *word)
{
    (void)word;
    return !((const sweep_options *)options)->merge;
}

static void check(command_line *line)
{
    const sweep_options *options = line->options;
    if (options->output != NULL && strcmp(path_suffix(options->output), ".json") != 0) {
        option_error(line, "-o must name a JSON file, FILE.json, not '%s'", options->output);
    } else if (options->plot != NULL && !plot_is_picture(options->plot)) {
        option_error(line, "--plot must name a .svg, .png or .pdf file, not '%s'", options->plot);
    }
}

#define AT(member) .at = offsetof(sweep_options, member)

static const command_option command_rows[] = {
    {"output", "FILE.json",
     "Write the result to a file, which --merge can read; a sweep that was stopped continues from "
     "its checkpoint next to the file",
     option_output, AT(output), .letter = 'o'},
    {"shard", "I/N",
     "Compute only part I of N, from 0; 'auto/N' takes I from the task number in a Slurm job "
     "array, 'auto' makes every task of the array one part. The result is written to "
     "FILE.shard-I-of-N.json",
     read_shard, .at = 0},
    {"merge", NULL, "Merge the results of shards, and report missing ones", option_flag, AT(merge)},
    {"plot", "FILE", "Plot histograms and cells: .svg, .png, .pdf", option_output, AT(plot)},
    {"at", "STATE", "Print only this state, with all evaluated quantities", read_at, .at = 0},
    {"threads", "N", "Use this many threads (default: one per processor)", option_count,
     AT(threads), .number = MOST_THREADS},
    {"checkpoint", "SECONDS", "Write a checkpoint this often (default 60)", option_time,
     AT(checkpoint)},
    {0},
};
static const option_argument arguments[] = {
    {"SPEC", AT(spec), "the specification of the sweep (a YAML file) is missing",
     "unexpected argument", .takes = takes_spec},
    {0},
};
static const option_rule rules[] = {
    {"merge", NULL, "at shard", "--merge accepts only -o, --plot and --json"},
    {"at", NULL, "shard output plot", "--at shows one state and accepts only --json"},
    {0},
};
const option_set options_of_sweep = {
    .rows = command_rows,
    .usage = "FILE SPEC\n--merge FILE...",
    .arguments = arguments,
    .rules = rules,
    .check = check,
    .about =
        "Evaluate torques, accelerations, poses, singular values or reactions at very many states, "
        "which are generated on the fly, and keep summaries: extremes, moments, histograms, "
        "percentiles, cells of a grid. SPEC is a YAML file, described in docs/formats/sweep.md. "
        "The "
        "result is identical to the bit for any number of threads, shards and "
        "processes.\vExamples:\n  "
        "tandem sweep robot.urdf torques.yaml\n  tandem sweep robot.urdf torques.yaml --shard 3/4 "
        "-o "
        "torques.json\n  tandem sweep --merge torques.shard-*.json -o torques.json --plot "
        "torques.svg",
    .parts = {&load_set, &model_set, &actuated_set, &plan_set}};

/* ---- one state ------------------------------------------------------------------------------- */

/* Prints all numbers of a state, inputs first. */
static int show_state(const sweep_spec *spec, const sweep_options *options)
{
    if (options->state >= spec->form.states) {
        complain("there are %" PRIu64 " states, numbered from 0", spec->form.states);
        return EXIT_USAGE;
    }
    sweep_worker *w = sweep_worker_new(spec);
    if (w == NULL) {
        return EXIT_COMPUTE;
    }
    sweep_sample(&w->arrays, options->state, 1);
    sweep_evaluate(&w->arrays, 1);
    cJSON *root = options->common.json ? json_root(spec->form.robot) : NULL;
    cJSON *values = root != NULL ? cJSON_AddObjectToObject(root, "values") : NULL;
    table t = table_new("lr");
    t.plain = true;
    for (size_t array = 0; array < SWEEP_ARRAYS; array++) {
        for (size_t i = 0; i < spec->width[array]; i++) {
            const double x = w->arrays.array[array][i];
            if (values != NULL) {
                cJSON_AddItemToObject(values, spec->name[array][i], json_number(x));
            } else {
                table_add(&t, "%s", spec->name[array][i]);
                table_add(&t, "%s", number_clear(x).text);
            }
        }
    }
    if (root != NULL) {
        cJSON_AddItemToObject(root, "status", json_text(td_status_text(w->arrays.status[0])));
        json_print(root, false);
        table_free(&t);
    } else {
        table_print(&t, 0);
    }
    const td_status status = w->arrays.status[0];
    if (status != TD_OK) {
        complain("state %" PRIu64 ": %s", options->state, td_status_text(status));
    }
    sweep_worker_free(w);
    return status == TD_OK ? EXIT_GOOD : EXIT_COMPUTE;
}

/* ---- results --------------------------------------------------------------------------------- */

/* Prints the result and draws the picture. A whole sweep without any valid state is an error; a
   part of a sweep is not, since other parts may have valid states. */
static int show_result(const sweep_result *r, const sweep_options *options)
{
    if (options->common.json) {
        sweep_result_print_json(r);
    } else {
        sweep_result_print(r);
    }
    const bool failed = sweep_result_failed(r);
    if (failed) {
        complain("nothing was computed: all of these states failed");
    }
    if (options->plot != NULL && !sweep_picture(r, options->plot)) {
        return EXIT_FILE;
    }
    return failed && sweep_result_complete(r) ? EXIT_NEGATIVE : EXIT_GOOD;
}

static int merge(const sweep_options *options)
{
    sweep_result r;
    const char *const *file = options->common.each;
    const size_t files = options->common.file_count;
    if (!sweep_merge(&r, file, files)) {
        return EXIT_FILE;
    }
    const bool whole = sweep_result_complete(&r);
    int code = EXIT_GOOD;
    if (whole && options->output != NULL && !sweep_result_write(&r, options->output, false)) {
        code = EXIT_FILE;
    }
    const int shown = code == EXIT_GOOD ? show_result(&r, options) : code;
    sweep_tell_missing(&r, file, files);
    sweep_result_free(&r);
    return whole ? shown : EXIT_FILE;
}

/* Merges the results of a team's ranks into the first rank's, one by one. */
static bool join_team(const sweep_team *team, sweep_result *r)
{
    bool good = true;
    if (team->rank != 0) {
        char *text = sweep_result_text(r, true);
        team->send(text != NULL ? text : "");
        free(text);
    }
    for (size_t i = 1; i < team->ranks && team->rank == 0; i++) {
        char *text = team->receive(i);
        sweep_result part;
        if (good && sweep_result_parse(&part, text, "another rank")) {
            good = td_reduction_merge(r->reduction, part.reduction) == TD_OK;
            r->chosen += part.chosen;
            sweep_result_take_states(r, &part);
            sweep_result_free(&part);
        } else {
            good = false;
        }
        free(text);
    }
    return team->agree(good);
}

/* Ends the process by the signal that stopped the work, after all output is written. */
static void end_by_signal(const char *path)
{
    complain("stopped%s%s%s", path != NULL ? "; the same command continues from '" : "",
             path != NULL ? path : "", path != NULL ? ".checkpoint'" : "");
    signal(sweep_stopped_by(), SIG_DFL);
    raise(sweep_stopped_by());
}

/* Merges the results of a team's ranks and writes the result. Then removes the parts. */
static bool complete_team(const sweep_team *team, const sweep_options *options, sweep_result *r,
                          const char *path)
{
    bool good = join_team(team, r);
    if (good && team->rank == 0 && options->output != NULL) {
        good = sweep_result_write(r, options->output, false);
    }
    good = team->agree(good);
    if (good && path != NULL) {
        unlink(path);
    }
    return good;
}

/* Computes a sweep in one process, or a shard in a rank of a team. */
static int work(const sweep_spec *spec, const sweep_options *options, const sweep_team *team)
{
    const bool several = team != NULL && team->ranks > 1;
    const uint64_t shard = several ? team->rank : options->shard;
    const uint64_t shards = several ? team->ranks : options->shards;
    scoped char *path =
        options->output != NULL ? sweep_shard_path(options->output, shard, shards) : NULL;
    const sweep_job job = {spec, shard, shards, options->threads, options->checkpoint, path};
    sweep_result r;
    const sweep_outcome outcome = sweep_work(&job, &r);
    bool good = outcome == SWEEP_THERE || outcome == SWEEP_DONE;
    if (outcome == SWEEP_STOPPED) {
        end_by_signal(path);
    }
    if (several && !good) {
        team->end(EXIT_FILE);
    } else if (several) {
        good = complete_team(team, options, &r, path);
    }
    int code = good ? EXIT_GOOD : EXIT_FILE;
    if (good && (team == NULL || team->rank == 0)) {
        code = show_result(&r, options);
    }
    sweep_result_free(&r);
    return code;
}

/* Returns whether the whole result of a team exists already. The first rank checks and shows it and
   sets *code. */
static bool is_there(const sweep_spec *spec, const sweep_options *options, const sweep_team *team,
                     int *code)
{
    const bool none =
        team->rank != 0 || options->output == NULL || access(options->output, F_OK) != 0;
    sweep_result r;
    if (team->agree(none)) {
        return false;
    }
    *code = EXIT_GOOD;
    if (team->rank == 0 && !sweep_result_read(&r, options->output)) {
        *code = EXIT_FILE;
    } else if (team->rank == 0) {
        const char *difference = sweep_form_difference(&r.form, &spec->form);
        if (difference != NULL || !sweep_result_complete(&r)) {
            complain("%s: another sweep; remove it, or give another -o", options->output);
        }
        *code = difference != NULL || !sweep_result_complete(&r) ? (int)EXIT_FILE
                                                                 : show_result(&r, options);
        sweep_result_free(&r);
    }
    return true;
}

/* Returns whether all ranks agree in the fields that results to merge must share. */
static bool is_same(const sweep_form *form, const sweep_team *team)
{
    td_sink isa = {.hash = TD_HASH_START};
    td_put_text(&isa, form->isa);
    const bool model = team->same(form->model), spec = team->same(form->spec);
    const bool kernels = team->same(isa.hash), states = team->same(form->states);
    if (!(model && spec && kernels && states) && team->rank == 0) {
        complain("the ranks have different %s", !model    ? SWEEP_ROBOTS
                                                : !spec   ? "specifications, samples or wrenches"
                                                : kernels ? "numbers of states"
                                                          : "instruction sets (TANDEM_ISA)");
    }
    return model && spec && kernels && states;
}

/* Runs the command for a loaded robot. s is NULL if loading failed in this rank. */
static int run(const session *s, sweep_options *options, const sweep_team *team)
{
    const bool several = team != NULL && team->ranks > 1;
    sweep_spec spec = {.s = NULL};
    int code = EXIT_FILE;
    bool good = s != NULL && sweep_spec_read(&spec, s, &options->common, options->spec);
    good = good && (options->plot == NULL || sweep_picture_possible(&spec.form));
    if (several) {
        good = team->agree(good) && is_same(&spec.form, team);
    }
    if (good && options->at) {
        code = show_state(&spec, options);
    } else if (good && !(several && is_there(&spec, options, team, &code))) {
        code = work(&spec, options, team);
    }
    if (s != NULL) {
        sweep_spec_free(&spec);
    }
    return code;
}

int sweep_command(int argc, char **argv, const sweep_team *team)
{
    sweep_options options = {.shards = 1, .checkpoint = 60, .threads = team != NULL ? 1 : 0};
    parse_arguments(&options_of_sweep, argc, argv, &options);
    const bool several = team != NULL && team->ranks > 1;
    int code;
    session s;
    if (several && (options.merge || options.at || options.shards > 1)) {
        complain("ranks are the shards: --shard, --merge and --at are for 'tandem sweep'");
        code = EXIT_USAGE;
    } else if (options.merge) {
        code = merge(&options);
    } else {
        options.common.needs = NEEDS_WORKSPACE; /* each thread has its own workspace */
        code = session_open(&s, &options.common, several && team->rank > 0);
        if (code == EXIT_GOOD) {
            code = run(&s, &options, team);
            session_close(&s);
        } else if (several) {
            run(NULL, &options, team);
        }
    }
    options_free(&options.common);
    return code;
}
