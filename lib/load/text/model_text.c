/* SPDX-License-Identifier: MIT */
/*
 * Parsing values of model files, and reporting errors. Every byte is checked before use.
 */
#include "load/text/model_text.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- faults ---------------------------------------------------------------------------------- */

bool td_model_text_fail(td_model_text *r, td_status status)
{
    if (r->status == TD_OK)
        r->status = status;
    return false;
}

bool td_model_text_refuse(td_model_text *r, const char *what, const char *detail)
{
    const td_source place = {r->name, r->line, 0, NULL};
    td_report(r->diagnostics, TD_CODE_MODEL_FILE, place,
              "write the model again with td_model_write; do not edit model files", "%s%s%.60s%s",
              what, detail ? " '" : "", detail ? detail : "", detail ? "'" : "");
    return td_model_text_fail(r, TD_ERROR_MODEL);
}

/* ---- values: r->at points to a value, and past it on success --------------------------------- */

static int hex_digit(char c)
{
    const char *digits = "0123456789abcdef", *found = c ? strchr(digits, c) : NULL;
    return found ? (int)(found - digits) : -1;
}

static bool read_string(td_model_text *r, const char **value)
{
    char *to = r->at + 1, *from = to;
    if (*r->at != '"')
        return td_model_text_refuse(r, "a string does not begin with a quotation mark", NULL);
    *value = to;
    while (*from != '"') {
        int high, low;
        if (!*from || *from == '\n')
            return td_model_text_refuse(r, "a string does not end", NULL);
        if (*from != '\\') {
            *to++ = *from++;
        } else if (from[1] == '"' || from[1] == '\\') {
            *to++ = from[1];
            from += 2;
        } else if (from[1] == 'x' && (high = hex_digit(from[2])) >= 0 &&
                   (low = hex_digit(from[3])) >= 0 && high + low > 0) {
            *to++ = (char)(16 * high + low);
            from += 4;
        } else {
            return td_model_text_refuse(r, "an unknown escape in a string", NULL);
        }
    }
    r->at = from + 1;
    *to = '\0';
    return true;
}

/* Reads [-](nan|inf|decimal). Characters are checked first, because strtod accepts other forms. */
static bool read_double(td_model_text *r, double *value)
{
    char *token = r->at;
    size_t length = strspn(token, "0123456789+-.eE");
    bool word = strncmp(token, "nan", 3) == 0 || strncmp(token, "inf", 3) == 0 ||
                strncmp(token, "-inf", 4) == 0;
    if (word)
        length = *token == '-' ? 4 : 3;
    char *end = token;
    if (length)
        *value = strtod(token, &end);
    if (end == token || end != token + length || (!word && isinf(*value)))
        return td_model_text_refuse(r, "not a number", NULL);
    r->at = end;
    return true;
}

/* Reads an integer from least to most. */
bool td_model_text_integer(td_model_text *r, long long least, unsigned long long most,
                           long long *value)
{
    char *end = r->at;
    bool negative = *r->at == '-';
    errno = 0;
    unsigned long long magnitude = 0;
    if (r->at[negative] >= '0' && r->at[negative] <= '9')
        magnitude = strtoull(r->at + negative, &end, 10);
    bool fits = negative ? magnitude <= (unsigned long long)-least : magnitude <= most;
    if (end == r->at || errno || !fits)
        return td_model_text_refuse(r, "not an integer in the allowed range", NULL);
    *value = negative ? -(long long)magnitude : (long long)magnitude;
    r->at = end;
    return true;
}

static const char *truth(unsigned value)
{
    return value > 1 ? NULL : value ? "true" : "false";
}

/* Returns the index of the word at r->at; reports an unknown word and returns −1. */
static int read_word(td_model_text *r, const char *(*word)(unsigned value))
{
    size_t length = strspn(r->at, "abcdefghijklmnopqrstuvwxyz_");
    for (int i = 0; word((unsigned)i); i++)
        if (strlen(word((unsigned)i)) == length && strncmp(word((unsigned)i), r->at, length) == 0) {
            r->at += length;
            return i;
        }
    r->at[length] = '\0';
    td_model_text_refuse(r, "an unknown word", r->at);
    return -1;
}

/* Reads all numbers up to the next field. Arrays that share a count must have equal lengths. */
static bool read_array(td_model_text *r, const td_field *f, const double **to, size_t *count)
{
    size_t n = 1;
    for (const char *c = r->at; *c && *c != ' ' && *c != '\n'; c++)
        n += *c == ',';
    if (*count && *count != n)
        return td_model_text_refuse(r, "too few or too many numbers for", f->key);
    double *numbers = TD_ARENA_NEW(&r->arrays, double, n);
    if (!numbers)
        return td_model_text_fail(r, TD_ERROR_MEMORY);
    for (size_t i = 0; i < n; i++) {
        if (i && *r->at++ != ',')
            return td_model_text_refuse(r, "too few numbers for", f->key);
        if (!read_double(r, numbers + i))
            return false;
    }
    *to = numbers;
    *count = n;
    return true;
}

bool td_model_text_value(td_model_text *r, const td_field *f, void *record)
{
    void *to = (char *)record + f->offset;
    long long integer = 0;
    int word = 0;
    switch (f->kind) {
    case TD_FIELD_STRING:
        return read_string(r, to);
    case TD_FIELD_DOUBLES:
        for (size_t i = 0; i < f->count; i++) {
            if (i && *r->at++ != ',')
                return td_model_text_refuse(r, "too few numbers for", f->key);
            if (!read_double(r, (double *)to + i))
                return false;
        }
        return true;
    case TD_FIELD_ARRAY:
        return read_array(r, f, to, (size_t *)(void *)((char *)record + f->count));
    case TD_FIELD_INT:
        if (!td_model_text_integer(r, -(long long)INT_MAX, INT_MAX, &integer))
            return false;
        *(int *)to = (int)integer;
        return true;
    case TD_FIELD_UNSIGNED:
        if (!td_model_text_integer(r, 0, UINT_MAX, &integer))
            return false;
        *(unsigned *)to = (unsigned)integer;
        return true;
    case TD_FIELD_SIZE:
        if (!td_model_text_integer(r, 0, SIZE_MAX, &integer))
            return false;
        /* integer is negative for values from 2⁶³ on; the cast restores them */
        *(size_t *)to = (size_t)integer;
        return true;
    case TD_FIELD_BOOL:
        word = read_word(r, truth);
        *(bool *)to = word == 1;
        return word >= 0;
    case TD_FIELD_WORD:
        word = read_word(r, f->word);
        *(unsigned *)to = word < 0 ? 0 : (unsigned)word;
        return word >= 0;
    }
    return false;
}
