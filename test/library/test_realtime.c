/* SPDX-License-Identifier: MIT */
/*
 * Tests properties that control loops depend on. It covers every function of a model and a
 * workspace, and the functions of objects and numbers listed in object_functions.h. Robots are
 * random or mechanisms with iterated loops. No function makes a system call (the test runs in a
 * process in which any system call is fatal). None allocates, in any library. After a first call,
 * none causes a page fault. None uses more stack than docs/performance.md documents. test_memory.c
 * covers locks. That page also lists exactly the functions that allocate; control loops must avoid
 * them.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "failing.h"
#include "functions.h"
#include "loop_robots.h"
#include "object_functions.h"

#if defined(__linux__)
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif
#if defined(__OPTIMIZE__) && !defined(__clang__) && defined(__x86_64__)
#define STACK_IS_TOLD 1 /* documented in docs/performance.md */
#else
#define STACK_IS_TOLD 0
#endif

enum { STATES = 9, STACK = 1 << 18, PAINTED = 96 << 10, LARGE = 1 << 30 };

/* ---- every function ---------------------------------------------------------------------------
 */

/* A function with its arguments, ready to be called. */
typedef struct callee {
    const char *name;
    const function *f;           /* or NULL */
    const other_function *other; /* or NULL */
    const object_function *object;
    bool tree, batch;
    states *s;
    other_arguments *a;
    objects *o;
} callee;

static void invoke(const callee *c)
{
    if (c->f)
        function_call(c->f, &c->s->a, c->tree, c->batch);
    else if (c->other)
        c->other->call(c->a);
    else
        c->object->call(c->o);
}

static bool allocates(const callee *c)
{
    return c->object ? c->object->allocates : strcmp(c->name, "actuation_examine") == 0;
}

/* One robot with all functions that can be called on it. */
typedef struct robot {
    td_model *model;
    states *in[2];
    other_arguments *a;
    objects *o;
} robot;

enum { RANDOM_ROBOTS = 4 };

static int robot_count(void)
{
    return RANDOM_ROBOTS + (int)loop_robot_count;
}

static robot robot_new(int k)
{
    td_random random = {(uint64_t)(900 + k)};
    robot r = {0};
    if (k < RANDOM_ROBOTS) {
        const td_base base = k % 2 ? TD_BASE_FLOATING : TD_BASE_FIXED;
        td_builder *builder = k < 2 ? regular_robot(&random, 7, k ? 3 : 0, false, base)
                                    : td_random_robot(&random, 24, 6, false);
        r.model = robot_for(builder, base, NULL);
    } else {
        r.model = loop_robot_load(&loop_robots[k - RANDOM_ROBOTS]);
    }
    for (int tree = 0; tree < 2; tree++)
        r.in[tree] = states_new(&random, r.model, tree, STATES);
    if (k >= RANDOM_ROBOTS)
        for (size_t i = 0; i < STATES; i++)
            loop_robot_state(&random, &loop_robots[k - RANDOM_ROBOTS], r.model,
                             r.in[0]->y + i * td_ny(r.model));
    r.a = other_arguments_new(&random, r.model, 0);
    r.o = objects_new(&random, r.a);
    return r;
}

/* Visits every function of the robot, after clearing its outputs. */
static void for_each(const robot *r, void (*visit)(const callee *c, void *context), void *context)
{
    for (size_t k = 0; k < function_count; k++)
        for (int form = 0; form < 4; form++) {
            const bool tree = form & 1, batch = form & 2;
            const callee c = {.name = functions[k].name,
                              .f = &functions[k],
                              .tree = tree,
                              .batch = batch,
                              .s = r->in[tree]};
            states_clear(c.s, c.f, tree, 0);
            visit(&c, context);
        }
    for (size_t k = 0; k < other_function_count; k++) {
        const callee c = {
            .name = other_functions[k].name + 3, .other = &other_functions[k], .a = r->a};
        visit(&c, context);
    }
    for (size_t k = 0; k < object_function_count; k++) {
        const callee c = {.name = object_functions[k].name + 3,
                          .object = &object_functions[k],
                          .a = r->a,
                          .o = r->o};
        visit(&c, context);
    }
}

