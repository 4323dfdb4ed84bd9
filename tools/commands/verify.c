/* SPDX-License-Identifier: MIT */
/*
 * tandem verify: checks the consistency of the library's results on the user's robot.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "commands/verify.h"
#include "input/option_value.h"
#include "output/coordinates_json.h"
#include "output/table.h"
#include "run.h"
#include "text.h"

enum { MOST_STATES = 100000 };

typedef struct verify_options {
    tool_options common;
    size_t states;
    uint64_t seed;
} verify_options;

static void read_seed(const command_option *o, char *text, command_line *line)
{
    char *end;
    errno = 0;
    *(uint64_t *)option_place(o, line) = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || errno != 0) {
        option_error(line, "--seed must be a whole number, not '%s'", text);
    }
}

#define AT(member) .at = offsetof(verify_options, member)

static const command_option command_rows[] = {
    {"states", "N", "Use this many random states (default 20), within limits", option_count,
     AT(states), .number = MOST_STATES},
    {"seed", "NUMBER", "Seed the random numbers (default 1)", read_seed, AT(seed)},
    {"tree", NULL, TREE_HELP, option_flag, AT(common.tree)},
    {0},
};
const option_set options_of_verify = {
    .rows = command_rows,
    .usage = "FILE...",
    .about =
        "Check the identities of dynamics on this robot at random states. Print the worst relative "
        "residual of each, and its joint or link. Forces are scaled by the inertia of their joint; "
        "differences of accelerations are compared as forces. The exit status is 1 if an identity "
        "fails.",
    .parts = {&model_set, &passive_set, &gravity_set, &actuated_set, &plan_set}};

static const char *result_text(const finding *f)
{
    return finding_skipped(f) ? "skipped" : finding_passed(f) ? "pass" : "FAIL";
}

static const char *joint_name(const td_model *model, size_t joint)
{
    return joint != TD_NONE ? td_joint_at(model, joint)->name : NULL;
}

static const char *link_name(const td_model *model, size_t link)
{
    return link != TD_NONE ? td_link_at(model, link)->name : NULL;
}

static void add_finding(table *t, const td_model *model, const finding *f)
{
    const char *joint = joint_name(model, f->joint);
    const char *link = link_name(model, f->link);
    table_add(t, "%s", f->text);
    if (finding_skipped(f)) {
        for (size_t blank = 0; blank < 3; blank++) {
            table_add(t, "%s", "");
        }
        table_add(t, "skipped: joint %s moves no inertia", joint_name(model, f->singular));
        return;
    }
    char residual[32];
    snprintf(residual, sizeof residual, "%.1e", f->residual);
    table_add(t, "%s", f->residual == 0 ? "0" : residual);
    table_add(t, "%s", number_brief(f->tolerance).text);
    if (joint != NULL || link != NULL) {
        table_add(t, "%s %s", joint != NULL ? "joint" : "link", joint != NULL ? joint : link);
    } else {
        table_add(t, "%s", "");
    }
    if (f->status == TD_OK) {
        table_add(t, "%s", result_text(f));
    } else {
        table_add(t, "%s: %s", result_text(f), td_status_text(f->status));
    }
}

static void print_findings(const coordinates *c, const verify_options *options,
                           const finding *findings, const size_t *count)
{
    static const char *const heading[] = {"identity", "residual", "tolerance", "worst at",
                                          "result"};
    table t = table_new("lrrll");
    for (size_t i = 0; i < t.columns; i++) {
        table_add(&t, "%s", heading[i]);
    }
    for (size_t i = 0; i < IDENTITY_COUNT; i++) {
        add_finding(&t, c->model, &findings[i]);
    }
    table_print(&t, 0);
    printf("\n%s, %s coordinates, seed %llu: %zu pass, %zu fail, %zu skipped\n",
           counted(options->states, "state").text, c->tree ? "tree" : "independent",
           (unsigned long long)options->seed, count[0], count[1], count[2]);
}

static void print_json(const coordinates *c, const verify_options *options, const finding *findings,
                       const size_t *count)
{
    static const char *const names[] = {"passed", "failed", "skipped"};
    cJSON *root = coordinates_json_root(c);
    cJSON_AddItemToObject(root, "state_count", json_count(options->states));
    cJSON_AddItemToObject(root, "seed", json_count(options->seed));
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < IDENTITY_COUNT; i++) {
        const finding *f = &findings[i];
        bool skipped = finding_skipped(f);
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToObject(item, "identity", json_text(f->name));
        cJSON_AddItemToObject(item, "text", json_text(f->text));
        cJSON_AddItemToObject(item, "result",
                              json_text(skipped             ? "skipped"
                                        : finding_passed(f) ? "pass"
                                                            : "fail"));
        cJSON_AddItemToObject(item, "residual", json_number(skipped ? NAN : f->residual));
        cJSON_AddItemToObject(item, "tolerance", json_number(f->tolerance));
        cJSON_AddItemToObject(item, "joint",
                              json_text(joint_name(c->model, skipped ? f->singular : f->joint)));
        cJSON_AddItemToObject(item, "link", json_text(link_name(c->model, f->link)));
        cJSON_AddItemToObject(item, "state",
                              f->state > 0 ? json_count((size_t)f->state) : cJSON_CreateNull());
        cJSON_AddItemToObject(item, "status", json_text(td_status_text(f->status)));
        cJSON_AddItemToArray(list, item);
    }
    cJSON_AddItemToObject(root, "identities", list);
    for (size_t i = 0; i < 3; i++) {
        cJSON_AddItemToObject(root, names[i], json_count(count[i]));
    }
    json_print(root, false);
}

static int run(const session *s, void *context)
{
    const verify_options *options = context;
    coordinates c = coordinates_new(s->model, options->common.tree);
    td_forces forces = options_forces(&options->common);
    finding findings[IDENTITY_COUNT];
    size_t count[3] = {0}; /* passed, failed, skipped */
    verify(s, &c, &forces, options->states, options->seed, findings);
    for (size_t i = 0; i < IDENTITY_COUNT; i++) {
        const finding *f = &findings[i];
        count[finding_skipped(f) ? 2 : finding_passed(f) ? 0 : 1]++;
    }
    (options->common.json ? print_json : print_findings)(&c, options, findings, count);
    coordinates_free(&c);
    return count[1] == 0 ? EXIT_GOOD : EXIT_NEGATIVE;
}

int command_verify(int argc, char **argv)
{
    verify_options options = {
        /* other calls compute at the same y again, after other states and in batches */
        .common = {.following = TD_FOLLOWING_START},
        .states = 20,
        .seed = 1};
    return run_session(&options_of_verify, argc, argv, &options, run);
}
