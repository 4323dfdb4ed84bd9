/* SPDX-License-Identifier: MIT */
/*
 * Replaces invalid numbers of transmissions by defaults, both for files and for robots built in C.
 */
#include <math.h>

#include "load/build.h"

static void reset(td_build *build, const td_transmission *record, const char *what,
                  const char *remedy, double *value, double by_default)
{
    td_report(build->diagnostics, TD_CODE_TRANSMISSION_NUMBER, record->source, remedy,
              "transmission '%s' has an invalid %s, %.9g; ignored",
              record->name ? record->name : "", what, *value);
    *value = by_default;
}

bool td_check_transmissions(td_build *build)
{
    td_records *records = &build->model->records;
    for (size_t k = 0; k < records->transmission.count; k++) {
        td_transmission *record = &records->transmission.at[k];
        double *reduction = &record->mechanical_reduction, *rotor = &record->rotor_inertia;
        if (!isfinite(*reduction) || *reduction == 0)
            reset(build, record, "mechanical reduction",
                  "give the number of motor turns per turn of the joint", reduction, 1);
        if (!isfinite(*rotor) || *rotor < 0)
            reset(build, record, "rotor inertia", "give a value of 0 or more, in kg m²", rotor, 0);
    }
    return true;
}
