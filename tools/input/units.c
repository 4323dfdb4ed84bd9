/* SPDX-License-Identifier: MIT */
/*
 * Looks up units; see units.h. Units of jerk are last, since no column has them.
 */
#include "input/units.h"

#include <stdlib.h>
#include <string.h>

#include "text.h"

#define PI 3.14159265358979323846

static const value_unit units[] = {
    {"s", UNIT_TIME, 0, 1},
    {"ms", UNIT_TIME, 0, 1e-3},
    {"us", UNIT_TIME, 0, 1e-6},
    {"ns", UNIT_TIME, 0, 1e-9},
    {"rad", UNIT_TURN, 0, 1},
    {"mrad", UNIT_TURN, 0, 1e-3},
    {"deg", UNIT_TURN, 0, PI / 180},
    {"°", UNIT_TURN, 0, PI / 180},
    {"rev", UNIT_TURN, 0, 2 * PI},
    {"m", UNIT_SLIDE, 0, 1},
    {"cm", UNIT_SLIDE, 0, 1e-2},
    {"mm", UNIT_SLIDE, 0, 1e-3},
    {"in", UNIT_SLIDE, 0, 0.0254},
    {"rad/s", UNIT_TURN, 1, 1},
    {"deg/s", UNIT_TURN, 1, PI / 180},
    {"°/s", UNIT_TURN, 1, PI / 180},
    {"rpm", UNIT_TURN, 1, PI / 30},
    {"m/s", UNIT_SLIDE, 1, 1},
    {"mm/s", UNIT_SLIDE, 1, 1e-3},
    {"rad/s2", UNIT_TURN, 2, 1},
    {"rad/s²", UNIT_TURN, 2, 1},
    {"rad/s^2", UNIT_TURN, 2, 1},
    {"deg/s2", UNIT_TURN, 2, PI / 180},
    {"deg/s²", UNIT_TURN, 2, PI / 180},
    {"deg/s^2", UNIT_TURN, 2, PI / 180},
    {"m/s2", UNIT_SLIDE, 2, 1},
    {"m/s²", UNIT_SLIDE, 2, 1},
    {"m/s^2", UNIT_SLIDE, 2, 1},
    {"mm/s2", UNIT_SLIDE, 2, 1e-3},
    {"mm/s²", UNIT_SLIDE, 2, 1e-3},
    {"mm/s^2", UNIT_SLIDE, 2, 1e-3},
    {"N m", UNIT_TURN, UNIT_FORCE, 1},
    {"Nm", UNIT_TURN, UNIT_FORCE, 1},
    {"N·m", UNIT_TURN, UNIT_FORCE, 1},
    {"N", UNIT_SLIDE, UNIT_FORCE, 1},
    {"kN", UNIT_SLIDE, UNIT_FORCE, 1e3},
    {"rad/s3", UNIT_TURN, UNIT_JERK, 1},
    {"rad/s³", UNIT_TURN, UNIT_JERK, 1},
    {"rad/s^3", UNIT_TURN, UNIT_JERK, 1},
    {"deg/s3", UNIT_TURN, UNIT_JERK, PI / 180},
    {"deg/s³", UNIT_TURN, UNIT_JERK, PI / 180},
    {"deg/s^3", UNIT_TURN, UNIT_JERK, PI / 180},
    {"m/s3", UNIT_SLIDE, UNIT_JERK, 1},
    {"m/s³", UNIT_SLIDE, UNIT_JERK, 1},
    {"m/s^3", UNIT_SLIDE, UNIT_JERK, 1},
    {"mm/s3", UNIT_SLIDE, UNIT_JERK, 1e-3},
    {"mm/s³", UNIT_SLIDE, UNIT_JERK, 1e-3},
    {"mm/s^3", UNIT_SLIDE, UNIT_JERK, 1e-3},
};
enum { UNITS = sizeof units / sizeof *units };

const value_unit *unit_find_any(const char *word)
{
    for (size_t i = 0; i < UNITS; i++) {
        if (strcmp(units[i].word, word) == 0) {
            return &units[i];
        }
    }
    return NULL;
}

const value_unit *unit_find(const char *word)
{
    const value_unit *found = unit_find_any(word);
    return found != NULL && found->order <= UNIT_FORCE ? found : NULL;
}

/* Appends a word to text. Returns the new text and frees the old one. */
static char *add_word(char *text, const char *between, const char *word)
{
    char *longer = text_format("%s%s%s", text, *text != '\0' ? between : "", word);
    free(text);
    return longer;
}

char *unit_words(void)
{
    char *text = text_format("%s", "");
    for (size_t i = 0; i < UNITS && units[i].order <= UNIT_FORCE; i++) {
        text = add_word(text, ", ", units[i].word);
    }
    return text;
}

/* Returns whether a unit is another spelling of an earlier one. */
static bool is_spelling(size_t i)
{
    for (size_t k = 0; k < i; k++) {
        if (units[k].domain == units[i].domain && units[k].order == units[i].order &&
            units[k].size == units[i].size) {
            return true;
        }
    }
    return false;
}

char *unit_words_of(unit_domain domain, int order)
{
    char *text = text_format("%s", "");
    const char *last = NULL;
    for (size_t i = 0; i < UNITS; i++) {
        if (units[i].domain == domain && units[i].order == order && !is_spelling(i)) {
            text = last != NULL ? add_word(text, ", ", last) : text;
            last = units[i].word;
        }
    }
    return last != NULL ? add_word(text, " or ", last) : text;
}

char *unit_word_of_heading(const char *heading, size_t *length)
{
    *length = strlen(heading);
    const char last = *length < 3 ? '\0' : heading[*length - 1];
    const char *open = last == ']'   ? strrchr(heading, '[')
                       : last == ')' ? strrchr(heading, '(')
                                     : NULL;
    if (open == NULL) {
        return NULL;
    }
    char *word = text_format("%.*s", (int)(*length - 2 - (size_t)(open - heading)), open + 1);
    *length = (size_t)(open - heading);
    while (*length > 0 && (heading[*length - 1] == ' ' || heading[*length - 1] == '_')) {
        --*length;
    }
    return word;
}

const value_unit *unit_of_heading(const char *heading, size_t *length)
{
    scoped char *word = unit_word_of_heading(heading, length);
    const value_unit *found = word != NULL ? unit_find(word) : NULL;
    *length = found != NULL ? *length : strlen(heading);
    return found;
}
