/* SPDX-License-Identifier: MIT */
/*
 * Tests the comparison in bench/ with fake contenders. Contenders with equal results take part; one
 * whose results differ is reported and excluded. Then tests the program itself (TANDEM_COMPARE)
 * with all libraries that it was built with. Timings are not tested.
 */
#include <check.h>
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "td_test.h"

#include "measure.h" /* its parameter names are names of types above */
#include "robots.h"
#include "speed.h"

/* ---- contenders ------------------------------------------------------------------------------ */

extern const peer peer_tandem;

/* tandem on its baseline kernels, with an error added */
typedef struct liar {
    void *honest;
    const bench_robot *robot;
    int variant;
    size_t state; /* index of the last state of the last run */
} liar;

enum { HONEST, SLIGHTLY_OFF, ONE_STATE_OFF, NOT_A_NUMBER, ABSENT };

static void *liar_open(const bench_robot *robot, int variant, const char **why)
{
    if (variant == ABSENT) {
        *why = "it is never here";
        return NULL;
    }
    liar *l = calloc(1, sizeof *l);
    l->honest = peer_tandem.open(robot, 0, why);
    l->robot = robot;
    l->variant = variant;
    return l;
}

static bool liar_offers(const void *self, operation op)
{
    const liar *l = self;
    return op != OP_JACOBIANS && peer_tandem.offers(l->honest, op);
}

static void liar_run(void *self, operation op, size_t first, size_t n)
{
    liar *l = self;
    l->state = first + n - 1;
    peer_tandem.run(l->honest, op, first, n);
}

static void liar_result(const void *self, operation op, double *out)
{
    const liar *l = self;
    peer_tandem.result(l->honest, op, out);
    double factor = l->variant == SLIGHTLY_OFF                     ? 1 + 1000 * AGREEMENT
                    : l->variant == ONE_STATE_OFF && l->state == 5 ? 2
                    : l->variant == NOT_A_NUMBER                   ? NAN
                                                                   : 1;
    for (size_t i = 0; i < operation_results(l->robot, op); i++) {
        out[i] *= factor;
    }
}

static void liar_close(void *self)
{
    liar *l = self;
    peer_tandem.close(l->honest);
    free(l);
}

static const peer peer_liar = {"liar", liar_open, liar_offers, liar_run, liar_result, liar_close};

const contender contenders[] = {
    {"tandem baseline", &peer_tandem, 0, false},
    {"tandem baseline, 2 lanes", &peer_tandem, 1, false},
    {"tandem avx2", &peer_tandem, 2, false},
    {"tandem avx2, 4 lanes", &peer_tandem, 3, false},
    {"tandem avx512, 8 lanes", &peer_tandem, 5, false},
    {"honest", &peer_liar, HONEST, false},
    {"slightly off", &peer_liar, SLIGHTLY_OFF, false},
    {"soft", &peer_liar, SLIGHTLY_OFF, true},
    {"one state off", &peer_liar, ONE_STATE_OFF, false},
    {"not a number", &peer_liar, NOT_A_NUMBER, false},
    {"absent", &peer_liar, ABSENT, false},
};
const size_t contender_count = sizeof contenders / sizeof *contenders;

/* ---- running the comparison ------------------------------------------------------------------ */

static char scratch[] = "/tmp/test_compare_XXXXXX";

static bench_robot *open_robot(const char *name)
{
    char file[4096];
    strcpy(scratch + sizeof scratch - 7, "XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(scratch));
    snprintf(file, sizeof file, "%s/%s.urdf", td_robot_directory(), name);
    return robot_new(file, scratch, 16);
}

static void close_robot(bench_robot *robot)
{
    if (robot != NULL) {
        ck_assert_int_eq(unlink(robot->tree), 0);
    }
    robot_free(robot);
    ck_assert_int_eq(rmdir(scratch), 0);
}

/* Runs the comparison and returns its JSON; *text receives the report. */
static cJSON *compare_on(const bench_robot *robot, char **text)
{
    char *json = NULL;
    size_t size;
    FILE *to_text = open_memstream(text, &size);
    FILE *to_json = open_memstream(&json, &size);
    settings s = {.rounds = 3, .text = to_text, .json = to_json};
    json_open(to_json, NULL, '[');
    ck_assert(!compare_speed(&s, robot));
    json_close(to_json, ']');
    fclose(to_text);
    fclose(to_json);
    cJSON *cells = cJSON_Parse(json);
    ck_assert_msg(cells != NULL, "no JSON: %s", json);
    free(json);
    return cells;
}

static const char *text_of(const cJSON *cell, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(cell, key));
    ck_assert_ptr_nonnull(text);
    return text;
}

