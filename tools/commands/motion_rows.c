/* SPDX-License-Identifier: MIT */
/*
 * The table of tandem motion: t, q:, qd:, qdd:, tau:, u: where motors are not simply the
 * independent joints, and reactions.
 */
#include <stdlib.h>

#include "csv_output.h"
#include "motion.h"
#include "text.h"

static void put_heading_of(const motion_result *m, csv_line *line, bool motors)
{
    static const char *const part[] = {"mx", "my", "mz", "fx", "fy", "fz"};
    csv_cell(line, "t");
    for (enum quantity quantity = QUANTITY_Q; quantity < QUANTITY_COUNT; quantity++) {
        csv_headings(line, quantity_text(quantity), m->c->name[quantity], m->c->size[quantity]);
    }
    if (motors) {
        csv_headings(line, "u", (const char *const *)m->actuator, m->actuators);
    }
    for (size_t k = 0; k < m->joints; k++) {
        for (size_t a = 0; a < 6; a++) {
            char *name =
                text_format("reaction:%s.%s", td_joint_at(m->s->model, m->joint[k])->name, part[a]);
            csv_cell(line, name);
            free(name);
        }
    }
    csv_end(line);
}

void motion_rows(const motion_result *m, FILE *stream)
{
    csv_line line = {false, stream};
    const bool motors = m->actuator != NULL && actuators_differ(m->c);
    put_heading_of(m, &line, motors);
    for (size_t i = 0; i < m->n; i++) {
        csv_numbers(&line, &m->t[i], 1);
        for (enum quantity quantity = QUANTITY_Q; quantity < QUANTITY_COUNT; quantity++) {
            const size_t size = m->c->size[quantity];
            csv_numbers(&line, m->value[quantity] + i * size, size);
        }
        if (motors) {
            csv_numbers(&line, m->u + i * m->actuators, m->actuators);
        }
        csv_numbers(&line, m->reaction + 6 * i * m->joints, 6 * m->joints);
        csv_end(&line);
    }
}
