/* SPDX-License-Identifier: MIT */
/*
 * The cursor walks over the original text of an XML document in step with the parser and finds the
 * position of each tag. The parser reports a start tag only after it has read past it, in its own
 * buffer, which may be transcoded. The cursor finds the tag's '<' in the user's file. It assumes
 * that the parser has accepted the text so far, but never reads out of bounds on text that is not
 * XML.
 */
#ifndef TD_CURSOR_H
#define TD_CURSOR_H

#include <stdbool.h>
#include <stddef.h>

typedef struct td_position {
    int line, column; /* from 1; columns count bytes, or UTF-16 code units; 0 if unknown */
} td_position;

typedef struct td_cursor {
    const char *text;
    size_t size;
    size_t width;    /* bytes per code unit: 1, or 2 for UTF-16; 0 if positions are unknown */
    bool big_endian; /* UTF-16 */
    size_t at;       /* byte offset after the last tag */
    bool empty_tag;  /* the last tag was empty, as in <a/>, and has no end tag */
    size_t counted;  /* lines are counted up to this offset */
    size_t line_start;
    int line;
} td_cursor;

/* Returns a cursor at the start of the text. The first bytes determine the width of characters. */
td_cursor td_cursor_new(const char *text, size_t size);

/* Returns the line and column of a byte offset. Calls with ascending offsets need one pass in
   total. */
td_position td_cursor_locate(td_cursor *cursor, size_t offset);

/* Moves past the next start tag. Returns the position where it begins. */
td_position td_cursor_start_tag(td_cursor *cursor);

/* Moves past the end tag that closes the element, if it has one. */
void td_cursor_end_tag(td_cursor *cursor);

/* Returns the position of the next character data that is not blank. */
td_position td_cursor_text(td_cursor *cursor);

/* Finds the first tag with more than the given number of attributes. Returns false without one. */
bool td_cursor_crowded_tag(td_cursor cursor, size_t attributes, td_position *position);

#endif
