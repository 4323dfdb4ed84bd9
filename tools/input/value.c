/* SPDX-License-Identifier: MIT */
/*
 * Parses values with units; see value.h.
 *
 *   value  = ["+" | "-"] factor {("*" | "/") factor} [unit]
 *   factor = number | "pi" | number "pi"
 */
#include "input/value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

static const double pi = 3.14159265358979323846;

static bool starts_with(const char **text, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(*text, word, length) != 0) {
        return false;
    }
    *text += length;
    return true;
}

/* Reads the longest unsigned number at the start of the text. */
static bool read_number(const char **text, double *x)
{
    size_t length = strspn(*text, "0123456789.");
    if (length == 0) {
        return false;
    }
    const char *after = *text + length;
    if (*after == 'e' || *after == 'E') {
        size_t sign = after[1] == '+' || after[1] == '-' ? 1 : 0;
        size_t digits = strspn(after + 1 + sign, "0123456789");
        length += digits > 0 ? 1 + sign + digits : 0;
    }
    scoped char *copy = text_format("%.*s", (int)length, *text);
    bool good = parse_number(copy, x);
    *text += length;
    return good;
}

static bool read_factor(const char **text, double *x)
{
    bool digits = read_number(text, x);
    if (starts_with(text, "pi")) {
        *x = (digits ? *x : 1) * pi;
        return true;
    }
    return digits;
}

/* Reads a unit, the whole text after leading blanks. Sets *u to NULL if the text is empty. */
static bool read_unit(const char *text, const value_unit **u)
{
    text += strspn(text, " ");
    *u = unit_find_any(text);
    return *text == '\0' || *u != NULL;
}

bool value_parse(const char *text, double *value, const value_unit **u)
{
    const double sign = *text == '-' ? -1 : 1;
    double product;
    const value_unit *found;
    text += *text == '-' || *text == '+' ? 1 : 0;
    if (!read_factor(&text, &product)) {
        return false;
    }
    while (*text == '*' || *text == '/') {
        const bool divide = *text == '/';
        double factor;
        text++;
        if (!read_factor(&text, &factor)) {
            return false;
        }
        product = divide ? product / factor : product * factor;
    }
    const bool good = read_unit(text, &found);
    const double size = found != NULL ? found->size : 1;
    if (!good || !isfinite(product * size)) {
        return false;
    }
    *value = sign * product * size;
    *u = found;
    return true;
}

bool read_quantity(const char *text, unit_domain domain, int order, double *x)
{
    const value_unit *u;
    return value_parse(text, x, &u) && (u == NULL || (u->domain == domain && u->order == order));
}

bool read_quantities(const char *text, unit_domain domain, int order, size_t count, double *x)
{
    char *copy = text_format("%s", text), *rest = copy;
    size_t read = 0;
    bool good = true;
    for (char *part = strsep(&rest, ","); part != NULL && good; part = strsep(&rest, ",")) {
        good = read < count && read_quantity(part, domain, order, &x[read]);
        read++;
    }
    free(copy);
    return good && read == count;
}
