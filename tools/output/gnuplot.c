/* SPDX-License-Identifier: MIT */
/*
 * Runs gnuplot; see gnuplot.h.
 */
#include "output/gnuplot.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "input/file_use.h"
#include "output/output_file.h"
#include "output/plot.h"
#include "text.h"

extern char **environ;

/* Within single quotes gnuplot interprets only doubled quotes. It misreads these at the beginning
   of a string and after another one, so an apostrophe replaces them there. */
void gnuplot_string(FILE *script, const char *text)
{
    char *clean = text_clean(text);
    fputc('\'', script);
    for (const char *c = clean; *c != '\0'; c++) {
        const bool misread = c == clean || c[-1] == '\'';
        fputs(*c != '\'' ? (char[]){*c, '\0'} : misread ? "’" : "''", script);
    }
    fputc('\'', script);
    free(clean);
}

bool plot_possible(void)
{
    const char *path = getenv("PATH");
    char *copy = text_format("%s", path != NULL ? path : "/bin:/usr/bin"), *rest = copy;
    bool found = false;
    for (char *part = strsep(&rest, ":"); part != NULL && !found; part = strsep(&rest, ":")) {
        scoped char *file = text_format("%s/gnuplot", *part != '\0' ? part : ".");
        found = access(file, X_OK) == 0;
    }
    free(copy);
    if (!found) {
        complain("drawing pictures needs gnuplot, which is not installed (Debian: gnuplot-nox)");
    }
    return found;
}

/* Runs gnuplot on a script, with its standard output in the file. Prints a message and returns
   false on failure. */
static bool run_gnuplot(FILE *script, int file)
{
    char *argv[] = {"gnuplot", "-d", "-", NULL}; /* -d: ignore the user's settings */
    posix_spawn_file_actions_t actions;
    pid_t child;
    int error = posix_spawn_file_actions_init(&actions);
    if (error == 0) {
        const int in = posix_spawn_file_actions_adddup2(&actions, fileno(script), STDIN_FILENO);
        const int out = posix_spawn_file_actions_adddup2(&actions, file, STDOUT_FILENO);
        error = in != 0    ? in
                : out != 0 ? out
                           : posix_spawnp(&child, argv[0], &actions, NULL, argv, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    if (error != 0) {
        complain("gnuplot cannot be started: %s", strerror(error));
        return false;
    }
    int status;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        complain("gnuplot failed");
        return false;
    }
    return true;
}

/* Returns whether the output is SVG, which is the default without a suffix. */
static bool is_svg(const char *output)
{
    const char *suffix = path_suffix(output);
    return strcmp(suffix, ".pdf") != 0 && strcmp(suffix, ".png") != 0;
}

/* Copies an SVG and escapes > after ]], which XML forbids and gnuplot leaves. */
static void copy_svg(FILE *from, FILE *to)
{
    size_t brackets = 0;
    for (int c = fgetc(from); c != EOF; c = fgetc(from)) {
        if (c == '>' && brackets >= 2) {
            fputs("&gt;", to);
        } else {
            fputc(c, to);
        }
        brackets = c == ']' ? brackets + 1 : 0;
    }
}

static bool draw_svg(FILE *script, output_file *to)
{
    FILE *drawn = tmpfile();
    if (drawn == NULL) {
        complain("a temporary file: %s", strerror(errno));
        return false;
    }
    const bool good = run_gnuplot(script, fileno(drawn));
    bool whole = good && fseek(drawn, 0, SEEK_SET) == 0;
    if (whole) {
        copy_svg(drawn, to->stream);
        whole = ferror(drawn) == 0;
    }
    if (good && !whole) {
        complain("a temporary file: %s", strerror(errno));
    }
    fclose(drawn);
    return whole;
}

bool gnuplot_draw(const char *output, void (*write)(FILE *script, const void *context),
                  const void *context)
{
    output_file file;
    if (!output_open(&file, output)) {
        return false;
    }
    FILE *script = tmpfile();
    bool good = script != NULL;
    if (good) {
        write(script, context);
        good = ferror(script) == 0 && fseek(script, 0, SEEK_SET) == 0;
        if (!good) {
            complain("a temporary file: %s", strerror(errno));
        }
        good = good && (is_svg(output) ? draw_svg(script, &file)
                                       : run_gnuplot(script, fileno(file.stream)));
        fclose(script);
    } else {
        complain("a temporary file: %s", strerror(errno));
    }
    if (!good) {
        output_drop(&file);
        return false;
    }
    return output_close(&file);
}

void gnuplot_terminal(FILE *script, const char *output, size_t width, size_t height)
{
    const char *suffix = path_suffix(output);
    if (strcmp(suffix, ".pdf") == 0) {
        fprintf(script, "set terminal pdfcairo noenhanced size %.2f,%.2f font 'Sans,9'\n",
                (double)width / 100, (double)height / 100);
    } else if (strcmp(suffix, ".png") == 0) {
        fprintf(script, "set terminal pngcairo noenhanced size %zu,%zu font 'Sans,9'\n", width,
                height);
    } else {
        fprintf(script,
                "set terminal svg noenhanced dynamic size %zu,%zu font 'Helvetica,12' "
                "background rgb 'white'\n",
                width, height);
    }
}
