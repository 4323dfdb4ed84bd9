/* SPDX-License-Identifier: MIT */
/*
 * The tandem command against golden text. tool/cases.txt holds command lines with what they write
 * and their exit status:
 *
 *   $ tandem check gripper.urdf     run by sh in the folder of the bundled robots
 *   > standard output, a line
 *   ! standard error, a line
 *   = 0                             exit status
 *
 * Environment: TANDEM_TOOL, the program; TANDEM_ROBOTS, the folder; TANDEM_CASES, the file.
 * With TD_UPDATE_GOLDEN=1 the file is written anew from what the program does: read the difference
 * before you keep it.
 */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct golden_case {
    char *lead; /* comments and empty lines before it */
    char *command;
    char *expected;
} golden_case;

static golden_case *cases;
static size_t case_count;
static char *trail; /* what follows the last case */

static void stop(const char *what, const char *name)
{
    fprintf(stderr, "test_tool: %s %s: %s\n", what, name, strerror(errno));
    exit(2);
}

/* Appends to a string that may be NULL. */
static char *append(char *text, const char *more)
{
    size_t length = text != NULL ? strlen(text) : 0;
    char *longer = realloc(text, length + strlen(more) + 1);
    if (longer == NULL) {
        stop("memory for", more);
    }
    strcpy(longer + length, more);
    return longer;
}

/* Every line of the stream after that mark. */
static char *append_lines(char *text, FILE *stream, const char *mark)
{
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, stream) > 0) {
        line[strcspn(line, "\n")] = '\0';
        text = append(text, mark);
        text = append(text, *line != '\0' ? " " : "");
        text = append(append(text, line), "\n");
    }
    free(line);
    return text;
}

/* What the command line does, in the form of the file. */
static char *run_case(const char *command)
{
    char name[] = "/tmp/test_tool.XXXXXX";
    int file = mkstemp(name);
    if (file < 0) {
        stop("a file", name);
    }
    close(file);
    char *shell = append(NULL, "cd \"$TANDEM_ROBOTS\" && { ");
    shell = append(append(shell, command), "\n} 2>");
    shell = append(shell, name);
    FILE *output = popen(shell, "r");
    if (output == NULL) {
        stop("run", command);
    }
    char *text = append_lines(append(NULL, ""), output, ">");
    int status = pclose(output);
    FILE *errors = fopen(name, "r");
    if (errors == NULL) {
        stop("read", name);
    }
    text = append_lines(text, errors, "!");
    fclose(errors);
    unlink(name);
    free(shell);
    char last[32];
    snprintf(last, sizeof last, "= %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    return append(text, last);
}

static void read_cases(const char *name)
{
    FILE *stream = fopen(name, "r");
    char *line = NULL;
    size_t size = 0;
    trail = append(NULL, "");
    if (stream == NULL) {
        stop("read", name);
    }
    while (getline(&line, &size, stream) > 0) {
        if (strncmp(line, "$ ", 2) == 0) {
            cases = realloc(cases, (case_count + 1) * sizeof *cases);
            line[strcspn(line, "\n")] = '\0';
            cases[case_count++] = (golden_case){trail, append(NULL, line + 2), append(NULL, "")};
            trail = append(NULL, "");
        } else if (*line != '\0' && strchr(">!=", *line) != NULL && case_count > 0) {
            golden_case *last = &cases[case_count - 1];
            last->expected = append(last->expected, line);
        } else {
            trail = append(trail, line);
        }
    }
    free(line);
    fclose(stream);
}

static int update_cases(const char *name)
{
    FILE *stream = fopen(name, "w");
    if (stream == NULL) {
        stop("write", name);
    }
    for (size_t i = 0; i < case_count; i++) {
        char *actual = run_case(cases[i].command);
        fprintf(stream, "%s$ %s\n%s", cases[i].lead, cases[i].command, actual);
        free(actual);
    }
    fputs(trail, stream);
    return fclose(stream) == 0 ? 0 : 2;
}

static void free_cases(void)
{
    for (size_t i = 0; i < case_count; i++) {
        free(cases[i].lead);
        free(cases[i].command);
        free(cases[i].expected);
    }
    free(cases);
    free(trail);
}

START_TEST(golden_text)
{
    const golden_case *c = &cases[_i];
    char *actual = run_case(c->command);
    ck_assert_msg(strcmp(actual, c->expected) == 0, "$ %s\nexpected:\n%sbut it did:\n%s",
                  c->command, c->expected, actual);
    free(actual);
}
END_TEST

/* The shell finds the program as 'tandem', and nothing of the user's setting changes what it does.
 */
static void set_environment(const char *tool)
{
    char *directory = append(NULL, tool);
    char *slash = strrchr(directory, '/');
    if (slash != NULL) {
        *slash = '\0';
    }
    char *path = append(append(append(NULL, slash != NULL ? directory : "."), ":"), getenv("PATH"));
    setenv("PATH", path, 1);
    setenv("LC_ALL", "C", 1);
    setenv("TANDEM_ISA", "baseline", 1);
    unsetenv("ARGP_HELP_FMT");
    unsetenv("POSIXLY_CORRECT");
    free(path);
    free(directory);
}

int main(void)
{
    const char *tool = getenv("TANDEM_TOOL");
    const char *file = getenv("TANDEM_CASES");
    const char *update = getenv("TD_UPDATE_GOLDEN");
    if (tool == NULL || file == NULL || getenv("TANDEM_ROBOTS") == NULL) {
        fputs("test_tool: TANDEM_TOOL, TANDEM_ROBOTS and TANDEM_CASES must be set\n", stderr);
        return 77; /* meson: skipped */
    }
    set_environment(tool);
    read_cases(file);
    int code;
    if (update != NULL && strcmp(update, "1") == 0) {
        code = update_cases(file);
    } else {
        Suite *suite = suite_create("tool");
        TCase *all = tcase_create("golden text");
        tcase_set_timeout(all, 60);
        tcase_add_loop_test(all, golden_text, 0, (int)case_count);
        suite_add_tcase(suite, all);
        SRunner *runner = srunner_create(suite);
        srunner_run_all(runner, CK_ENV);
        code = srunner_ntests_failed(runner) == 0 ? 0 : 1;
        srunner_free(runner);
    }
    free_cases();
    return code;
}
