/* SPDX-License-Identifier: MIT */
/*
 * Trims leading blanks, a malformed XML declaration, and trailing NUL bytes.
 */
#include "prologue.h"

#include <string.h>

/* A text, read from its beginning. */
typedef struct scan {
    const char *p, *end;
} scan;

static bool take_blanks(scan *s)
{
    const char *start = s->p;
    while (s->p < s->end && (*s->p == ' ' || *s->p == '\t' || *s->p == '\n' || *s->p == '\r'))
        s->p++;
    return s->p > start;
}

static bool take(scan *s, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(s->end - s->p) < length || memcmp(s->p, word, length) != 0)
        return false;
    s->p += length;
    return true;
}

/* Reads name='value' after blanks; the value must begin with a prefix. */
static bool take_pair(scan *s, const char *name, const char *prefix)
{
    scan before = *s;
    bool named = take_blanks(s) && take(s, name);
    take_blanks(s);
    named = named && take(s, "=");
    take_blanks(s);
    char quote = named && s->p < s->end ? *s->p : 0;
    const char *close =
        quote == '"' || quote == '\'' ? memchr(s->p + 1, quote, (size_t)(s->end - s->p - 1)) : NULL;
    s->p += close != NULL;
    if (!close || !take(s, prefix)) {
        *s = before;
        return false;
    }
    s->p = close + 1;
    return true;
}

/* Returns whether the text is <?xml version='1.0' [encoding=''] [standalone=''] ?>. Later versions
   1.x are treated as 1.0. */
static bool declaration_is_well_formed(const char *begin, const char *end)
{
    scan s = {begin, end};
    bool good = take(&s, "<?xml") && take_pair(&s, "version", "1.");
    take_pair(&s, "encoding", "");
    take_pair(&s, "standalone", "");
    take_blanks(&s);
    return good && take(&s, "?>") && s.p == end;
}

static const char *find(const char *p, const char *end, const char *word)
{
    size_t length = strlen(word);
    for (; (size_t)(end - p) >= length; p++)
        if (memcmp(p, word, length) == 0)
            return p;
    return NULL;
}

static td_source source_at(const char *file, td_cursor *cursor, size_t offset)
{
    td_position place = td_cursor_locate(cursor, offset);
    return (td_source){file, place.line, place.column, NULL};
}

/* Skips leading blanks and a malformed declaration. Returns where the parser must begin. */
static size_t trim_begin(const char *text, size_t end, const char *file, td_cursor *cursor,
                         td_diagnostics *diagnostics)
{
    scan s = {text, text + end};
    bool bom = take(&s, "\xEF\xBB\xBF");
    bool blanks = take_blanks(&s);
    const char *start = s.p;
    if (!take(&s, "<?xml") || !take_blanks(&s))
        return 0;
    size_t begin = (size_t)(start - text);
    if (blanks)
        td_report(diagnostics, TD_CODE_XML_LEADING_SPACE, source_at(file, cursor, begin),
                  "begin the file with '<?xml'; other parsers refuse this one",
                  "blanks or empty lines precede the XML declaration");
    const char *close = find(s.p, s.end, "?>");
    if (close && !declaration_is_well_formed(start, close + 2)) {
        td_report(diagnostics, TD_CODE_XML_DECLARATION, source_at(file, cursor, begin),
                  "write <?xml version=\"1.0\"?>", "the XML declaration is malformed; ignored");
        return (size_t)(close + 2 - text);
    }
    return bom && !blanks ? 0 : begin;
}

td_extent td_prologue_trim(const char *text, size_t size, const char *file, td_cursor *cursor,
                           td_diagnostics *diagnostics)
{
    td_extent extent = {0, size};
    if (cursor->width != 1)
        return extent;
    while (extent.end > 0 && text[extent.end - 1] == '\0')
        extent.end--;
    extent.begin = trim_begin(text, extent.end, file, cursor, diagnostics);
    if (extent.end < size)
        td_report(diagnostics, TD_CODE_XML_TRAILING_NUL, source_at(file, cursor, extent.end),
                  "end the file after its last tag", "%zu NUL byte%s at the end of the file",
                  size - extent.end, size - extent.end == 1 ? "" : "s");
    return extent;
}

const char *td_prologue_mistaken(const char *text, size_t size)
{
    scan s = {text, text + size};
    if (take(&s, "version https://git-lfs"))
        return "this is a Git LFS pointer, not the file itself: run 'git lfs pull'";
    take(&s, "\xEF\xBB\xBF");
    take_blanks(&s);
    if (s.p == s.end)
        return "the file is empty";
    if (*s.p != '<')
        return "this is not an XML file: a URDF file begins with '<'";
    return NULL;
}
