/* SPDX-License-Identifier: MIT */
/*
 * Splits the ground's wrench among feet, see recording_ground.h.
 *
 * A phase is a run of rows in which the same feet are in contact. It begins and ends halfway
 * between its rows and the neighboring ones. The feet that were in contact in the previous phase,
 * too, carry equal shares when it begins. The feet that are in contact in the next phase, too,
 * carry equal shares when it ends. Between, shares are linear in time. So the share of a foot that
 * takes over rises from 0 to 1 in double support, and shares have no jumps while a foot is in
 * contact.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands/recording_ground.h"
#include "text.h"
#include "vectors.h"

/* A plate measures a contact if its normal force exceeds this part of the weight. */
static const double plate_contact = 0.02;

/* Ratio of moments to forces of plates whose errors count as equal, m: half the width of a foot. */
static const double plate_length = 0.1;

/* ---- contacts -------------------------------------------------------------------------------- */

/* By the column of contacts, else by the plate, else by the height. */
static bool touches(const ground_motion *m, size_t i, size_t k)
{
    const double *measured = m->measured + FOOT_COLUMNS * (i * m->feet + k);
    if (m->foot[k].has_contact) {
        return measured[FOOT_CONTACT] >= 0.5;
    }
    if (m->foot[k].has_plate) {
        return dot(measured + 3, m->plane.normal) > plate_contact * m->plane.weight;
    }
    const double *p = m->points + 3 * (i * m->feet + k);
    const double height[3] = {p[0] - m->plane.point[0], p[1] - m->plane.point[1],
                              p[2] - m->plane.point[2]};
    return dot(m->plane.normal, height) < m->options->contact_height;
}

/* Finds the contacts of all rows. A row without a result keeps the contacts of the previous row. */
static void find_contacts(ground_motion *m)
{
    for (size_t i = 0; i < m->n; i++) {
        const bool failed = isnan(m->numbers[i * GROUND_ALL]);
        for (size_t k = 0; k < m->feet; k++) {
            bool *contact = &m->contact[i * m->feet + k];
            *contact = failed ? i > 0 && contact[-(ptrdiff_t)m->feet] : touches(m, i, k);
        }
    }
}

/* ---- shares ---------------------------------------------------------------------------------- */

/* Writes equal shares of the feet in contact in both rows. If no foot is, or other is m->n, they
   are of the feet in contact in row i. */
static void share_equally(const ground_motion *m, size_t i, size_t other, double *share)
{
    const bool *now = m->contact + i * m->feet;
    const bool *then = other < m->n ? m->contact + other * m->feet : now;
    size_t both = 0, all = 0;
    for (size_t k = 0; k < m->feet; k++) {
        both += now[k] && then[k];
        all += now[k];
    }
    for (size_t k = 0; k < m->feet; k++) {
        share[k] = both > 0 ? (now[k] && then[k]) / (double)both : now[k] ? 1 / (double)all : 0;
    }
}

/* Returns the row after the phase that begins in row first. */
static size_t end_of_phase(const ground_motion *m, size_t first)
{
    size_t end = first + 1;
    while (end < m->n && memcmp(m->contact + first * m->feet, m->contact + end * m->feet,
                                m->feet * sizeof *m->contact) == 0) {
        end++;
    }
    return end;
}

/* Writes the plate's wrench about the contact point of foot k in row i. */
static void read_plate(const ground_motion *m, size_t i, size_t k, double near[6])
{
    const double *w = m->measured + FOOT_COLUMNS * (i * m->feet + k);
    const double *p = m->points + 3 * (i * m->feet + k), *at = m->foot[k].plate;
    for (size_t a = 0; a < 3; a++) {
        const size_t b = (a + 1) % 3, c = (a + 2) % 3;
        near[a] = w[a] + (at[b] - p[b]) * w[3 + c] - (at[c] - p[c]) * w[3 + b];
        near[3 + a] = w[3 + a];
    }
}

/* Finds the measured wrenches of the feet in contact, and the weights of td_split_wrench: equal if
   plates measure all of them. Otherwise measurements stay, and the feet without a plate carry the
   rest by their shares. Returns the length. */
static double weigh_plates(const ground_motion *m, size_t i, double *share, double *near)
{
    const bool *contact = m->contact + i * m->feet;
    size_t unmeasured = 0;
    double sum = 0;
    for (size_t k = 0; k < m->feet; k++) {
        memset(near + 6 * k, 0, 6 * sizeof *near);
        if (contact[k] && m->foot[k].has_plate) {
            read_plate(m, i, k, near + 6 * k);
        } else if (contact[k]) {
            unmeasured++;
            sum += share[k];
        }
    }
    for (size_t k = 0; k < m->feet; k++) {
        if (unmeasured == 0 || m->foot[k].has_plate) {
            share[k] = contact[k] && unmeasured == 0;
        } else if (contact[k]) {
            share[k] = sum > 0 ? share[k] / sum : 1 / (double)unmeasured;
        }
    }
    return unmeasured > 0 ? (double)INFINITY : plate_length;
}

/* Splits the wrench of row i by shares, or by plates. near: scratch, feet × 6. In flight, wrenches
   remain zero. */
static void split_row(ground_motion *m, size_t i, double *share, double *near)
{
    const bool *contact = m->contact + i * m->feet;
    bool any = false;
    for (size_t k = 0; k < m->feet; k++) {
        any = any || contact[k];
    }
    if (any) {
        const double length = weigh_plates(m, i, share, near);
        td_split_wrench(m->numbers + i * GROUND_ALL + GROUND_WORLD, m->feet,
                        m->points + 3 * i * m->feet, share, near, length,
                        m->wrenches + 6 * i * m->feet);
    }
}

static void split_phase(ground_motion *m, size_t first, size_t end, double *work)
{
    double *begins = work, *ends = begins + m->feet, *share = ends + m->feet;
    const double from = first > 0 ? (m->t[first - 1] + m->t[first]) / 2 : m->t[first];
    const double to = end < m->n ? (m->t[end - 1] + m->t[end]) / 2 : m->t[end - 1];
    share_equally(m, first, first > 0 ? first - 1 : m->n, begins);
    share_equally(m, first, end, ends);
    for (size_t i = first; i < end; i++) {
        const double part = to > from ? (m->t[i] - from) / (to - from) : 0;
        for (size_t k = 0; k < m->feet; k++) {
            share[k] = (1 - part) * begins[k] + part * ends[k];
        }
        split_row(m, i, share, share + m->feet);
    }
}

void ground_motion_split(ground_motion *m)
{
    find_contacts(m);
    scoped double *work = allocate(9 * m->feet, sizeof *work);
    for (size_t first = 0, end; first < m->n && m->feet > 0; first = end) {
        end = end_of_phase(m, first);
        split_phase(m, first, end, work);
    }
}
