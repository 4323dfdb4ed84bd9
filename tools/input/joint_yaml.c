/* SPDX-License-Identifier: MIT */
/*
 * Reads messages of joint states from YAML; see joint_messages.h. Each document is parsed on its
 * own, so that memory does not grow with the number of messages.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../urdf/yaml_tree.h"
#include "input/joint_messages.h"
#include "output/progress.h"
#include "tandem/config.h"
#include "text.h"

enum { BLOCK_BYTES = 1 << 16, LARGEST_DOCUMENT = 1 << 24 };

typedef struct yaml_stream {
    table_input *in;
    joint_messages *m;
    char *text; /* the current document, and what was read behind it */
    size_t size, capacity;
    size_t line; /* number of lines before text */
} yaml_stream;

static bool fault(const yaml_stream *s, const td_yaml_node *node, const char *text)
{
    complain("%s:%zu: %s%s%s%s", s->m->file, s->line + (size_t)node->position.line,
             node->key != NULL ? "'" : "", node->key != NULL ? node->key : "",
             node->key != NULL ? "': " : "", text);
    return false;
}

/* ---- one message ----------------------------------------------------------------------------- */

static const td_yaml_node *child_of(const td_yaml_node *map, const char *key)
{
    const td_yaml_node *child = map != NULL && map->kind == TD_YAML_MAP ? map->first : NULL;
    while (child != NULL && strcmp(child->key, key) != 0) {
        child = child->next;
    }
    return child;
}

/* Returns the text of a number as in CSV: YAML writes .nan and .inf. */
static const char *number_text(const char *text)
{
    const char *word = text + strspn(text, "+-");
    return strcasecmp(word, ".nan") == 0 || strcasecmp(word, ".inf") == 0 ? word + 1 : text;
}

/* Reads a list of words or numbers into a new array. */
static bool read_list(const yaml_stream *s, const td_yaml_node *list, bool numbers,
                      const char ***text, size_t *count)
{
    if (list->kind != TD_YAML_LIST) {
        return fault(s, list, "expected a list");
    }
    *text = allocate(list->count, sizeof **text);
    for (const td_yaml_node *item = list->first; item != NULL; item = item->next) {
        if (item->kind != TD_YAML_SCALAR) {
            return fault(s, list, numbers ? "expected numbers" : "expected names");
        }
        (*text)[(*count)++] = numbers ? number_text(item->text) : item->text;
    }
    return true;
}

/* Reads the time stamp, in the words of ROS 2 or ROS 1. */
static bool read_stamp(const yaml_stream *s, const td_yaml_node *header, joint_message *message)
{
    const td_yaml_node *stamp = child_of(header, "stamp");
    const td_yaml_node *second = child_of(stamp, "sec"), *part = child_of(stamp, "nanosec");
    second = second != NULL ? second : child_of(stamp, "secs");
    part = part != NULL ? part : child_of(stamp, "nsecs");
    if (stamp == NULL) {
        return true;
    }
    if (second == NULL || second->kind != TD_YAML_SCALAR || part == NULL ||
        part->kind != TD_YAML_SCALAR) {
        return fault(s, stamp, "expected sec and nanosec");
    }
    message->second = second->text;
    message->nanosecond = part->text;
    return true;
}

/* Reads the value of a key into the message. array: the allocated names and lists. */
static bool read_member(const yaml_stream *s, const td_yaml_node *node, joint_message *message,
                        const char **array[1 + JOINT_LISTS])
{
    static const char *const key[1 + JOINT_LISTS] = {"name", "position", "velocity", "effort"};
    if (strcmp(node->key, "header") == 0) {
        return message->second == NULL ? read_stamp(s, node, message)
                                       : fault(s, node, "the key occurs twice");
    }
    for (size_t k = 0; k < 1 + JOINT_LISTS; k++) {
        if (strcmp(node->key, key[k]) == 0) {
            size_t *count = k == 0 ? &message->names : &message->count[k - 1];
            return array[k] == NULL ? read_list(s, node, k > 0, &array[k], count)
                                    : fault(s, node, "the key occurs twice");
        }
    }
    return fault(s, node, "a JointState has only header, name, position, velocity and effort");
}

static bool read_message(const yaml_stream *s, const td_yaml_node *root)
{
    const char **array[1 + JOINT_LISTS] = {NULL};
    joint_message message = {.line = s->line + (size_t)root->position.line};
    bool good = root->kind == TD_YAML_MAP || fault(s, root, "expected a JointState");
    for (const td_yaml_node *node = root->first; node != NULL && good; node = node->next) {
        good = read_member(s, node, &message, array);
    }
    message.name = array[0];
    for (size_t k = 0; k < JOINT_LISTS; k++) {
        message.value[k] = array[k + 1];
    }
    good = good && joint_messages_add(s->m, &message);
    for (size_t k = 0; k < 1 + JOINT_LISTS; k++) {
        free(array[k]);
    }
    return good;
}

/* ---- documents ------------------------------------------------------------------------------- */

/* Returns whether a text has only blanks and comments. */
static bool is_empty(const char *text, size_t size)
{
    const char *end = text + size;
    while (text < end && (*text == '#' || strchr(" \t\r\n", *text) != NULL)) {
        const char *newline = *text == '#' ? memchr(text, '\n', (size_t)(end - text)) : text;
        text = newline != NULL ? newline + 1 : end;
    }
    return text == end;
}

