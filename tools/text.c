/* SPDX-License-Identifier: MIT */
/*
 * Formats numbers and names and allocates memory, see text.h. The program never calls setlocale, so
 * printf and strtod use a decimal point everywhere.
 */
#include "text.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../lib/base/nearest.h"
#include "command.h"
#include "input/decimal.h"
#include "output/progress.h"

_Noreturn void end_without_memory(void)
{
    complain("out of memory");
    exit(EXIT_COMPUTE);
}

/* Ends the program after a failed allocation. Reports the size if it is large, usually a matrix of
   a robot with very many joints. */
static _Noreturn void end_without(size_t count, size_t size)
{
    const double bytes = (double)count * (double)size;
    const double large = 1 << 24;
    if (bytes < large) {
        end_without_memory();
    }
    complain("out of memory: %zu numbers or records in one block take %.1f GB", count, bytes / 1e9);
    exit(EXIT_COMPUTE);
}

void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count > 0 ? count : 1, size);
    if (memory == NULL) {
        end_without(count, size);
    }
    return memory;
}

void *reallocate(void *memory, size_t count, size_t size)
{
    void *larger = reallocarray(memory, count > 0 ? count : 1, size);
    if (larger == NULL) {
        end_without(count, size);
    }
    return larger;
}

char *text_format_list(const char *format, va_list arguments)
{
    char *text = NULL;
    if (vasprintf(&text, format, arguments) < 0) {
        end_without_memory();
    }
    return text;
}

char *text_format(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = text_format_list(format, arguments);
    va_end(arguments);
    return text;
}

void text_open(text_stream *to)
{
    *to = (text_stream){0};
    to->stream = open_memstream(&to->text, &to->size);
    if (to->stream == NULL) {
        end_without_memory();
    }
}

/* If memory ran out, the stream's error flag is set and its text may be NULL. */
char *text_close(text_stream *to)
{
    const bool whole = ferror(to->stream) == 0;
    if (fclose(to->stream) != 0 || !whole || to->text == NULL) {
        free(to->text);
        end_without_memory();
    }
    return to->text;
}

static void complain_list(const char *format, va_list arguments)
    __attribute__((format(printf, 1, 0)));

static void complain_list(const char *format, va_list arguments)
{
    char *text = NULL;
    int length = vasprintf(&text, format, arguments);
    fflush(stdout);
    reading_clear();
    fputs("tandem: ", stderr);
    put_clean(stderr, length < 0 ? "out of memory" : text);
    fputc('\n', stderr);
    if (length >= 0) {
        free(text);
    }
}

void complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    complain_list(format, arguments);
    va_end(arguments);
}

static bool silent; /* suppresses notes */

void notes_silence(void)
{
    silent = true;
}

bool notes_shown(void)
{
    return !silent;
}

static bool verbose;

void verbose_on(void)
{
    verbose = true;
}

bool is_verbose(void)
{
    return verbose;
}

void tell_note(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!silent) {
        complain_list(format, arguments);
    }
    va_end(arguments);
}

void refuse_usage(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    complain_list(format, arguments);
    va_end(arguments);
    exit(EXIT_USAGE);
}

static int first_error; /* of standard output: the stream keeps an error flag, but not errno */

int flush_output(void)
{
    bool good = fflush(stdout) == 0 && ferror(stdout) == 0;
    if (!good && first_error == 0) {
        first_error = errno != 0 ? errno : EIO;
    }
    return first_error;
}

bool restart_output(void)
{
    const int error = flush_output();
    clearerr(stdout);
    first_error = 0;
    errno = error;
    return error == 0;
}

/* 1e-07 -> 1e-7, 1e+20 -> 1e20 */
static void shorten_exponent(char *text)
{
    char *start = strchr(text, 'e');
    if (start == NULL) {
        return;
    }
    char *end = ++start;
    if (*start == '-') {
        end++;
    }
    start++;
    while (*start == '0' && start[1] != '\0') {
        start++;
    }
    memmove(end, start, strlen(start) + 1);
}

number number_exact(double x)
{
    number n;
    decimal_write(x, n.text);
    return n;
}

number counted(size_t count, const char *what)
{
    number n;
    size_t length = strlen(what);
    bool body = count != 1 && length > 0 && what[length - 1] == 'y';
    const char *ending = count == 1 ? "" : body ? "ies" : "s";
    snprintf(n.text, sizeof n.text, "%zu %.*s%s", count, (int)(length - body), what, ending);
    return n;
}

double largest_of(const double *x, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) {
        most = isfinite(x[i]) ? fmax(most, fabs(x[i])) : most;
    }
    return most;
}

double significant(double x, double scale)
{
    return fabs(x) < 1e-14 * scale ? 0 : x;
}

static number number_rounded(double x, int digits)
{
    if (!isfinite(x)) {
        return number_exact(x);
    }
    number n;
    snprintf(n.text, sizeof n.text, "%.*g", digits, x + 0.0); /* + 0.0: no "-0" */
    shorten_exponent(n.text);
    return n;
}

number number_brief(double x)
{
    return number_rounded(x, 6);
}

number number_of_scale(double x, double scale)
{
    return number_brief(significant(x, scale));
}

number number_place(double x)
{
    return number_rounded(fabs(x) < 1e-12 ? 0 : x, 6);
}

number number_clear(double x)
{
    return number_rounded(x, 10);
}

bool parse_number(const char *text, double *value)
{
    double x;
    const char *end = decimal_read(text, &x);
    if (end == NULL || *end != '\0' || !isfinite(x)) {
        return false;
    }
    *value = x;
    return true;
}

