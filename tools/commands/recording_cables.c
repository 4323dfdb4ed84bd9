/* SPDX-License-Identifier: MIT */
/*
 * Cables of tandem recording: forces of constant size toward fixed points, see recording.h.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands/recording.h"
#include "input/value.h"
#include "text.h"

static bool read_cable(recorded_result *m, const char *word)
{
    enum { NUMBERS = 7 };
    double x[NUMBERS];
    const char *colon = strrchr(word, ':');
    const char *force = colon != NULL && colon != word ? strrchr(colon, ',') : NULL;
    scoped char *points =
        force != NULL ? text_format("%.*s", (int)(force - colon - 1), colon + 1) : NULL;
    const bool good = points != NULL && read_quantities(points, UNIT_SLIDE, 0, NUMBERS - 1, x) &&
                      read_quantities(force + 1, UNIT_SLIDE, UNIT_FORCE, 1, &x[NUMBERS - 1]);
    if (!good) {
        complain("--cable %s: expected LINK:X,Y,Z,X,Y,Z,FORCE: a point of the link (m), the anchor "
                 "in the world (m), and the force (N)",
                 word);
        return false;
    }
    scoped char *name = text_format("%.*s", (int)(colon - word), word);
    double at[3];
    const int link = find_link_point(m->s->model, name, true, x, at);
    if (link < 0) {
        return false;
    }
    m->cable = reallocate(m->cable, m->cables + 1, sizeof *m->cable);
    m->cable[m->cables++] = (cable){(size_t)link, {at[0], at[1], at[2]}, {x[3], x[4], x[5]}, x[6]};
    return true;
}

bool recorded_cables(recorded_result *m, const word_list *words)
{
    for (size_t i = 0; i < words->count; i++) {
        if (!read_cable(m, words->word[i])) {
            return false;
        }
    }
    return true;
}

bool recorded_pushed(const recorded_result *m)
{
    return m->cables > 0 || m->s->loads->wrenches > 0 || m->recorded->all > m->recorded->channels;
}

/* Converts the wrenches of the options from any frame to world axes at the links' origins. */
static void align_wrenches(const robot_loads *loads, size_t links, const double *poses,
                           double *wrenches)
{
    const td_frame frame = loads_frame(loads);
    for (size_t i = 0; i < links; i++) {
        const double *pose = poses + 12 * i, *given = loads->total + 6 * i;
        for (size_t a = 0; a < 3; a++) {
            const size_t b = (a + 1) % 3, d = (a + 2) % 3;
            const double *row = pose + 4 * a;
            double *wrench = wrenches + 6 * i + a;
            wrench[0] = given[a], wrench[3] = given[3 + a];
            if (frame == TD_FRAME_BODY) {
                wrench[0] = row[0] * given[0] + row[1] * given[1] + row[2] * given[2];
                wrench[3] = row[0] * given[3] + row[1] * given[4] + row[2] * given[5];
            } else if (frame == TD_FRAME_WORLD) {
                wrench[0] -= pose[4 * b + 3] * given[3 + d] - pose[4 * d + 3] * given[3 + b];
            }
        }
    }
}

td_status recorded_wrenches(const recorded_result *m, double t, const double *y, unsigned parts,
                            double *poses, double *wrenches)
{
    const td_model *model = m->s->model;
    const robot_loads *loads = m->s->loads;
    memset(wrenches, 0, 6 * td_link_count(model) * sizeof *wrenches);
    const td_status status = td_link_poses(model, m->s->workspace, y, poses);
    if (status != TD_OK) {
        return status;
    }
    if (loads->wrenches > 0 && (parts & RECORDED_WRENCHES) != 0) {
        align_wrenches(loads, td_link_count(model), poses, wrenches);
    }
    if ((parts & RECORDED_WRENCHES) != 0) {
        recording_forces(m->recorded, t, 0, 6 * td_link_count(model), wrenches);
    }
    for (size_t k = 0; k < m->cables && (parts & RECORDED_CABLES) != 0; k++) {
        const cable *c = &m->cable[k];
        const double *pose = poses + 12 * c->link; /* 3 × 4: rotation and position */
        double arm[3], to[3], length = 0;
        for (size_t a = 0; a < 3; a++) {
            arm[a] = pose[4 * a] * c->point[0] + pose[4 * a + 1] * c->point[1] +
                     pose[4 * a + 2] * c->point[2];
            to[a] = c->anchor[a] - pose[4 * a + 3] - arm[a];
            length += to[a] * to[a];
        }
        length = sqrt(length);
        double *wrench = wrenches + 6 * c->link;
        for (size_t a = 0; a < 3 && length > 0; a++) {
            const size_t b = (a + 1) % 3, d = (a + 2) % 3;
            wrench[a] += c->force * (arm[b] * to[d] - arm[d] * to[b]) / length;
            wrench[3 + a] += c->force * to[a] / length;
        }
    }
    return TD_OK;
}