/* Parses the first bytes of the text as a document and passes on its message. */
static bool read_document(const yaml_stream *s, size_t size)
{
    if (is_empty(s->text, size)) {
        return true;
    }
    td_diagnostics *list = NULL;
    td_diagnostics_new(0, &list);
    const td_load_options limits = td_load_options_default();
    td_yaml yaml = {0};
    const td_status status = list == NULL
                                 ? TD_ERROR_MEMORY
                                 : td_yaml_parse(s->text, size, s->m->file, &limits, list, &yaml);
    for (size_t i = 0; i < td_diagnostics_size(list); i++) {
        const td_diagnostic *d = td_diagnostics_at(list, i);
        complain("%s:%zu: %s%s%s%s", s->m->file, s->line + (size_t)d->source.line, d->message,
                 *d->remedy != '\0' ? " (" : "", d->remedy, *d->remedy != '\0' ? ")" : "");
    }
    if (status == TD_ERROR_MEMORY) {
        end_without_memory();
    }
    const bool good = status == TD_OK && read_message(s, yaml.root);
    td_yaml_free(&yaml);
    td_diagnostics_free(list);
    return good;
}

static bool ends_document(const char *line, size_t length)
{
    while (length > 3 && (line[length - 1] == '\r' || line[length - 1] == ' ')) {
        length--;
    }
    return length == 3 && memcmp(line, "---", 3) == 0;
}

/* Reads the documents that end in the text, and removes them. begin: the first line that was not
   inspected yet; becomes the start of the last line, which has no end. */
static bool read_documents(yaml_stream *s, size_t *begin)
{
    size_t first = 0, lines = 0; /* the document begins here; lines in it so far */
    for (size_t i = 0; i < *begin; i++) {
        lines += s->text[i] == '\n';
    }
    bool good = true;
    const char *newline;
    while (good && (newline = memchr(s->text + *begin, '\n', s->size - *begin)) != NULL) {
        const size_t next = (size_t)(newline - s->text) + 1;
        lines++;
        if (ends_document(s->text + *begin, next - 1 - *begin)) {
            const yaml_stream document = {
                .in = s->in, .m = s->m, .text = s->text + first, .line = s->line};
            good = read_document(&document, *begin - first);
            s->line += lines;
            lines = 0;
            first = next;
        }
        *begin = next;
    }
    s->size -= first;
    *begin -= first;
    memmove(s->text, s->text + first, s->size);
    return good;
}

/* Reads the documents at the end of the input. begin: the start of a last line without an end. */
static bool read_rest(yaml_stream *s, size_t begin)
{
    const size_t length = s->size - begin;
    if (s->m->rows > 0 && !is_empty(s->text + begin, length) &&
        !ends_document(s->text + begin, length)) {
        complain("%s:%zu: the last message is cut off", s->m->file, s->line + 1);
        return false;
    }
    s->text[s->size++] = '\n'; /* the last read needed more memory than this */
    return read_documents(s, &begin) && read_document(s, s->size);
}

bool joint_yaml_read(table_input *in, joint_messages *m)
{
    if (!TANDEM_HAS_YAML) {
        complain("%s: this build cannot read YAML; print the messages with 'ros2 topic echo --csv'",
                 m->file);
        return false;
    }
    yaml_stream s = {.in = in, .m = m};
    size_t begin = 0;
    bool good = true;
    ssize_t length = 1;
    reading_begin(table_input_total(in));
    while (good && length > 0) {
        if (s.capacity - s.size < BLOCK_BYTES) {
            s.capacity = 2 * s.capacity + BLOCK_BYTES;
            s.text = reallocate(s.text, s.capacity, 1);
        }
        length = table_input_read(in, s.text + s.size, BLOCK_BYTES);
        s.size += length > 0 ? (size_t)length : 0;
        reading_done(table_input_done(in));
        good = length >= 0 && read_documents(&s, &begin) && m->handler(m->context, NULL);
        if (s.size > LARGEST_DOCUMENT) {
            complain("%s:%zu: a message is larger than %d MiB", m->file, s.line + 1,
                     LARGEST_DOCUMENT >> 20);
            good = false;
        }
    }
    good = good && read_rest(&s, begin) && m->handler(m->context, NULL);
    reading_end();
    free(s.text);
    return good;
}

/* ---- recognition ----------------------------------------------------------------------------- */

/* Returns 1 if the text begins with a word, 0 if it does not, and −1 if it is too short. */
static int begins_with(const char *text, size_t size, const char *word)
{
    const size_t length = strlen(word);
    return memcmp(text, word, size < length ? size : length) != 0 ? 0 : size < length ? -1 : 1;
}

int joint_yaml_begins(const char *text, size_t size)
{
    static const char *const keys[] = {"header:", "name:"};
    const char *end = text + size;
    int found = begins_with(text, size, "\xef\xbb\xbf");
    if (found < 0) {
        return -1;
    }
    text += found > 0 ? 3 : 0;
    for (;;) {
        while (text < end && (*text == ' ' || *text == '\t' || *text == '\r' || *text == '\n')) {
            text++;
        }
        found = begins_with(text, (size_t)(end - text), "---");
        if (found <= 0 && (text == end || *text != '#')) {
            break;
        }
        text = memchr(text, '\n', (size_t)(end - text));
        if (text == NULL) {
            return -1;
        }
    }
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const size_t length = strlen(keys[i]);
        int key = begins_with(text, (size_t)(end - text), keys[i]);
        key = key > 0 && text + length == end ? -1 : key;
        if (key < 0 || (key > 0 && strchr(" \t\r\n", text[length]) != NULL)) {
            return key;
        }
    }
    return found;
}
