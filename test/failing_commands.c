/* SPDX-License-Identifier: MIT */
/*
 * Runs every command with one allocation or system call failing, once for each. The command must
 * exit with code 2 to 4 and print a reason. It must leave the file of -o unchanged and no other
 * file behind. Its standard output must be a prefix of the normal output. If nothing depended on
 * the failure, the result must be identical. Under the address sanitizer only allocations of the
 * project's sources fail, and nothing may leak.
 *
 *   failing_commands [--most N] [--only COMMAND] [--verbose] DIRECTORY_OF_ROBOTS
 *
 * --most: failures of each kind per line of the table, spread over all possible ones; 0 means all.
 * Prints TAP.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"
#include "failing.h"
#include "failing_calls.h"

int tandem_main(int argc, char **argv); /* main of tools/main.c */

enum { MOST_WORDS = 16, MOST_TEXT = 1 << 18, NO_END = 1 << 30 };

/* The commands to run. Names that end in .urdf are bundled robots, and those with IN: are files of
   the table below. OUT. is an output that overwrites an existing file; NEW. does not exist before.
   */
static const struct trial {
    const char *word[MOST_WORDS];
} trials[] = {
    {{"help"}},
    {{"help", "table"}},
    {{"check", "-v", "gripper.urdf", "four_bar.urdf"}},
    {{"check", "--json", "arm7.urdf"}},
    {{"check", "--submechanisms", "IN:list.yaml", "linear_leg.urdf"}},
    {{"info", "gripper.urdf", "four_bar.urdf"}},
    {{"info", "--json", "--plan", "lamp.urdf"}},
    {{"tree", "gripper.urdf"}},
    {{"tree", "--dot", "five_bar.urdf"}},
    {{"closure", "gripper.urdf", "--json"}},
    {{"closure", "four_bar.urdf", "IN:states.csv", "-o", "OUT.csv"}},
    {{"complete", "four_bar.urdf", "IN:states.csv"}},
    {{"contributions", "gripper.urdf", "driver_joint", "IN:gripper.csv", "--json"}},
    {{"linearize", "gripper.urdf", "IN:gripper.csv", "--lqr", "1,1,1"}},
    {{"fk", "gripper.urdf", "IN:gripper.csv", "-o", "OUT.csv"}},
    {{"fk", "arm7.urdf", "--json", "-q", "joint_2=0.5"}},
    {{"ik", "arm7.urdf", "--link", "tool", "--pose", "0.4 0.1 0.5 pi 0 90deg"}},
    {{"ik", "gripper.urdf", "--link", "rack", "IN:poses.csv", "--keep", "-o", "OUT.csv"}},
    {{"calibrate", "four_bar.urdf", "IN:markers.csv", "IN:marked.csv", "--length", "coupler_joint",
      "--noise", "1mm", "-o", "OUT.urdf"}},
    {{"id", "four_bar.urdf", "IN:states.csv", "--keep", "-o", "OUT.csv"}},
    {{"id", "four_bar.urdf", "IN:states.csv", "-o", "OUT.npy"}},
    {{"id", "four_bar.urdf", "IN:states.npy", "--json"}},
    {{"id", "gripper.urdf", "--state", "IN:state.json", "--passive"}},
    {{"fd", "four_bar.urdf", "IN:states.csv", "--passive"}},
    {{"simulate", "four_bar.urdf", "--time", "0.02", "--step", "0.01", "-o", "OUT.csv"}},
    {{"simulate", "four_bar.urdf", "--time", "0.02", "--step", "0.01", "--json"}},
    {{"trajectory", "gripper.urdf", "IN:points.csv", "--rate", "10", "-o", "OUT.csv"}},
    {{"recording", "gripper.urdf", "IN:motion.csv", "-o", "OUT.csv"}},
    {{"recording", "gripper.urdf", "IN:motion.csv", "--filter", "butterworth", "--cutoff", "5"}},
    {{"fit", "IN:curve.csv", "--joint", "b", "--leader", "a", "--degree", "1"}},
    {{"fit", "IN:curve.csv", "--joint", "b", "--leader", "a", "--spline", "3", "--json"}},
    {{"mass", "arm7.urdf"}},
    {{"mass", "four_bar.urdf", "IN:states.csv", "-o", "OUT.npy"}},
    {{"derivatives", "gripper.urdf"}},
    {{"derivatives", "four_bar.urdf", "IN:states.csv", "-o", "OUT.csv"}},
    {{"linearize", "four_bar.urdf", "--json"}},
    {{"equilibrium", "arm7.urdf"}},
    {{"energy", "four_bar.urdf", "IN:states.csv", "-o", "OUT.csv"}},
    {{"energy", "humanoid.urdf", "--base", "floating"}},
    {{"jacobian", "arm7.urdf", "--link", "tool"}},
    {{"contributions", "gripper.urdf", "driver_joint"}},
    {{"contributions", "arm7.urdf", "joint_2", "--wrench", "tool=0,0,-20", "--json"}},
    {{"view", "gripper.urdf", "--no-open", "-o", "OUT.html"}},
    {{"export", "gripper.urdf", "--to", "urdf", "-o", "OUT.urdf"}},
    {{"export", "four_bar.urdf", "--to", "mjcf"}},
    {{"export", "lamp.urdf", "--digest"}},
    {{"export", "lamp.urdf", "--to", "urdf", "--json"}},
    {{"diff", "gripper.urdf", "lamp.urdf"}},
    {{"diff", "lamp.urdf", "gripper.urdf", "--json"}},
    {{"plot", "IN:states.csv", "-o", "OUT.svg"}},
    {{"simulate", "four_bar.urdf", "--time", "0.02", "--step", "0.01", "-o", "OUT.svg"}},
    {{"sweep", "gripper.urdf", "IN:sweep.yaml", "-o", "NEW.json", "--threads", "1"}},
    {{"sweep", "gripper.urdf", "IN:rows.yaml", "-o", "NEW.json", "--threads", "1"}},
    {{"sweep", "gripper.urdf", "IN:sweep.yaml", "--threads", "2", "--json"}},
    {{"sweep", "gripper.urdf", "IN:sweep.yaml", "--at", "3"}},
    {{"verify", "gripper.urdf"}},
    {{"robots"}},
    {{"bench", "gripper.urdf", "--measure", "0.001"}},
};
enum { TRIALS = sizeof trials / sizeof *trials };

