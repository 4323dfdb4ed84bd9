/* SPDX-License-Identifier: MIT */
/*
 * Reads and writes arrays in NumPy's format; see npy.h. A file begins with "\x93NUMPY", two bytes
 * of version, the length of the heading, and the heading, which is a Python dictionary:
 *
 *   {'descr': '<f8', 'fortran_order': False, 'shape': (1000, 21), }
 *   {'descr': [('t', '<f8'), ('q:elbow', '<f8')], 'fortran_order': False, 'shape': (1000,), }
 *
 * '<' means little-endian and '>' big-endian. Both are read; only '<' is written.
 */
#include "input/npy.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

enum { MAGIC = 6, LONGEST_HEADING = 1 << 20, MOST_COLUMNS = 1 << 20, MOST_EMPTY = 1 << 12 };

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
static const char own_order = '>';
#else
static const char own_order = '<';
#endif

static const char magic[MAGIC] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};

bool npy_is_path(const char *path)
{
    size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".npy") == 0;
}

/* ---- the heading ----------------------------------------------------------------------------- */

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t\r\n");
}

/* Returns the text after the Python string that begins here. */
static const char *skip_string(const char *text)
{
    const char quote = *text++;
    while (*text != '\0' && *text != quote) {
        text += *text == '\\' && text[1] != '\0' ? 2 : 1;
    }
    return *text == quote ? text + 1 : text;
}

/* Returns the text after a key of the dictionary, or NULL. Skips strings, since a field may have
   the name of a key. */
static const char *value_of(const char *heading, const char *key)
{
    const size_t length = strlen(key);
    for (const char *text = heading; *(text += strcspn(text, "'\"")) != '\0';) {
        const char *end = skip_string(text), *next = skip_blanks(end);
        if ((size_t)(end - text) == length + 2 && strncmp(text + 1, key, length) == 0 &&
            *next == ':') {
            return skip_blanks(next + 1);
        }
        text = end;
    }
    return NULL;
}

/* Returns the character of an escape sequence as Python's repr writes it. Moves *text to the last
   byte of the sequence. */
static unsigned read_escape(const char **text)
{
    static const char letters[] = "ntr", codes[] = "\n\t\r", kinds[] = "xuU";
    static const int digits[] = {2, 4, 8};
    const char *letter = strchr(letters, **text), *kind = strchr(kinds, **text);
    if (letter != NULL) {
        return (unsigned char)codes[letter - letters];
    }
    if (kind != NULL) {
        char code_text[9] = "", *end;
        const int count = digits[kind - kinds];
        strncpy(code_text, *text + 1, (size_t)count);
        const unsigned long code = strtoul(code_text, &end, 16);
        if (end == code_text + count && code > 0 && code <= 0x10ffff) {
            *text += count;
            return (unsigned)code;
        }
    }
    return (unsigned char)**text;
}

/* Reads a Python string in either kind of quotes into a new UTF-8 string. Moves *text past it. */
static char *read_string(const npy_input *in, const char **text)
{
    const char quote = **text;
    if (quote != '\'' && quote != '"') {
        return NULL;
    }
    const char *end = *text + 1;
    while (*end != '\0' && *end != quote) {
        end += *end == '\\' && end[1] != '\0' ? 2 : 1;
    }
    char *copy = allocate(2 * (size_t)(end - *text), 1); /* a Latin-1 letter may take two bytes in
                                                            UTF-8 */
    size_t length = 0;
    for ((*text)++; **text != '\0' && **text != quote; (*text)++) {
        if (**text == '\\' && (*text)[1] != '\0') {
            (*text)++;
            length += character_write(read_escape(text), copy + length);
        } else if (in->latin) {
            length += character_write((unsigned char)**text, copy + length);
        } else {
            copy[length++] = **text;
        }
    }
    if (**text == quote) {
        (*text)++;
        return copy;
    }
    free(copy);
    return NULL;
}

/* Returns whether a type is double or float and equal to the type of the previous fields. */
static bool is_number(npy_input *array, const char *type)
{
    if (type == NULL) {
        return false;
    }
    const bool turned = *type == (own_order == '<' ? '>' : '<');
    const char *size = turned || *type == own_order || *type == '=' ? type + 1 : type;
    const bool single = strcmp(size, "f4") == 0;
    const bool same = array->columns == 0 || (single == array->single && turned == array->turned);
    array->single = single;
    array->turned = turned;
    return same && (single || strcmp(size, "f8") == 0);
}

/* Reverses the byte order of count numbers. */
static void turn_bytes(char *at, size_t count, size_t bytes)
{
    for (size_t i = 0; i < count; i++, at += bytes) {
        for (size_t k = 0; k < bytes / 2; k++) {
            const char byte = at[k];
            at[k] = at[bytes - 1 - k];
            at[bytes - 1 - k] = byte;
        }
    }
}

