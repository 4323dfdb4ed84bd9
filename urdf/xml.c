/* SPDX-License-Identifier: MIT */
/*
 * Builds the tree from libxml2's SAX events. SAX 1 is used because it keeps prefixes in names and
 * accepts undeclared prefixes. A cursor walks over the original text in step with the events and
 * finds where each tag begins.
 */
#include "xml.h"

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "once.h"
#include "prologue.h"
#include "xml_remedy.h"

/* the type that libxml2 passes to error handlers */
#if LIBXML_VERSION >= 21200
typedef const xmlError xml_error;
#else
typedef xmlError xml_error;
#endif

enum {
    max_attributes = 256, /* per element, since libxml2 compares all pairs */
    parser_depth = 256,   /* limit of libxml2 without XML_PARSE_HUGE */
};

typedef struct parser {
    xmlParserCtxt *context;
    td_xml *xml;
    const td_load_options *options;
    td_diagnostics *diagnostics;
    const char *file;
    td_cursor cursor;
    size_t begin; /* byte offset at which libxml2 began */
    td_xml_element *open;
    size_t depth, elements;
    char *text; /* character data since the last start tag */
    size_t text_length, text_capacity;
    td_status status;
} parser;

/* ---- stopping -------------------------------------------------------------------------------- */

static void stop(parser *p, td_status status)
{
    p->status = status;
    xmlStopParser(p->context);
}

static td_source source(const parser *p, td_position position)
{
    return (td_source){p->file, position.line, position.column, NULL};
}

static void too_large(parser *p, td_position position, const char *what, size_t cap)
{
    td_report(p->diagnostics, TD_CODE_XML_TOO_LARGE, source(p, position),
              "raise the cap in td_load_options if you trust the file",
              "the file has more than %zu %s", cap, what);
    p->status = TD_ERROR_MODEL;
}

static void on_doctype(void *user, const xmlChar *name, const xmlChar *external,
                       const xmlChar *system)
{
    (void)name, (void)external, (void)system;
    parser *p = user;
    td_position place = td_cursor_start_tag(&p->cursor);
    td_report(p->diagnostics, TD_CODE_XML_DOCTYPE, source(p, place),
              "remove the DOCTYPE: URDF needs none, and entities can exhaust a parser",
              "the file has a DOCTYPE, which is refused");
    stop(p, TD_ERROR_MODEL);
}

/* Returns the parser's position in the original text, if the text was not transcoded. */
static td_position error_position(parser *p, const xmlError *error)
{
    const xmlParserInput *input = p->context->input;
    if (!input || p->cursor.width != 1 || (input->buf && input->buf->encoder))
        return (td_position){error->line, 0};
    size_t offset = input->consumed + (size_t)(input->cur - input->base);
    td_cursor cursor = p->cursor;
    return td_cursor_locate(&cursor, p->begin + offset);
}

static void report_error(parser *p, const xmlError *error)
{
    td_source place = source(p, error_position(p, error));
    const char *remedy = error->code == XML_ERR_DOCUMENT_EMPTY
                             ? td_prologue_mistaken(p->cursor.text, p->cursor.size)
                             : td_xml_remedy(error->code);
    const td_xml_element *open = p->open;
    const char *message = error->message ? error->message : "";
    /* under SAX 1, libxml2's texts for these two errors contain a wrong line */
    if (open && error->code == XML_ERR_TAG_NAME_MISMATCH)
        td_report(p->diagnostics, TD_CODE_XML_SYNTAX, place, remedy,
                  "not well-formed XML: the end tag does not match <%s> on line %d", open->name,
                  open->position.line);
    else if (open && error->code == XML_ERR_TAG_NOT_FINISHED)
        td_report(p->diagnostics, TD_CODE_XML_SYNTAX, place, remedy,
                  "not well-formed XML: the text ends inside <%s> from line %d", open->name,
                  open->position.line);
    else
        td_report(p->diagnostics, TD_CODE_XML_SYNTAX, place, remedy, "not well-formed XML: %.*s",
                  (int)strcspn(message, "\r\n"), message);
}

