/* SPDX-License-Identifier: MIT */
/*
 * Requirements on motors in a motion and violations of limits: the numbers in the report of tandem
 * recording.
 */
#ifndef TOOL_RECORDING_SIZING_H
#define TOOL_RECORDING_SIZING_H

#include "commands/contributions.h"
#include "commands/recording.h"

/* A number and the row in which it occurs. */
typedef struct extreme {
    double value;
    size_t row;
} extreme;

typedef struct motor_size {
    const char *name;
    bool turns;           /* N m and rad/s; false: N and m/s */
    size_t motor;         /* index into u; TD_NONE for a coordinate without a motor */
    int coordinate;       /* index into ẏ, −1 if the motor acts on none */
    extreme force, speed; /* values of largest magnitude, with sign */
    double force_rms, speed_rms;
    double force_error;         /* standard error due to the remaining noise; NaN: unknown */
    extreme power, power_least; /* W: maximum and minimum of the motor's power */
    double given, taken;        /* J: integrals of positive and of negative power */
    bool found;                 /* worst must be freed */
    bool explained;             /* the parts add up to the largest force */
    contributions worst;        /* of the coordinate, at the row of the largest force */
    double passive;             /* part due to joints' passive forces */
    double cables, wrenches;    /* parts due to the options' forces */
    double springs;             /* part due to springs between links */
} motor_size;

typedef enum violated {
    VIOLATED_POSITION,
    VIOLATED_VELOCITY,
    VIOLATED_ACCELERATION,
    VIOLATED_EFFORT,
    VIOLATED_POWER
} violated;

/* Consecutive rows in which a joint is beyond a limit. */
typedef struct violation {
    const char *name; /* joint or motor */
    violated kind;
    bool turns;
    size_t first, last;
    extreme worst;
    double limit;
} violation;

/* The deviation of a follower's column from its computed position. */
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
/* Returns the unit of a quantity: "N m", "rad/s", ... order: 0 position, 1 velocity, 2
   acceleration, 3 force. */
const char *sizing_unit(bool turns, int order);

#endif
