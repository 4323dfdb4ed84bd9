/* SPDX-License-Identifier: MIT */
/*
 * Writes the table of tandem recording. Columns: t, q:, qd:, qdd:, tau:, u: if the motors are not
 * the independent joints, reactions, and ground reactions.
 */
#include <stdlib.h>

#include "commands/recording.h"
#include "text.h"

const char *recorded_carrier(const recorded_result *m, size_t k)
{
    const size_t joints = td_joint_count(m->s->model);
    return m->joint[k] < joints ? td_joint_at(m->s->model, m->joint[k])->name
                                : td_loop_at(m->s->model, m->joint[k] - joints)->name;
}

static bool put_heading_of(const recorded_result *m, table_output *t, bool motors)
{
    table_output_name(t, "t");
    for (enum quantity quantity = QUANTITY_Q; quantity < QUANTITY_COUNT; quantity++) {
        table_output_names(t, quantity_text(quantity), m->c->name[quantity], m->c->size[quantity]);
    }
    if (motors) {
        table_output_names(t, "u", (const char *const *)m->actuator, m->actuators);
    }
    for (size_t k = 0; k < m->joints; k++) {
        for (size_t a = 0; a < 6; a++) {
            scoped char *name =
                text_format("reaction:%s.%s", recorded_carrier(m, k), wrench_part[a]);
            table_output_name(t, name);
        }
    }
    if (m->ground != NULL) {
        ground_motion_heading(m->ground, t);
    }
    return table_output_end(t);
}

bool recorded_rows(const recorded_result *m, table_output *t)
{
    const bool motors = m->actuator != NULL && actuators_differ(m->c);
    if (!put_heading_of(m, t, motors)) {
        return false;
    }
    for (size_t i = 0; i < m->n; i++) {
        table_output_numbers(t, &m->t[i], 1);
        for (enum quantity quantity = QUANTITY_Q; quantity < QUANTITY_COUNT; quantity++) {
            const size_t size = m->c->size[quantity];
            table_output_numbers(t, m->value[quantity] + i * size, size);
        }
        if (motors) {
            table_output_numbers(t, m->u + i * m->actuators, m->actuators);
        }
        table_output_numbers(t, m->reaction + 6 * i * m->joints, 6 * m->joints);
        if (m->ground != NULL) {
            ground_motion_write(m->ground, i, t);
        }
        table_output_end(t);
    }
    return true;
}
