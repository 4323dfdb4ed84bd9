/* SPDX-License-Identifier: MIT */
/*
 * Checks whether a body with a given inertia fits into the box of its shapes, see
 * shape_inertia.h.
 */
#include "base/shape_inertia.h"

#include <math.h>
#include <stdio.h>

/* Fraction of the diagonal. Shapes may leave out a tenth of a body. Public robots with inertias
   from CAD reach 0.5. */
static const double most_radius = 0.55;
/* fraction of the trace: rounding of numbers in files */
static const double rounding = 0.02;

/*
 * Computes the inertia about the center of mass, in the axes of the inertial frame, assuming
 * that the file gives it about the link's origin: I − m (c² 1 − c cᵀ). Returns false if no body
 * inside the box can have this inertia. Σ m r rᵀ = ½ tr(I) 1 − I must be positive semidefinite,
 * which Sylvester's criterion checks.
 */
static bool is_about_origin(const td_link *link, double diagonal, double I[6])
{
    static const int row[6] = {0, 0, 0, 1, 1, 2}, column[6] = {0, 1, 2, 1, 2, 2};
    const double *p = link->inertial.position, *R = link->inertial.rotation;
    double c[3], S[6], trace = 0;
    for (int i = 0; i < 3; i++)
        c[i] = R[i] * p[0] + R[3 + i] * p[1] + R[6 + i] * p[2];
    const double square = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
    for (int k = 0; k < 6; k++) {
        const double one = row[k] == column[k] ? 1 : 0;
        I[k] = link->inertia[k] - link->mass * (one * square - c[row[k]] * c[column[k]]);
        trace += one * I[k];
    }
    for (int k = 0; k < 6; k++)
        S[k] = (row[k] == column[k] ? (0.5 + rounding) * trace : 0) - I[k];
    const double minor = S[0] * S[3] - S[1] * S[1];
    const double determinant =
        S[5] * minor - S[0] * S[4] * S[4] - S[3] * S[2] * S[2] + 2 * S[1] * S[2] * S[4];
    for (int k = 0; k < 6; k++) /* removes rounding errors of a rotated frame */
        I[k] = fabs(I[k]) > 1e-12 * trace ? I[k] : 0;
    const double most = most_radius * diagonal;
    return S[0] > 0 && minor > 0 && determinant > 0 && trace / 2 <= link->mass * most * most;
}

bool td_inertia_exceeds(const td_link *link, double moment, double diagonal, const char *what,
                        td_shape_text *text)
{
    const double radius = moment > 0 && link->mass > 0 ? sqrt(moment / link->mass) : 0;
    double I[6];
    if (!(diagonal > 0) || !(radius > most_radius * diagonal))
        return false;
    snprintf(text->message, sizeof text->message,
             "link '%.80s' has a radius of gyration of %.3g m, but its %s and joints span %.3g m, "
             "which allows at most %.3g m",
             link->name, radius, what, diagonal, diagonal / 2);
    if (is_about_origin(link, diagonal, I))
        snprintf(
            text->remedy, sizeof text->remedy,
            "the inertia appears to be about the link's origin; about the center of mass it would "
            "be ixx=\"%.6g\" ixy=\"%.6g\" ixz=\"%.6g\" iyy=\"%.6g\" iyz=\"%.6g\" izz=\"%.6g\"",
            I[0], I[1], I[2], I[3], I[4], I[5]);
    else
        snprintf(text->remedy, sizeof text->remedy,
                 "check the units of the inertia and of the shapes; inertias are about the center "
                 "of mass, in kg m²");
    return true;
}
