/* SPDX-License-Identifier: MIT */
/*
 * Shared declarations of the writers of all formats: output, XML, Euler angles, polynomials, and
 * the records of a model with locks and payloads applied.
 */
#ifndef TD_WRITER_H
#define TD_WRITER_H

#include "base/arena.h"
#include "base/diagnostic.h"
#include "base/sink.h"
#include "dynamics/workspace.h"
#include "model/model.h"
#include "tandem/export.h"

typedef struct td_writer {
    const td_model *model;
    const td_workspace *workspace; /* NULL for no changes */
    td_diagnostics *diagnostics;
    bool fit;
    bool dynamic; /* write only what affects dynamics, for the digest */
    td_sink sink;
    size_t errors;  /* number of reported errors */
    bool failed;    /* memory ran out */
    td_arena arena; /* of the applied records */
} td_writer;

/* Reports an error: the format cannot express something. */
#define TD_REFUSE(writer, source, remedy, ...)                                                     \
    ((writer)->errors++,                                                                           \
     td_report((writer)->diagnostics, TD_CODE_EXPORT_REFUSED, source, remedy, __VA_ARGS__))

/* ---- markup.c: XML --------------------------------------------------------------------------- */

/* Write ` name="text"`, or only the text, escaped. Report an error if XML cannot represent it. The
   message names the owner, for example "a link". */
void td_put_escaped(td_writer *writer, const char *text, const char *what, td_source source);
void td_put_attribute(td_writer *writer, const char *name, const char *text, const char *what,
                      td_source source);
/* Writes the same for two concatenated texts. Either may be NULL. */
void td_put_joined(td_writer *writer, const char *name, const char *first, const char *second,
                   const char *what, td_source source);
/* Write ` name="a b c"`; the second function writes x only if it differs from usual. */
void td_put_numbers(td_writer *writer, const char *name, const double *x, size_t count);
void td_put_unless(td_writer *writer, const char *name, double x, double usual);

/* ---- euler.c --------------------------------------------------------------------------------- */

/* Computes the roll, pitch and yaw of a rotation. Prefers angles with few digits that reproduce
   the matrix to the bit, or else as closely as possible. Applied to the matrix of its result, it
   returns the same angles. Returns false if the matrix deviates from a rotation by more than
   1e-12. */
bool td_rpy_from_rotation(const double rotation[9], double rpy[3]);

/* ---- quartic.c: polynomials ------------------------------------------------------------------ */

enum { TD_QUARTIC = 5 }; /* number of coefficients, in ascending powers */

/* Replaces the coefficients of p(x) by the coefficients of p(x0 + d) in powers of d. */
void td_polynomial_shift(double *coefficient, size_t count, double x0);
/* Fits a quartic to f over an interval by least squares at Chebyshev nodes. *error: its largest
   deviation. */
void td_quartic_fit(double (*f)(const void *context, double x), const void *context, double lower,
                    double upper, double coefficient[TD_QUARTIC], double *error);

/* ---- applied.c: the builder's records with locks and payloads -------------------------------- */

typedef struct td_applied {
    td_joint *joint;  /* the builder's joints; locked ones are fixed, and so are joints that follow
                         only locked ones */
    double *constant; /* per joint: its position if it has one coordinate and was fixed, else NaN */
    td_follower *follower;
    size_t followers;
    int *follows;   /* per joint: its index among the followers, −1 for none */
    td_names names; /* of the joints */
} td_applied;

/* Returns whether one link of the model is an ancestor of another, or the same link. */
bool td_is_above(const td_model *model, int link, int other);

/* Applies locks to the records. Reports what cannot be represented. Returns false if memory runs
   out. */
bool td_apply_locks(td_writer *writer, td_applied *applied);
/* Returns the offset of a coupling that its locked joints cause: the successor's sum − ratio · the
   predecessor's sum, over the moving joints. *locked: the name of a joint that is locked at a
   position other than 0, or NULL. */
double td_coupling_offset(const td_model *model, const td_applied *applied, const td_coupling *c,
                          const char **locked);
/* Reports couplings with a nonzero offset, for formats that cannot express it. */
void td_check_couplings(td_writer *writer, const td_applied *applied);
/* Adds a link's payload to its inertial. The result has the axes of the link's frame if there is a
   payload. index: of a link of the model. */
void td_apply_payload(const td_writer *writer, size_t index, td_link *link);
bool td_has_payload(const td_writer *writer, size_t index);

/* ---- formats --------------------------------------------------------------------------------- */

void td_write_urdf(td_writer *writer);
void td_write_urdf_joint(td_writer *writer, const td_applied *applied, size_t joint);
/* Writes loops, couplings, springs and transmissions. */
void td_write_urdf_others(td_writer *writer);
/* Writes `<origin .../>` on its own line. Writes nothing for the identity and returns false. */
bool td_put_origin(td_writer *writer, const char *indent, const td_pose *pose, const char *what,
                   td_source source);
/* Writes ` xyz=".." rpy=".."`, omitting zeros. */
void td_put_pose(td_writer *writer, const td_pose *pose, const char *what, td_source source);

void td_write_mjcf(td_writer *writer);

#endif
