/* SPDX-License-Identifier: MIT */
/*
 * Replaces invalid numbers of transmissions by defaults, both for files and for robots built in C,
 * and finds the limits of the motors of each joint.
 */
#include <math.h>

#include "load/build.h"
#include "model/motors.h"

/* A number of a transmission, and what it may be. */
typedef struct number {
    double *value;
    const char *what, *remedy;
    bool nonzero, positive;
    bool of_motor;     /* all records of a motor have the same */
    double by_default; /* NaN is valid if it is the default */
} number;

enum { NUMBERS = 9 };

static void list_numbers(td_transmission *t, number list[NUMBERS])
{
    static const char turns[] = "give the number of motor turns per turn of the joint";
    static const char limit[] = "give a positive number, or none if there is no limit";
    const number all[NUMBERS] = {
        {&t->mechanical_reduction, "mechanical reduction", turns, true, false, true, 1},
        {&t->ratio, "ratio", "give the motion of the motor per motion of the joint", true, false,
         false, 1},
        {&t->rotor_inertia, "rotor inertia", "give a value of 0 or more, in kg m²", false, true,
         true, 0},
        {&t->offset, "offset", "give a finite number", false, false, true, 0},
        {&t->damping, "damping", "give a value of 0 or more, in N m s/rad", false, true, true, 0},
        {&t->friction, "friction", "give a value of 0 or more, in N m", false, true, true, 0},
        {&t->effort_limit, "effort limit", limit, true, true, true, NAN},
        {&t->velocity_limit, "velocity limit", limit, true, true, true, NAN},
        {&t->power_limit, "power limit", limit, true, true, true, NAN},
    };
    for (int n = 0; n < NUMBERS; n++)
        list[n] = all[n];
}

static const char *title_of(const td_transmission *record)
{
    return record->name ? record->name : "";
}

static void check_numbers(td_build *build, td_transmission *record)
{
    number list[NUMBERS];
    list_numbers(record, list);
    for (int n = 0; n < NUMBERS; n++) {
        double *value = list[n].value;
        if (isnan(*value) && isnan(list[n].by_default))
            continue;
        if (isfinite(*value) && !(list[n].nonzero && *value == 0) &&
            !(list[n].positive && *value < 0))
            continue;
        td_report(build->diagnostics, TD_CODE_TRANSMISSION_NUMBER, record->source, list[n].remedy,
                  "transmission '%s' has an invalid %s, %.9g; ignored", title_of(record),
                  list[n].what, *value);
        *value = list[n].by_default;
    }
}

/* Gives all records of a motor the numbers of the first one, and reports differences. */
static void unify(td_build *build, const td_motor *motor)
{
    td_transmission *all = build->model->records.transmission.at;
    number list[NUMBERS], other[NUMBERS];
    list_numbers(&all[motor->first], list);
    for (size_t k = motor->first + 1; k < motor->end; k++) {
        list_numbers(&all[k], other);
        for (int n = 0; n < NUMBERS; n++) {
            if (!list[n].of_motor || *other[n].value == *list[n].value ||
                (isnan(*other[n].value) && isnan(*list[n].value)))
                continue;
            td_report(build->diagnostics, TD_CODE_TRANSMISSION_NUMBER, all[k].source,
                      "give all joints of the motor the same",
                      "motor '%s' of transmission '%s' has two values of %s, %.9g and %.9g; the "
                      "second one is ignored",
                      all[k].actuator, title_of(&all[k]), list[n].what, *list[n].value,
                      *other[n].value);
            *other[n].value = *list[n].value;
        }
    }
}

bool td_check_transmissions(td_build *build)
{
    td_records *records = &build->model->records;
    for (size_t k = 0; k < records->transmission.count; k++) {
        records->transmission.at[k].shaft = NULL;
        check_numbers(build, &records->transmission.at[k]);
    }
    for (td_motor motor = {0}; td_next_motor(records, &motor);)
        unify(build, &motor);
    return true;
}

/* ---- limits ---------------------------------------------------------------------------------- */

/* Returns the limits of the motors of a joint or loop, or NULL for an unknown name. */
static td_drive_limit *drive_of(td_model *model, const char *name)
{
    const int joint = name ? td_names_find(&model->joint_names, name) : -1;
    const int loop = joint < 0 ? td_records_find_loop(&model->records, name) : -1;
    return joint >= 0  ? &model->drive[joint]
           : loop >= 0 ? &model->drive[model->records.joint.count + (size_t)loop]
                       : NULL;
}

static double or_none(double limit)
{
    return isnan(limit) ? INFINITY : limit;
}

/* Forces and powers of several motors of one joint add up, and the slowest one limits the speed. */
bool td_find_motor_limits(td_build *build)
{
    td_model *model = build->model;
    const size_t count = model->records.joint.count + model->records.loop.count;
    model->drive = TD_ARENA_NEW(&model->records.arena, td_drive_limit, count);
    if (!model->drive)
        return false;
    for (size_t i = 0; i < count; i++)
        model->drive[i].velocity = INFINITY;
    for (td_motor motor = {0}; td_next_motor(&model->records, &motor);) {
        const td_transmission *t = motor.record;
        td_drive_limit *sum = drive_of(model, motor.joint);
        if (!sum)
            continue;
        const bool several = motor.end > motor.first + 1;
        const double turns = fabs(t->mechanical_reduction * (several ? 1 : t->ratio));
        sum->velocity = fmin(sum->velocity, or_none(t->velocity_limit) / turns);
        sum->effort += or_none(t->effort_limit) * turns;
        sum->power += or_none(t->power_limit);
    }
    for (size_t i = 0; i < count; i++)
        if (model->drive[i].effort == 0) /* no motor drives it */
            model->drive[i].effort = model->drive[i].power = INFINITY;
    return true;
}
