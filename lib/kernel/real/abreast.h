/* SPDX-License-Identifier: MIT */
/*
 * Bodies abreast: what is computed for each body by itself is computed for as many consecutive ones
 * at once as a run has reals. Their numbers are gathered from arrays with a structure a body and
 * scattered to such; with one real a run, in lanes for one, that is a copy.
 */
#ifndef TD_ABREAST_H
#define TD_ABREAST_H

#include "kernel/real/arrow.h"

_Static_assert(TD_ABREAST % TD_RUN == 0, "scratch has room for TD_ABREAST bodies at once");

typedef struct run3 {
    run x, y, z;
} run3;

TD_INLINE run3 run3_add(run3 a, run3 b)
{
    return (run3){a.x + b.x, a.y + b.y, a.z + b.z};
}

TD_INLINE run run3_dot(run3 a, run3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

TD_INLINE run3 run3_cross(run3 a, run3 b)
{
    return (run3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* R k, by the columns of R, for vectors that are constants of the bodies */
TD_INLINE run3 run3_turn_k(const run3 R[3], const double k[3][TD_ABREAST], size_t at)
{
    const run x = run_load_k(k[0] + at), y = run_load_k(k[1] + at), z = run_load_k(k[2] + at);
    return (run3){R[0].x * x + R[1].x * y + R[2].x * z, R[0].y * x + R[1].y * y + R[2].y * z,
                  R[0].z * x + R[1].z * y + R[2].z * z};
}

TD_INLINE void run3_store(run3 a, real *x, real *y, real *z)
{
    run_store(x, a.x, TD_RUN);
    run_store(y, a.y, TD_RUN);
    run_store(z, a.z, TD_RUN);
}

/* arrows, each so many bytes after the last */
#if defined(TD_REAL_DOUBLE) && TD_WIDE == 4
TD_INLINE run3 run3_gather(const arrow *from, size_t bytes)
{
    td_wide square[4];
    for (size_t k = 0; k < 4; k++)
        square[k] = *(const arrow *)((const char *)from + k * bytes);
    wide_transpose(square);
    return (run3){square[0], square[1], square[2]};
}
TD_INLINE void run3_scatter(run3 a, arrow *to, size_t bytes)
{
    td_wide square[4] = {a.x, a.y, a.z, a.z};
    wide_transpose(square);
    for (size_t k = 0; k < 4; k++)
        *(arrow *)((char *)to + k * bytes) = square[k];
}
#else
TD_INLINE run3 run3_gather(const arrow *from, size_t bytes)
{
    const size_t apart = bytes / sizeof(real);
    return (run3){run_gather(&from->x, apart), run_gather(&from->y, apart),
                  run_gather(&from->z, apart)};
}
TD_INLINE void run3_scatter(run3 a, arrow *to, size_t bytes)
{
    const size_t apart = bytes / sizeof(real);
    run_scatter(a.x, &to->x, apart);
    run_scatter(a.y, &to->y, apart);
    run_scatter(a.z, &to->z, apart);
}
#endif

/* columns, each so many bytes after the last */
#if defined(TD_REAL_DOUBLE)
TD_INLINE run3 run3_gather_columns(const col3 *from, size_t bytes)
{
    run entry[4];
    for (int part = 0; part < TD_ROW_PARTS; part++) {
        td_wide square[TD_WIDE];
        for (size_t k = 0; k < TD_WIDE; k++)
            square[k] = ((const col3 *)((const char *)from + k * bytes))->part[part];
        wide_transpose(square);
        for (int k = 0; k < TD_WIDE; k++)
            entry[part * TD_WIDE + k] = square[k];
    }
    return (run3){entry[0], entry[1], entry[2]};
}
#else
TD_INLINE run3 run3_gather_columns(const col3 *from, size_t bytes)
{
    (void)bytes;
    return (run3){from->x, from->y, from->z};
}
#endif

#endif