/* input files other than robots */
static const struct input {
    const char *name, *text;
} inputs[] = {
    {"states.csv", "t,q:crank_joint,qd:crank_joint,note\n0,0.1,1,a\n0.1,0.2,1,\"b,c\"\n"
                   "0.2,0.3,1,d\n"},
    {"gripper.csv", "q:driver_joint\n0.1\n0.2\n"},
    {"poses.csv", "x,y,z,who\n0,0,0.01,a\n0,0,0.008,b\n"},
    {"markers.csv", "point,link,x,y,z\na,crank,0.1,0,0\n"},
    {"marked.csv", "a.x,a.y,a.z\n0.05,0,0.087\n0.06,0,0.08\n"},
    {"state.json", "{\"q\": {\"driver_joint\": 0.2}, \"qd\": {\"driver_joint\": 1}}"},
    {"points.csv", "q:driver_joint\n0\n0.5\n0.2\n"},
    {"sweep.yaml",
     "states: 40\nvary: {q: limits}\nevaluate: [id, limits, {poses: palm}]\n"
     "keep: [{moments: tau}, {histogram: tau, bins: [-1, 1, 4], percentiles: [50]},\n"
     "  {largest: tau, count: 2}, {cells: 'x:palm', over: {'q:driver_joint': [0, 1, 3]}}]\n"},
    {"rows.yaml",
     "states: 40\nvary: {q: limits}\nevaluate: [id]\nkeep: [{moments: tau}, {rows: tau}]\n"},
    {"curve.csv", "q:a,q:b\n-1,0.6\n0,0.1\n1,-0.4\n2,-0.9\n3,-1.4\n"},
    {"list.yaml", "submechanisms:\n- type: 1-RRPR\n  name: ankle\n  contextual_name: ankle\n"
                  "  jointnames_independent: [hip_yaw]\n  jointnames_spanningtree: [hip_yaw]\n"
                  "  jointnames_active: [hip_yaw]\n  jointnames: [hip_yaw]\n"},
};

