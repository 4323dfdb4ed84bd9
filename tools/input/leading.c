/* SPDX-License-Identifier: MIT */
/*
 * Options that stand before the subcommand, see leading.h. getopt stops at the first word that is
 * no option, and which one that is depends on the options that take a value; so the words are held
 * against the tables of the subcommand that may be meant.
 */
#include "input/leading.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

/* Returns whether a row is "--NAME", given its first length bytes, or with length 0 "-KEY". */
static bool is_option(const struct argp_option *option, const char *name, size_t length, int key)
{
    if (length > 0) {
        return option->name != NULL && strncmp(option->name, name, length) == 0;
    }
    return option->key == key && isascii(key) && isgraph(key);
}

/* Whether a row is the last one of a table; headings have neither name nor key either. */
static bool ends(const struct argp_option *option)
{
    return option->name == NULL && option->key == 0 && option->doc == NULL && option->group == 0;
}

/* The row of an option, NULL where the parser and its children have none. */
static const struct argp_option *find_option(const struct argp *argp, const char *name,
                                             size_t length, int key)
{
    const struct argp_option *found = NULL;
    const struct argp_option *option = argp->options;
    for (; option != NULL && found == NULL && !ends(option); option++) {
        found = is_option(option, name, length, key) ? option : NULL;
    }
    const struct argp_child *child = argp->children;
    for (; child != NULL && found == NULL && child->argp != NULL; child++) {
        found = find_option(child->argp, name, length, key);
    }
    return found;
}

/* Words that "--name" or "--name=value" takes; 0: it is no option. */
static int long_option(const struct argp *argp, const char *word)
{
    size_t length = strcspn(word + 2, "=");
    const struct argp_option *option = length > 0 ? find_option(argp, word + 2, length, 0) : NULL;
    if (option == NULL) {
        return 0;
    }
    return option->arg != NULL && word[2 + length] == '\0' ? 2 : 1;
}

/* Words that "-v", "-va", "-q" or "-qJOINT=VALUE" takes; 0: it is no option. */
static int short_options(const struct argp *argp, const char *word)
{
    for (const char *c = word + 1; *c != '\0'; c++) {
        const struct argp_option *option = find_option(argp, NULL, 0, *c);
        if (option == NULL) {
            return 0;
        }
        if (option->arg != NULL) {
            return c[1] == '\0' ? 2 : 1;
        }
    }
    return 1;
}

/* Returns how many words an option takes; 0: no option. */
static int taken_by(const struct argp *argp, const char *word)
{
    return word[1] == '-' ? long_option(argp, word) : short_options(argp, word);
}

bool only_options(const struct argp *argp, int count, char *const *words)
{
    int i = 0;
    while (i < count) {
        const char *word = words[i];
        if (word[0] != '-' || word[1] == '\0') {
            return false;
        }
        const int taken = taken_by(argp, word);
        if (taken == 0) {
            return false;
        }
        i += taken;
    }
    return i == count;
}

int unknown_option(const struct argp *argp, int count, char *const *words)
{
    int i = 0;
    while (i < count && strcmp(words[i], "--") != 0) {
        const bool option = words[i][0] == '-' && words[i][1] != '\0';
        const int taken = option ? taken_by(argp, words[i]) : 1;
        if (taken == 0) {
            return i;
        }
        i += taken;
    }
    return count;
}
