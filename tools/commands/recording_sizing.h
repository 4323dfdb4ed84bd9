/* SPDX-License-Identifier: MIT */
/*
 * What motors must give in a motion, and the limits that it breaks: the numbers of the report of
 * tandem recording.
 */
#ifndef TOOL_RECORDING_SIZING_H
#define TOOL_RECORDING_SIZING_H

#include "commands/contributions.h"
#include "commands/recording.h"

/* A number with its time: the row. */
typedef struct extreme {
    double value;
    size_t row;
} extreme;

typedef struct motor_size {
    const char *name;
    bool turns;           /* N m and rad/s, else N and m/s */
    int coordinate;       /* of ẏ, −1 where the motor is at none */
    extreme force, speed; /* of the largest magnitude, with sign */
    double force_rms, speed_rms;
    double force_error;         /* standard error by noise that is left; NaN: not known */
    extreme power, power_least; /* W, of the motor: the largest and the least, with sign */
    double given, taken;        /* J: ∫ of positive and of negative power */
    bool found;                 /* worst must be freed */
    bool explained;             /* parts of the largest force */
    contributions worst;        /* at the row of force, of the coordinate */
    double passive;             /* what joints' passive forces add to it */
    double cables, wrenches;    /* what the options' forces add to it */
    double springs;             /* what springs between links add to it */
} motor_size;

typedef enum violated {
    VIOLATED_POSITION,
    VIOLATED_VELOCITY,
    VIOLATED_ACCELERATION,
    VIOLATED_EFFORT
} violated;

/* Rows on end in which a joint is beyond a limit. */
typedef struct violation {
    const char *name; /* joint or motor */
    violated kind;
    bool turns;
    size_t first, last;
    extreme worst;
    double limit;
} violation;

/* A follower's column against what it follows. */
typedef struct deviation {
    const char *name;
    bool turns;
    extreme largest; /* recorded − computed */
} deviation;

typedef struct sizing {
    const recorded_result *m;
    motor_size *motor;
    size_t motors;
    violation *violation;
    size_t violations;
    deviation *deviation;
    size_t deviations;
} sizing;

sizing sizing_new(const recorded_result *m);
void sizing_free(sizing *z);

const char *violated_text(violated kind);
/* "N m", "rad/s", ... of a quantity of what turns or slides: 0 position, 1 velocity, 2
   acceleration, 3 force. */
const char *sizing_unit(bool turns, int order);

#endif