static char folder[] = "/tmp/failing_commands.XXXXXX";
static bool is_new; /* the output file does not exist before the run */
static char input_folder[64], output_folder[64], output_name[96];
static char rows_name[96]; /* rows of a sweep; they must exist exactly if their result exists */
static const char *robots;
static long most = 14;
static bool verbose;
static int number, failures;

static void stop(const char *what)
{
    fprintf(stderr, "failing_commands: %s: %s\n", what, strerror(errno));
    exit(2);
}

/* ---- files ------------------------------------------------------------------------------------
 */

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0)
        stop(path);
}

typedef struct content {
    char *text; /* NULL: the file does not exist */
    size_t size;
} content;

static content read_descriptor(int file)
{
    content c = {malloc(MOST_TEXT), 0};
    ssize_t size;
    while (c.size < MOST_TEXT &&
           (size = pread(file, c.text + c.size, MOST_TEXT - c.size, (off_t)c.size)) > 0)
        c.size += (size_t)size;
    return c;
}

static content read_path(const char *path)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return (content){0};
    const content c = read_descriptor(file);
    close(file);
    return c;
}

static bool same(content a, content b)
{
    return a.size == b.size && (a.text == NULL) == (b.text == NULL) &&
           (a.size == 0 || memcmp(a.text, b.text, a.size) == 0);
}

static bool begins(content whole, content part)
{
    return part.size <= whole.size &&
           (part.size == 0 || memcmp(whole.text, part.text, part.size) == 0);
}

