/* SPDX-License-Identifier: MIT */
/*
 * Trims text around the XML, such as leading blanks and the output of ROS's programs, a malformed
 * XML declaration, and trailing NUL bytes.
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

/* Skips leading blanks and a malformed declaration from an offset on. Returns where the parser must
   begin. */
static size_t trim_begin(const char *text, size_t from, size_t end, const char *file,
                         td_cursor *cursor, td_diagnostics *diagnostics)
{
    scan s = {text + from, text + end};
    bool bom = from == 0 && take(&s, "\xEF\xBB\xBF");
    bool blanks = take_blanks(&s);
    const char *start = s.p;
    if (!take(&s, "<?xml") || !take_blanks(&s))
        return from;
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

/* ---- text around the XML --------------------------------------------------------------------- */

/* Returns where the XML begins in a text that does not begin with '<', or NULL if it does or if
   there is no XML. */
static const char *find_surrounded(const char *text, size_t size)
{
    static const char *const words[] = {"<?xml", "<robot", "<!--"};
    scan s = {text, text + size};
    take(&s, "\xEF\xBB\xBF");
    take_blanks(&s);
    if (s.p == s.end || *s.p == '<')
        return NULL;
    const char *first = NULL;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *found = find(s.p, first ? first : s.end, words[i]);
        first = found ? found : first;
    }
    return first;
}

size_t td_prologue_document_end(const char *text, size_t size)
{
    size_t end = size;
    for (size_t line = size; line > 0;) {
        size_t last = line, first;
        while (last > 0 && strchr(" \t\r\n", text[last - 1]) && text[last - 1])
            last--;
        for (first = last; first > 0 && text[first - 1] != '\n';)
            first--;
        if (last - first != 3 || memcmp(text + first, "---", 3) != 0)
            break;
        line = end = first;
    }
    return end;
}

/* Returns where the XML ends. Text behind the last </robot> may be any if text precedes the XML, as
   in a log; otherwise only lines '---' are skipped. A second tag remains, so that the parser
   refuses it. */
static size_t find_end(const char *text, size_t begin, size_t end)
{
    const char *last = NULL;
    for (const char *p = text + begin; begin > 0 && (p = find(p, text + end, "</robot")); p++)
        last = p;
    const char *close = last ? memchr(last, '>', (size_t)(text + end - last)) : NULL;
    scan rest = {close ? close + 1 : text + end, text + end};
    if (!close || memchr(rest.p, '<', (size_t)(rest.end - rest.p)))
        return td_prologue_document_end(text, end);
    take_blanks(&rest);
    return rest.p < rest.end ? (size_t)(close + 1 - text) : end;
}

/* Removes text before and after the XML from an extent. Returns the new one. */
static td_extent trim_around(const char *text, td_extent extent, const char *file,
                             td_cursor *cursor, td_diagnostics *diagnostics)
{
    static const char remedy[] = "other parsers need a file with the XML alone";
    const char *start = find_surrounded(text, extent.end);
    td_extent inner = {start ? (size_t)(start - text) : 0, extent.end};
    if (start)
        td_report(diagnostics, TD_CODE_XML_SURROUNDED, source_at(file, cursor, inner.begin), remedy,
                  "the XML begins here; the text before it is ignored");
    inner.end = find_end(text, inner.begin, extent.end);
    if (inner.end < extent.end)
        td_report(diagnostics, TD_CODE_XML_SURROUNDED, source_at(file, cursor, inner.end), remedy,
                  "the XML ends here; the text after it is ignored");
    return inner;
}

bool td_prologue_is_quoted(const char *text, size_t size)
{
    const char *start = find_surrounded(text, size), *line = start;
    while (line && line > text && line[-1] != '\n')
        line--;
    return start && start > line &&
           (start[-1] == '"' || start[-1] == '\'' || find(line, start, ": \"") ||
            find(line, start, ": '"));
}

td_extent td_prologue_trim(const char *text, size_t size, const char *file, td_cursor *cursor,
                           td_diagnostics *diagnostics)
{
    td_extent extent = {0, size};
    if (cursor->width != 1)
        return extent;
    while (extent.end > 0 && text[extent.end - 1] == '\0')
        extent.end--;
    const size_t before_nul = extent.end;
    extent = trim_around(text, extent, file, cursor, diagnostics);
    extent.begin = trim_begin(text, extent.begin, extent.end, file, cursor, diagnostics);
    if (before_nul < size)
        td_report(diagnostics, TD_CODE_XML_TRAILING_NUL, source_at(file, cursor, before_nul),
                  "end the file after its last tag", "%zu NUL byte%s at the end of the file",
                  size - before_nul, size - before_nul == 1 ? "" : "s");
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
