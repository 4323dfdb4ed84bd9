/* SPDX-License-Identifier: MIT */
/*
 * Makes tables of messages of joint states; see joint_messages.h.
 */
#include "input/joint_messages.h"

#include <stdlib.h>
#include <string.h>

#include "text.h"

static const char *const list_name[JOINT_LISTS] = {"position", "velocity", "effort"};

static bool refuse(const joint_messages *m, const joint_message *message, const char *text)
{
    complain("%s:%zu: %s", m->file, message->line, text);
    return false;
}

/* ---- one message ----------------------------------------------------------------------------- */

static bool is_digits(const char *text, size_t most)
{
    const size_t length = strspn(text, "0123456789");
    return length > 0 && length <= most && text[length] == '\0';
}

static bool is_stamp(const char *second, const char *nanosecond)
{
    return is_digits(second, 10) && is_digits(nanosecond, 9);
}

static bool contains(const char *const *words, size_t count, const char *word)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(words[i], word) == 0) {
            return true;
        }
    }
    return false;
}

/* Checks that a message has names, and a number for each of them in one list or more. */
static bool is_valid(const joint_messages *m, const joint_message *message)
{
    bool any = false, cut = contains(message->name, message->names, "...");
    for (size_t k = 0; k < JOINT_LISTS; k++) {
        any = any || message->count[k] > 0;
        cut = cut || contains(message->value[k], message->count[k], "...");
    }
    if (cut) {
        return refuse(m, message,
                      "the lists of the message are cut off at '...'; print all of them: ros2 "
                      "topic echo --full-length");
    }
    if (message->names == 0 || !any) {
        return refuse(m, message,
                      message->names == 0 ? "the message names no joints"
                                          : "the message has no position, velocity or effort");
    }
    for (size_t k = 0; k < JOINT_LISTS; k++) {
        if (message->count[k] > 0 && message->count[k] != message->names) {
            complain("%s:%zu: the message has %s in '%s', but %s", m->file, message->line,
                     counted(message->count[k], "number").text, list_name[k],
                     counted(message->names, "name").text);
            return false;
        }
    }
    if (message->second != NULL && !is_stamp(message->second, message->nanosecond)) {
        complain("%s:%zu: '%s' and '%s' are not the seconds and nanoseconds of a time", m->file,
                 message->line, message->second, message->nanosecond);
        return false;
    }
    return true;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Checks that a message has the joints and lists of the first one. */
static bool is_alike(const joint_messages *m, const joint_message *message)
{
    for (size_t i = 0; i < message->names && i < m->names; i++) {
        if (strcmp(message->name[i], m->name[i]) != 0) {
            complain("%s:%zu: message %zu has joint '%s', but the first one has '%s' there; if "
                     "several nodes publish on the topic, print the messages of one: ros2 topic "
                     "echo --filter \"'%s' in m.name\"",
                     m->file, message->line, m->rows + 1, message->name[i], m->name[i], m->name[i]);
            return false;
        }
    }
    if (message->names != m->names) {
        complain("%s:%zu: message %zu has %s, but the first one has %zu", m->file, message->line,
                 m->rows + 1, counted(message->names, "joint").text, m->names);
        return false;
    }
    for (size_t k = 0; k < JOINT_LISTS; k++) {
        if ((message->count[k] > 0) != m->given[k]) {
            complain("%s:%zu: message %zu has %s '%s', but the first one has %s", m->file,
                     message->line, m->rows + 1, m->given[k] ? "no" : "a list", list_name[k],
                     m->given[k] ? "one" : "none");
            return false;
        }
    }
    if ((message->second != NULL) != m->timed) {
        return refuse(m, message, "some messages have a time stamp, others have none");
    }
    return true;
}

/* Keeps the joints and lists of the first message. Passes the heading to the handler. */
static bool begin(joint_messages *m, const joint_message *message)
{
    static const char *const quantity[JOINT_LISTS] = {"q", "qd", "tau"};
    m->timed = message->second != NULL;
    m->names = message->names;
    m->name = allocate(m->names, sizeof *m->name);
    m->cell = allocate(1 + JOINT_LISTS * m->names, sizeof *m->cell);
    scoped char **heading = allocate(1 + JOINT_LISTS * m->names, sizeof *heading);
    size_t columns = 0;
    if (m->timed) {
        heading[columns++] = text_format("t [s]");
    }
    for (size_t i = 0; i < m->names; i++) {
        m->name[i] = text_format("%s", message->name[i]);
    }
    for (size_t k = 0; k < JOINT_LISTS; k++) {
        m->given[k] = message->count[k] > 0;
        for (size_t i = 0; i < message->count[k]; i++) {
            heading[columns++] = text_format("%s:%s", quantity[k], m->name[i]);
        }
    }
    const csv_row row = {message->line, columns, heading};
    const bool good = m->handler(m->context, &row);
    for (size_t i = 0; i < columns; i++) {
        free(heading[i]);
    }
    return good;
}

bool joint_messages_add(joint_messages *m, const joint_message *message)
{
    if (!is_valid(m, message) || !(m->rows == 0 ? begin(m, message) : is_alike(m, message))) {
        return false;
    }
    m->rows++;
    size_t columns = 0;
    scoped char *time =
        m->timed ? text_format("%s.%.*s%s", message->second, (int)(9 - strlen(message->nanosecond)),
                               "00000000", message->nanosecond)
                 : NULL;
    if (m->timed) {
        m->cell[columns++] = time;
    }
    for (size_t k = 0; k < JOINT_LISTS; k++) {
        for (size_t i = 0; i < message->count[k]; i++) {
            m->cell[columns++] = message->value[k][i];
        }
    }
    /* handlers do not change the fields */
    const csv_row row = {message->line, columns, (char **)m->cell};
    return m->handler(m->context, &row);
}

void joint_messages_free(joint_messages *m)
{
    for (size_t i = 0; i < m->names; i++) {
        free(m->name[i]);
    }
    free(m->name);
    free(m->cell);
}

/* ---- rows of ros2 topic echo --csv ----------------------------------------------------------- */

enum { FIRST_NAME = 3 }; /* after seconds, nanoseconds and frame */

/* Splits a row of known names into its lists. Returns false if the number of fields does not
   fit. */
static bool split(const csv_row *row, size_t names, joint_message *message)
{
    const char *const *field = (const char *const *)row->field;
    *message = (joint_message){.line = row->line,
                               .second = field[0],
                               .nanosecond = field[1],
                               .names = names,
                               .name = field + FIRST_NAME};
    size_t at = FIRST_NAME + names;
    for (size_t k = 0; k < JOINT_LISTS && at < row->count; k++) {
        message->count[k] = *field[at] == '\0' ? 0 : names;
        message->value[k] = field + at;
        at += *field[at] == '\0' ? 1 : names;
    }
    return at == row->count;
}

/* Returns the number of fields that can be names: those before the first number. */
static size_t count_names(const csv_row *row)
{
    double x;
    size_t end = FIRST_NAME;
    while (end < row->count && !parse_number(row->field[end], &x) && !is_missing(row->field[end])) {
        end++;
    }
    return end - FIRST_NAME;
}

bool joint_row_fits(const csv_row *row)
{
    if (row->count <= FIRST_NAME || !is_stamp(row->field[0], row->field[1])) {
        return false;
    }
    const size_t names = count_names(row);
    return names > 0 && row->count > FIRST_NAME + names;
}

bool joint_messages_add_row(joint_messages *m, const csv_row *row)
{
    joint_message message;
    const size_t names = m->rows == 0 ? count_names(row) : m->names;
    if (row->count < FIRST_NAME + names || !split(row, names, &message)) {
        complain("%s:%zu: message %zu has %s, which does not fit a time, a frame, %s and their "
                 "lists",
                 m->file, row->line, m->rows + 1, counted(row->count, "field").text,
                 counted(names, "joint").text);
        return false;
    }
    return joint_messages_add(m, &message);
}