static double number_of(const cJSON *cell, const char *key)
{
    return cJSON_GetNumberValue(cJSON_GetObjectItem(cell, key)); /* NaN for null */
}

/* Returns NULL if there is no such cell. */
static const cJSON *find_cell(const cJSON *cells, const char *library, const char *key)
{
    const cJSON *cell;
    cJSON_ArrayForEach(cell, cells)
    {
        if (strcmp(text_of(cell, "library"), library) == 0 &&
            strcmp(text_of(cell, "operation"), key) == 0) {
            return cell;
        }
    }
    return NULL;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static const char *const robots[] = {"arm7", "gripper", "hand_a"};
enum { ROBOTS = sizeof robots / sizeof *robots };

static void check_verdict(const cJSON *cells, const char *library, const char *key, bool good)
{
    const cJSON *cell = find_cell(cells, library, key);
    ck_assert_msg(cell != NULL, "no %s of %s", key, library);
    ck_assert_msg(cJSON_IsTrue(cJSON_GetObjectItem(cell, "agrees")) == good,
                  "%s of %s: difference %g", key, library, number_of(cell, "difference"));
}

TD_LOOP_TEST(liars_are_found, 0, ROBOTS)
{
    bench_robot *robot = open_robot(robots[_i]);
    char *text;
    cJSON *cells = compare_on(robot, &text);
    for (int op = 0; op < OPERATIONS; op++) {
        const char *key = operation_key((operation)op);
        if (op == OP_COUPLED && robot->independent == robot->joints) {
            ck_assert_ptr_null(find_cell(cells, "tandem baseline", key));
            continue;
        }
        check_verdict(cells, "tandem baseline", key, true);
        check_verdict(cells, "tandem baseline, 2 lanes", key, true);
        if (op == OP_JACOBIANS) {
            ck_assert_ptr_null(find_cell(cells, "honest", key));
            continue;
        }
        check_verdict(cells, "honest", key, true);
        check_verdict(cells, "soft", key, true);
        check_verdict(cells, "slightly off", key, false);
        check_verdict(cells, "one state off", key, false);
        check_verdict(cells, "not a number", key, false);
        ck_assert_ptr_null(find_cell(cells, "absent", key));
    }
    ck_assert_ptr_nonnull(strstr(text, "without absent: it is never here"));
    ck_assert_ptr_nonnull(strstr(text, "differs"));
    free(text);
    cJSON_Delete(cells);
    close_robot(robot);
}

TD_LOOP_TEST(every_instruction_set_agrees, 0, ROBOTS)
{
    bench_robot *robot = open_robot(robots[_i]);
    char *text;
    cJSON *cells = compare_on(robot, &text);
    const cJSON *cell;
    size_t found = 0;
    cJSON_ArrayForEach(cell, cells)
    {
        if (strncmp(text_of(cell, "library"), "tandem", 6) == 0) {
            found++;
            ck_assert_double_le(number_of(cell, "difference"), 1e-12);
        }
    }
    ck_assert_uint_ge(found, 2 * 7);
    free(text);
    cJSON_Delete(cells);
    close_robot(robot);
}

TD_LOOP_TEST(ratios_are_to_the_best_honest_peer, 0, ROBOTS)
{
    bench_robot *robot = open_robot(robots[_i]);
    char *text;
    cJSON *cells = compare_on(robot, &text);
    const cJSON *cell;
    cJSON_ArrayForEach(cell, cells)
    {
        const cJSON *honest = find_cell(cells, "honest", text_of(cell, "operation"));
        double best = number_of(cell, "best_ns"), ratio = number_of(cell, "of_best_peer");
        if (!cJSON_IsTrue(cJSON_GetObjectItem(cell, "agrees"))) {
            ck_assert(isnan(best) && isnan(ratio));
            continue;
        }
        ck_assert_double_gt(best, 0);
        ck_assert_double_le(best, number_of(cell, "median_ns"));
        if (honest == NULL) {
            ck_assert(isnan(ratio));
        } else {
            ck_assert_double_eq_tol(ratio * number_of(honest, "best_ns"), best, 1e-6 * best);
        }
    }
    free(text);
    cJSON_Delete(cells);
    close_robot(robot);
}

/* Checks that the other libraries read the same robot as tandem. */
TD_LOOP_TEST(the_tree_is_the_same_robot, 0, ROBOTS)
{
    bench_robot *robot = open_robot(robots[_i]);
    size_t n = robot->joints;
    bench_robot tree = *robot;
    tree.file = robot->tree;
    const char *why;
    void *one = peer_tandem.open(robot, 0, &why), *other = peer_tandem.open(&tree, 0, &why);
    double *expected = calloc(n, sizeof *expected), *tau = calloc(n, sizeof *tau);
    for (size_t i = 0; i < robot->states; i++) {
        peer_tandem.run(one, OP_RNEA, i, 1);
        peer_tandem.result(one, OP_RNEA, expected);
        peer_tandem.run(other, OP_RNEA, i, 1);
        peer_tandem.result(other, OP_RNEA, tau);
        /* in the tree, a massless link gets a nanogram */
        td_assert_close(n, tau, expected, 1e-10, td_largest(n, expected));
    }
    free(expected);
    free(tau);
    peer_tandem.close(one);
    peer_tandem.close(other);
    close_robot(robot);
}

/* Robots that the other libraries do not support are refused, rather than measured as something
   else. */
TD_TEST(loops_are_refused)
{
    bench_robot *robot = open_robot("four_bar");
    ck_assert_ptr_null(robot);
    close_robot(robot);
}

/* ---- the program ----------------------------------------------------------------------------- */

/* Runs the program with these arguments, discards its output, and returns its exit status. */
static int run(const char *arguments)
{
    const char *program = getenv("TANDEM_COMPARE");
    char command[8192];
    ck_assert_ptr_nonnull(program);
    snprintf(command, sizeof command, "'%s' %s >/dev/null 2>&1", program, arguments);
    int status = system(command);
    ck_assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* Runs tandem and all available libraries on all their robots, with one short measurement each. */
TD_TEST(all_libraries_agree)
{
    static const char *const all[] = {"arm7",    "humanoid", "chain_100",
                                      "gripper", "hand_a",   "hand_b"};
    char arguments[256], json[64];
    size_t size, found = 0;
    strcpy(scratch + sizeof scratch - 7, "XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(scratch));
    snprintf(json, sizeof json, "%s/json", scratch);
    snprintf(arguments, sizeof arguments, "--rounds 1 --time 0 --json %s", json);
    ck_assert_int_eq(run(arguments), 0);
    char *text = td_read_file(json, &size);
    cJSON *root = cJSON_Parse(text);
    ck_assert_msg(root != NULL, "no JSON: %s", text);
    ck_assert_int_eq(strncmp(text_of(root, "versions"), "tandem ", 7), 0);
    ck_assert_str_ne(text_of(root, "processor"), "");
    const cJSON *cell;
    cJSON_ArrayForEach(cell, cJSON_GetObjectItem(root, "speed"))
    {
        const char *robot = text_of(cell, "robot");
        ck_assert_msg(cJSON_IsTrue(cJSON_GetObjectItem(cell, "agrees")), "%s of %s on %s: %g",
                      text_of(cell, "operation"), text_of(cell, "library"), robot,
                      number_of(cell, "difference"));
        if (found == 0 || strcmp(robot, all[found - 1]) != 0) {
            ck_assert_uint_lt(found, sizeof all / sizeof *all);
            ck_assert_str_eq(robot, all[found++]);
        }
    }
    ck_assert_uint_eq(found, sizeof all / sizeof *all);
    cJSON_Delete(root);
    ck_assert_int_eq(unlink(json), 0);
    ck_assert_int_eq(rmdir(scratch), 0);
}

TD_LOOP_TEST(wrong_usage_is_said, 0, 6)
{
    static const char *const arguments[] = {
        "--only everything",     "--rounds 0", "--time x", "--chain 0",
        "--json /no/such/place", "--what"};
    ck_assert_int_eq(run(arguments[_i]), 2);
}

TD_TEST(a_robot_that_does_not_load_is_a_failure)
{
    ck_assert_int_eq(run("--rounds 1 --time 0 no_such_robot.urdf"), 1);
}