bool is_missing(const char *text)
{
    static const char *const words[] = {"",   "nan", "-nan", "inf",  "-inf",
                                        "na", "n/a", "null", "none", "-"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcasecmp(text, words[i]) == 0) {
            return true;
        }
    }
    return false;
}

bool parse_triple(const char *text, double value[3])
{
    char *copy = text_format("%s", text);
    char *rest = copy;
    size_t count = 0;
    bool good = true;
    for (char *token = strsep(&rest, ","); token != NULL; token = strsep(&rest, ",")) {
        good = good && count < 3 && parse_number(token, &value[count]);
        count++;
    }
    free(copy);
    return good && count == 3;
}

size_t character_read(const char *text, unsigned *code)
{
    const unsigned char *c = (const unsigned char *)text;
    const size_t length = *c < 0x80   ? 1
                          : *c < 0xc2 ? 0
                          : *c < 0xe0 ? 2
                          : *c < 0xf0 ? 3
                          : *c < 0xf5 ? 4
                                      : 0;
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    *code = length < 2 ? *c : *c & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((c[i] & 0xc0) != 0x80) {
            return 0;
        }
        *code = *code << 6 | (c[i] & 0x3f);
    }
    const bool half = *code >= 0xd800 && *code < 0xe000; /* a UTF-16 surrogate */
    return *code >= least[length] && *code <= 0x10ffff && !half ? length : 0;
}

size_t character_write(unsigned code, char *to)
{
    if (code < 0x80) {
        to[0] = (char)code;
        return 1;
    }
    const size_t length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = length; i-- > 1; code >>= 6) {
        to[i] = (char)(0x80 | (code & 0x3f));
    }
    to[0] = (char)((0xf00u >> length & 0xffu) | code);
    return length;
}

bool character_is_control(unsigned code)
{
    static const struct {
        unsigned first, last;
    } range[] = {{0, 0x1f},        {0x7f, 0x9f},     {0xad, 0xad},       {0x61c, 0x61c},
                 {0x180e, 0x180e}, {0x200b, 0x200b}, {0x200e, 0x200f},   {0x2028, 0x202e},
                 {0x2060, 0x206f}, {0xfeff, 0xfeff}, {0xe0000, 0xe007f}, {0xfff9, 0xfffb}};
    for (size_t i = 0; i < sizeof range / sizeof *range; i++) {
        if (code >= range[i].first && code <= range[i].last) {
            return true;
        }
    }
    return false;
}

void put_clean(FILE *stream, const char *text)
{
    while (*text != '\0') {
        unsigned code;
        const size_t length = character_read(text, &code);
        if (length == 0 || (character_is_control(code) && code < 0xa0)) {
            fprintf(stream, "\\x%02x", length == 0 ? (unsigned char)*text : code);
        } else if (character_is_control(code)) {
            fprintf(stream, code > 0xffff ? "\\U%08x" : "\\u%04x", code);
        } else {
            fwrite(text, 1, length, stream);
        }
        text += length > 0 ? length : 1;
    }
}

char *text_clean(const char *text)
{
    text_stream clean;
    text_open(&clean);
    put_clean(clean.stream, text);
    return text_close(&clean);
}

size_t text_width(const char *text)
{
    size_t width = 0;
    for (; *text != '\0'; text++) {
        width += ((unsigned char)*text & 0xc0) != 0x80;
    }
    return width;
}

void put_term(FILE *stream, bool first, double factor, const char *name)
{
    double size = fabs(factor);
    fputs(factor < 0 ? (first ? "-" : " - ") : (first ? "" : " + "), stream);
    if (name == NULL) {
        fputs(number_clear(size).text, stream);
        return;
    }
    if (size != 1) {
        fprintf(stream, "%s·", number_clear(size).text);
    }
    put_clean(stream, name);
}

bool wants_colour(FILE *stream)
{
    const char *forbidden = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");
    return (forbidden == NULL || *forbidden == '\0') &&
           (terminal == NULL || strcmp(terminal, "dumb") != 0) && isatty(fileno(stream)) == 1;
}

size_t terminal_columns(void)
{
    struct winsize size;
    const char *wanted = getenv("COLUMNS");
    double columns;
    if (wanted != NULL && parse_number(wanted, &columns) && columns >= 1 && columns <= 1e6) {
        return (size_t)columns;
    }
    if (isatty(STDOUT_FILENO) != 1) {
        return SIZE_MAX;
    }
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) {
        return 80;
    }
    return size.ws_col;
}

typedef struct candidate_list {
    const char *const *name;
    size_t count;
} candidate_list;

static const char *next_candidate(const void *context, size_t i)
{
    const candidate_list *list = context;
    return i < list->count ? list->name[i] : NULL;
}

const char *nearest_name(const char *name, const char *const *candidates, size_t count)
{
    candidate_list list = {candidates, count};
    return td_nearest_name(name, next_candidate, &list, NULL, NULL);
}

const char *nearest_spelling(const char *word, const char *const *candidates, size_t count)
{
    candidate_list list = {candidates, count};
    return td_nearest_spelling(word, next_candidate, &list, NULL);
}

char *unknown_name(const char *kind, const char *name, const char *const *candidates, size_t count)
{
    const char *nearest = nearest_name(name, candidates, count);
    return nearest == NULL ? text_format("no %s '%s'", kind, name)
                           : text_format("no %s '%s'; did you mean '%s'?", kind, name, nearest);
}