/* ---- system calls -----------------------------------------------------------------------------
 */

#if defined(__linux__) && defined(SECCOMP_RET_KILL_PROCESS) && !SANITIZED

static const char **at; /* name of the function being called, shared with the parent process */

/* After this, any system call other than the end of the process kills it. */
static bool forbid_calls(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_exit_group, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    };
    const struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

static void call_named(const callee *c, void *context)
{
    (void)context;
    *at = c->name;
    if (!allocates(c))
        invoke(c);
}

enum { NO_FILTER = 77 };

/* Calls all functions of a robot, or makes one system call, in a process in which system calls are
   fatal. Returns the exit status. */
static int status_without_calls(const robot *r)
{
    int status = -1;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        if (!forbid_calls())
            _exit(NO_FILTER);
        if (r)
            for_each(r, call_named, NULL);
        else
            syscall(__NR_getppid);
        syscall(__NR_exit_group, 0);
    }
    ck_assert_int_gt(child, 0);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return status;
}

TD_LOOP_TEST(no_function_makes_a_system_call, 0, robot_count())
{
    at = mmap(NULL, sizeof *at, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert(at != MAP_FAILED);
    int status = status_without_calls(NULL);
    if (WIFEXITED(status) && WEXITSTATUS(status) == NO_FILTER)
        return;                     /* not permitted here; a message says so */
    ck_assert(WIFSIGNALED(status)); /* checks that the filter works */
    robot r = robot_new(_i);
    status = status_without_calls(&r);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s makes a system call", *at);
    munmap(at, sizeof *at);
}
#endif

/* ---- pages and allocations --------------------------------------------------------------------
 */

static long page_faults(void)
{
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return use.ru_minflt + use.ru_majflt;
}

/* The first call of a function may touch code, tables and memory for the first time. Other
   processes may cause page reclaim meanwhile, so only a fault at every call counts. */
static void look_at_pages(const callee *c, void *context)
{
    enum { TRIES = 5 };
    const char **faulty = context;
    long faults = !allocates(c);
    invoke(c);
    for (int i = 0; i < TRIES && faults > 0; i++) {
        const long before = page_faults();
        invoke(c);
        faults = page_faults() - before;
    }
    if (faults > 0)
        *faulty = c->name;
}

TD_LOOP_TEST(no_function_meets_new_pages, 0, robot_count())
{
    const char *faulty = NULL;
    robot r = robot_new(_i);
    for_each(&r, look_at_pages, &faulty);
    ck_assert_msg(faulty == NULL, "%s meets new pages", faulty);
}

static void count_allocations(const callee *c, void *context)
{
    const char **greedy = context;
    const long pieces = failing_pieces;
    failing_left = LARGE;
    invoke(c);
    if ((failing_left != LARGE || failing_pieces != pieces) && !allocates(c))
        *greedy = c->name;
    failing_left = -1;
}

TD_LOOP_TEST(no_function_allocates_by_any_library, 0, robot_count())
{
    const char *greedy = NULL;
    robot r = robot_new(_i);
    const long before = failing_pieces;
    /* volatile: the compiler must not optimize malloc away */
    void *(*volatile take)(size_t) = malloc;
    failing_left = LARGE;
    void *piece = take(1);
    const bool counts = failing_left < LARGE && failing_pieces == before + 1;
    failing_left = -1;
    free(piece);
    ck_assert(counts == failing_works);
    for_each(&r, count_allocations, &greedy);
    ck_assert_msg(greedy == NULL, "%s allocates", greedy);
}

/* Sets *context if a call of that function allocates. */
typedef struct suspicion {
    const char *name;
    bool true_one;
} suspicion;

static void look_for_allocation(const callee *c, void *context)
{
    suspicion *s = context;
    if (strcmp(c->name, s->name) != 0 || s->true_one)
        return;
    failing_left = LARGE;
    invoke(c);
    s->true_one = failing_left != LARGE;
    failing_left = -1;
}

/* Returns the names in the first column of the table under that heading of docs/performance.md,
   each surrounded by blanks. */
static char *names_under(const char *heading)
{
    char path[4096], line[1024];
    const char *root = getenv("TANDEM_SOURCE_ROOT");
    char *names = test_calloc(1 << 14, 1);
    bool there = false;
    snprintf(path, sizeof path, "%s/docs/performance.md", root ? root : ".");
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    strcat(names, " ");
    while (fgets(line, sizeof line, file)) {
        there = *line == '#' ? strncmp(line, heading, strlen(heading)) == 0 : there;
        char *column = there && *line == '|' ? strtok(line + 1, "|") : NULL;
        for (char *name = column ? strtok(column, "` ,") : NULL; name; name = strtok(NULL, "` ,"))
            if (strncmp(name, "td_", 3) == 0)
                strcat(strcat(names, name), " ");
    }
    fclose(file);
    return names;
}

static bool is_named(const char *names, const char *name)
{
    char padded[100];
    snprintf(padded, sizeof padded, " %s ", name);
    return strstr(names, padded) != NULL;
}

/* Each function that is documented to allocate does so on some robot, and no other function does.
 */
TD_TEST(what_allocates_is_what_the_document_says)
{
    char *names = names_under("### What allocates");
    size_t count = 1, named = 0;
    suspicion all[64] = {{"actuation_examine", false}};
    for (size_t k = 0; k < object_function_count; k++)
        if (object_functions[k].allocates && !object_functions[k].inner)
            all[count++].name = object_functions[k].name + 3;
    for (int k = 0; k < robot_count() && failing_works; k++) {
        robot r = robot_new(k);
        for (size_t i = 0; i < count; i++)
            for_each(&r, look_for_allocation, &all[i]);
    }
    for (size_t i = 0; i < count; i++) {
        char name[80];
        snprintf(name, sizeof name, "td_%s", all[i].name);
        ck_assert_msg(all[i].true_one || !failing_works, "%s does not allocate", name);
        ck_assert_msg(is_named(names, name), "the document does not name %s", name);
    }
    for (size_t i = 0; functions_of_set_up[i]; i++, count++)
        ck_assert_msg(is_named(names, functions_of_set_up[i]), "the document does not name %s",
                      functions_of_set_up[i]);
    for (const char *p = names; (p = strstr(p, " td_")) != NULL; p++)
        named++;
    ck_assert_uint_eq(named, count);
}

/* ---- stack ------------------------------------------------------------------------------------
 */

/* The documented stack limit of a function and its largest use, in bytes. */
typedef struct limit {
    char name[80];
    size_t allowed, used;
    char worst[80];
} limit;

enum { MOST_LIMITS = 64, PAINT = 0xa5, NEAR = 256 };
static limit limits[MOST_LIMITS];
static size_t limit_count;

/* Reads rows "| `name` | KiB |" under "## Stack, …". The row without a name applies to all others.
 */
static void read_limits(void)
{
    char path[4096], line[1024];
    bool there = false;
    const char *root = getenv("TANDEM_SOURCE_ROOT");
    snprintf(path, sizeof path, "%s/docs/performance.md", root ? root : ".");
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    limit_count = 0;
    while (fgets(line, sizeof line, file)) {
        there = *line == '#' ? strncmp(line, "## Stack,", 9) == 0 : there;
        const char *bar = strrchr(line, '|');
        if (!there || !bar || bar == line)
            continue;
        while (bar > line && bar[-1] != '|')
            bar--;
        const double kib = strtod(bar, NULL);
        for (char *tick = strchr(line, '`'); kib > 0; tick = strchr(tick, '`')) {
            limit *l = &limits[limit_count];
            ck_assert_uint_lt(limit_count, MOST_LIMITS);
            const size_t length = tick ? strcspn(tick + 1, "`") : 0;
            *l = (limit){.allowed = (size_t)(kib * 1024)};
            snprintf(l->name, sizeof l->name, "%.*s", (int)length, tick ? tick + 1 : "");
            limit_count++;
            if (!tick)
                break;
            tick += length + 2;
            if (!strchr(tick, '`'))
                break;
        }
    }
    fclose(file);
}

/* Returns the limit of a function. Its batch version has the same. */
static limit *limit_of(const char *name)
{
    limit *rest = NULL;
    if (strncmp(name, "batch_", 6) == 0)
        name += 6;
    for (size_t i = 0; i < limit_count; i++) {
        if (strncmp(limits[i].name, "td_", 3) == 0 && strcmp(limits[i].name + 3, name) == 0)
            return &limits[i];
        rest = *limits[i].name == '\0' ? &limits[i] : rest;
    }
    return rest;
}

static unsigned char *stack;

/* Returns how deep a call writes into the painted stack below its caller. */
static __attribute__((noinline)) size_t depth_of(const callee *c)
{
    unsigned char *here = __builtin_frame_address(0), *volatile end = here - NEAR;
    unsigned char *begin = end - PAINTED;
    memset(begin, PAINT, PAINTED);
    invoke(c);
    while (begin < end && *begin == PAINT)
        begin++;
    return (size_t)(here - begin);
}

static void look_at_stack(const callee *c, void *context)
{
    (void)context;
    if (c->object && c->object->inner)
        return;
    const td_model *model = c->f ? c->s->a.model : c->a->model;
    const bool long_vectors = strcmp(td_isa(model), "avx512") == 0; /* vectors are twice as long */
    limit *l = limit_of(c->name);
    const size_t depth = depth_of(c) / (long_vectors ? 2 : 1);
    if (getenv("TANDEM_STACK"))
        fprintf(stderr, "%zu %s%s%s\n", depth, c->batch ? "batch_" : "", c->tree ? "tree_" : "",
                c->name);
    if (l && depth > l->used) {
        l->used = depth;
        snprintf(l->worst, sizeof l->worst, "%s", c->name);
    }
}

static void *measure(void *r)
{
    for_each(r, look_at_stack, NULL);
    return NULL;
}

TD_LOOP_TEST(stack_is_what_the_document_says, 0, STACK_IS_TOLD)
{
    pthread_attr_t attributes;
    read_limits();
    ck_assert_uint_gt(limit_count, 0);
    ck_assert_ptr_nonnull(limit_of("none"));
    stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert(stack != MAP_FAILED && pthread_attr_init(&attributes) == 0 &&
              pthread_attr_setstack(&attributes, stack, STACK) == 0);
    for (int k = 0; k < robot_count(); k++) {
        robot r = robot_new(k);
        pthread_t thread;
        ck_assert_int_eq(pthread_create(&thread, &attributes, measure, &r), 0);
        pthread_join(thread, NULL);
    }
    for (size_t i = 0; i < limit_count; i++)
        ck_assert_msg(limits[i].used <= limits[i].allowed && limits[i].used > 0,
                      "%s uses %zu bytes of stack, the document allows %zu", limits[i].worst,
                      limits[i].used, limits[i].allowed);
    pthread_attr_destroy(&attributes);
    munmap(stack, STACK);
}

int main(void)
{
    if (SANITIZED)
        return td_test_skip("sanitizers make calls, take pages and use stack of their own");
#if defined(__linux__) && defined(SECCOMP_RET_KILL_PROCESS) && !SANITIZED
    const pid_t child = fork();
    int status = 0;
    if (child == 0)
        _exit(forbid_calls() ? 0 : NO_FILTER);
    if (child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
        WEXITSTATUS(status) == NO_FILTER)
        puts("# this system allows no filter of system calls: they are not looked at");
#endif
    if (!STACK_IS_TOLD)
        puts("# stack is not looked at: the document has what GCC makes on x86-64");
    return td_run_tests(120);
}
