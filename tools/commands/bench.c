/* SPDX-License-Identifier: MIT */
/*
 * tandem bench: measures the time per call for a robot on this machine.
 */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "commands/bench.h"
#include "input/option_value.h"
#include "input/value.h"
#include "options.h"
#include "output/json.h"
#include "output/table.h"
#include "run.h"
#include "text.h"

typedef struct bench_options {
    tool_options common;
    size_t states, threads, calls;
    double time;
} bench_options;

static void read_time(const command_option *o, char *text, command_line *line)
{
    bench_options *options = line->options;
    if (!read_quantity(text, UNIT_TIME, 0, &options->time) || !(options->time >= 0)) {
        option_error(line, "--%s must be a time of zero or more, in %s, not '%s'", o->name,
                     unit_words_of(UNIT_TIME, 0), text);
    } else if (options->time > 3600) {
        option_error(line, "--measure must be at most one hour, not '%s'", text);
    }
}

#define AT(member) .at = offsetof(bench_options, member)

static const command_option command_rows[] = {
    {"calls", "N", "Also measure latency: the longest of N single calls, and percentiles",
     option_count, AT(calls), .number = 100000000},
    {"batch", "N",
     "Evaluate batches of this many states (default: as many as fit into the cache, 64 to 4096)",
     option_count, AT(states), .number = 1000000},
    {"threads", "N", "Use this many threads (default: one per processor)", option_count,
     AT(threads), .number = 1024},
    {"measure", "SECONDS", "Measure each figure for this long (default 0.05)", read_time, .at = 0},
    {"tree", NULL, TREE_HELP, option_flag, AT(common.tree)},
    {0},
};
const option_set options_of_bench = {
    .rows = command_rows,
    .usage = "FILE",
    .about =
        "Measure what this robot costs on this machine: the time to load it, the size of a "
        "workspace, "
        "and the best time of each call, for one state, per state of a batch, and with several "
        "threads. States are random. Other programs disturb latencies; pin the command to a free "
        "core "
        "with 'taskset'.",
    .parts = {&model_set, &passive_set, &actuated_set, &plan_set}};

/* Returns the decimals for three significant digits, or 0 from 100 on. */
static int decimals(double x)
{
    return x < 10 ? 2 : x < 100 ? 1 : 0;
}

static void print_overview(const session *s, const bench_options *options, const bench_start *start,
                           size_t states)
{
    const td_model *m = s->model;
    bool tree = options->common.tree;
    double load = 1e3 * start->load;
    double workspace = (double)start->workspace / 1024;
    double further = (double)start->per_thread / 1024;
    put_clean(stdout, *td_model_name(m) != '\0' ? td_model_name(m) : "(no name)");
    printf(": %s, %s, %s %zu\n", counted(td_link_count(m), "link").text,
           counted(td_joint_count(m), "joint").text, tree ? "nv" : "nyd",
           tree ? td_nv(m) : td_nyd(m));
    printf("%s, %s; batches of %s\n", td_isa(m), counted(td_lanes(m), "lane").text,
           counted(states, "state").text);
    if (load >= 0) {
        printf("load %.*f ms, ", decimals(load), load);
    }
    printf("workspace %.*f KiB, %.*f KiB for each additional thread\n\n", decimals(workspace),
           workspace, decimals(further), further);
}

static void add_time(table *t, double seconds)
{
    double ns = 1e9 * seconds;
    table_add(t, "%.*f", decimals(ns), ns);
}

static void print_results(const bench_result *results, size_t threads)
{
    table t = table_new(threads > 1 ? "lrrrl" : "lrrl");
    table_add(&t, "ns per state");
    table_add(&t, "one");
    table_add(&t, "batch");
    if (threads > 1) {
        table_add(&t, "%s", counted(threads, "thread").text);
    }
    table_add(&t, "%s", "");
    for (size_t i = 0; i < bench_operations(); i++) {
        const bench_result *x = &results[i];
        table_add(&t, "%s", x->text);
        add_time(&t, x->single);
        add_time(&t, x->batch);
        if (threads > 1) {
            add_time(&t, x->threaded);
        }
        table_add(&t, "%s", x->status == TD_OK ? "" : td_status_text(x->status));
    }
    table_print(&t, 0);
}

