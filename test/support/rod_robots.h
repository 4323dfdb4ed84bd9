/* SPDX-License-Identifier: MIT */
/*
 * Robots whose rods turn about the lines of their ends: a crank, a rod and a slider, and platforms
 * on six rods.
 */
#ifndef ROD_ROBOTS_H
#define ROD_ROBOTS_H

#include "td_test.h"

enum { MOST_OF_RODS = 40 };

/* A crank, a rod along x and a slider. The rod's three joints at the crank have a common point. */
typedef struct crank_rod {
    const char *name;
    size_t spins;
    bool massless;
    double inertia[6], offset; /* offset: of the center of mass, along y */
    td_loop_type end;
    double damping, friction, stiffness; /* of rx */
    const char *order;                   /* of the joints at the crank: axes */
    bool lower;                          /* the link before the rod has mass */
    bool weight;                         /* a weight slides on the rod, across it */
    bool floating;
} crank_rod;

/* The first ones have idle rods, and of these the first have a fixed base and their rod alone. */
enum { ROD_ROBOTS = 15, IDLE_ROD_ROBOTS = 7, PLAIN_ROD_ROBOTS = 4 };
extern const crank_rod rod_robots[ROD_ROBOTS];

td_builder *build_crank_rod(const crank_rod *robot);

/* A platform on six rods between cranks and the platform, with ball joints or three joints at each
   crank. Some legs have three independent coordinates, so that directions have several entries.
   moment: of the rods about their lines. */
td_builder *build_hexapod(double moment, bool ball);

/* Adds a link; without inertia if mass is 0. */
void add_body(td_builder *builder, const char *name, double mass, const double com[3],
              const double inertia[6]);
/* Loads a robot with motors at the crank (first = 0) or the cranks (first = 1); by default for
   motors = 0. */
td_model *load_rods(const td_builder *builder, size_t first, size_t motors, bool floating);

/* Draws y near the reference at which the loops close. */
void draw_rods(td_random *random, const td_model *model, td_workspace *w, double *y);

#endif