/* Reads fields: [('name', '<f8'), ...]. */
static bool read_fields(npy_input *array, const char *text)
{
    text = skip_blanks(text + 1);
    while (*text == '(') {
        text = skip_blanks(text + 1);
        char *name = read_string(array, &text);
        text = skip_blanks(text);
        text = *text == ',' ? skip_blanks(text + 1) : text;
        scoped char *type = name != NULL ? read_string(array, &text) : NULL;
        bool good = is_number(array, type);
        text = skip_blanks(text);
        if (!good || *text != ')' || array->columns == MOST_COLUMNS) {
            free(name);
            return false;
        }
        array->column = reallocate(array->column, array->columns + 1, sizeof *array->column);
        array->column[array->columns++] = name;
        text = skip_blanks(text + 1);
        text = *text == ',' ? skip_blanks(text + 1) : text;
    }
    return *text == ']' && array->columns > 0;
}

/* Reads (rows, columns) or (rows,). Returns the number of dimensions, or −1 for other shapes. */
static int read_shape(const char *text, size_t shape[2])
{
    int dimensions = 0;
    if (*text++ != '(') {
        return -1;
    }
    for (text = skip_blanks(text); *text >= '0' && *text <= '9'; text = skip_blanks(text)) {
        char *end;
        errno = 0;
        unsigned long long size = strtoull(text, &end, 10);
        if (dimensions == 2 || errno != 0 || size > SIZE_MAX / 8) {
            return -1;
        }
        shape[dimensions++] = (size_t)size;
        text = skip_blanks(end);
        text += *text == ',' ? 1 : 0;
    }
    return *text == ')' ? dimensions : -1;
}

static const char *read_dictionary(npy_input *array, const char *heading)
{
    const char *type = value_of(heading, "descr"), *order = value_of(heading, "fortran_order");
    const char *shape = value_of(heading, "shape");
    size_t size[2] = {0, 0};
    int dimensions = shape != NULL ? read_shape(shape, size) : -1;
    if (type == NULL || order == NULL || dimensions < 1) {
        return "its header is not a NumPy header";
    }
    bool records = *type == '[';
    if (records ? !read_fields(array, type) : *type != '\'') {
        return "its numbers must all be doubles (f8) or all floats (f4), with one byte order";
    }
    if (!records) {
        scoped char *word = read_string(array, &type);
        bool good = is_number(array, word);
        if (!good) {
            return "its numbers must be doubles (f8) or floats (f4)";
        }
    }
    if (dimensions != (records ? 1 : 2)) {
        return records ? "an array of records must have one dimension"
                       : "an array of states must have two dimensions";
    }
    if (!records && strncmp(order, "False", 5) != 0 && size[0] > 1) {
        return "it is stored by columns (use numpy.ascontiguousarray)";
    }
    array->rows = size[0];
    array->columns = records ? array->columns : size[1];
    /* a file without rows can claim any number of columns, so the limit is lower */
    const size_t most = array->rows == 0 ? MOST_EMPTY : MOST_COLUMNS;
    return array->columns > most ? array->rows == 0 ? "it has no rows, and more than 4096 columns"
                                                    : "it has more than 2^20 columns"
           : array->columns == 0 ? "it has no columns"
                                 : NULL;
}

static const char *read_heading(npy_input *array, bool *told)
{
    unsigned char start[MAGIC + 2], size[4] = {0, 0, 0, 0};
    if (!table_input_fill(array->in, start, sizeof start, told) ||
        memcmp(start, magic, MAGIC) != 0) {
        return "it is not a NumPy file";
    }
    size_t bytes = start[MAGIC] == 1 ? 2 : 4;
    if (start[MAGIC] < 1 || start[MAGIC] > 3 || !table_input_fill(array->in, size, bytes, told)) {
        return "its NumPy format version is unknown";
    }
    array->latin = start[MAGIC] < 3;
    size_t length = size[0] | (size_t)size[1] << 8 | (size_t)size[2] << 16 | (size_t)size[3] << 24;
    if (length > LONGEST_HEADING) {
        return "its header is too long";
    }
    scoped char *heading = allocate(length + 1, 1);
    const char *fault =
        table_input_fill(array->in, heading, length, told) && strlen(heading) == length
            ? read_dictionary(array, heading)
            : "its header is cut off";
    return fault;
}

bool npy_open(npy_input *array, table_input *in, const char *name)
{
    *array = (npy_input){.in = in, .name = name};
    bool told = false;
    const char *fault = read_heading(array, &told);
    if (fault != NULL && !told) {
        complain("%s: %s", name, fault);
    }
    if (fault != NULL) {
        npy_close(array);
    }
    return fault == NULL;
}

size_t npy_read(npy_input *array, double *values, size_t rows, bool *good)
{
    rows = rows < array->rows ? rows : array->rows;
    size_t count = rows * array->columns;
    const size_t bytes = array->single ? sizeof(float) : sizeof(double);
    char *end = (char *)(values + count) - count * bytes; /* read floats into the second half, then
                                                             convert them in place */
    bool told = false;
    if (!table_input_fill(array->in, end, count * bytes, &told)) {
        if (!told) {
            complain("%s: the file ends before its last row", array->name);
        }
        *good = false;
        return 0;
    }
    if (array->turned) {
        turn_bytes(end, count, bytes);
    }
    for (size_t i = 0; i < count && array->single; i++) {
        float x;
        memcpy(&x, end + i * bytes, bytes);
        values[i] = (double)x;
    }
    array->rows -= rows;
    return rows;
}

