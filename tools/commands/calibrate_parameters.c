/* SPDX-License-Identifier: MIT */
/*
 * Applies changes of parameters to numbers, the text of a file and models; see calibrate.h.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands/calibrate.h"
#include "text.h"

/* Computes the roll, pitch and yaw of a rotation that are nearest to the given ones. */
static void find_rpy(const double R[9], double rpy[3])
{
    static const double half = 3.14159265358979323846;
    const double pitch = atan2(-R[6], hypot(R[0], R[3]));
    const double first[3] = {atan2(R[7], R[8]), pitch, atan2(R[3], R[0])};
    const double second[3] = {first[0] + half, half - pitch, first[2] + half};
    double best[3] = {0}, least = (double)INFINITY;
    for (int n = 0; n < 2; n++) {
        double angle[3], distance = 0;
        for (size_t i = 0; i < 3; i++) {
            const double x = n == 0 ? first[i] : second[i];
            angle[i] = x - 2 * half * round((x - rpy[i]) / (2 * half));
            distance += fabs(angle[i] - rpy[i]);
        }
        if (distance < least) {
            least = distance;
            memcpy(best, angle, sizeof best);
        }
    }
    memcpy(rpy, best, sizeof best);
}

/* Turns the frame of these roll, pitch and yaw about a unit axis in it. */
static void turn_frame(const double axis[3], double angle, double rpy[3])
{
    double R[9], turn[9], product[9] = {0};
    const double s = sin(angle / 2),
                 xyzw[4] = {s * axis[0], s * axis[1], s * axis[2], cos(angle / 2)};
    td_rotation_from_rpy(rpy[0], rpy[1], rpy[2], R);
    td_rotation_from_quaternion(xyzw, turn);
    for (size_t i = 0; i < 9; i++) {
        for (size_t k = 0; k < 3; k++) {
            product[i] += R[i / 3 * 3 + k] * turn[3 * k + i % 3];
        }
    }
    find_rpy(product, rpy);
}

void parameters_group(const parameter_list *p, size_t group, const double *change, double *value)
{
    const number_group *g = &p->group[group];
    double before = 0, after = 0;
    for (size_t i = 0; i < g->count; i++) {
        value[i] = g->number[i].value;
        for (size_t k = 0; k < p->count; k++) {
            value[i] += p->at[k].group == group ? change[k] * p->at[k].direction[i] : 0;
        }
        before += g->number[i].value * g->number[i].value;
        after += value[i] * value[i];
    }
    for (size_t i = 0; i < g->count && g->axis && after > 0 && after != before; i++) {
        value[i] *= sqrt(before / after);
    }
    for (size_t k = 0; k < p->count; k++) {
        if (p->at[k].group == group && p->at[k].turns && change[k] != 0) {
            turn_frame(p->at[k].axis, change[k], value);
        }
    }
}

void parameters_free(parameter_list *p)
{
    for (size_t i = 0; i < p->count; i++) {
        free(p->at[i].name);
    }
    free(p->at);
    free(p->group);
    free(p->prior);
    free(p->bound);
    urdf_text_free(&p->file);
}

/* ---- models ---------------------------------------------------------------------------------- */

char *parameters_text(const parameter_list *p, const double *change, size_t *size)
{
    scoped urdf_change *list = allocate(3 * p->groups, sizeof *list);
    size_t count = 0;
    for (size_t g = 0; g < p->groups; g++) {
        double value[3];
        parameters_group(p, g, change, value);
        for (size_t i = 0; i < p->group[g].count && p->group[g].point == TD_NONE; i++) {
            list[count++] = (urdf_change){p->group[g].number[i], value[i]};
        }
    }
    return urdf_text_changed(&p->file, list, count, size);
}

td_status parameters_build(void *context, const double *change, td_model **model, double *point)
{
    const parameter_list *p = context;
    size_t size;
    scoped char *text = parameters_text(p, change, &size);
    for (size_t i = 0; i < p->points->count; i++) {
        memcpy(point + 3 * i, p->points->marker[i].point, 3 * sizeof *point);
    }
    for (size_t g = 0; g < p->groups; g++) {
        if (p->group[g].point != TD_NONE) {
            parameters_group(p, g, change, point + 3 * p->group[g].point);
        }
    }
    return td_load_urdf_memory(text, size, p->s->file, p->load, NULL, model);
}
