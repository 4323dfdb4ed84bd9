/* SPDX-License-Identifier: MIT */
/*
 * Reads the values of options, see option_value.h.
 */
#include "input/option_value.h"
#include "input/column_words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "input/value.h"
#include "text.h"

void option_flag(const command_option *o, char *text, command_line *line)
{
    (void)text;
    *(bool *)option_place(o, line) = true;
}

void option_text(const command_option *o, char *text, command_line *line)
{
    *(const char **)option_place(o, line) = text;
}

void option_list(const command_option *o, char *text, command_line *line)
{
    word_list_add(option_place(o, line), text);
}

void option_choose(const command_option *o, char *text, command_line *line)
{
    char *words = text_format("%s", "");
    for (const option_choice *c = o->of; c->word != NULL; c++) {
        if (text == NULL ? c[1].word == NULL : strcmp(text, c->word) == 0) {
            *(int *)option_place(o, line) = c->value;
            free(words);
            return;
        }
        const char *join = c == o->of ? "" : c[1].word == NULL ? " or " : ", ";
        char *longer = text_format("%s%s'%s'", words, join, c->word);
        free(words);
        words = longer;
    }
    option_error(line, "--%s must be %s, not '%s'", o->name, words, text);
}

const char *choice_word(const option_choice *choices, int value)
{
    while (choices->value != value) {
        choices++;
    }
    return choices->word;
}

void option_count(const command_option *o, char *text, command_line *line)
{
    double x = 0;
    if (!parse_number(text, &x) || x < 1 || x > (double)o->number || x != floor(x)) {
        option_error(line, "--%s must be a whole number from 1 to %zu, not '%s'", o->name,
                     o->number, text);
    }
    *(size_t *)option_place(o, line) = (size_t)x;
}

void option_positive(const command_option *o, char *text, command_line *line)
{
    double *x = option_place(o, line);
    if (!parse_number(text, x) || *x <= 0) {
        option_error(line, "--%s must be a number above zero, not '%s'", o->name, text);
    }
}

void option_time(const command_option *o, char *text, command_line *line)
{
    double *x = option_place(o, line);
    if (!read_quantity(text, UNIT_TIME, 0, x) || !(*x > 0)) {
        option_error(line, "--%s must be a time above zero, in %s, not '%s'", o->name,
                     unit_words_of(UNIT_TIME, 0), text);
    }
}

void option_length(const command_option *o, char *text, command_line *line)
{
    double *x = option_place(o, line);
    if (!read_quantity(text, UNIT_SLIDE, 0, x) || !(*x > 0)) {
        option_error(line, "--%s must be a length above zero, in %s, not '%s'", o->name,
                     unit_words_of(UNIT_SLIDE, 0), text);
    }
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
    scoped char *digits = text_format("%.*s", (int)length, text);
    const bool good = parse_number(digits, x) && *x > 0;
    *x *= unit[i].size;
    return good && isfinite(*x);
}

void option_frequency(const command_option *o, char *text, command_line *line)
{
    if (!read_frequency(text, option_place(o, line))) {
        option_error(line, "--%s must be a frequency above zero, in Hz or kHz, not '%s'", o->name,
                     text);
    }
}

joint_amount joint_amount_none(void)
{
    return (joint_amount){{NAN, NAN, NAN}};
}

void option_joint_amount(const command_option *o, char *text, command_line *line)
{
    joint_amount *amount = option_place(o, line);
    const int order = (int)o->number;
    double x = 0;
    const value_unit *u = NULL;
    const bool good =
        value_parse(text, &x, &u) && x > 0 &&
        (u == NULL || (u->order == order && (u->domain == UNIT_TURN || u->domain == UNIT_SLIDE)));
    if (!good) {
        option_error(line,
                     "--%s must be a number above zero, in %s for revolute joints, in %s for "
                     "prismatic joints, or without a unit for all, not '%s'",
                     o->name, unit_words_of(UNIT_TURN, order), unit_words_of(UNIT_SLIDE, order),
                     text);
    }
    for (int domain = 0; domain < UNIT_DOMAINS; domain++) {
        amount->of[domain] = u == NULL || (int)u->domain == domain ? x : amount->of[domain];
    }
}

void option_point(const command_option *o, char *text, command_line *line)
{
    given_point *point = option_place(o, line);
    if (!read_quantities(text, UNIT_SLIDE, 0, 3, point->at)) {
        option_error(line, "--point must be three lengths X,Y,Z, in %s, not '%s'",
                     unit_words_of(UNIT_SLIDE, 0), text);
    }
    point->given = true;
}
