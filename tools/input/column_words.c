/* SPDX-License-Identifier: MIT */
/*
 * Looks up options about columns; see column_words.h.
 */
#include "input/column_words.h"

#include <stdlib.h>
#include <string.h>

#include "text.h"

void word_list_add(word_list *list, const char *word)
{
    list->word = reallocate(list->word, list->count + 1, sizeof *list->word);
    list->word[list->count++] = word;
}

static const value_unit *known_unit(const char *word)
{
    const value_unit *u = unit_find(word);
    if (u == NULL) {
        refuse_usage("--unit: unknown unit '%s'; known: %s", word, unit_words());
    }
    return u;
}

void column_lookup_new(column_lookup *l, const column_words *words, const char *table)
{
    static const column_words none;
    *l = (column_lookup){.words = words != NULL ? words : &none, .table = table};
    const word_list *unit = &l->words->unit;
    for (size_t i = 0; i < unit->count; i++) {
        if (strchr(unit->word[i], '=') == NULL) {
            const value_unit *u = known_unit(unit->word[i]);
            l->general[u->domain][u->order] = u;
        }
    }
    l->map_used = allocate(l->words->map.count, sizeof(bool));
    l->unit_used = allocate(unit->count, sizeof(bool));
}

void column_lookup_free(column_lookup *l)
{
    free(l->map_used);
    free(l->unit_used);
}

/* Returns the text after "COLUMN=", or NULL if the word is about another column. Names of columns
   may contain equals signs. */
static const char *behind(const char *word, const char *column)
{
    const size_t length = strlen(column);
    return strncmp(word, column, length) == 0 && word[length] == '=' &&
                   strchr(word + length + 1, '=') == NULL
               ? word + length + 1
               : NULL;
}

/* Returns the content of the last word about this column, or NULL. */
static const char *find_word(const word_list *list, bool *used, const char *heading,
                             const char *base)
{
    const char *found = NULL;
    for (size_t i = 0; i < list->count; i++) {
        const char *value = behind(list->word[i], heading);
        value = value != NULL ? value : behind(list->word[i], base);
        if (value != NULL) {
            found = value;
            used[i] = true;
        }
    }
    return found;
}

const char *column_target(column_lookup *l, const char *heading, const char *base)
{
    return find_word(&l->words->map, l->map_used, heading, base);
}

bool column_unit(column_lookup *l, const char *heading, const char *base, const value_unit **u)
{
    const char *word = find_word(&l->words->unit, l->unit_used, heading, base);
    *u = word != NULL ? known_unit(word) : *u;
    return word != NULL;
}

double column_factor(const column_lookup *l, const value_unit *u, unit_domain domain, int order)
{
    u = u == NULL && domain != UNIT_NONE ? l->general[domain][order] : u;
    return u != NULL ? u->size : 1;
}

static void check_used(const column_lookup *l, const word_list *list, const bool *used,
                       const char *option, char *const *heading, size_t count)
{
    for (size_t i = 0; i < list->count; i++) {
        const char *word = list->word[i], *equals = strrchr(word, '=');
        if (used[i] || (equals == NULL && list == &l->words->unit)) {
            continue;
        }
        if (equals == NULL) {
            refuse_usage("--%s %s: expected COLUMN=JOINT", option, word);
        }
        char *column = text_format("%.*s", (int)(equals - word), word);
        const char *near = nearest_name(column, (const char *const *)heading, count);
        refuse_usage("--%s %s: %s has no column '%s'%s%s%s", option, word, l->table, column,
                     near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                     near != NULL ? "'?" : "");
    }
}

void column_lookup_used(const column_lookup *l, char *const *heading, size_t count)
{
    check_used(l, &l->words->map, l->map_used, "map", heading, count);
    check_used(l, &l->words->unit, l->unit_used, "unit", heading, count);
}
