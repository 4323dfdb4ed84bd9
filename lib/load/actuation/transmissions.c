/* SPDX-License-Identifier: MIT */
/*
 * Replaces invalid numbers of transmissions by defaults, both for files and for robots built in C.
 */
#include <math.h>

#include "load/build.h"
#include "model/motors.h"

/* A number of a transmission, and what it may be. */
typedef struct number {
    double *value;
    const char *what, *remedy;
    bool nonzero, positive;
    bool of_motor; /* all records of a motor have the same */
    double by_default;
} number;

enum { NUMBERS = 6 };

static void list_numbers(td_transmission *t, number list[NUMBERS])
{
    static const char turns[] = "give the number of motor turns per turn of the joint";
    const number all[NUMBERS] = {
        {&t->mechanical_reduction, "mechanical reduction", turns, true, false, true, 1},
        {&t->ratio, "ratio", "give the motion of the motor per motion of the joint", true, false,
         false, 1},
        {&t->rotor_inertia, "rotor inertia", "give a value of 0 or more, in kg m²", false, true,
         true, 0},
        {&t->offset, "offset", "give a finite number", false, false, true, 0},
        {&t->damping, "damping", "give a value of 0 or more, in N m s/rad", false, true, true, 0},
        {&t->friction, "friction", "give a value of 0 or more, in N m", false, true, true, 0},
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
            if (!list[n].of_motor || *other[n].value == *list[n].value)
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
