/* SPDX-License-Identifier: MIT */
/*
 * Reports what xacro did and printed; see xacro.h. xacro prints a message, and lines such as "when
 * evaluating expression 'x'", "when instantiating macro: m (FILE)" and "in file: FILE" after it.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/printf_like.h"
#include "vocabulary.h"
#include "xacro.h"

enum { most_text = 1500 };

typedef struct message {
    char text[most_text];
    size_t length;
} message;

static void add(message *m, const char *format, ...) TD_PRINTF_LIKE(2, 3);

/* Appends text as far as it fits. */
static void add(message *m, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(m->text + m->length, most_text - m->length, format, arguments);
    va_end(arguments);
    if (length > 0)
        m->length += (size_t)length;
    if (m->length >= most_text)
        m->length = most_text - 1;
}

/* ---- the command ----------------------------------------------------------------------------- */

/* Appends a word as a shell reads it. */
static void add_word(message *m, const char *word)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=+@%,-";
    if (*word && word[strspn(word, plain)] == '\0') {
        add(m, "%s", word);
        return;
    }
    add(m, "'");
    for (; *word; word++)
        add(m, *word == '\'' ? "'\\''" : "%c", *word);
    add(m, "'");
}

/* Appends the command that ran. */
static void add_command(message *m, const td_xacro *x)
{
    add_word(m, x->options->xacro);
    add(m, " ");
    add_word(m, x->file);
    for (size_t i = 0; i < x->options->xacro_argument_count; i++) {
        add(m, " ");
        add_word(m, x->options->xacro_arguments[i]);
    }
}

/* ---- messages of xacro ----------------------------------------------------------------------- */

