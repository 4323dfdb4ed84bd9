/* SPDX-License-Identifier: MIT */
/*
 * Reads quantities from options; see option_value.h.
 */
#include "input/option_value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "input/value.h"
#include "options.h"
#include "text.h"

double option_time(const char *option, const char *text, bool zero, struct argp_state *state)
{
    double x = 0;
    if (!read_quantity(text, UNIT_TIME, 0, &x) || !(zero ? x >= 0 : x > 0)) {
        option_error(state, "--%s must be a time %s, in %s, not '%s'", option,
                     zero ? "of zero or more" : "above zero", unit_words_of(UNIT_TIME, 0), text);
    }
    return x;
}

bool read_frequency(const char *text, double *x)
{
    static const struct {
        const char *word;
        double size;
    } unit[] = {{"kHz", 1e3}, {"Hz", 1}, {"", 1}};
    size_t length = strlen(text), i = 0;
    while (length < strlen(unit[i].word) ||
           strcmp(text + length - strlen(unit[i].word), unit[i].word) != 0) {
        i++;
    }
    length -= strlen(unit[i].word);
    while (length > 0 && text[length - 1] == ' ') {
        length--;
    }
    char *digits = text_format("%.*s", (int)length, text);
    const bool good = parse_number(digits, x) && *x > 0;
    free(digits);
    *x *= unit[i].size;
    return good && isfinite(*x);
}

double option_frequency(const char *option, const char *text, struct argp_state *state)
{
    double x = 0;
    if (!read_frequency(text, &x)) {
        option_error(state, "--%s must be a frequency above zero, in Hz or kHz, not '%s'", option,
                     text);
    }
    return x;
}

joint_amount joint_amount_none(void)
{
    return (joint_amount){{NAN, NAN, NAN}};
}

void option_joint_amount(const char *option, const char *text, int order, joint_amount *amount,
                         struct argp_state *state)
{
    double x = 0;
    const value_unit *u = NULL;
    const bool good =
        value_parse(text, &x, &u) && x > 0 &&
        (u == NULL || (u->order == order && (u->domain == UNIT_TURN || u->domain == UNIT_SLIDE)));
    if (!good) {
        option_error(state,
                     "--%s must be a number above zero, in %s for revolute joints, in %s for "
                     "prismatic joints, or without a unit for all, not '%s'",
                     option, unit_words_of(UNIT_TURN, order), unit_words_of(UNIT_SLIDE, order),
                     text);
    }
    for (int domain = 0; domain < UNIT_DOMAINS; domain++) {
        amount->of[domain] = u == NULL || (int)u->domain == domain ? x : amount->of[domain];
    }
}

void option_point(const char *text, double point[3], struct argp_state *state)
{
    if (!read_quantities(text, UNIT_SLIDE, 0, 3, point)) {
        option_error(state, "--point must be three lengths X,Y,Z, in %s, not '%s'",
                     unit_words_of(UNIT_SLIDE, 0), text);
    }
}