void npy_close(npy_input *array)
{
    for (size_t i = 0; array->column != NULL && i < array->columns; i++) {
        free(array->column[i]);
    }
    free(array->column);
    array->column = NULL;
}

/* ---- output ---------------------------------------------------------------------------------- */

/* Writes a name as a Python string. Sets *plain to false if it has characters outside ASCII. */
static void put_name(FILE *file, const char *name, bool *plain)
{
    fputc('\'', file);
    while (*name != '\0') {
        unsigned code;
        const size_t length = character_read(name, &code);
        if (length == 0 || code < 0x20 || code == 0x7f) {
            fprintf(file, "\\x%02x", length == 0 ? (unsigned char)*name : code);
        } else {
            fputs(code == '\'' || code == '\\' ? "\\" : "", file);
            fwrite(name, 1, length, file);
        }
        *plain = *plain && length == 1;
        name += length > 0 ? length : 1;
    }
    fputc('\'', file);
}

/* Returns the dictionary in a new string, and in *plain whether it is ASCII. */
static char *dictionary(const npy_output *out, size_t rows, bool *plain)
{
    *plain = true;
    text_stream text;
    text_open(&text);
    FILE *file = text.stream;
    fputs("{'descr': ", file);
    for (size_t i = 0; out->name != NULL && i < out->columns; i++) {
        fputs(i > 0 ? ", (" : "[(", file);
        put_name(file, out->name[i], plain);
        fputs(", '<f8')", file);
    }
    fputs(out->name != NULL ? "]" : "'<f8'", file);
    fputs(", 'fortran_order': False, 'shape': ", file);
    if (out->name != NULL) {
        fprintf(file, "(%zu,), }", rows);
    } else {
        fprintf(file, "(%zu, %zu), }", rows, out->columns);
    }
    return text_close(&text);
}

/* Writes the heading at the start of the file. Its length stays the length of the first heading,
   which leaves space for the largest number of rows. Format versions: 1 for short, 2 for long, 3
   for UTF-8 headings. */
static bool put_heading(npy_output *out, size_t rows)
{
    enum { ALIGNMENT = 64, SHORT = 65535 };
    bool plain;
    scoped char *text = dictionary(out, rows, &plain);
    size_t before = MAGIC + 2 + 2, length = strlen(text) + 1;
    if (out->heading == 0) {
        before += !plain || 2 * before + length + ALIGNMENT > SHORT ? 2 : 0;
        out->heading = (before + length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
    const bool two = !plain || out->heading - MAGIC - 4 > SHORT;
    before = MAGIC + 2 + (two ? 4 : 2);
    length = out->heading - before;
    const unsigned char rest[6] = {!plain ? 3
                                   : two  ? 2
                                          : 1,
                                   0,
                                   (unsigned char)(length & 255),
                                   (unsigned char)(length >> 8 & 255),
                                   (unsigned char)(length >> 16 & 255),
                                   (unsigned char)(length >> 24)};
    FILE *stream = out->file.stream;
    const bool begun = fseek(stream, 0, SEEK_SET) == 0;
    fwrite(magic, 1, MAGIC, stream);
    fwrite(rest, 1, two ? 6 : 4, stream);
    fprintf(stream, "%-*s\n", (int)length - 1, text);
    return begun && ferror(stream) == 0;
}

/* Writes the heading. On failure prints a message, removes the file and returns false. */
static bool has_heading(npy_output *out, size_t rows)
{
    const bool good = put_heading(out, rows);
    if (!good) {
        complain("%s: %s", out->file.name, strerror(errno));
        output_drop(&out->file);
    }
    return good;
}

bool npy_create(npy_output *out, const char *path, const char *const *name, size_t columns)
{
    *out = (npy_output){.name = name, .columns = columns};
    if (!output_open(&out->file, path)) {
        return false;
    }
    if (out->file.path == NULL) {
        complain("%s: an array must go into a regular file, because its header is written last",
                 path);
        output_drop(&out->file);
        return false;
    }
    return has_heading(out, SIZE_MAX);
}

bool npy_write(npy_output *out, const double *values, size_t count)
{
    out->written += count;
    if (own_order == '<') {
        return fwrite(values, sizeof *values, count, out->file.stream) == count;
    }
    enum { AT_ONCE = 512 };
    for (size_t done = 0; done < count; done += AT_ONCE) {
        const size_t part = count - done < AT_ONCE ? count - done : AT_ONCE;
        double turned[AT_ONCE];
        memcpy(turned, values + done, part * sizeof *turned);
        turn_bytes((char *)turned, part, sizeof *turned);
        if (fwrite(turned, sizeof *turned, part, out->file.stream) != part) {
            return false;
        }
    }
    return true;
}

bool npy_finish(npy_output *out, bool good)
{
    const size_t rows = out->columns > 0 ? out->written / out->columns : 0;
    if (!good) {
        output_drop(&out->file);
        return false;
    }
    return has_heading(out, rows) && output_close(&out->file);
}
