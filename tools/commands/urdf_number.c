/* SPDX-License-Identifier: MIT */
/*
 * Finds and replaces numbers in the text of a URDF file; see urdf_number.h. The loader has accepted
 * the text, so it is well-formed XML.
 */
#include "commands/urdf_number.h"

#include <stdlib.h>
#include <string.h>

#include "../urdf/xacro_file.h"
#include "input/bundled.h"
#include "input/file_text.h"
#include "text.h"

bool urdf_text_read(urdf_text *to, const char *file)
{
    char *path = NULL;
    *to = (urdf_text){.name = file};
    if (td_is_xacro_file(file)) {
        complain("%s: its numbers result from xacro; calibrate the expanded file: 'xacro %s >"
                 "robot.urdf'",
                 file, file);
        return false;
    }
    if (td_is_bundled(file) && td_bundled_find(file, NULL, &path) != TD_OK) {
        complain("%s: cannot be read", file);
        return false;
    }
    to->text = file_text(path != NULL ? path : file, 0, &to->size);
    free(path);
    if (to->text != NULL && strlen(to->text) != to->size) {
        complain("%s: not encoded in UTF-8; save it in UTF-8 to change numbers in it", file);
        return false;
    }
    return to->text != NULL;
}

void urdf_text_free(urdf_text *text)
{
    free(text->text);
}

/* ---- tags ------------------------------------------------------------------------------------ */

