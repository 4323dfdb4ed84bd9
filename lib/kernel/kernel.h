/* SPDX-License-Identifier: MIT */
/*
 * The door between the library and its kernels. A table of kernels exists for every pair of
 * instruction set and `real`; `real` crosses this door by pointer only, as void *. All arrays of
 * reals hold one real per entry (lanes side by side), in memory aligned for it.
 */
#ifndef TD_KERNEL_H
#define TD_KERNEL_H

#include "tree.h"

/* A sparse matrix by compressed rows, constant. */
typedef struct td_csr {
    int rows, columns;
    int *row;
    int *column;
    double *value;
} td_csr;

/* What the kernels write to, carved once from the workspace (see workspace.c for the sizes). */
typedef struct td_scratch {
    /* coordinates of the tree; used where the caller's arrays cannot serve directly */
    void *y, *yd, *ydd, *q, *qd, *qdd, *tau, *tau_y, *out;
    void *angle, *sine, *cosine; /* per slot */
    void *rotation;     /* bodies × mat3: E, from the parent's coordinates to the body's */
    void *offset;       /* bodies × vec3: ρ, the body's origin in the parent's frame */
    void *velocity;     /* bodies × vec3: ω */
    void *acceleration; /* bodies × (vec3 α, vec3 a, mat3 B) */
    void *force;        /* bodies × (vec3 moment, vec3 force) */
    void *wrench;       /* bodies × (vec3 moment, vec3 force): external, body coordinates */
    void *pose;         /* bodies × (mat3 R, vec3 p): in the world */
    void *zeros;        /* nv zeros, for a velocity or acceleration that is not given */
} td_scratch;

/* How wrenches on links are expressed; the values of td_frame. */
enum { TD_WRENCH_WORLD, TD_WRENCH_BODY, TD_WRENCH_WORLD_ALIGNED };

typedef struct td_kernels {
    const char *isa;
    size_t lanes;
    size_t real_size; /* bytes of one real */

    /* ---- transfer: between doubles, row per state, and reals --------------------------------- */
    /* dst[i] lane l = src[l * columns + i]; lanes past rows repeat the last row */
    void (*load)(void *dst, const double *src, size_t columns, size_t rows);
    void (*store)(double *dst, const void *src, size_t columns, size_t rows);
    void (*zero)(void *dst, size_t count);
    /* out = A x + b (b NULL: none); out = Aᵀ x */
    void (*affine)(const td_csr *A, const double *b, const void *x, void *out);
    void (*transposed)(const td_csr *A, const void *x, void *out);

    /* ---- the tree ---------------------------------------------------------------------------- */
    /* what in the scratch depends on the tree alone; once per workspace, before all others */
    void (*prepare)(const td_tree *tree, const td_scratch *s);
    /* q → rotation, offset */
    void (*place)(const td_tree *tree, const td_scratch *s, const void *q);
    /* rotation, offset → pose */
    void (*poses)(const td_tree *tree, const td_scratch *s);
    /* pose → links × 12 reals */
    void (*link_poses)(const td_tree *tree, const td_scratch *s, void *out);
    /* pose → 3 reals */
    void (*center_of_mass)(const td_tree *tree, const td_scratch *s, void *out);
    /* wrenches on links (links × 6 doubles) → wrench; in world frames it needs pose */
    void (*wrenches)(const td_tree *tree, const td_scratch *s, const double *wrenches, int frame);
    /* rotation, offset, wrench (if loaded) → tau */
    void (*rnea)(const td_tree *tree, const td_scratch *s, const void *qd, const void *qdd,
                 int loaded, void *tau);
} td_kernels;

#endif
