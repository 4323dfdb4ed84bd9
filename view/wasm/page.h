/* SPDX-License-Identifier: MIT */
/*
 * The functions that the page calls in WebAssembly. They work on one robot, and the page reads and
 * writes its vectors and matrices in place. The page never accesses structs, because their layout
 * depends on the platform and on the version. It uses numbers, indexed arrays, and a description
 * in JSON.
 */
#ifndef VIEW_PAGE_H
#define VIEW_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "tandem/simulation.h"
#include "tandem/tandem.h"

/* X(name, length): the arrays shared with the page. python3 view/wasm/page_list.py generates
   src/page.ts from this table and the prototypes below. */
#define PAGE_ARRAYS(X)                                                                             \
    X(y, td_ny(m))                                                                                 \
    X(yd, td_nyd(m))                                                                               \
    X(ydd, td_nyd(m))                                                                              \
    X(tau, td_nyd(m))   /* in independent coordinates */                                           \
    X(target, td_ny(m)) /* goal of tv_move */                                                      \
    X(q, td_nq(m))                                                                                 \
    X(qd, td_nv(m))                                                                                \
    X(tree_tau, td_nv(m)) /* in coordinates of the spanning tree */                                \
    X(G, td_nv(m) * td_nyd(m))                                                                     \
    X(poses, 12 * td_link_count(m))                                                                \
    X(reactions, 6 * td_joint_count(m)) /* joint wrenches on the child links, world axes */        \
    X(phi, td_constraint_count(m))                                                                 \
    X(com, 3)                                                                                      \
    X(energy, 3) /* kinetic, potential, work */                                                    \
    X(counts, 3) /* of the simulation: steps, evaluations, steps of the stiff method */            \
    X(jacobian, 6 * td_nyd(m))                                                                     \
    X(step, td_nyd(m))                                                                             \
    X(trial, td_ny(m))                                                                             \
    X(point, 3) /* dragged point, in its link's frame */                                           \
    X(goal, 3)  /* goal of the dragged point, in the world frame */                                \
    X(gravity, 3)                                                                                  \
    X(payloads, 10 * td_link_count(m))     /* mass, com, inertia, as in td_set_payload */          \
    X(wrenches, 10 * page_wrench_count(m)) /* each: link + 1 (0: unused), force, moment, point */  \
    X(external, 6 * td_link_count(m))      /* their sum: wrenches at link origins, world axes */   \
    X(turned, 12 * td_link_count(m))       /* link poses during a simulation */                    \
    X(start, td_nq(m))                     /* initial guess for closing loops, for tv_set_start */ \
    X(held, td_nyd(m))                     /* ≠ 0: a drag does not change this coordinate */     \
    X(pinned, td_link_count(m))            /* ≠ 0: a drag does not move this link */

enum {
#define PAGE_ENUM(name, length) PAGE_##name,
    PAGE_ARRAYS(PAGE_ENUM)
#undef PAGE_ENUM
        PAGE_ARRAY_COUNT
};

/* Returns the capacity for wrenches. A link can have more than one. */
static inline size_t page_wrench_count(const td_model *model)
{
    return td_link_count(model) + 64;
}

typedef struct page_state {
    td_model *model;
    td_workspace *workspace;
    td_diagnostics *diagnostics;
    td_simulation *simulation;
    double *array[PAGE_ARRAY_COUNT];
    bool has_payloads; /* a payload was set on some link, perhaps removed since */
    bool has_wrenches; /* some wrench acts */
    bool turning;      /* some force acts off its link's origin: its moment changes with the pose */
    bool has_start;    /* the array start is the initial guess for closing loops */
    double damping;    /* N m s/rad or N s/m, at each independent coordinate during a simulation */
    int pulled_link;   /* link that the user pulls during a simulation; -1: none */
    double pull;       /* N/m */
    double residual;   /* largest |φ| at the last update */
} page_state;

extern page_state page;

/* Functions for the page, documented at their definitions. An int result is a td_status unless
   documented otherwise. */
/* state.c */
void *tv_allocate(size_t size);
void tv_free(void *memory);
const char *tv_status_text(int status);
int tv_load(const char *text, size_t size);
int tv_ignore_limits(int on);
double *tv_array(int which);
size_t tv_length(int which);
int tv_update(void);
int tv_reactions(void);
int tv_inverse_dynamics(void);
int tv_forward_dynamics(void);
double tv_residual(void);
int tv_failed_loop(void);
int tv_move(void);
void tv_reset(void);
int tv_set_loads(void);
int tv_set_start(void);
/* drag.c */
int tv_drag_begin(int link);
double tv_drag(void);
void tv_drag_end(void);
/* play.c */
int tv_play(int passive, int stops, double rtol, double friction_velocity);
void tv_set_damping(double damping);
void tv_pull(int link, double stiffness);
int tv_advance(double t, int steps);
int tv_sample(void);
double tv_time(void);
void tv_stop(void);
/* motion.c */
int tv_motion_read(const char *name);
size_t tv_motion_rows(void);
double *tv_motion_column(size_t k);
char *tv_motion_headings(void);
/* describe.c */
char *tv_description(void);

/* Sets the page's gravity and payloads in a workspace (state.c). */
td_status page_loads(td_workspace *workspace);
/* Sums the page's wrenches on each link at the given link poses. external: links × 6, in world axes
   at the links' origins. */
void page_wrenches(const double *poses, double *external);
/* Returns forces with the wrenches of the array external. */
td_forces page_forces(void);

/* A growing string. */
typedef struct page_text {
    char *text;
    size_t size, room;
    bool failed;
} page_text;

void text_put(page_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_string(page_text *t, const char *string); /* quoted for JSON; null for NULL */
void text_number(page_text *t, double x);           /* null where not finite */
void text_numbers(page_text *t, const double *x, size_t n);
char *
text_end(page_text *t); /* returns the string, which the caller frees; NULL if memory ran out */

#endif