static bool begins(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static const char *next_line(const char *line)
{
    line += strcspn(line, "\n");
    return line + (*line == '\n');
}

/* Returns the line with which xacro's error begins: the first that says so, else the last line that
   is not blank, as in a traceback of Python. */
static const char *first_line(const char *text)
{
    const char *last = text;
    for (const char *line = text; *line; line = next_line(line)) {
        if (begins(line, "error: "))
            return line + strlen("error: ");
        if (begins(line, "XML parsing error: "))
            return line;
        last = line[strspn(line, " \t\r\n")] ? line : last;
    }
    return last;
}

/* Appends lines that are not blank, separated by semicolons. */
static void add_lines(message *m, const char *text)
{
    const char *separator = "";
    for (; *text; text = next_line(text)) {
        text += strspn(text, " \t\r");
        size_t length = strcspn(text, "\r\n");
        while (length > 0 && text[length - 1] == ' ')
            length--;
        if (length > 0) {
            add(m, "%s%.*s", separator, (int)length, text);
            separator = "; ";
        }
    }
}

/* ---- positions ------------------------------------------------------------------------------- */

/* Copies the text between a start and the last end character of its line, without blanks at its
   end. end: 0 for the end of the line. */
static bool text_after(const char *text, const char *start, char end, char found[most_text])
{
    const char *begin = strstr(text, start);
    if (!begin)
        return false;
    begin += strlen(start);
    const char *line_end = begin + strcspn(begin, "\r\n"), *last = line_end;
    while (end && last > begin && *last != end)
        last--;
    last = last > begin ? last : line_end;
    while (last > begin && last[-1] == ' ')
        last--;
    snprintf(found, most_text, "%.*s", (int)(last - begin), begin);
    return last > begin;
}

/* Copies the name of the file in which xacro found an error. */
static bool file_of(const char *text, char found[most_text])
{
    char macro[most_text];
    if (text_after(text, "when instantiating macro: ", ')', macro) && strstr(macro, " (")) {
        snprintf(found, most_text, "%s", strstr(macro, " (") + 2);
        return true;
    }
    return text_after(text, "in file: ", '\0', found) ||
           text_after(text, "when processing file: ", '\0', found);
}

/* Returns whether an element has this name, or contains the text in an attribute or as its text. */
static bool has_text(const td_xml_element *element, const char *name, const char *text)
{
    bool found = strcmp(element->name, name) == 0 || strstr(element->text, text) != NULL;
    for (size_t i = 0; i < element->attribute_count && !found; i++)
        found = strstr(element->attributes[i].value, text) != NULL;
    return found;
}

static void find(const td_xml_element *element, const char *name, const char *text,
                 const td_xml_element **found, size_t *count)
{
    for (; element; element = element->next) {
        if (has_text(element, name, text)) {
            *found = element;
            ++*count;
        }
        find(element->first, name, text, found, count);
    }
}

/* Returns the only element that has the expression or macro of xacro's error, or NULL. */
static const td_xml_element *element_of(const char *text, const td_xml_element *root)
{
    char what[most_text], expression[most_text + 3];
    const td_xml_element *found = NULL;
    size_t count = 0;
    if (!text_after(text, "when evaluating expression '", '\'', what) &&
        !text_after(text, "unknown macro name: ", '\0', what))
        return NULL;
    snprintf(expression, sizeof expression, "${%s}", what);
    find(root, what, expression, &found, &count);
    return count == 1 ? found : NULL;
}

/* Returns the position of xacro's error, as far as its messages tell. name stores a file's name. */
static td_source source_of(const td_xacro *x, const char *text, char name[most_text])
{
    td_source source = {x->file, 0, 0, NULL};
    if (file_of(text, name))
        source.file = name;
    const char *line = strstr(text, "XML parsing error: ");
    line = line ? strstr(line, ": line ") : NULL;
    if (line && sscanf(line, ": line %d, column %d", &source.line, &source.column) == 2) {
        source.column++; /* expat counts from 0 */
    } else if (strcmp(source.file, x->file) == 0) {
        const td_xml_element *element = element_of(text, x->xml->root);
        source.line = element ? element->position.line : 0;
        source.column = element ? element->position.column : 0;
    }
    return source;
}

/* ---- reports --------------------------------------------------------------------------------- */

/* Reports that xacro ended with an error of its own. */
static void report_messages(const td_xacro *x, const td_program *program)
{
    const char *text = program->out[1].text ? program->out[1].text : "";
    char name[most_text];
    message what = {.length = 0}, remedy = {.length = 0};
    if (program->end == TD_PROGRAM_KILLED)
        add(&what, "xacro was ended by signal %d", program->code);
    else if (program->code)
        add(&what, "xacro failed with exit status %d", program->code);
    else
        add(&what, "xacro printed no robot");
    if (*text)
        add(&what, ": ");
    add_lines(&what, first_line(text));
    add(&remedy, "the command was: ");
    add_command(&remedy, x);
    td_report(x->diagnostics, TD_CODE_XACRO_FAILED, source_of(x, text, name), remedy.text, "%s",
              what.text);
}

/* Reports that the program cannot be run, at the first element that needs it. */
static void report_program(const td_xacro *x, int error)
{
    const td_xacro_parts parts = x->parts;
    td_source source = {x->file, 0, 0, NULL};
    message what = {.length = 0};
    add(&what, "the file is xacro");
    if (parts.count > 0) {
        source.line = parts.first->position.line;
        source.column = parts.first->position.column;
        const bool element = parts.what == parts.first->name;
        add(&what, " (%s%.*s%s)", element ? "<" : "'", td_shown(parts.what), parts.what,
            element ? ">" : "'");
    }
    td_report(x->diagnostics, TD_CODE_XACRO_PROGRAM, source,
              "install the package xacro: ros-DISTRO-xacro of ROS, or 'pip install xacro'; or name "
              "the program with --xacro PROGRAM",
              "%s, and the program '%s' that expands it cannot be run: %s", what.text,
              x->options->xacro, strerror(error));
}

void td_xacro_report_failure(const td_xacro *x, const td_program *program)
{
    const td_source source = {x->file, 0, 0, NULL};
    switch (program->end) {
    case TD_PROGRAM_NOT_STARTED:
        report_program(x, program->error);
        break;
    case TD_PROGRAM_TOO_SLOW:
        td_report(x->diagnostics, TD_CODE_XACRO_FAILED, source,
                  "raise the limit with --xacro-timeout SECONDS",
                  "xacro did not end within %g s and was stopped", td_xacro_seconds(x->options));
        break;
    case TD_PROGRAM_TOO_LARGE:
        td_report(x->diagnostics, TD_CODE_XACRO_FAILED, source,
                  "raise max_bytes in td_load_options if you trust the file",
                  "xacro printed more than %zu bytes and was stopped", x->options->max_bytes);
        break;
    case TD_PROGRAM_LOST:
        td_report(x->diagnostics, TD_CODE_XACRO_FAILED, source,
                  "let the process wait for its children: reset SIGCHLD",
                  "the exit status of xacro is not known: %s", strerror(program->error));
        break;
    case TD_PROGRAM_EXITED:
    case TD_PROGRAM_KILLED:
        report_messages(x, program);
        break;
    }
}

void td_xacro_report_success(const td_xacro *x, const td_program *program)
{
    const td_source source = {x->file, 0, 0, NULL};
    message remedy = {.length = 0}, what = {.length = 0};
    add(&remedy, "to save the result: ");
    add_command(&remedy, x);
    add(&remedy, " > robot.urdf");
    td_report(x->diagnostics, TD_CODE_XACRO_EXPANDED, source, remedy.text,
              "the file was expanded by xacro; lines of '%s" TD_XACRO_RESULT
              "' count in its result",
              x->file);
    if (!program->out[1].text)
        return;
    add_lines(&what, program->out[1].text);
    if (what.length > 0)
        td_report(x->diagnostics, TD_CODE_XACRO_WARNING, source, "", "xacro printed: %s",
                  what.text);
}