static bool begins(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

/* Returns the next tag at or after text, or NULL. Skips comments, CDATA sections and processing
   instructions. */
static const char *next_tag(const char *text)
{
    static const char *const skipped[][2] = {{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}};
    const char *tag = strchr(text, '<');
    for (size_t i = 0; tag != NULL && i < sizeof skipped / sizeof *skipped; i++) {
        if (begins(tag, skipped[i][0])) {
            const char *end = strstr(tag + strlen(skipped[i][0]), skipped[i][1]);
            return end != NULL ? next_tag(end) : NULL;
        }
    }
    return tag;
}

/* Returns the end of a tag: the character after its '>'. */
static const char *end_of_tag(const char *tag)
{
    char quote = '\0';
    for (; *tag != '\0' && (quote != '\0' || *tag != '>'); tag++) {
        if (quote == '\0' ? *tag == '"' || *tag == '\'' : *tag == quote) {
            quote = quote == '\0' ? *tag : '\0';
        }
    }
    return *tag != '\0' ? tag + 1 : tag;
}

/* Returns the first child with a name of this length of the element that begins at tag, or NULL. */
static const char *find_child(const char *tag, const char *name, size_t length)
{
    size_t depth = 0;
    const char *at = end_of_tag(tag);
    bool open = at[-2] != '/';
    while (open && (at = next_tag(at)) != NULL) {
        const char *end = end_of_tag(at);
        const bool closes = at[1] == '/';
        if (!closes && depth == 0 && strncmp(at + 1, name, length) == 0 &&
            strchr(" \t\r\n/>", at[1 + length]) != NULL) {
            return at;
        }
        open = !closes || depth > 0;
        depth = closes ? depth - (depth > 0) : depth + (end[-2] != '/');
        at = end;
    }
    return NULL;
}

/* Returns the element at a path of names separated by slashes, or NULL. */
static const char *find_path(const char *tag, const char *path)
{
    while (tag != NULL && *path != '\0') {
        const size_t length = strcspn(path, "/");
        tag = find_child(tag, path, length);
        path += length + (path[length] == '/');
    }
    return tag;
}

/* Finds the value of an attribute of a tag, without its quotes. */
static bool find_attribute(const char *tag, const char *name, const char **begin, const char **end)
{
    static const char blank[] = " \t\r\n";
    const char *at = tag + strcspn(tag, " \t\r\n/>");
    for (;;) {
        at += strspn(at, blank);
        const size_t length = strcspn(at, " \t\r\n=/>");
        const bool same = length == strlen(name) && strncmp(at, name, length) == 0;
        at += length;
        at += strspn(at, blank);
        if (*at != '=') {
            return false;
        }
        at += 1 + strspn(at + 1, blank);
        *begin = at + 1;
        *end = *at == '"' || *at == '\'' ? strchr(*begin, *at) : NULL;
        if (*end == NULL || same) {
            return *end != NULL;
        }
        at = *end + 1;
    }
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* Returns where a record of the file begins, or NULL if it is not in this text. */
static const char *find_source(const urdf_text *text, const td_source *source)
{
    const char *at = text->text;
    const bool mark = begins(at, "\xEF\xBB\xBF"); /* columns do not count it */
    for (int line = 1; line < source->line; line++) {
        at += strcspn(at, "\r\n");
        at += *at == '\r' && at[1] == '\n' ? 2 : *at != '\0';
    }
    const size_t column =
        (size_t)(source->column > 0 ? source->column - 1 : 0) + (mark && source->line == 1 ? 3 : 0);
    return source->line > 0 && column <= strlen(at) && at[column] == '<' ? at + column : NULL;
}

/* Reads the numbers of an attribute's value. Returns false unless there are exactly count. */
static bool read_numbers(const urdf_text *text, const char *begin, const char *end, size_t count,
                         urdf_number *to)
{
    static const char blank[] = " \t\r\n";
    size_t found = 0;
    for (const char *at = begin + strspn(begin, blank); at < end; at += strspn(at, blank)) {
        size_t length = strcspn(at, " \t\r\n\"'");
        scoped char *word = text_format("%.*s", (int)length, at);
        double value;
        if (found == count || !parse_number(word, &value)) {
            return false;
        }
        const size_t offset = (size_t)(at - text->text);
        to[found++] = (urdf_number){offset, offset + length, value};
        at += length;
    }
    return found == count;
}

/* Returns what an attribute is without being in the file. */
static const char *default_text(const char *path, const char *attribute)
{
    return strcmp(path, "axis") == 0              ? "1 0 0"
           : strcmp(attribute, "multiplier") == 0 ? "1"
           : strcmp(attribute, "offset") == 0     ? "0"
                                                  : "0 0 0";
}

bool urdf_find_numbers(const urdf_text *text, const td_source *source, const char *path,
                       const char *attribute, size_t count, urdf_number *to, const char *owner)
{
    const char *begin, *end, *tag = find_source(text, source);
    const char *place = tag != NULL ? find_path(tag, path) : NULL;
    const bool found = place != NULL && find_attribute(place, attribute, &begin, &end);
    const bool good = found && read_numbers(text, begin, end, count, to);
    if (!good && owner != NULL && found) {
        complain("%s: %s: %s of <%s> does not have %s", text->name, owner, attribute, path,
                 counted(count, "plain number").text);
    } else if (!good && owner != NULL) {
        complain("%s: %s has no %s in <%s>; to calibrate it, write the default into the file: <%s "
                 "%s=\"%s\">",
                 text->name, owner, attribute, path, path, attribute,
                 default_text(path, attribute));
    }
    return good;
}

static int compare_changes(const void *a, const void *b)
{
    const urdf_change *x = a, *y = b;
    return (x->number.begin > y->number.begin) - (x->number.begin < y->number.begin);
}

char *urdf_text_changed(const urdf_text *text, urdf_change *change, size_t count, size_t *size)
{
    text_stream to;
    size_t at = 0;
    text_open(&to);
    if (count > 0) {
        qsort(change, count, sizeof *change, compare_changes);
    }
    for (size_t i = 0; i < count; i++) {
        const urdf_number *old = &change[i].number;
        if (change[i].value == old->value) {
            continue;
        }
        fwrite(text->text + at, 1, old->begin - at, to.stream);
        fputs(number_exact(change[i].value).text, to.stream);
        at = old->end;
    }
    fwrite(text->text + at, 1, text->size - at, to.stream);
    char *changed = text_close(&to);
    *size = to.size;
    return changed;
}
