/* SPDX-License-Identifier: MIT */
/*
 * Parser: checks which items an element contains, and how often.
 */
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "reader.h"

/* Returns whether a word is in a list separated by single blanks. */
static bool is_in(const char *word, const char *list)
{
    size_t length = strlen(word);
    for (const char *p = list; *p; p += strcspn(p, " "), p += *p == ' ')
        if (strcspn(p, " ") == length && memcmp(p, word, length) == 0)
            return true;
    return false;
}

enum { most_words = 24 };

/* A list of words, for td_nearest_spelling. */
typedef struct choice {
    char words[most_words][32];
    size_t count;
} choice;

static const char *next_choice(const void *context, size_t i)
{
    const choice *c = context;
    return i < c->count ? c->words[i] : NULL;
}

/* Returns the words of a list that are not attributes of an element. The element may be NULL. */
static choice choose(const char *list, const td_xml_element *element)
{
    choice c = {.count = 0};
    for (const char *p = list; *p && c.count < most_words; p += strcspn(p, " "), p += *p == ' ') {
        snprintf(c.words[c.count], sizeof c.words[0], "%.*s", (int)strcspn(p, " "), p);
        if (!element || !td_xml_attribute_value(element, c.words[c.count]))
            c.count++;
    }
    return c;
}

const char *td_reader_nearest(td_reader *reader, const char *text, const char *words)
{
    choice c = choose(words, NULL);
    const char *nearest = td_nearest_spelling(text, next_choice, &c, NULL);
    return nearest ? td_reader_print(reader, "%s", nearest) : NULL;
}

/* ---- unknown items --------------------------------------------------------------------------- */

static const char *parent_name(const td_xml_element *element)
{
    return element->parent ? element->parent->name : "";
}

static bool same_kind(const td_unknown *kind, const td_xml_element *element, const char *attribute)
{
    if (strcmp(kind->first->name, element->name) != 0 || !kind->attribute != !attribute)
        return false;
    return attribute ? strcmp(kind->attribute, attribute) == 0
                     : strcmp(parent_name(kind->first), parent_name(element)) == 0;
}

void td_reader_unknown(td_reader *reader, const td_xml_element *element, const char *attribute)
{
    for (size_t i = 0; i < reader->unknown_count; i++)
        if (same_kind(&reader->unknown[i], element, attribute)) {
            reader->unknown[i].count++;
            return;
        }
    if (reader->unknown_count < td_most_unknown)
        reader->unknown[reader->unknown_count++] = (td_unknown){element, attribute, 1};
    else
        reader->unknown_rest++;
}

void td_reader_report_unknown(td_reader *reader)
{
    for (size_t i = 0; i < reader->unknown_count; i++) {
        const td_unknown *kind = &reader->unknown[i];
        const char *name = kind->first->name;
        const char *times =
            kind->count > 1 ? td_reader_print(reader, " (%zu times, first here)", kind->count) : "";
        if (kind->attribute)
            TD_REPORT(reader, TD_CODE_XML_UNKNOWN_ATTRIBUTE, kind->first, NULL,
                      "unknown attribute %s of <%s> is ignored%s", kind->attribute, name, times);
        else
            TD_REPORT(reader, TD_CODE_XML_UNKNOWN_ELEMENT, kind->first, NULL,
                      "unknown element <%s> in <%s> is ignored%s", name, parent_name(kind->first),
                      times);
    }
    if (reader->unknown_rest > 0)
        TD_REPORT(reader, TD_CODE_XML_UNKNOWN_ELEMENT, reader->xml->root, NULL,
                  "%zu more unknown elements and attributes of other kinds are ignored",
                  reader->unknown_rest);
}

/* Elements all of whose attributes can change a constraint between joints. */
static const char constraints[] = "mimic coupling ratio loop predecessor successor distance mask";

