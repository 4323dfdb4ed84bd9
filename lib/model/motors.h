/* SPDX-License-Identifier: MIT */
/*
 * The motors that the records of transmissions describe: one per record, or one per run of records
 * with the same name and the same actuator.
 */
#ifndef TD_RECORD_MOTORS_H
#define TD_RECORD_MOTORS_H

#include <stdbool.h>

#include "model/records.h"

/* A motor. joint is the joint that it drives, and inertial the joint that has its inertia and moves
   with it; turns are the turns of its shaft per coordinate of inertial. These are the same, unless
   a motor of one joint has a shaft. Both are NULL if the motor pulls several joints and has no
   joint for its shaft. The first record has the motor's numbers. */
typedef struct td_motor {
    size_t first, end; /* its records */
    const td_transmission *record;
    const char *joint, *inertial;
    double turns;
} td_motor;

/* Sets *motor to the next motor. A motor of zeros is before the first one. Returns false after the
   last one. */
bool td_next_motor(const td_records *records, td_motor *motor);

#endif
