/* SPDX-License-Identifier: MIT */
/*
 * Finds tags in the original text. Skips comments, CDATA sections and processing instructions.
 */
#include "cursor.h"

#include <string.h>

/* Returns the character at a byte offset if it is ASCII, or -1 past the end. */
static int at(const td_cursor *cursor, size_t offset)
{
    if (cursor->width == 0 || offset + cursor->width > cursor->size)
        return -1;
    const unsigned char *p = (const unsigned char *)cursor->text + offset;
    if (cursor->width == 1)
        return p[0];
    return cursor->big_endian ? p[0] << 8 | p[1] : p[1] << 8 | p[0];
}

static bool starts(const td_cursor *cursor, size_t offset, const char *word)
{
    for (; *word; word++, offset += cursor->width)
        if (at(cursor, offset) != *word)
            return false;
    return true;
}

/* Returns the offset after the next occurrence of word, or the end of the text. */
static size_t behind(const td_cursor *cursor, size_t offset, const char *word)
{
    for (; at(cursor, offset) >= 0; offset += cursor->width)
        if (starts(cursor, offset, word))
            return offset + strlen(word) * cursor->width;
    return cursor->size;
}

static bool is_blank(int c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

td_cursor td_cursor_new(const char *text, size_t size)
{
    td_cursor cursor = {.text = text, .size = size, .width = 1, .line = 1};
    unsigned char head[4] = {1, 1, 1, 1};
    if (size > 0)
        memcpy(head, text, size < sizeof head ? size : sizeof head);
    bool little = (head[0] == 0xFF && head[1] == 0xFE) || (head[0] == '<' && head[1] == 0);
    bool big = (head[0] == 0xFE && head[1] == 0xFF) || (head[0] == 0 && head[1] == '<');
    if (little || big)
        cursor.width = head[2] == 0 && head[3] == 0 ? 0 : 2;
    else if (head[0] == 0 && head[1] == 0)
        cursor.width = 0;
    cursor.big_endian = big;
    if (size > 2 && memcmp(head, "\xEF\xBB\xBF", 3) == 0)
        cursor.line_start = 3; /* editors do not count the byte order mark */
    if (cursor.width == 2 && head[0] != '<' && head[1] != '<')
        cursor.line_start = 2;
    return cursor;
}

td_position td_cursor_locate(td_cursor *cursor, size_t offset)
{
    if (cursor->width == 0)
        return (td_position){0, 0};
    if (offset > cursor->size)
        offset = cursor->size;
    if (offset < cursor->counted) {
        td_cursor fresh = td_cursor_new(cursor->text, cursor->size);
        cursor->counted = 0;
        cursor->line_start = fresh.line_start;
        cursor->line = 1;
    }
    for (; cursor->counted + cursor->width <= offset; cursor->counted += cursor->width) {
        int c = at(cursor, cursor->counted);
        size_t next = cursor->counted + cursor->width;
        if (c == '\n' || (c == '\r' && at(cursor, next) != '\n')) {
            cursor->line++;
            cursor->line_start = next;
        }
    }
    size_t column = offset < cursor->line_start ? 0 : offset - cursor->line_start;
    return (td_position){cursor->line, (int)(column / cursor->width) + 1};
}

/* Returns the offset of the next '<' that begins a tag. Starts at an offset outside of all
   markup. */
static size_t find_tag(const td_cursor *cursor, size_t offset)
{
    while (at(cursor, offset) >= 0) {
        if (at(cursor, offset) != '<')
            offset += cursor->width;
        else if (starts(cursor, offset, "<!--"))
            offset = behind(cursor, offset + 4 * cursor->width, "-->");
        else if (starts(cursor, offset, "<![CDATA["))
            offset = behind(cursor, offset, "]]>");
        else if (starts(cursor, offset, "<?"))
            offset = behind(cursor, offset, "?>");
        else
            return offset;
    }
    return cursor->size;
}

/* Moves past the tag that begins at an offset. Returns the number of its attributes. */
static size_t skip_tag(td_cursor *cursor, size_t offset)
{
    size_t attributes = 0;
    int quote = 0, before = 0;
    for (int c; (c = at(cursor, offset)) >= 0; offset += cursor->width, before = c) {
        if (quote) {
            quote = c == quote ? 0 : quote;
        } else if (c == '"' || c == '\'') {
            quote = c;
        } else if (c == '=') {
            attributes++;
        } else if (c == '>') {
            offset += cursor->width;
            break;
        }
    }
    cursor->empty_tag = before == '/';
    cursor->at = offset < cursor->size ? offset : cursor->size;
    return attributes;
}

td_position td_cursor_start_tag(td_cursor *cursor)
{
    size_t tag = find_tag(cursor, cursor->at);
    if (at(cursor, tag) < 0)
        return (td_position){0, 0};
    skip_tag(cursor, tag);
    return td_cursor_locate(cursor, tag);
}

void td_cursor_end_tag(td_cursor *cursor)
{
    if (!cursor->empty_tag)
        skip_tag(cursor, find_tag(cursor, cursor->at));
    cursor->empty_tag = false;
}

td_position td_cursor_text(td_cursor *cursor)
{
    size_t offset = cursor->at;
    for (int c; (c = at(cursor, offset)) >= 0;) {
        if (is_blank(c))
            offset += cursor->width;
        else if (starts(cursor, offset, "<!--"))
            offset = behind(cursor, offset + 4 * cursor->width, "-->");
        else if (starts(cursor, offset, "<?"))
            offset = behind(cursor, offset, "?>");
        else
            break;
    }
    return td_cursor_locate(cursor, offset);
}

bool td_cursor_crowded_tag(td_cursor cursor, size_t attributes, td_position *position)
{
    for (size_t tag; at(&cursor, tag = find_tag(&cursor, cursor.at)) >= 0;) {
        if (starts(&cursor, tag, "<!"))
            return false; /* a DOCTYPE, which the parser refuses */
        if (skip_tag(&cursor, tag) > attributes) {
            *position = td_cursor_locate(&cursor, tag);
            return true;
        }
    }
    return false;
}
