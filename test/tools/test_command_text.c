/* SPDX-License-Identifier: MIT */
/*
 * Compares the tandem command with golden text. tool/cases/ has one file for each command, and
 * tandem.txt for the command itself. The files contain command lines, their output and exit status:
 *
 *   $ tandem check gripper.urdf     run by sh in a temporary folder, with the bundled robots
 *   > standard output, a line
 *   ! standard error, a line
 *   = 0                             exit status
 *
 * Runs on narrow terminals check that lines wrap at the width.
 *
 * Environment: TANDEM_TOOL, the program; TANDEM_ROBOTS, the folder of robots; TANDEM_CASES, the
 * folder of cases. TD_UPDATE_GOLDEN=1 rewrites the files from the program's output. Read the
 * difference before you commit it.
 */
#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "share.h"

typedef struct golden_case {
    int file;
    char *lead; /* comments and empty lines before it */
    char *command;
    char *expected;
} golden_case;

static golden_case *cases;
static size_t case_count;
static struct dirent **files; /* files of cases, sorted by name */
static int file_count;

static void stop(const char *what, const char *name)
{
    fprintf(stderr, "test_command_text: %s %s: %s\n", what, name, strerror(errno));
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

/* Appends every line of the stream, after the given mark. */
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

/* Runs a command line and returns its output in the form of the file. The temporary folder contains
   the robots. test/ and examples/ have the same relative path as in the sources. */
static char *run_case(const char *command)
{
    char folder[] = "/tmp/test_command.XXXXXX", name[] = "/tmp/test_command.XXXXXX", clean[64];
    if (mkdtemp(folder) == NULL) {
        stop("a folder", folder);
    }
    int file = mkstemp(name);
    if (file < 0) {
        stop("a file", name);
    }
    close(file);
    char *shell = append(append(NULL, "cd "), folder);
    shell = append(shell,
                   " && mkdir -p urdf/robots && cd urdf/robots && r=\"$TANDEM_ROBOTS\" && "
                   "ln -s \"$r\"/* . && ln -s \"$r\"/../../test \"$r\"/../../examples ../.. && { ");
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
    snprintf(clean, sizeof clean, "rm -rf %s", folder);
    if (system(clean) != 0) {
        stop("remove", folder);
    }
    char last[32];
    snprintf(last, sizeof last, "= %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    return append(text, last);
}

static int is_text(const struct dirent *entry)
{
    const char *ending = strrchr(entry->d_name, '.');
    return ending != NULL && strcmp(ending, ".txt") == 0;
}

static FILE *open_cases(const char *folder, int file, const char *mode)
{
    char *path = append(append(append(NULL, folder), "/"), files[file]->d_name);
    FILE *stream = fopen(path, mode);
    if (stream == NULL) {
        stop("open", path);
    }
    free(path);
    return stream;
}

static void read_file(const char *folder, int file)
{
    FILE *stream = open_cases(folder, file, "r");
    char *line = NULL, *lead = append(NULL, "");
    size_t size = 0;
    while (getline(&line, &size, stream) > 0) {
        if (strncmp(line, "$ ", 2) == 0) {
            cases = realloc(cases, (case_count + 1) * sizeof *cases);
            line[strcspn(line, "\n")] = '\0';
            cases[case_count++] =
                (golden_case){file, lead, append(NULL, line + 2), append(NULL, "")};
            lead = append(NULL, "");
        } else if (*line != '\0' && strchr(">!=", *line) != NULL && case_count > 0) {
            golden_case *last = &cases[case_count - 1];
            last->expected = append(last->expected, line);
        } else {
            lead = append(lead, line);
        }
    }
    if (*lead != '\0') {
        stop("lines after the last case of", files[file]->d_name);
    }
    free(lead);
    free(line);
    fclose(stream);
}

static void read_cases(const char *folder)
{
    file_count = scandir(folder, &files, is_text, alphasort);
    if (file_count < 1) {
        stop("cases in", folder);
    }
    for (int k = 0; k < file_count; k++) {
        read_file(folder, k);
    }
}

static int update_cases(const char *folder)
{
    int bad = 0;
    size_t i = 0;
    for (int k = 0; k < file_count; k++) {
        FILE *stream = open_cases(folder, k, "w");
        for (; i < case_count && cases[i].file == k; i++) {
            char *actual = run_case(cases[i].command);
            fprintf(stream, "%s$ %s\n%s", cases[i].lead, cases[i].command, actual);
            free(actual);
        }
        bad |= fclose(stream);
    }
    return bad == 0 ? 0 : 2;
}

static void free_cases(void)
{
    for (size_t i = 0; i < case_count; i++) {
        free(cases[i].lead);
        free(cases[i].command);
        free(cases[i].expected);
    }
    free(cases);
    while (file_count > 0) {
        free(files[--file_count]);
    }
    free(files);
}

START_TEST(golden_text)
{
    const golden_case *c = &cases[_i];
    const char *robots = getenv("TANDEM_ROBOTS");
    struct stat before, after;
    ck_assert_int_eq(stat(robots, &before), 0);
    char *actual = run_case(c->command);
    ck_assert_int_eq(stat(robots, &after), 0);
    ck_assert_msg(before.st_mtim.tv_sec == after.st_mtim.tv_sec &&
                      before.st_mtim.tv_nsec == after.st_mtim.tv_nsec,
                  "$ %.400s\nmakes files in the folder of the bundled robots", c->command);
    /* Check truncates messages after some four thousand characters */
    ck_assert_msg(strcmp(actual, c->expected) == 0,
                  "%s: $ %.400s\nexpected:\n%.1600sbut it did:\n%.1600s", files[c->file]->d_name,
                  c->command, c->expected, actual);
    free(actual);
}
END_TEST

/* ---- on a terminal --------------------------------------------------------------------------- */

/* Returns the output of a command on a terminal of the given width. COLUMNS overrides the width if
   said is not NULL. */
static char *run_on_terminal(const char *command, unsigned short columns, const char *said)
{
    struct winsize size = {.ws_row = 24, .ws_col = columns};
    int terminal;
    pid_t child = forkpty(&terminal, NULL, NULL, &size);
    if (child < 0) {
        return NULL;
    }
    if (child == 0) {
        setenv("NO_COLOR", "1", 1);
        said != NULL ? setenv("COLUMNS", said, 1) : unsetenv("COLUMNS");
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    char *text = append(NULL, "");
    char piece[1024];
    ssize_t length;
    while ((length = read(terminal, piece, sizeof piece - 1)) > 0) {
        piece[length] = '\0';
        text = append(text, piece);
    }
    close(terminal);
    waitpid(child, NULL, 0);
    return text;
}

static size_t code_points(const char *text, size_t bytes)
{
    size_t count = 0;
    for (size_t i = 0; i < bytes; i++) {
        count += ((unsigned char)text[i] & 0xc0) != 0x80;
    }
    return count;
}

/* Checks that no line is longer than columns, and that some lines use the full width. */
static void check_width(const char *text, size_t columns)
{
    size_t longest = 0;
    for (const char *line = text; *line != '\0';) {
        size_t bytes = strcspn(line, "\r\n");
        size_t length = code_points(line, bytes);
        ck_assert_msg(length <= columns, "%zu columns: %.*s", length, (int)bytes, line);
        longest = length > longest ? length : longest;
        line += bytes;
        line += strspn(line, "\r\n");
    }
    ck_assert_uint_ge(longest + 16, columns);
}

START_TEST(lines_end_at_the_terminal)
{
    static const char *const commands[] = {
        "cd \"$TANDEM_ROBOTS\" && tandem info --all humanoid.urdf",
        "cd \"$TANDEM_ROBOTS\" && tandem info stewart.urdf",
        "cd \"$TANDEM_ROBOTS\" && tandem closure humanoid.urdf",
    };
    static const unsigned short columns[] = {60, 100};
    for (size_t i = 0; i < 2; i++) {
        char *text = run_on_terminal(commands[_i], columns[i], NULL);
        char *again = run_on_terminal(commands[_i], 70, columns[i] == 60 ? "60" : "100");
        if (text == NULL || again == NULL) {
            fputs("skipped: there is no pseudo-terminal\n", stderr);
        } else {
            check_width(text, columns[i]);
            ck_assert_str_eq(text, again);
        }
        free(text);
        free(again);
    }
}
END_TEST

/* Progress is one line, rewritten in place, that fits the terminal and is erased at the end. A
   table on the terminal has no progress line. */
START_TEST(progress_on_a_terminal)
{
    static const char *const output[] = {"-o /dev/null", ""};
    char command[256];
    snprintf(command, sizeof command,
             "cd \"$TANDEM_ROBOTS\" && tandem simulate arm7.urdf -q joint_2=0.7 --time 4 "
             "--integrator dormand-prince %s",
             output[_i]);
    char *text = run_on_terminal(command, 40, NULL);
    if (text == NULL) {
        fputs("skipped: there is no pseudo-terminal\n", stderr);
        return;
    }
    static const char erase[] = "\r\033[K";
    size_t lines = 0;
    const char *at = text;
    for (char *next = strstr(at, erase); next != NULL; next = strstr(at, erase)) {
        ck_assert_uint_lt(code_points(at, (size_t)(next - at)), 40);
        lines += next[strlen(erase)] == ' '; /* the number before "%" */
        at = next + strlen(erase);
    }
    ck_assert_msg((lines > 0) == (_i == 0), "%s", text);
    ck_assert(_i == 0 ? strstr(at, "time     4 s") != NULL : strncmp(at, "t,q:joint_1", 11) == 0);
    free(text);
}
END_TEST

/* Lets the shell find the program as 'tandem', and clears user settings that would change its
   output. */
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
    unsetenv("COLUMNS");
    unsetenv("ARGP_HELP_FMT");
    unsetenv("POSIXLY_CORRECT");
    free(path);
    free(directory);
}

int main(void)
{
    const char *tool = getenv("TANDEM_TOOL");
    const char *folder = getenv("TANDEM_CASES");
    const char *update = getenv("TD_UPDATE_GOLDEN");
    if (tool == NULL || folder == NULL || getenv("TANDEM_ROBOTS") == NULL) {
        fputs("test_command_text: TANDEM_TOOL, TANDEM_ROBOTS and TANDEM_CASES must be set\n",
              stderr);
        return 77; /* meson: skipped */
    }
    set_environment(tool);
    read_cases(folder);
    int code;
    if (update != NULL && strcmp(update, "1") == 0) {
        code = update_cases(folder);
    } else {
        Suite *suite = suite_create("tool");
        TCase *all = tcase_create("golden text");
        tcase_set_timeout(all, 60);
        tcase_add_loop_test(all, golden_text, 0, (int)case_count);
        suite_add_tcase(suite, all);
        TCase *terminal = tcase_create("terminal");
        tcase_set_timeout(terminal, 60);
        tcase_add_loop_test(terminal, lines_end_at_the_terminal, 0, 3);
        tcase_add_loop_test(terminal, progress_on_a_terminal, 0, 2);
        suite_add_tcase(suite, terminal);
        SRunner *runner = srunner_create(suite);
        srunner_run_all(runner, CK_ENV);
        code = srunner_ntests_failed(runner) == 0 ? 0 : 1;
        srunner_free(runner);
    }
    free_cases();
    return code;
}
