/* SPDX-License-Identifier: MIT */
/*
 * tandem beside other libraries, on the same robots, the same states and the same core. --help says
 * what can be asked for; docs/benchmarks.md what each row includes.
 */
#include <dirent.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure.h"
#include "robots.h"
#include "speed.h"

enum { MOST_FILES = 64, STATES = 64 };

static const char usage[] =
    "usage: compare [OPTION...] [FILE...]\n"
    "Without files: an arm, a humanoid, a chain of 100 joints, and robots with mimic joints.\n"
    "  --chain JOINTS   a chain of that many joints, beside the files\n"
    "  --only KEY       one operation alone\n"
    "  --rounds N       measurements of each, in turns (31)\n"
    "  --time MS        that one measurement takes at least (1)\n"
    "  --core N         the core to stay on (the last one)\n"
    "  --json FILE      the numbers as JSON, too\n"
    "  --scratch DIR    where the URDF of chains and trees goes, and stays\n"
    "Exits with 1 where the results of a library differ from tandem's.\n"
    "Operations, by their keys:\n";

typedef struct plan {
    settings settings;
    int core;
    const char *json;
    const char *robots; /* the directory of the bundled ones */
    char *file[MOST_FILES];
    size_t files;
    size_t chain[MOST_FILES]; /* not yet written */
    size_t chains;
    const char *scratch;
} plan;

static void put_usage(FILE *to)
{
    fputs(usage, to);
    for (int op = 0; op < OPERATIONS; op++)
        fprintf(to, "  %-15s  %s\n", operation_key((operation)op), operation_text((operation)op));
}

static void fail(const char *what, const char *which)
{
    fprintf(stderr, "compare: %s '%s'\n", what, which);
    put_usage(stderr);
    exit(2);
}

/* ---- robots ---------------------------------------------------------------------------------- */

static void add_file(plan *p, char *file)
{
    if (!file || p->files == MOST_FILES)
        fail("no room for another robot", file ? file : "");
    p->file[p->files++] = file;
}

static void add_chain(plan *p, size_t joints)
{
    char *file;
    if (!chain_new(joints, p->scratch, &file)) {
        perror(p->scratch);
        exit(2);
    }
    add_file(p, file);
}

static void add_bundled(plan *p, const char *name)
{
    char *file;
    if (asprintf(&file, "%s/%s.urdf", p->robots, name) < 0)
        file = NULL;
    add_file(p, file);
}

static void add_robots(plan *p)
{
    bool none = p->files + p->chains == 0;
    for (size_t i = 0; i < p->chains; i++)
        add_chain(p, p->chain[i]);
    if (!none)
        return;
    add_bundled(p, "arm7");
    add_bundled(p, "humanoid");
    add_chain(p, 100);
    add_bundled(p, "gripper");
    add_bundled(p, "hand_a");
    add_bundled(p, "hand_b");
}

/* ---- options --------------------------------------------------------------------------------- */

static double number(const char *text, double least)
{
    char *end;
    double x = strtod(text, &end);
    if (end == text || *end || !(x >= least && x <= 1e9))
        fail("not such a number:", text);
    return x;
}

static size_t whole(const char *text, double least)
{
    return (size_t)number(text, least);
}

static const char *known_operation(const char *key)
{
    for (int op = 0; op < OPERATIONS; op++)
        if (strcmp(key, operation_key((operation)op)) == 0)
            return key;
    fail("no such operation:", key);
    return NULL;
}

static void read_options(plan *p, int argc, char **argv)
{
    static const struct option options[] = {
        {"chain", required_argument, NULL, 'n'},
        {"only", required_argument, NULL, 'o'},
        {"rounds", required_argument, NULL, 'r'},
        {"time", required_argument, NULL, 't'},
        {"core", required_argument, NULL, 'p'},
        {"json", required_argument, NULL, 'j'},
        {"scratch", required_argument, NULL, 's'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;)
        switch (c) {
        case 'n':
            if (p->chains == MOST_FILES)
                fail("no room for another robot", optarg);
            p->chain[p->chains++] = whole(optarg, 1);
            break;
        case 'o':
            p->settings.only = known_operation(optarg);
            break;
        case 'r':
            p->settings.rounds = whole(optarg, 1);
            break;
        case 't':
            p->settings.target = 1e6 * number(optarg, 0);
            break;
        case 'p':
            p->core = (int)whole(optarg, 0);
            break;
        case 'j':
            p->json = optarg;
            break;
        case 's':
            p->scratch = optarg;
            break;
        case 'h':
            put_usage(stdout);
            exit(0);
        default:
            put_usage(stderr);
            exit(2);
        }
    for (int i = optind; i < argc; i++)
        add_file(p, strdup(argv[i]));
}

/* ---- everything ------------------------------------------------------------------------------ */

static void make_scratch(char *directory, size_t size)
{
    const char *place = getenv("TMPDIR");
    snprintf(directory, size, "%s/tandem_compare_XXXXXX", place ? place : P_tmpdir);
    if (!mkdtemp(directory)) {
        perror(directory);
        exit(2);
    }
}

static void remove_scratch(const char *directory)
{
    DIR *d = opendir(directory);
    for (struct dirent *entry; d && (entry = readdir(d));)
        unlinkat(dirfd(d), entry->d_name, 0);
    if (d)
        closedir(d);
    rmdir(directory);
}

#ifdef __clang__
static const char compiler[] = __VERSION__; /* with its name */
#else
static const char compiler[] = "gcc " __VERSION__;
#endif

static bool compare(plan *p)
{
    FILE *json = p->settings.json;
    char cpu[128];
    bool good = true;
    int core = pin(p->core);
    printf("%s\n%s, core %d, %s\n", peer_versions, processor(cpu, sizeof cpu), core, compiler);
    json_open(json, NULL, '{');
    json_text(json, "versions", peer_versions);
    json_text(json, "processor", cpu);
    json_number(json, "core", core);
    json_text(json, "compiler", compiler);
    json_open(json, "speed", '[');
    for (size_t i = 0; i < p->files; i++) {
        bench_robot *robot = robot_new(p->file[i], p->scratch, STATES);
        good = robot && compare_speed(&p->settings, robot) && good;
        robot_free(robot);
    }
    json_close(json, ']');
    json_close(json, '}');
    return good;
}

int main(int argc, char **argv)
{
    plan p = {.settings = {.rounds = 31, .target = 1e6, .text = stdout}, .core = -1};
    const char *robots = getenv("TANDEM_ROBOTS");
    char own_scratch[256] = "";
    p.robots = robots ? robots : BENCH_ROBOTS_DIRECTORY;
    read_options(&p, argc, argv);
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    p.settings.json = p.json ? fopen(p.json, "w") : NULL;
    if (p.json && !p.settings.json)
        fail("cannot write to", p.json);
    if (!p.scratch) {
        make_scratch(own_scratch, sizeof own_scratch);
        p.scratch = own_scratch;
    }
    add_robots(&p);
    bool good = compare(&p);
    if (p.settings.json && (fputc('\n', p.settings.json) == EOF || fclose(p.settings.json) != 0))
        fail("cannot write to", p.json);
    for (size_t i = 0; i < p.files; i++)
        free(p.file[i]);
    if (*own_scratch)
        remove_scratch(own_scratch);
    return good ? 0 : 1;
}
