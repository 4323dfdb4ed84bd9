/* SPDX-License-Identifier: MIT */
/*
 * Computes bounds of meshes; see mesh_bounds.h.
 */
#include "meshes/mesh_bounds.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "input/decimal.h"

enum { STL_HEADER = 84, STL_TRIANGLE = 50, STL_NORMAL = 12, STL_VERTEX = 12 };

static bool include(const double point[3], double low[3], double high[3])
{
    for (size_t i = 0; i < 3; i++) {
        if (!isfinite(point[i])) {
            return false;
        }
        low[i] = fmin(low[i], point[i]);
        high[i] = fmax(high[i], point[i]);
    }
    return true;
}

static uint32_t little_endian(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

static double single(const unsigned char *bytes)
{
    const uint32_t bits = little_endian(bytes);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static bool binary_bounds(const unsigned char *bytes, size_t triangles, double low[3],
                          double high[3])
{
    for (size_t t = 0; t < triangles; t++) {
        const unsigned char *vertex = bytes + STL_HEADER + t * STL_TRIANGLE + STL_NORMAL;
        for (size_t v = 0; v < 3; v++, vertex += STL_VERTEX) {
            const double point[3] = {single(vertex), single(vertex + 4), single(vertex + 8)};
            if (!include(point, low, high)) {
                return false;
            }
        }
    }
    return triangles > 0;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Reads three numbers. Returns the text after them, or NULL on failure. */
static const char *read_point(const char *text, double point[3])
{
    for (size_t i = 0; i < 3 && text != NULL; i++) {
        while (is_blank(*text)) {
            text++;
        }
        text = decimal_read(text, &point[i]);
    }
    return text;
}

/* Computes the bounds of the points after each keyword. at_line: only keywords at the beginning of
   a line count, otherwise all words. The text ends at the first NUL. */
static bool text_bounds(const char *text, const char *keyword, bool at_line, double low[3],
                        double high[3])
{
    const size_t length = strlen(keyword);
    bool found = false;
    bool begins = true; /* the beginning of a line, or of a word */
    while (*text != '\0') {
        double point[3];
        if (begins && strncmp(text, keyword, length) == 0 && is_blank(text[length])) {
            const char *rest = read_point(text + length, point);
            if (rest != NULL && !include(point, low, high)) {
                return false;
            }
            found = found || rest != NULL; /* otherwise the word is a name, or the file is
                                              truncated */
            text = rest != NULL ? rest : text + length;
            begins = false;
            continue;
        }
        begins = *text == '\n' || (is_blank(*text) && (!at_line || begins));
        text++;
    }
    return found;
}

bool mesh_bounds(const char *type, const unsigned char *bytes, size_t size, double low[3],
                 double high[3])
{
    for (size_t i = 0; i < 3; i++) {
        low[i] = INFINITY;
        high[i] = -INFINITY;
    }
    if (strcmp(type, "obj") == 0) {
        return text_bounds((const char *)bytes, "v", true, low, high);
    }
    if (strcmp(type, "stl") != 0) {
        return false;
    }
    /* headers of binary files may also begin with "solid"; the file size decides */
    const size_t room = size < STL_HEADER ? 0 : (size - STL_HEADER) / STL_TRIANGLE;
    const size_t triangles = size < STL_HEADER ? 0 : little_endian(bytes + STL_HEADER - 4);
    const bool text = size >= 5 && memcmp(bytes, "solid", 5) == 0;
    if (size >= STL_HEADER && triangles <= room &&
        (!text || size - STL_HEADER == triangles * STL_TRIANGLE)) {
        return binary_bounds(bytes, triangles, low, high);
    }
    return text && text_bounds((const char *)bytes, "vertex", false, low, high);
}
