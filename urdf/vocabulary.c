/* SPDX-License-Identifier: MIT */
/*
 * Words for types of joints and loops, and truncation of names in messages.
 */
#include "vocabulary.h"

#include <stddef.h>
#include <string.h>

enum { longest_name = 100 }; /* bytes of a name in a message or path */

int td_shown(const char *name)
{
    size_t length = strnlen(name, longest_name + 1);
    if (length <= longest_name)
        return (int)length;
    length = longest_name;
    while (length > 0 && ((unsigned char)name[length] & 0xC0) == 0x80)
        length--;
    return (int)length;
}

bool td_joint_type_of_word(const char *word, td_joint_type *type)
{
    const char *own = strcmp(word, "spherical") == 0 ? "ball" : word; /* as in pybullet */
    const td_joint_kind *kind;
    for (unsigned i = 0; (kind = td_joint_kind_of(i)); i++)
        if (strcmp(own, kind->word) == 0) {
            *type = i;
            return true;
        }
    return false;
}

static const char loop_words[] = "revolute, continuous, prismatic, cylindrical, planar, universal, "
                                 "spherical, point, ball, fixed, distance, mask";

bool td_loop_type_of_word(const char *word, td_loop_type *type)
{
    static const struct {
        const char *word;
        td_loop_type type;
    } other_words[] = {
        {"continuous", TD_LOOP_REVOLUTE}, /* loops have no limits */
        {"point", TD_LOOP_SPHERICAL},
        {"ball", TD_LOOP_SPHERICAL},
    };
    for (size_t i = 0; i < sizeof other_words / sizeof *other_words; i++)
        if (strcmp(word, other_words[i].word) == 0) {
            *type = other_words[i].type;
            return true;
        }
    for (td_loop_type t = TD_LOOP_REVOLUTE; td_loop_type_text(t); t = (td_loop_type)(t + 1))
        if (strcmp(word, td_loop_type_text(t)) == 0) {
            *type = t;
            return true;
        }
    return false;
}

const char *td_loop_words(void)
{
    return loop_words;
}