static void on_error(void *user, xml_error *error)
{
    parser *p = user;
    if (p->status != TD_OK)
        return;
    if (error->code == XML_ERR_NO_MEMORY) {
        p->status = TD_ERROR_MEMORY;
    } else if (error->level == XML_ERR_FATAL) {
        report_error(p, error);
        p->status = TD_ERROR_MODEL;
    }
}

/* ---- events ---------------------------------------------------------------------------------- */

static void *allocate(parser *p, size_t count, size_t size)
{
    void *piece = td_arena_array(&p->xml->arena, count, size);
    if (!piece)
        stop(p, TD_ERROR_MEMORY);
    return piece;
}

/* Copies a text into the arena. Returns "" if memory is short. */
static const char *copy(parser *p, const char *text, size_t length)
{
    char *mine = allocate(p, length + 1, 1);
    if (mine && length > 0)
        memcpy(mine, text, length);
    return mine ? mine : "";
}

static const char *copy_string(parser *p, const xmlChar *text)
{
    const char *plain = text ? (const char *)text : "";
    return copy(p, plain, strlen(plain));
}

static void copy_attributes(parser *p, td_xml_element *element, const xmlChar **pairs)
{
    size_t count = 0;
    while (pairs && pairs[2 * count])
        count++;
    td_xml_attribute *attributes = allocate(p, count, sizeof *attributes);
    for (size_t i = 0; attributes && i < count; i++)
        attributes[i] =
            (td_xml_attribute){copy_string(p, pairs[2 * i]), copy_string(p, pairs[2 * i + 1])};
    element->attributes = attributes;
    element->attribute_count = attributes ? count : 0;
}

static bool within_caps(parser *p, td_position position)
{
    size_t depth = p->options->max_depth < parser_depth ? p->options->max_depth : parser_depth;
    if (p->elements >= p->options->max_elements)
        too_large(p, position, "elements", p->options->max_elements);
    else if (p->depth >= depth)
        too_large(p, position, "levels of nested elements", depth);
    else
        return true;
    stop(p, p->status);
    return false;
}

