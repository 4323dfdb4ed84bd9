/* SPDX-License-Identifier: MIT */
/*
 * Traps: small files, each with one defect of real URDF files, or with something that looks wrong
 * but is valid. The diagnostics of NAME.urdf must equal NAME.expected, word for word.
 * TD_UPDATE_GOLDEN=1 in the environment rewrites these files; read the changes before you commit
 * them.
 *
 * If there is a NAME.yml, it is loaded as a submechanism list, and diagnostics name the file. A
 * build without YAML skips such traps.
 *
 * The folder is test/traps in TANDEM_SOURCE_ROOT of the environment.
 */
#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "td_test.h"

enum { most_traps = 500, longest_path = 1024 };

static char *names[most_traps]; /* without the extension .urdf */
static int count;

static void path_of(char path[longest_path], const char *name, const char *ending)
{
    const char *root = getenv("TANDEM_SOURCE_ROOT");
    snprintf(path, longest_path, "%s/test/traps/%s%s", root ? root : ".", name, ending);
}

static bool exists(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file)
        fclose(file);
    return file != NULL;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void list_traps(void)
{
    char path[longest_path];
    path_of(path, "", "");
    DIR *directory = opendir(path);
    for (struct dirent *entry; directory && (entry = readdir(directory)) && count < most_traps;) {
        char *ending = strrchr(entry->d_name, '.');
        if (ending && strcmp(ending, ".urdf") == 0)
            names[count++] = strndup(entry->d_name, (size_t)(ending - entry->d_name));
    }
    if (directory)
        closedir(directory);
    qsort(names, (size_t)count, sizeof *names, by_name);
}

/* Returns the diagnostics of a file, and whether a model was made, as text. */
static char *report(const char *name)
{
    char path[longest_path];
    path_of(path, name, ".urdf");
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    td_diagnostics *list = test_diagnostics(0);
    td_model *model = NULL;
    td_load_options options = td_load_options_default();
    char beside[longest_path];
    path_of(beside, name, ".yml");
    options.submechanisms = exists(beside) ? beside : NULL;
    td_status status = test_load_urdf(path, &options, list, &model);
    for (size_t i = 0; i < td_diagnostics_size(list); i++) {
        const td_diagnostic *d = td_diagnostics_at(list, i);
        if (strcmp(d->source.file, beside) == 0)
            fprintf(out, "%s.yml:", name);
        fprintf(out, "%d:%d: %s[%s]: %s\n", d->source.line, d->source.column,
                td_severity_text(d->severity), d->code, d->message);
        if (*d->source.element)
            fprintf(out, "  at: %s\n", d->source.element);
        if (*d->remedy)
            fprintf(out, "  remedy: %s\n", d->remedy);
    }
    bool error = td_diagnostics_count(list, TD_SEVERITY_ERROR) > 0;
    ck_assert_int_eq(status, error ? TD_ERROR_MODEL : TD_OK);
    ck_assert((model != NULL) == !error);
    fprintf(out, "%s\n", td_status_text(status));
    fclose(out);
    return own(text, free);
}

/* Returns the first line that differs, for a message of bounded length. */
static const char *line_that_differs(const char *text, const char *other)
{
    const char *line = text;
    for (; *text && *text == *other; text++, other++)
        if (*text == '\n')
            line = text + 1;
    return line;
}

TD_LOOP_TEST(trap_reports_what_is_expected, 0, count)
{
    const char *name = names[_i];
    char path[longest_path];
    path_of(path, name, ".yml");
    if (!TANDEM_HAS_YAML && exists(path))
        return;
    path_of(path, name, ".expected");
    char *actual = report(name);
    if (getenv("TD_UPDATE_GOLDEN")) {
        FILE *out = fopen(path, "wb");
        ck_assert_ptr_nonnull(out);
        fputs(actual, out);
        fclose(out);
    }
    char *expected = td_read_file(path, NULL);
    const char *got = line_that_differs(actual, expected);
    const char *wanted = line_that_differs(expected, actual);
    ck_assert_msg(strcmp(actual, expected) == 0, "%s: got\n%.2000s\nexpected\n%.2000s", name, got,
                  wanted);
}

TD_TEST(traps_are_found)
{
    ck_assert_int_gt(count, 100);
}

int main(void)
{
    list_traps();
    int result = td_run_tests(60);
    return result;
}