static void print_latencies(const bench_latency *latencies)
{
    table t = table_new("lrrrrr");
    table_add(&t, "ns per call");
    table_add(&t, "least");
    table_add(&t, "median");
    table_add(&t, "99 %%");
    table_add(&t, "99.99 %%");
    table_add(&t, "largest");
    for (size_t i = 0; i <= bench_operations(); i++) {
        const bench_latency *x = &latencies[i];
        table_add(&t, "%s", x->text);
        add_time(&t, x->least);
        add_time(&t, x->median);
        add_time(&t, x->percent_99);
        add_time(&t, x->percent_9999);
        add_time(&t, x->largest);
    }
    putchar('\n');
    table_print(&t, 0);
}

static cJSON *latencies_json(const bench_latency *latencies)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i <= bench_operations(); i++) {
        const bench_latency *x = &latencies[i];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToObject(item, "operation", json_text(x->key));
        cJSON_AddItemToObject(item, "least", json_number(x->least));
        cJSON_AddItemToObject(item, "median", json_number(x->median));
        cJSON_AddItemToObject(item, "percent_99", json_number(x->percent_99));
        cJSON_AddItemToObject(item, "percent_99.99", json_number(x->percent_9999));
        cJSON_AddItemToObject(item, "largest", json_number(x->largest));
        cJSON_AddItemToArray(list, item);
    }
    return list;
}

static void print_json(const session *s, const bench_options *options, const bench_start *start,
                       const bench_result *results, const bench_latency *latencies, size_t states,
                       size_t threads)
{
    cJSON *root = json_root(td_model_name(s->model));
    cJSON_AddItemToObject(root, "coordinates",
                          json_text(options->common.tree ? "tree" : "independent"));
    cJSON_AddItemToObject(root, "isa", json_text(td_isa(s->model)));
    cJSON_AddItemToObject(root, "lanes", json_count(td_lanes(s->model)));
    cJSON_AddItemToObject(root, "threads", json_count(threads));
    cJSON_AddItemToObject(root, "batch", json_count(states));
    cJSON_AddItemToObject(root, "load",
                          start->load >= 0 ? json_number(start->load) : cJSON_CreateNull());
    cJSON_AddItemToObject(root, "workspace_bytes", json_count(start->workspace));
    cJSON_AddItemToObject(root, "bytes_per_further_thread", json_count(start->per_thread));
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < bench_operations(); i++) {
        const bench_result *x = &results[i];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToObject(item, "operation", json_text(x->key));
        cJSON_AddItemToObject(item, "one", json_number(x->single));
        cJSON_AddItemToObject(item, "of_batch", json_number(x->batch));
        cJSON_AddItemToObject(item, "of_threads", json_number(x->threaded));
        cJSON_AddItemToObject(item, "status", json_text(td_status_text(x->status)));
        cJSON_AddItemToArray(list, item);
    }
    cJSON_AddItemToObject(root, "seconds_per_state", list);
    if (options->calls > 0) {
        cJSON_AddItemToObject(root, "calls", json_count(options->calls));
        cJSON_AddItemToObject(root, "seconds_per_call", latencies_json(latencies));
    }
    json_print(root, false);
}

static int run(const session *s, void *context)
{
    const bench_options *options = context;
    bench_request request = {.model = s->model,
                             .file = strcmp(options->common.file, "-") == 0 ? NULL : s->file,
                             .load = &options->common.load,
                             .tree = options->common.tree,
                             .forces = options_forces(&options->common),
                             .states = options->states,
                             .threads = options->threads,
                             .time = options->time,
                             .calls = options->calls};
    scoped bench_result *results = allocate(bench_operations(), sizeof *results);
    scoped bench_latency *latencies = allocate(bench_operations() + 1, sizeof *latencies);
    size_t states, threads;
    bench_start start = bench_measure_start(&request);
    bench_measure(&request, results, latencies, &states, &threads);
    if (options->common.json) {
        print_json(s, options, &start, results, latencies, states, threads);
    } else {
        print_overview(s, options, &start, states);
        print_results(results, threads);
        if (options->calls > 0) {
            print_latencies(latencies);
        }
    }
    return EXIT_GOOD;
}

int command_bench(int argc, char **argv)
{
    bench_options options = {.time = 0.05};
    return run_session(&options_of_bench, argc, argv, &options, run);
}