static void on_start(void *user, const xmlChar *name, const xmlChar **attributes)
{
    parser *p = user;
    td_position position = td_cursor_start_tag(&p->cursor);
    if (p->status != TD_OK || !within_caps(p, position))
        return;
    td_xml_element *element = allocate(p, 1, sizeof *element);
    if (!element)
        return;
    element->name = copy_string(p, name);
    element->text = "";
    element->position = position;
    element->parent = p->open;
    copy_attributes(p, element, attributes);
    if (!p->open)
        p->xml->root = element;
    else if (p->open->last)
        p->open->last->next = element;
    else
        p->open->first = element;
    if (p->open)
        p->open->last = element;
    p->open = element;
    p->depth++;
    p->elements++;
    p->text_length = 0;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void on_end(void *user, const xmlChar *name)
{
    (void)name;
    parser *p = user;
    td_cursor_end_tag(&p->cursor);
    if (p->status != TD_OK || !p->open)
        return;
    if (!p->open->first && p->text_length > 0) {
        size_t first = 0, last = p->text_length;
        while (first < last && is_blank(p->text[first]))
            first++;
        while (last > first && is_blank(p->text[last - 1]))
            last--;
        p->open->text = copy(p, p->text + first, last - first);
    }
    p->text_length = 0;
    p->open = p->open->parent;
    p->depth--;
}

static bool reserve_text(parser *p, size_t more)
{
    if (p->text_capacity - p->text_length >= more)
        return true;
    size_t capacity = 2 * (p->text_length + more);
    char *text = realloc(p->text, capacity);
    if (!text)
        return false;
    p->text = text;
    p->text_capacity = capacity;
    return true;
}

static void on_text(void *user, const xmlChar *text, int length)
{
    parser *p = user;
    if (p->status != TD_OK || !p->open || length <= 0)
        return;
    if (!reserve_text(p, (size_t)length)) {
        stop(p, TD_ERROR_MEMORY);
        return;
    }
    memcpy(p->text + p->text_length, text, (size_t)length);
    p->text_length += (size_t)length;
    for (int i = 0; i < length && p->open->stray.line == 0; i++)
        if (!is_blank((char)text[i]))
            p->open->stray = td_cursor_text(&p->cursor);
}

/* ---- parsing --------------------------------------------------------------------------------- */

static void run(parser *p, const char *text, size_t size)
{
    p->context = xmlCreateMemoryParserCtxt(text, (int)size);
    if (!p->context) {
        p->status = TD_ERROR_MEMORY;
        return;
    }
    /* NOENT only decodes &amp; and its like in attributes here: no DOCTYPE, no other entities */
    xmlCtxtUseOptions(p->context, XML_PARSE_NONET | XML_PARSE_NOENT);
    *p->context->sax = (xmlSAXHandler){
        .initialized = 1, /* SAX 1 */
        .internalSubset = on_doctype,
        .startElement = on_start,
        .endElement = on_end,
        .characters = on_text,
        .ignorableWhitespace = on_text,
    };
    p->context->userData = p;
    xmlParseDocument(p->context);
    if (p->status == TD_OK && (!p->context->wellFormed || !p->xml->root)) {
        td_report(p->diagnostics, TD_CODE_XML_SYNTAX, (td_source){p->file, 0, 0, NULL},
                  td_xml_remedy(0), "not well-formed XML");
        p->status = TD_ERROR_MODEL;
    }
    xmlFreeDoc(p->context->myDoc);
    xmlFreeParserCtxt(p->context);
}

/* Runs the parser with a structured error handler. SAX 1 has none, so errors without a context,
   such as an invalid character, would go to stderr. The handler belongs to the calling thread, and
   the previous one is restored afterwards. */
static void run_quietly(parser *p, const char *text, size_t size)
{
    xmlStructuredErrorFunc handler = xmlStructuredError;
    void *handler_context = xmlStructuredErrorContext;
    xmlSetStructuredErrorFunc(p, on_error);
    run(p, text, size);
    xmlSetStructuredErrorFunc(handler_context, handler);
    xmlResetLastError();
}

static void ignore(void *user, xml_error *error)
{
    (void)user, (void)error;
}

/* Initializes libxml2, with the handler installed first. If memory is short, xmlInitParser would
   otherwise print to stderr and continue without an encoding or protocol. */
static void set_up(void)
{
    xmlStructuredErrorFunc handler = xmlStructuredError;
    void *handler_context = xmlStructuredErrorContext;
    xmlSetStructuredErrorFunc(NULL, ignore);
    xmlInitParser();
    xmlSetStructuredErrorFunc(handler_context, handler);
}

/* Initializes libxml2 once, because its implicit initialization is not thread-safe. */
static void set_up_once(void)
{
    static td_once once = TD_ONCE_START;
    td_call_once(&once, set_up);
}

td_status td_xml_parse(const char *text, size_t size, const char *file,
                       const td_load_options *options, td_diagnostics *diagnostics, td_xml *xml)
{
    set_up_once();
    *xml = (td_xml){{NULL}, NULL};
    parser p = {.xml = xml, .options = options, .diagnostics = diagnostics, .file = file};
    size_t cap = options->max_bytes < INT_MAX ? options->max_bytes : INT_MAX;
    if (size > cap) {
        too_large(&p, (td_position){0, 0}, "bytes", cap);
        return TD_ERROR_IO;
    }
    p.cursor = td_cursor_new(text, size);
    td_extent extent = td_prologue_trim(text, size, file, &p.cursor, diagnostics);
    td_position crowded;
    if (extent.begin >= extent.end) {
        td_report(diagnostics, TD_CODE_XML_SYNTAX, (td_source){file, 1, 1, NULL},
                  "a URDF file has the form <robot name=\"...\"> ... </robot>",
                  "not well-formed XML: the file is empty");
        return TD_ERROR_MODEL;
    }
    p.begin = p.cursor.at = extent.begin;
    if (td_cursor_crowded_tag(p.cursor, max_attributes, &crowded)) {
        td_report(diagnostics, TD_CODE_XML_TOO_LARGE, source(&p, crowded), NULL,
                  "an element has more than %d attributes", max_attributes);
        return TD_ERROR_MODEL;
    }
    run_quietly(&p, text + extent.begin, extent.end - extent.begin);
    free(p.text);
    return p.status;
}
