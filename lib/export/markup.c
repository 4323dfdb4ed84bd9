/* SPDX-License-Identifier: MIT */
/*
 * Writes XML attributes.
 */
#include "export/writer.h"

/* Returns the number of bytes of the XML 1.0 character (section 2.2) at text; 0 if it is
   invalid. */
static size_t character(const unsigned char *text)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char c = *text;
    const size_t length = c < 0x80 ? 1 : c >> 5 == 6 ? 2 : c >> 4 == 14 ? 3 : c >> 3 == 30 ? 4 : 0;
    if (length <= 1)
        return length && (c >= ' ' || c == '\t' || c == '\n' || c == '\r') ? 1 : 0;
    uint32_t code = c & (0xFFu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xC0) != 0x80)
            return 0;
        code = code << 6 | (text[i] & 0x3F);
    }
    const bool good = code >= least[length] && code <= 0x10FFFF &&
                      !(code >= 0xD800 && code <= 0xDFFF) && code != 0xFFFE && code != 0xFFFF;
    return good ? length : 0;
}

void td_put_escaped(td_writer *w, const char *text, const char *what, td_source source)
{
    for (const char *at = text ? text : ""; *at;) {
        const size_t length = character((const unsigned char *)at);
        if (!length) {
            TD_REFUSE(w, source, "use a name whose characters XML allows",
                      "the name of %s contains a byte that XML does not allow (0x%02x)", what,
                      (unsigned char)*at);
            break;
        }
        if (*at == '&')
            td_put_text(&w->sink, "&amp;");
        else if (*at == '<')
            td_put_text(&w->sink, "&lt;");
        else if (*at == '>')
            td_put_text(&w->sink, "&gt;");
        else if (*at == '"')
            td_put_text(&w->sink, "&quot;");
        else if (*at == '\t' || *at == '\n' || *at == '\r')
            td_put_format(&w->sink, "&#%d;", *at);
        else
            td_put(&w->sink, at, length);
        at += length;
    }
}

void td_put_joined(td_writer *w, const char *name, const char *first, const char *second,
                   const char *what, td_source source)
{
    td_put_text(&w->sink, " ");
    td_put_text(&w->sink, name);
    td_put_text(&w->sink, "=\"");
    td_put_escaped(w, first, what, source);
    td_put_escaped(w, second, what, source);
    td_put_text(&w->sink, "\"");
}

void td_put_attribute(td_writer *w, const char *name, const char *text, const char *what,
                      td_source source)
{
    td_put_joined(w, name, text, NULL, what, source);
}

void td_put_numbers(td_writer *w, const char *name, const double *x, size_t count)
{
    td_put_text(&w->sink, " ");
    td_put_text(&w->sink, name);
    for (size_t i = 0; i < count; i++) {
        td_put_text(&w->sink, i ? " " : "=\"");
        td_put_double(&w->sink, x[i]);
    }
    td_put_text(&w->sink, "\"");
}

void td_put_unless(td_writer *w, const char *name, double x, double usual)
{
    if (x != usual)
        td_put_numbers(w, name, &x, 1);
}
