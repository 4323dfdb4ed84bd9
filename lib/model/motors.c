/* SPDX-License-Identifier: MIT */
/*
 * Finds the motors in the records of transmissions.
 */
#include "model/motors.h"

#include <string.h>

static bool same_name(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

bool td_next_motor(const td_records *records, td_motor *motor)
{
    const td_transmission *all = records->transmission.at;
    const size_t first = motor->end;
    if (first >= records->transmission.count)
        return false;
    const td_transmission *record = &all[first];
    size_t end = first + 1;
    while (record->actuator && end < records->transmission.count &&
           same_name(all[end].actuator, record->actuator) && same_name(all[end].name, record->name))
        end++;
    const bool several = end > first + 1, inner = several || record->shaft;
    *motor = (td_motor){first,
                        end,
                        record,
                        several ? record->shaft : record->joint,
                        inner ? record->shaft : record->joint,
                        record->mechanical_reduction * (inner ? 1 : record->ratio)};
    return true;
}