/* Returns the name of an unexpected file in the output folder, or NULL. Removes all files there. */
static const char *sweep(void)
{
    static char left[300];
    DIR *open_folder = opendir(output_folder);
    const char *found = NULL;
    if (open_folder == NULL)
        stop(output_folder);
    for (struct dirent *e = readdir(open_folder); e != NULL; e = readdir(open_folder)) {
        char path[400];
        if (*e->d_name == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", output_folder, e->d_name);
        if (strcmp(path, output_name) != 0 && strcmp(path, rows_name) != 0) {
            snprintf(left, sizeof left, "%s", e->d_name);
            found = left;
        }
        unlink(path);
    }
    closedir(open_folder);
    return found;
}

/* ---- one run ----------------------------------------------------------------------------------
 */

typedef struct result {
    int status; /* as returned by waitpid */
    content said, complained, written, rows;
    const char *left; /* an unexpected file */
} result;

static void result_free(result *r)
{
    free(r->said.text);
    free(r->complained.text);
    free(r->written.text);
    free(r->rows.text);
}

/* shared with the process that runs the command */
static struct shared {
    long allocations; /* total number of allocations */
} * shared;

typedef struct run {
    const struct trial *t;
    long allocation; /* number of the allocation that fails, or -1 */
    bool once;       /* only this allocation fails, not all later ones */
} run;

static int standard[2]; /* output of the command */

static void end_run(void)
{
    shared->allocations = NO_END - failing_left;
    failing_left = -1;
    failing_calls_end();
}

/* the words do not belong to the command, which may lose its pointers to them: no leak */
static void add_word(char **argv, int *argc, const char *word)
{
    enum { SIZE = 4096 };
    static char paths[MOST_WORDS + 1][SIZE];
    char *path = paths[*argc];
    const size_t length = strlen(word);
    if (strncmp(word, "IN:", 3) == 0) {
        snprintf(path, SIZE, "%s/%s", input_folder, word + 3);
    } else if (strncmp(word, "OUT.", 4) == 0 || strncmp(word, "NEW.", 4) == 0) {
        snprintf(path, SIZE, "%s", output_name);
    } else {
        const bool robot = length > 5 && strcmp(word + length - 5, ".urdf") == 0;
        snprintf(path, SIZE, "%s%s%s", robot ? robots : "", robot ? "/" : "", word);
    }
    argv[(*argc)++] = path;
}

static void run_command_here(void *context)
{
    const run *r = context;
    static char program[] = "tandem";
    char *argv[MOST_WORDS + 2] = {program};
    int argc = 1;
    for (; argc <= MOST_WORDS && r->t->word[argc - 1] != NULL;)
        add_word(argv, &argc, r->t->word[argc - 1]);
    if (chdir(output_folder) != 0 || atexit(end_run) != 0)
        _exit(122);
    failing_once = r->once;
    failing_left = r->allocation >= 0 ? r->allocation : NO_END;
    exit(tandem_main(argc, argv));
}

/* Redirects standard output and standard error of this process to files, or back. */
static void redirect(bool away)
{
    static int kept[2] = {-1, -1};
    fflush(NULL);
    for (int i = 0; i < 2; i++) {
        if (away) {
            if (kept[i] < 0)
                kept[i] = fcntl(i + 1, F_DUPFD_CLOEXEC, 100);
            if (ftruncate(standard[i], 0) != 0 || lseek(standard[i], 0, SEEK_SET) != 0)
                stop("truncate");
        }
        dup2(away ? standard[i] : kept[i], i + 1);
    }
}

static void set_output(const struct trial *t)
{
    *output_name = '\0';
    is_new = false;
    for (int i = 0; i < MOST_WORDS && t->word[i] != NULL; i++) {
        const bool new_one = strncmp(t->word[i], "NEW.", 4) == 0;
        if (new_one || strncmp(t->word[i], "OUT.", 4) == 0) {
            snprintf(output_name, sizeof output_name, "%s/out%s", output_folder, t->word[i] + 3);
            is_new = new_one;
        }
    }
    if (*output_name != '\0' && !is_new)
        write_file(output_name, "old");
    snprintf(rows_name, sizeof rows_name, "%s/out.rows.npy", output_folder);
}

/* Runs a command with the system call or allocation of that number failing; negative: none. */
static result run_trial(const struct trial *t, long call, long allocation, bool once,
                        failed_call *told)
{
    result r = {0};
    run context = {t, allocation, once};
    set_output(t);
    redirect(true);
    if (told != NULL) {
        r.status = failing_calls_run(run_command_here, &context, call, told);
    } else {
        const pid_t child = fork();
        if (child == 0)
            run_command_here(&context);
        if (child < 0 || waitpid(child, &r.status, 0) != child)
            r.status = -1;
    }
    redirect(false);
    r.said = read_descriptor(standard[0]);
    r.complained = read_descriptor(standard[1]);
    if (*output_name != '\0' && access(output_name, F_OK) == 0)
        r.written = read_path(output_name);
    r.rows = read_path(rows_name);
    r.left = sweep();
    return r;
}

/* ---- what must hold ---------------------------------------------------------------------------
 */

static int code_of(const result *r)
{
    return WIFEXITED(r->status) ? WEXITSTATUS(r->status) : -1;
}

/* Returns whether a run printed a message that a run without failures does not print: on standard
   error, or as the JSON of a robot that does not load. */
static bool has_message(const result *usual, const result *now, bool *json)
{
    static const char mark[] = "\"loads\":\tfalse";
    const content c = now->complained;
    *json = memmem(now->said.text, now->said.size, mark, sizeof mark - 1) != NULL;
    return *json || (c.size > 0 && c.text[c.size - 1] == '\n' && !same(usual->complained, c));
}

/* Returns a description of the fault in a run with a failure, or NULL. Output must be a prefix of
   the normal output. Exceptions are reports that a robot does not load, and failures of a write. */
static const char *wrong(const struct trial *t, const result *usual, const result *now, bool steady,
                         const char *call)
{
    const bool reports = strcmp(t->word[0], "check") == 0 || strcmp(t->word[0], "info") == 0;
    const bool writing = call != NULL && strncmp(call, "write", 5) == 0;
    const content old = is_new ? (content){0} : (content){(char *)(uintptr_t) "old", 3};
    const int code = code_of(now);
    if (code < 0)
        return "it crashed";
    if (now->left != NULL)
        return "a file is left";
    if (!same(now->rows, same(now->written, usual->written) ? usual->rows : (content){0}))
        return "rows without their result, or a result without its rows";
    if (code == code_of(usual)) {
        if (steady && !same(usual->said, now->said))
            return "success with another output";
        return same(usual->written, now->written) ? NULL : "success with another file";
    }
    if (!exit_failed(code))
        return "another exit code than 2, 3 or 4";
    if (*output_name != '\0' && !same(now->written, old) && !same(now->written, usual->written))
        return "the file is neither what it was nor what it should be";
    bool json;
    if (!has_message(usual, now, &json))
        return "no message";
    return json || reports || writing || !steady || begins(usual->said, now->said)
               ? NULL
               : "output that is not the beginning";
}

static void put_first_lines(const char *mark, content c)
{
    const size_t size = c.size < 400 ? c.size : 400;
    printf("#   %s ", mark);
    for (size_t i = 0; i < size; i++) {
        putchar(c.text[i]);
        if (c.text[i] == '\n' && i + 1 < size)
            printf("#   %s ", mark);
    }
    if (size == 0 || c.text[size - 1] != '\n')
        putchar('\n');
}

static void put_result(const char *what, long n, const char *name, const result *r)
{
    printf("# %s: %s %ld (%s), status %x%s%s\n", what, name, n, code_of(r) < 0 ? "signal" : "exit",
           (unsigned)r->status, r->left != NULL ? ", left " : "", r->left != NULL ? r->left : "");
    put_first_lines("!", r->complained);
}

enum { SHOWN = 3 };

/* Returns which feature of this machine or build a command lacks, judged by its message in a run
   without failures. Returns NULL if nothing is missing. */
static const char *missing_for(const struct trial *t, const result *usual)
{
    static const char mark[] = "gnuplot, which is not installed";
    const content c = usual->complained;
    if (code_of(usual) < 0)
        return NULL;
    if (memmem(c.text, c.size, mark, sizeof mark - 1) != NULL)
        return "there is no gnuplot";
    return strcmp(t->word[0], "view") == 0 ? "this build has no page of tandem view" : NULL;
}

static void put_verdict(const struct trial *t, const char *kind, long runs, long bad,
                        const char *lacks)
{
    printf("%sok %d - %s:", bad > 0 ? "not " : "", ++number, kind);
    for (int i = 0; i < MOST_WORDS && t->word[i] != NULL; i++)
        printf(" %s", t->word[i]);
    printf(" (%ld)%s%s\n", runs, lacks != NULL ? " # SKIP " : "", lacks != NULL ? lacks : "");
    fflush(stdout);
    failures += bad > 0;
}

/* kinds of failure */
enum { CALLS, ONE_ALLOCATION, ALL_ALLOCATIONS, KINDS };
static const char *const kinds[] = {"a system call", "one allocation",
                                    "all allocations from one on"};

/* Runs the command with failure `first` and every `step`-th after it. Returns the number of faulty
   runs. */
static long fail_from(const struct trial *t, int kind, const result *usual, bool steady, long first,
                      long step, long end, long *runs)
{
    long bad = 0;
    for (long n = first; n < end; n += step, ++*runs) {
        failed_call told = {0};
        result now = run_trial(t, kind == CALLS ? n : -1, kind == CALLS ? -1 : n,
                               kind == ONE_ALLOCATION, kind == CALLS ? &told : NULL);
        const char *fault = told.hung ? "it hung" : wrong(t, usual, &now, steady, told.name);
        if ((fault != NULL && bad++ < SHOWN) || verbose)
            put_result(fault != NULL ? fault : "good", n,
                       kind != CALLS       ? "allocation"
                       : told.name != NULL ? told.name
                                           : "none",
                       &now);
        result_free(&now);
    }
    return bad;
}

static void try_kind(const struct trial *t, int kind)
{
    failed_call told = {0};
    shared->allocations = 0;
    result usual = run_trial(t, -1, -1, false, kind == CALLS ? &told : NULL);
    result again = run_trial(t, -1, -1, false, NULL);
    const bool steady = same(usual.said, again.said);
    const long end = kind == CALLS ? told.made : shared->allocations;
    /* early calls are the same for all commands, so each line of the table starts at another one */
    const long step = most > 0 && end > most ? (end + most - 1) / most : 1;
    long runs = 0, bad = 0;
    if (code_of(&usual) != EXIT_GOOD && code_of(&usual) != EXIT_NEGATIVE) {
        put_result("skipped", -1, "nothing failed", &usual);
        const char *lacks = missing_for(t, &usual);
        put_verdict(t, kinds[kind], 0, lacks == NULL, lacks);
    } else {
        bad = fail_from(t, kind, &usual, steady, (t - trials) % step, step, end, &runs);
        put_verdict(t, kinds[kind], runs, bad, NULL);
    }
    result_free(&usual);
    result_free(&again);
}

/* ---- */

static const char *const commands[] = {
#define COMMAND_NAME(name, summary) #name,
    COMMAND_TABLE(COMMAND_NAME)
#undef COMMAND_NAME
};

static void check_table(void)
{
    const size_t count = sizeof commands / sizeof *commands;
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        size_t k = 0;
        while (k < TRIALS && strcmp(trials[k].word[0], commands[i]) != 0)
            k++;
        found += k < TRIALS;
        if (k == TRIALS)
            printf("# %s is not tried\n", commands[i]);
    }
    failures += found < count;
    printf("%sok %d - every command is tried\n", found < count ? "not " : "", ++number);
}

