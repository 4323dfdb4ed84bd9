/* SPDX-License-Identifier: MIT */
/*
 * Reads numbers. Checks the grammar, and converts with strtod.
 */
#include "number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char blanks[] = " \t\r\n";

static const char *skip_digits(const char *p)
{
    while (*p >= '0' && *p <= '9')
        p++;
    return p;
}

/* Returns whether [p, end) is [+-]?(digits[.digits*]|.digits)([eE][+-]?digits)? */
static bool is_decimal(const char *p, const char *end)
{
    if (*p == '+' || *p == '-')
        p++;
    const char *whole = p;
    p = skip_digits(p);
    bool digits = p > whole;
    if (*p == '.') {
        const char *fraction = ++p;
        p = skip_digits(p);
        digits = digits || p > fraction;
    }
    if (digits && (*p == 'e' || *p == 'E')) {
        p++;
        if (*p == '+' || *p == '-')
            p++;
        const char *exponent = p;
        p = skip_digits(p);
        digits = p > exponent;
    }
    return digits && p == end;
}

static bool is_word(const char *token, size_t length, const char *word)
{
    return length == strlen(word) && strncasecmp(token, word, length) == 0;
}

static td_number_status read_token(const char *token, size_t length, double *value)
{
    if (is_decimal(token, token + length)) {
        *value = strtod(token, NULL);
        return isinf(*value) ? TD_NUMBER_TOO_LARGE : TD_NUMBER_OK;
    }
    if (*token == '+' || *token == '-')
        token++, length--;
    bool spelt = is_word(token, length, "nan") || is_word(token, length, "inf") ||
                 is_word(token, length, "infinity");
    return spelt ? TD_NUMBER_INFINITE : TD_NUMBER_BAD;
}

td_number_status td_number_read(const char *text, double *values, size_t count, size_t *found)
{
    td_number_status worst = TD_NUMBER_OK;
    for (int pass = 0; pass < 2; pass++) { /* write nothing before all tokens are valid */
        *found = 0;
        for (const char *p = text + strspn(text, blanks); *p; p += strspn(p, blanks)) {
            size_t length = strcspn(p, blanks);
            double value = 0;
            td_number_status status = read_token(p, length, &value);
            if (worst == TD_NUMBER_OK)
                worst = status;
            if (pass)
                values[*found] = value;
            ++*found;
            p += length;
        }
        if (worst != TD_NUMBER_OK)
            return worst;
        if (*found != count)
            return TD_NUMBER_COUNT;
    }
    return TD_NUMBER_OK;
}

bool td_number_is_infinity(const char *text, bool *negative)
{
    text += strspn(text, blanks);
    *negative = *text == '-';
    if (*text == '+' || *text == '-')
        text++;
    size_t length = strcspn(text, blanks);
    const char *rest = text + length;
    return rest[strspn(rest, blanks)] == '\0' &&
           (is_word(text, length, "inf") || is_word(text, length, "infinity"));
}
