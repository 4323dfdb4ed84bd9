/* SPDX-License-Identifier: MIT */
/*
 * What the page calls in WebAssembly: tandem's functions on one robot, whose vectors and matrices
 * the page reads and writes in place. Structs are laid out otherwise than on other machines and
 * grow, so the page sees none: it has numbers, arrays by their number, and a description as JSON.
 */
#ifndef VIEW_PAGE_H
#define VIEW_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "tandem/simulation.h"
#include "tandem/tandem.h"

/* X(name, its length): the arrays that the page shares. src/page.ts is made of this and of the
   prototypes below: python3 view/wasm/page_list.py. */
#define PAGE_ARRAYS(X)                                                                             \
    X(y, td_ny(m))                                                                                 \
    X(yd, td_nyd(m))                                                                               \
    X(ydd, td_nyd(m))                                                                              \
    X(tau, td_nyd(m))   /* along y */                                                              \
    X(target, td_ny(m)) /* where tv_move is to go */                                               \
    X(q, td_nq(m))                                                                                 \
    X(qd, td_nv(m))                                                                                \
    X(tree_tau, td_nv(m)) /* at every joint of the tree */                                         \
    X(G, td_nv(m) * td_nyd(m))                                                                     \
    X(poses, 12 * td_link_count(m))                                                                \
    X(reactions, 6 * td_joint_count(m)) /* forces of joints, world axes, at the child link */      \
    X(phi, td_constraint_count(m))                                                                 \
    X(com, 3)                                                                                      \
    X(energy, 3) /* kinetic, potential, work */                                                    \
    X(counts, 3) /* of the motion: steps, evaluations, steps by the method for stiff ones */       \
    X(jacobian, 6 * td_nyd(m))                                                                     \
    X(step, td_nyd(m))                                                                             \
    X(trial, td_ny(m))                                                                             \
    X(point, 3) /* of a link that is dragged: its coordinates there */                             \
    X(goal, 3)  /* where it is to go: world */                                                     \
    X(gravity, 3)                                                                                  \
    X(payloads, 10 * td_link_count(m)) /* mass, com, inertia, as td_set_payload has them */        \
    X(wrenches,                                                                                    \
      10 * page_wrench_count(m))      /* each: a link and 1 (0: none), force, moment, point */     \
    X(external, 6 * td_link_count(m)) /* their moments and forces on links, world axes, origins */ \
    X(turned, 12 * td_link_count(m))  /* poses on the way of a motion */                           \
    X(start, td_nq(m))                /* from which loops are closed, for tv_set_start */          \
    X(held, td_nyd(m))                /* ≠ 0: a drag leaves the coordinate as it is */           \
    X(pinned, td_link_count(m))       /* ≠ 0: a drag leaves the link where it is */

enum {
#define PAGE_ENUM(name, length) PAGE_##name,
    PAGE_ARRAYS(PAGE_ENUM)
#undef PAGE_ENUM
        PAGE_ARRAY_COUNT
};

/* Wrenches that there is room for: several on some links. */
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
    bool has_payloads; /* some link has had one */
    bool has_wrenches; /* some wrench acts */
    bool turning;      /* and has a moment that turns with its link */
    bool has_start;    /* loops are closed from the array start on */
    double damping;    /* N m s/rad and N s/m, of every independent coordinate, while it moves */
    int pulled_link;   /* that the hand pulls while it moves; -1: none */
    double pull;       /* N/m */
    double residual;   /* largest |φ| at the last update */
} page_state;

extern page_state page;

/* What the page calls; each is described where it is defined. Statuses are td_status. */
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

/* Gravity and payloads of the page for a workspace (state.c). */
td_status page_loads(td_workspace *workspace);
/* Wrenches of the page at poses of all links: to links × 6, in world axes at the origins. */
void page_wrenches(const double *poses, double *external);
/* Forces with those of the array external. */
td_forces page_forces(void);

/* Text that grows. */
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
text_end(page_text *t); /* the text, which is the caller's; NULL where memory was not enough */

#endif