/* Creates the input files; some come from running a command. */
static void make_inputs(void)
{
    static const struct trial array = {{"id", "four_bar.urdf", "IN:states.csv", "-o", "OUT.npy"}};
    char path[128];
    snprintf(input_folder, sizeof input_folder, "%s/in", folder);
    snprintf(output_folder, sizeof output_folder, "%s/out", folder);
    if (mkdir(input_folder, 0700) != 0 || mkdir(output_folder, 0700) != 0)
        stop(folder);
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        snprintf(path, sizeof path, "%s/%s", input_folder, inputs[i].name);
        write_file(path, inputs[i].text);
    }
    snprintf(path, sizeof path, "%s/motion.csv", input_folder);
    FILE *file = fopen(path, "w");
    fputs("t,q:driver_joint\n", file);
    for (int i = 0; i < 60; i++)
        fprintf(file, "%g,%g\n", i * 0.01, 0.2 + 0.1 * (i * 0.01) * (i * 0.01));
    fclose(file);
    result r = run_trial(&array, -1, -1, false, NULL);
    snprintf(path, sizeof path, "%s/states.npy", input_folder);
    file = fopen(path, "wb");
    fwrite(r.written.text, 1, r.written.size, file);
    fclose(file);
    result_free(&r);
}

static void remove_folder(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    if (system(command) != 0)
        fputs("failing_commands: a folder is left\n", stderr);
}

