/* SPDX-License-Identifier: MIT */
/*
 * Compares docs/diagnostics.md with the table of diagnostic codes. Every code has one row with its
 * severity, and the page names no unknown code. TANDEM_SOURCE_ROOT is the directory that contains
 * docs/.
 */
#include <check.h>
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnostic_codes.h"

typedef struct row {
    const char *code;
    const char *severity;
} row;

static const row rows[] = {
#define ROW(name, code, severity, text) {code, #severity},
    TD_DIAGNOSTIC_TABLE(ROW)
#undef ROW
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static char *page;

static void read_page(void)
{
    const char *root = getenv("TANDEM_SOURCE_ROOT");
    ck_assert_msg(root != NULL, "TANDEM_SOURCE_ROOT is not set");
    char path[4096];
    snprintf(path, sizeof path, "%s/docs/diagnostics.md", root);
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "cannot read %s", path);
    size_t capacity = 1 << 20;
    page = malloc(capacity);
    ck_assert_ptr_nonnull(page);
    size_t size = fread(page, 1, capacity - 1, file);
    ck_assert_msg(feof(file), "%s is larger than this test expects", path);
    page[size] = '\0';
    fclose(file);
}

static void free_page(void)
{
    free(page);
    page = NULL;
}

/* Counts the rows of the page that start with this code and severity. */
static int rows_of(const row *r)
{
    char severity[16] = "";
    for (size_t i = 0; r->severity[i] != '\0' && i + 1 < sizeof severity; i++) {
        severity[i] = (char)tolower((unsigned char)r->severity[i]);
    }
    char start[64];
    snprintf(start, sizeof start, "\n| %s | %s | ", r->code, severity);
    int count = 0;
    for (const char *at = page; (at = strstr(at, start)) != NULL; at++) {
        count++;
    }
    return count;
}

START_TEST(every_code_has_a_row_with_its_severity)
{
    int wrong = 0;
    for (size_t i = 0; i < ROWS; i++) {
        int count = rows_of(&rows[i]);
        if (count != 1) {
            printf("# %s, %s: %d rows\n", rows[i].code, rows[i].severity, count);
            wrong++;
        }
    }
    ck_assert_msg(wrong == 0, "docs/diagnostics.md lacks or repeats %d codes", wrong);
}
END_TEST

/* Returns the length of a code such as URDF-X001 or TD-E001 at text, or 0 if text starts with none.
 */
static size_t code_length(const char *text)
{
    size_t prefix = strncmp(text, "URDF-", 5) == 0 ? 5 : strncmp(text, "TD-", 3) == 0 ? 3 : 0;
    if (prefix == 0 || !isupper((unsigned char)text[prefix])) {
        return 0;
    }
    size_t digits = strspn(text + prefix + 1, "0123456789");
    return digits > 0 ? prefix + 1 + digits : 0;
}

START_TEST(no_code_of_the_page_is_unknown)
{
    for (const char *c = page; *c != '\0'; c++) {
        size_t length = code_length(c);
        bool known = length == 0;
        for (size_t i = 0; i < ROWS && !known; i++) {
            known = strlen(rows[i].code) == length && strncmp(rows[i].code, c, length) == 0;
        }
        ck_assert_msg(known, "docs/diagnostics.md names %.*s, which does not exist", (int)length,
                      c);
    }
}
END_TEST

START_TEST(codes_are_unique)
{
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < i; j++) {
            ck_assert_str_ne(rows[i].code, rows[j].code);
        }
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("docs");
    TCase *diagnostics = tcase_create("diagnostics");
    tcase_add_checked_fixture(diagnostics, read_page, free_page);
    tcase_add_test(diagnostics, every_code_has_a_row_with_its_severity);
    tcase_add_test(diagnostics, no_code_of_the_page_is_unknown);
    tcase_add_test(diagnostics, codes_are_unique);
    suite_add_tcase(suite, diagnostics);

    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failures = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failures == 0 ? 0 : 1;
}
