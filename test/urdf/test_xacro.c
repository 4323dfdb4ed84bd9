/* SPDX-License-Identifier: MIT */
/*
 * Tests the expansion of xacro files with a program in place of xacro (xacro.sh): when it runs, its
 * arguments, its failures, the positions of elements, and that it leaves no processes, descriptors
 * or memory behind.
 */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "failing.h"
#include "td_test.h"

#define XMLNS "xmlns:xacro=\"http://www.ros.org/wiki/xacro\""

static const char arm[] = "<robot name=\"$(arg robot)\" " XMLNS ">\n"         /* line 1 */
                          "  <xacro:arg name=\"robot\" default=\"arm\"/>\n"   /* 2 */
                          "  <link name=\"base\"/>\n"                         /* 3 */
                          "  <link name=\"upper\">\n"                         /* 4 */
                          "    <inertial>\n"                                  /* 5 */
                          "      <mass value=\"$(arg mass)\"/>\n"             /* 6 */
                          "      <inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/>\n"  /* 7 */
                          "    </inertial>\n"                                 /* 8 */
                          "  </link>\n"                                       /* 9 */
                          "  <xacro:if value=\"1\">\n"                        /* 10 */
                          "    <link name=\"tool\" colour=\"red\"/>\n"        /* 11 */
                          "  </xacro:if>\n"                                   /* 12 */
                          "  <joint name=\"shoulder\" type=\"continuous\">\n" /* 13 */
                          "    <parent link=\"base\"/><child link=\"upper\"/>\n"
                          "    <axis xyz=\"0 ${2*arm} 1\"/>\n" /* 15 */
                          "  </joint>\n"
                          "  <joint name=\"wrist_${1}\" type=\"fixed\">\n" /* 17 */
                          "    <parent link=\"upper\"/><child link=\"tool\"/>\n"
                          "  </joint>\n"
                          "  <xacro:nothing/>\n" /* 20 */
                          "</robot>\n";

static char folder[] = "/tmp/tandem xacro's XXXXXX"; /* as names that a shell would split */
static char path[1024], program[4096];

static const char *write_file(const char *name, const char *text)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
    return path;
}

/* Returns the text with the substitutions that only the real xacro evaluates replaced. */
static const char *write_arm(const char *name)
{
    char text[sizeof arm];
    memcpy(text, arm, sizeof text);
    memcpy(strstr(text, "${2*arm}"), "       0", 8);
    memcpy(strstr(text, "${1}"), "one_", 4);
    return write_file(name, text);
}

static td_load_options options_with(const char *const *arguments, size_t count)
{
    td_load_options options = td_load_options_default();
    options.xacro = program;
    options.xacro_arguments = arguments;
    options.xacro_argument_count = count;
    return options;
}