int main(int argc, char **argv)
{
    const char *only = NULL;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--most") == 0 && i + 1 < argc)
            most = strtol(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc)
            only = argv[++i];
        else if (strcmp(argv[i], "--verbose") == 0)
            verbose = true;
        else
            robots = realpath(argv[i], NULL);
    }
    if (robots == NULL || mkdtemp(folder) == NULL)
        stop("no folder of robots");
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < 2; i++)
        standard[i] = memfd_create("output", MFD_CLOEXEC);
    if (shared == MAP_FAILED || standard[0] < 0 || standard[1] < 0)
        stop("memory");
    setenv("TMPDIR", folder, 1);
    setenv("TANDEM_ROBOTS", robots, 1);
    make_inputs();
    check_table();
    const bool works[KINDS] = {failing_calls_work(), failing_works, failing_works};
    for (size_t i = 0; i < TRIALS; i++)
        for (int kind = 0; kind < KINDS; kind++)
            if (works[kind] && (only == NULL || strcmp(only, trials[i].word[0]) == 0))
                try_kind(&trials[i], kind);
    for (int kind = 0; kind < KINDS; kind++)
        if (!works[kind])
            printf("ok %d - %s # SKIP cannot be made to fail here\n", ++number, kinds[kind]);
    printf("1..%d\n", number);
    remove_folder();
    return failures > 0;
}
