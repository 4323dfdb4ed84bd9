/* SPDX-License-Identifier: MIT */
/*
 * Computes facts that tandem info prints as text and as JSON.
 */
#include "commands/info.h"

#include <stdlib.h>
#include <string.h>

#include "input/loops.h"
#include "text.h"

const char *joint_name(const td_model *model, size_t joint)
{
    return joint == TD_NONE ? "" : td_joint_at(model, joint)->name;
}

void reference_center_of_mass(const session *s, double com[3])
{
    scoped double *y = allocate(td_ny(s->model), sizeof *y);
    memcpy(y, td_reference(s->model, TD_COORDINATES_INDEPENDENT), td_ny(s->model) * sizeof *y);
    td_center_of_mass(s->model, s->workspace, y, TD_SCOPE_ALL, com);
}

bool reference_is_zero(const td_model *model)
{
    scoped double *zero = allocate(td_ny(model), sizeof *zero),
                  *y = allocate(td_ny(model), sizeof *y);
    td_neutral(model, TD_COORDINATES_INDEPENDENT, zero);
    memcpy(y, td_reference(model, TD_COORDINATES_INDEPENDENT), td_ny(model) * sizeof *y);
    const bool same =
        td_loop_cluster_count(model) == 0 && memcmp(zero, y, td_ny(model) * sizeof *y) == 0;
    return same;
}

const char *audit_finding(const td_link *link, td_inertia_audit audit)
{
    if (audit.massless) {
        bool inertia = link->has_inertial && audit.moments[2] != 0;
        return !link->has_inertial ? "no inertial" : inertia ? "inertia without mass" : "no mass";
    }
    if (audit.moments[0] == 0 && audit.moments[2] == 0) {
        return "point mass";
    }
    const bool rod = link->flexible != NULL; /* a segment of a beam, which may be thin */
    return audit.indefinite                   ? "negative moment"
           : !audit.positive_definite && !rod ? "singular"
           : audit.triangle_margin < -1e-6    ? "violates the triangle inequality"
                                              : NULL;
}
