/* SPDX-License-Identifier: MIT */
/*
 * Tests bounding boxes of meshes. The box of random triangles from binary STL, text STL and OBJ is
 * compared with the vertices. Truncated and damaged files lie in memory of exactly their size.
 */
#include <check.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../tools/meshes/mesh_bounds.h"
#include "run.h"

enum { TRIANGLES = 7, ROOM = 8192 };

typedef struct drawing {
    float vertex[TRIANGLES][3][3];
    double low[3], high[3];
} drawing;

static uint64_t state = 31;

static uint64_t next_random(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state >> 33;
}

static drawing draw(void)
{
    drawing d = {.low = {INFINITY, INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY, -INFINITY}};
    for (int t = 0; t < TRIANGLES; t++)
        for (int v = 0; v < 3; v++)
            for (int i = 0; i < 3; i++) {
                const float x = (float)next_random() / 1e9f - 1;
                d.vertex[t][v][i] = x;
                d.low[i] = fmin(d.low[i], (double)x);
                d.high[i] = fmax(d.high[i], (double)x);
            }
    return d;
}

static size_t write_binary(const drawing *d, char *out, const char *header)
{
    const uint32_t count = TRIANGLES;
    memset(out, 0, 84);
    memcpy(out, header, strlen(header));
    memcpy(out + 80, &count, 4);
    for (int t = 0; t < TRIANGLES; t++) {
        memset(out + 84 + 50 * t, 0x7f, 50); /* the normal is ignored */
        memcpy(out + 84 + 50 * t + 12, d->vertex[t], 36);
    }
    return 84 + 50 * TRIANGLES;
}

static size_t write_text(const drawing *d, char *out)
{
    int used = snprintf(out, ROOM, "solid vertex\n");
    for (int t = 0; t < TRIANGLES; t++) {
        used += snprintf(out + used, (size_t)(ROOM - used), "facet normal 9 9 9\n outer loop\n");
        for (int v = 0; v < 3; v++)
            used += snprintf(out + used, (size_t)(ROOM - used), "  vertex %.9g %.9g\t%.9g\r\n",
                             (double)d->vertex[t][v][0], (double)d->vertex[t][v][1],
                             (double)d->vertex[t][v][2]);
        used += snprintf(out + used, (size_t)(ROOM - used), " endloop\nendfacet\n");
    }
    return (size_t)used + (size_t)snprintf(out + used, (size_t)(ROOM - used), "endsolid\n");
}

static size_t write_obj(const drawing *d, char *out)
{
    int used = snprintf(out, ROOM, "# v 9 9 9\nmtllib v\n");
    for (int t = 0; t < TRIANGLES; t++)
        for (int v = 0; v < 3; v++)
            used += snprintf(out + used, (size_t)(ROOM - used),
                             "%sv %.9g %.9g %.9g 0.5 0.5 0.5\nvn 9 9 9\nvt 9 9\n", v ? "" : "  ",
                             (double)d->vertex[t][v][0], (double)d->vertex[t][v][1],
                             (double)d->vertex[t][v][2]);
    return (size_t)used + (size_t)snprintf(out + used, (size_t)(ROOM - used), "f 1 2 3\n");
}

/* Computes bounds from memory of exactly size bytes, so that sanitizers detect reads beyond the
   end. */
static bool bounds(const char *type, const char *text, size_t size, double low[3], double high[3])
{
    unsigned char *bytes = malloc(size + 1);
    memcpy(bytes, text, size);
    bytes[size] = 0;
    bool good = mesh_bounds(type, bytes, size, low, high);
    free(bytes);
    return good;
}

static size_t write_kind(int kind, const drawing *d, char *out)
{
    return kind == 0   ? write_binary(d, out, "exported")
           : kind == 1 ? write_binary(d, out, "solid by a careless program")
           : kind == 2 ? write_text(d, out)
                       : write_obj(d, out);
}

TD_LOOP_TEST(box_is_that_of_the_vertices, 0, 4)
{
    static char text[ROOM];
    for (int round = 0; round < 50; round++) {
        const drawing d = draw();
        double low[3], high[3];
        size_t size = write_kind(_i, &d, text);
        ck_assert(bounds(_i < 3 ? "stl" : "obj", text, size, low, high));
        for (int i = 0; i < 3; i++) {
            /* nine digits restore the float, though not the same double */
            ck_assert_double_le(fabs(low[i] - d.low[i]), 1e-8 * fabs(d.low[i]));
            ck_assert_double_le(fabs(high[i] - d.high[i]), 1e-8 * fabs(d.high[i]));
        }
    }
}

/* Truncated files cause no read beyond their end. A binary file that lacks a byte has no box. */
TD_LOOP_TEST(cut_off_is_no_harm, 0, 4)
{
    static char text[ROOM];
    const drawing d = draw();
    double low[3], high[3];
    size_t whole = write_kind(_i, &d, text);
    for (size_t size = 0; size < whole; size++) {
        bool good = bounds(_i < 3 ? "stl" : "obj", text, size, low, high);
        ck_assert(!good || _i >= 2);
    }
}

TD_LOOP_TEST(damage_is_no_harm, 0, 4)
{
    static char text[ROOM];
    for (int round = 0; round < 4000; round++) {
        const drawing d = draw();
        double low[3], high[3];
        size_t size = write_kind(_i, &d, text);
        for (uint64_t k = 0; k <= next_random() % 6; k++)
            text[next_random() % (k == 0 && _i < 2 ? 84 : size)] = (char)next_random();
        if (bounds(_i < 3 ? "stl" : "obj", text, size, low, high))
            for (int i = 0; i < 3; i++)
                ck_assert(isfinite(low[i]) && isfinite(high[i]) && low[i] <= high[i]);
    }
}

TD_TEST(what_is_no_mesh_has_no_box)
{
    static const struct {
        const char *type, *text;
    } cases[] = {
        {"stl", ""},
        {"obj", ""},
        {"stl", "solid"},
        {"stl", "solid x\n"},
        {"obj", "v"},
        {"obj", "v 1 2"},
        {"obj", "v 1 2 nan"},
        {"obj", "v 1e999 2 3"},
        {"stl", "solid\nvertex 1 2"},
        {"obj", "vertex 1 2 3"},
        {"dae", "v 1 2 3"},
    };
    double low[3], high[3];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_msg(!bounds(cases[i].type, cases[i].text, strlen(cases[i].text), low, high), "%s",
                      cases[i].text);
}