static size_t open_descriptors(void)
{
    size_t count = 0;
    DIR *directory = opendir("/proc/self/fd");
    while (directory && readdir(directory))
        count++;
    if (directory)
        closedir(directory);
    return count;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Loads a file, and checks that no process or descriptor is left. */
static td_model *load(const char *file, const td_load_options *options, td_diagnostics *list,
                      td_status expected)
{
    td_model *model = NULL;
    const size_t before = open_descriptors();
    ck_assert_int_eq(test_load_urdf(file, options, list, &model), expected);
    for (size_t i = 0; i < td_diagnostics_size(list); i++) {
        const td_diagnostic *d = td_diagnostics_at(list, i);
        printf("# %s:%d:%d %s %s (%s)\n", d->source.file, d->source.line, d->source.column, d->code,
               d->message, d->remedy);
    }
    ck_assert_uint_eq(open_descriptors(), before);
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
    ck_assert_int_eq(errno, ECHILD);
    ck_assert((model != NULL) == (expected == TD_OK));
    return model;
}

/* Returns the only diagnostic with a code. */
static const td_diagnostic *only(const td_diagnostics *list, const char *code)
{
    const td_diagnostic *found = NULL;
    for (size_t i = 0; i < td_diagnostics_size(list); i++)
        if (strcmp(td_diagnostics_at(list, i)->code, code) == 0) {
            ck_assert_ptr_null(found);
            found = td_diagnostics_at(list, i);
        }
    ck_assert_msg(found != NULL, "no %s", code);
    return found;
}

static void assert_contains(const char *text, const char *part)
{
    ck_assert_msg(strstr(text, part) != NULL, "'%s' lacks '%s'", text, part);
}

/* Lets the program do something, and returns the only error, which has the code. */
static const td_diagnostic *failure(const char *file, const char *what, double timeout,
                                    const char *code)
{
    td_load_options options = options_with(&what, 1);
    options.xacro_timeout = timeout;
    td_diagnostics *list = test_diagnostics(0);
    load(file, &options, list, TD_ERROR_MODEL);
    ck_assert_uint_eq(td_diagnostics_count(list, TD_SEVERITY_ERROR), 1);
    return only(list, code);
}

/* ---- expansion ------------------------------------------------------------------------------- */

TD_TEST(a_file_is_expanded_with_its_arguments)
{
    static const char *const arguments[] = {"robot:=it's $HOME; `date` *", "mass:=2.5",
                                            "do:=input"};
    static const char *const names[] = {"arm.urdf.xacro", "arm.urdf", "-arm's \\ $x.xacro"};
    td_load_options options = options_with(arguments, 3);
    ck_assert_int_eq(chdir(folder), 0);
    for (size_t i = 0; i < 3; i++) { /* by its name, by its content, and without its folder */
        td_diagnostics *list = test_diagnostics(0);
        const char *file = write_arm(names[i]);
        td_model *model = load(i == 2 ? names[i] : file, &options, list, TD_OK);
        ck_assert_str_eq(td_model_name(model), "it's $HOME; `date` *");
        ck_assert_double_eq(td_total_mass(model), 2.5);
        ck_assert_uint_eq(td_diagnostics_count(list, TD_SEVERITY_WARNING), 0);
        /* the command that saves the result */
        assert_contains(only(list, "URDF-X046")->remedy, " 'robot:=it'\\''s $HOME; `date` *'");
    }
    ck_assert_int_eq(chdir("/"), 0);
}

TD_TEST(elements_have_the_positions_of_the_file_where_these_are_known)
{
    static const char *const arguments[] = {"robot:=r", "mass:=x"};
    td_load_options options = options_with(arguments, 2);
    td_diagnostics *list = test_diagnostics(0);
    const char *file = write_arm("places.xacro");
    char result[1100];
    snprintf(result, sizeof result, "%s (expanded)", file);
    load(file, &options, list, TD_ERROR_MODEL);
    const td_diagnostic *mass = only(list, "URDF-N001"), *unknown = only(list, "URDF-X011");
    ck_assert_str_eq(mass->source.file, file); /* five lines are above it in the result */
    ck_assert_int_eq(mass->source.line, 6);
    ck_assert_int_eq(mass->source.column, 7);
    ck_assert_str_eq(unknown->source.file, result); /* inside of a condition */
    ck_assert_int_eq(unknown->source.line, 9);

    options.xacro_argument_count = 0; /* $(arg robot) remains */
    list = test_diagnostics(0);
    load(file, &options, list, TD_ERROR_MODEL);
    assert_contains(only(list, "URDF-X040")->message, "left a part of the file unexpanded");
    ck_assert_int_eq(only(list, "URDF-X040")->source.line, 1);
}

TD_TEST(repeated_elements_have_positions_of_the_result)
{
    static const char text[] =
        "<robot name='r' " XMLNS ">\n<xacro:x/>\n<link name='a'/>\n"
        "<xacro:x>\n<link name='a'/>\n</xacro:x>\n<link name='b' c='d'/></robot>";
    td_load_options options = options_with(NULL, 0);
    td_diagnostics *list = test_diagnostics(0);
    load(write_file("twice.xacro", text), &options, list, TD_ERROR_MODEL);
    const td_diagnostic *twice = only(list, "URDF-S004");
    assert_contains(twice->source.file, " (expanded)");
    ck_assert_int_eq(twice->source.line, 3);
    ck_assert_int_eq(only(list, "URDF-X011")->source.line, 7);
}

TD_TEST(no_program_runs_unless_it_is_named)
{
    td_load_options options = td_load_options_default();
    td_diagnostics *list = test_diagnostics(0);
    const char *file = write_arm("arm.xacro");
    load(file, &options, list, TD_ERROR_MODEL);
    only(list, "URDF-X040");

    options.xacro = program; /* a text is no file */
    td_model *model;
    list = test_diagnostics(0);
    ck_assert_int_eq(test_load_urdf_memory(arm, strlen(arm), file, &options, list, &model),
                     TD_ERROR_MODEL);
    only(list, "URDF-X040");
    static const char plain[] = "<robot name='r'><link name='a'/></robot>";
    options.xacro = "/nowhere/xacro"; /* does not run for a plain file */
    load(write_file("plain.urdf", plain), &options, test_diagnostics(0), TD_OK);
}

TD_TEST(arguments_without_effect_are_errors)
{
    static const char plain[] = "<robot name='r'><link name='a'/></robot>";
    static const struct {
        const char *argument, *why;
    } cases[] = {
        {"mass=1", "not NAME:=VALUE"}, {":=1", "not NAME:=VALUE"},   {"a b:=1", "not NAME:=VALUE"},
        {"mass:=", "empty value"},     {"a:=b:=c", "contains ':='"}, {"_mass:=1", "begin with '_'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_contains(failure(write_arm("arm.xacro"), cases[i].argument, 0, "URDF-X044")->message,
                        cases[i].why);
    assert_contains(failure(write_file("plain.urdf", plain), "mass:=1", 0, "URDF-X044")->message,
                    "not a xacro file");
    const char *argument = "mass:=1";
    td_load_options options = options_with(&argument, 1);
    td_diagnostics *list = test_diagnostics(0);
    td_model *model;
    ck_assert_int_eq(test_load_urdf_memory(plain, strlen(plain), "text", &options, list, &model),
                     TD_ERROR_MODEL);
    assert_contains(only(list, "URDF-X044")->message, "reads only files");

    const char *none = NULL;
    options.xacro_arguments = &none;
    load(path, &options, NULL, TD_ERROR_ARGUMENT);
    options.xacro_arguments = NULL;
    load(path, &options, NULL, TD_ERROR_ARGUMENT);
    options.xacro_argument_count = 0;
    options.xacro_timeout = -1;
    load(path, &options, NULL, TD_ERROR_ARGUMENT);
}

/* ---- failures -------------------------------------------------------------------------------- */

TD_TEST(messages_of_xacro_are_shown_with_their_positions)
{
    const char *file = write_file("arm.xacro", arm);
    const td_diagnostic *d = failure(file, "do:=fail", 0, "URDF-X043");
    assert_contains(d->message, "exit status 2: name 'arm' is not defined");
    assert_contains(d->message, "; when evaluating expression '2*arm'; ");
    assert_contains(d->remedy, "do:=fail");
    ck_assert_str_eq(d->source.file, file);
    ck_assert_int_eq(d->source.line, 15); /* the only ${2*arm} */
    ck_assert_int_eq(d->source.column, 5);

    d = failure(file, "do:=macro", 0, "URDF-X043");
    ck_assert_str_eq(d->source.file, file);
    ck_assert_int_eq(d->source.line, 20); /* <xacro:nothing> */

    d = failure(file, "do:=broken", 0, "URDF-X043");
    ck_assert_str_eq(d->source.file, file);
    ck_assert_int_eq(d->source.line, 3);
    ck_assert_int_eq(d->source.column, 5);
    assert_contains(d->message, "exit status 2: XML parsing error: mismatched tag");

    d = failure(file, "do:=include", 0, "URDF-X043"); /* in another file */
    assert_contains(d->source.file, "/arm.xacro.inc");
    ck_assert_int_eq(d->source.line, 0);

    d = failure(file, "do:=traceback", 0, "URDF-X043");
    assert_contains(d->message, "exit status 1: ValueError: no number");
}

TD_TEST(warnings_of_xacro_are_shown)
{
    static const char *const arguments[] = {"robot:=r", "mass:=1", "do:=warn"};
    td_load_options options = options_with(arguments, 3);
    td_diagnostics *list = test_diagnostics(0);
    const char *file = write_arm("arm.xacro");
    load(file, &options, list, TD_OK);
    ck_assert_str_eq(only(list, "URDF-X045")->message,
                     "xacro printed: warning: first; warning: second");
    options.strict = true;
    load(file, &options, NULL, TD_ERROR_MODEL);
    static const char *const many[] = {"robot:=r", "mass:=1", "do:=errors"};
    options = options_with(many, 3);
    list = test_diagnostics(0);
    load(file, &options, list, TD_OK);
    assert_contains(only(list, "URDF-X045")->message, "a long line of messages; a long line");
}

TD_TEST(a_program_that_does_not_end_is_stopped)
{
    static const char *const ways[] = {"do:=hang", "do:=close"};
    const char *file = write_arm("arm.xacro");
    for (size_t i = 0; i < 2; i++) {
        const double start = seconds();
        assert_contains(failure(file, ways[i], 0.1, "URDF-X043")->message, "within 0.1 s");
        ck_assert_double_lt(seconds() - start, 20);
    }
}

TD_TEST(a_process_that_the_program_leaves_behind_is_not_waited_for)
{
    static const char *const arguments[] = {"robot:=r", "mass:=1", "do:=leave"};
    td_load_options options = options_with(arguments, 3);
    const char *file = write_arm("arm.xacro");
    options.xacro_timeout = 50;
    const double start = seconds();
    load(file, &options, NULL, TD_OK);
    ck_assert_double_lt(seconds() - start, 40);
    char left[1100];
    snprintf(left, sizeof left, "%s.pid", file);
    char *text = td_read_file(left, NULL);
    ck_assert_int_eq(kill((pid_t)atoi(text), SIGKILL), 0);
}

TD_TEST(strange_results_are_errors)
{
    const char *file = write_arm("arm.xacro");
    assert_contains(failure(file, "do:=nothing", 0, "URDF-X043")->message, "printed no robot");
    assert_contains(failure(file, "do:=signal", 0, "URDF-X043")->message, "signal 9");
    const td_diagnostic *d = failure(file, "do:=garbage", 0, "URDF-X001");
    assert_contains(d->source.file, "arm.xacro (expanded)");
    ck_assert_int_eq(d->source.line, 1);
    const char *argument = "do:=much";
    td_load_options options = options_with(&argument, 1);
    options.max_bytes = 100000;
    td_diagnostics *list = test_diagnostics(0);
    load(file, &options, list, TD_ERROR_MODEL);
    assert_contains(only(list, "URDF-X043")->message, "more than 100000 bytes");
}

TD_TEST(a_program_that_cannot_be_run_is_an_error)
{
    const char *file = write_arm("arm.xacro");
    char no_program[300];
    snprintf(no_program, sizeof no_program, "%s/no program", folder);
    const char *const names[] = {"tandem-has-no-such-program", no_program, folder, file, ""};
    for (size_t i = 0; i < 5; i++) {
        td_load_options options = options_with(NULL, 0);
        options.xacro = names[i];
        td_diagnostics *list = test_diagnostics(0);
        load(file, &options, list, TD_ERROR_MODEL);
        ck_assert_uint_eq(td_diagnostics_size(list), 1);
        assert_contains(only(list, "URDF-X042")->remedy, "install the package xacro");
        ck_assert_int_eq(only(list, "URDF-X042")->source.line, 1); /* $(arg robot) */
    }
}

TD_TEST(old_directives_without_a_prefix_are_never_dropped)
{
    static const char text[] =
        "<robot name='r'>\n<link name='a'/>\n<include filename='b'/></robot>";
    td_load_options options = options_with(NULL, 0);
    td_diagnostics *list = test_diagnostics(0);
    const char *file = write_file("old.urdf", text);
    load(file, &options, list, TD_ERROR_MODEL);
    const td_diagnostic *d = only(list, "URDF-X040");
    assert_contains(d->message, "left a part of the file unexpanded: it contains <include>");
    ck_assert_str_eq(d->source.file, file);
    ck_assert_int_eq(d->source.line, 3);
}

TD_TEST(an_ignored_signal_of_children_is_reported)
{
    static const char *const arguments[] = {"robot:=r", "mass:=1"};
    td_load_options options = options_with(arguments, 2);
    td_diagnostics *list = test_diagnostics(0);
    const char *file = write_arm("arm.xacro");
    signal(SIGCHLD, SIG_IGN);
    load(file, &options, list, TD_ERROR_MODEL);
    signal(SIGCHLD, SIG_DFL);
    assert_contains(only(list, "URDF-X043")->remedy, "SIGCHLD");
}

/* The pipes must not be taken for standard streams if these are closed in this process. */
TD_TEST(standard_streams_may_be_closed)
{
    static const char *const arguments[] = {"robot:=r", "mass:=1"};
    td_load_options options = options_with(arguments, 2);
    const char *file = write_arm("arm.xacro");
    td_model *model = NULL;
    int saved[3];
    for (int i = 0; i < 3; i++) {
        saved[i] = dup(i);
        close(i);
    }
    const td_status status = test_load_urdf(file, &options, NULL, &model);
    for (int i = 0; i < 3; i++) {
        dup2(saved[i], i);
        close(saved[i]);
    }
    ck_assert_int_eq(status, TD_OK);
}

static td_status load_with_few_allocations(const char *file, long allocations, long *leaked)
{
    static const char *const arguments[] = {"robot:=r", "mass:=1"};
    td_load_options options = options_with(arguments, 2);
    td_diagnostics *list = new_diagnostics(0);
    td_model *model = NULL;
    const long before = failing_pieces;
    failing_left = allocations;
    const td_status status = td_load_urdf(file, &options, list, &model);
    failing_left = -1;
    ck_assert((model != NULL) == (status == TD_OK));
    td_model_free(model);
    td_diagnostics_free(list);
    *leaked = failing_pieces - before + 1; /* the list existed before, but not its contents */
    return status;
}

TD_TEST(every_allocation_may_fail)
{
    failing_each(load_with_few_allocations, write_arm("arm.xacro"), TD_OK);
}

/* ---- all ------------------------------------------------------------------------------------- */

static void remove_folder(void)
{
    DIR *directory = opendir(folder);
    for (struct dirent *e; directory && (e = readdir(directory));) {
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        unlink(path);
    }
    if (directory)
        closedir(directory);
    rmdir(folder);
}

int main(void)
{
    const char *root = getenv("TANDEM_SOURCE_ROOT");
    snprintf(program, sizeof program, "%s/test/urdf/xacro.sh", root ? root : ".");
    if (program[0] != '/') {
        char *real = realpath(program, NULL);
        snprintf(program, sizeof program, "%s", real ? real : "");
        free(real);
    }
    if (!mkdtemp(folder))
        return EXIT_FAILURE;
    const int code = td_run_tests(60);
    remove_folder();
    return code;
}