static void check_attributes(td_reader *reader, const td_xml_element *element, const char *known)
{
    for (size_t i = 0; i < element->attribute_count; i++) {
        const char *name = element->attributes[i].name;
        if (is_in(name, known) || strncmp(name, "xmlns", 5) == 0)
            continue;
        choice absent = choose(known, element);
        const char *meant = td_nearest_spelling(name, next_choice, &absent, NULL);
        if (meant)
            TD_REPORT(reader, TD_CODE_XML_MISSPELT_ATTRIBUTE, element,
                      td_reader_print(reader, "did you mean '%s'?", meant),
                      "unknown attribute '%s' of %s is ignored", name,
                      td_reader_title(reader, element));
        else if (is_in(element->name, constraints))
            TD_REPORT(reader, TD_CODE_XML_CONSTRAINT_ATTRIBUTE, element,
                      td_reader_print(reader, "use only the known attributes: %s", known),
                      "unknown attribute '%s' of %s is ignored; the joints may move differently "
                      "than intended",
                      name, td_reader_title(reader, element));
        else
            td_reader_unknown(reader, element, name);
    }
}

/* Returns the proper parent of an element that affects the motion, or NULL for other elements. */
static const char *home_of(const char *name)
{
    static const struct {
        const char *name, *home;
    } homes[] = {
        {"link", "robot"},    {"joint", "robot"},      {"loop", "robot"},  {"coupling", "robot"},
        {"inertial", "link"}, {"axis", "joint"},       {"mimic", "joint"}, {"dynamics", "joint"},
        {"mass", "inertial"}, {"inertia", "inertial"},
    };
    for (size_t i = 0; i < sizeof homes / sizeof *homes; i++)
        if (strcmp(name, homes[i].name) == 0)
            return homes[i].home;
    return NULL;
}

/* Reports an unexpected child. A misplaced or misspelt element of URDF causes a warning, because it
   was meant to be read. Elements of other programs cause only a note. */
static void report_child(td_reader *reader, const td_xml_element *child, const char *known)
{
    const char *home = home_of(child->name), *in = td_reader_title(reader, child->parent);
    choice words = choose(known, NULL);
    const char *meant = home ? NULL : td_nearest_spelling(child->name, next_choice, &words, NULL);
    if (home)
        TD_REPORT(reader, TD_CODE_XML_MISPLACED, child,
                  td_reader_print(reader, "move it into a <%s>", home),
                  "<%s> in %s is misplaced; ignored", child->name, in);
    else if (meant)
        TD_REPORT(reader, TD_CODE_XML_MISSPELT_ELEMENT, child,
                  td_reader_print(reader, "did you mean <%s>?", meant),
                  "unknown element <%.*s> in %s is ignored", td_shown(child->name), child->name,
                  in);
    else
        td_reader_unknown(reader, child, NULL);
}

void td_reader_check_text(td_reader *reader, const td_xml_element *element, const char *attributes)
{
    check_attributes(reader, element, attributes);
    for (const td_xml_element *child = element->first; child; child = child->next)
        td_reader_unknown(reader, child, NULL);
}

void td_reader_check(td_reader *reader, const td_xml_element *element, const char *attributes,
                     const char *children)
{
    check_attributes(reader, element, attributes);
    for (const td_xml_element *child = element->first; child; child = child->next)
        if (!is_in(child->name, children))
            report_child(reader, child, children);
    if (element->stray.line > 0) {
        td_source source = td_reader_source(reader, element);
        source.line = element->stray.line;
        source.column = element->stray.column;
        td_report(reader->diagnostics, TD_CODE_XML_STRAY_TEXT, source,
                  "remove the text, or put it into a comment: <!-- ... -->",
                  "text between the elements of <%s> is ignored", element->name);
    }
}

/* ---- repeated items -------------------------------------------------------------------------- */

const td_xml_element *td_reader_only(td_reader *reader, const td_xml_element *element,
                                     const char *name, td_importance importance)
{
    const td_xml_element *first = td_xml_child(element, name);
    for (const td_xml_element *again = first; again && (again = td_xml_next(again));) {
        bool same = td_xml_equal(first, again);
        td_code code = importance == TD_VISUAL            ? TD_CODE_XML_REPEATED_VISUAL
                       : same || importance != TD_DYNAMIC ? TD_CODE_XML_REPEATED_IDLE
                                                          : TD_CODE_XML_REPEATED;
        TD_REPORT(reader, code, again, same ? "remove it" : "keep the intended one",
                  "%s has a second <%s>%s; the first one is on line %d",
                  td_reader_title(reader, element), name,
                  same ? " with the same content" : ", which differs", first->position.line);
    }
    return first;
}
