/* SPDX-License-Identifier: MIT */
/*
 * Cursor: walks over the original text of an XML document beside the parser, to tell where each tag
 * begins. The parser reports a start tag when it has read past it, and in a buffer of its own that
 * may be transcoded; the cursor finds the tag's '<' in the file as the user sees it. It relies on
 * the parser to have accepted the text so far, and never reads out of bounds on text that is not
 * XML.
 */
#ifndef TD_CURSOR_H
#define TD_CURSOR_H

#include <stdbool.h>
#include <stddef.h>

typedef struct td_position {
    int line, column; /* from 1, the column in bytes, in UTF-16 in units of it; 0 where unknown */
} td_position;

typedef struct td_cursor {
    const char *text;
    size_t size;
    size_t width;    /* bytes of a character: 1, or 2 for UTF-16; 0 where nothing can be found */
    bool big_endian; /* UTF-16 */
    size_t at;       /* byte offset of what follows the last tag */
    bool empty_tag;  /* the last tag was <such/>, which has no end tag */
    size_t counted;  /* lines are counted up to this offset */
    size_t line_start;
    int line;
} td_cursor;

/* At the start of the text, the width of its characters taken from its first bytes. */
td_cursor td_cursor_new(const char *text, size_t size);

/* Line and column of a byte offset. Offsets that do not decrease cost one pass in all. */
td_position td_cursor_locate(td_cursor *cursor, size_t offset);

/* Moves past the next start tag and tells where it begins. */
td_position td_cursor_start_tag(td_cursor *cursor);

/* Moves past the end tag that closes the element, if it has one. */
void td_cursor_end_tag(td_cursor *cursor);

/* Where the next character data that is not blank begins. */
td_position td_cursor_text(td_cursor *cursor);

/* Finds the first tag with more than the given number of attributes; false if all have fewer. */
bool td_cursor_crowded_tag(td_cursor cursor, size_t attributes, td_position *position);

#endif
