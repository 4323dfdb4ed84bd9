/* SPDX-License-Identifier: MIT */
/*
 * What the writers of formats share: where a text goes, how XML is written, which rotations are
 * which angles, and the records of a model with locks and payloads applied.
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
    const td_workspace *workspace; /* NULL: no changes */
    td_diagnostics *diagnostics;
    bool fit;
    bool dynamic; /* only what dynamics depend on: for the digest */
    td_sink sink;
    size_t errors;  /* reported */
    bool failed;    /* no memory */
    td_arena arena; /* of what is applied */
} td_writer;

/* An error: what the format cannot hold. */
#define TD_REFUSE(writer, source, remedy, ...)                                                     \
    ((writer)->errors++,                                                                           \
     td_report((writer)->diagnostics, TD_CODE_EXPORT_REFUSED, source, remedy, __VA_ARGS__))

/* ---- markup.c: XML --------------------------------------------------------------------------- */

/* ` name="text"`, or the text alone, escaped; an error where XML has no way to write it. what:
   whose name it is, for that. */
void td_put_escaped(td_writer *writer, const char *text, const char *what, td_source source);
void td_put_attribute(td_writer *writer, const char *name, const char *text, const char *what,
                      td_source source);
/* the same of two texts, one behind the other; NULL is none */
void td_put_joined(td_writer *writer, const char *name, const char *first, const char *second,
                   const char *what, td_source source);
/* ` name="a b c"`, and the same where one differs from usual */
void td_put_numbers(td_writer *writer, const char *name, const double *x, size_t count);
void td_put_unless(td_writer *writer, const char *name, double x, double usual);

/* ---- euler.c --------------------------------------------------------------------------------- */

/* The roll, pitch and yaw of a rotation, with as few digits as give it again to the bit, or the
   nearest; of what they give the same ones. False for what is none to 1e-12. */
bool td_rpy_from_rotation(const double rotation[9], double rpy[3]);

/* ---- quartic.c: polynomials -------------------------------------------------------------------
 */

enum { TD_QUARTIC = 5 }; /* coefficients of ascending powers */

/* Those of p(x0 + d) in powers of d. */
void td_polynomial_shift(double *coefficient, size_t count, double x0);
/* The quartic that is nearest to f over an interval by least squares in Chebyshev's nodes, and how
   far it is off at most. */
void td_quartic_fit(double (*f)(const void *context, double x), const void *context, double lower,
                    double upper, double coefficient[TD_QUARTIC], double *error);

/* ---- applied.c: the builder's records with locks and payloads -------------------------------- */

typedef struct td_applied {
    td_joint *joint;  /* of the records as they were given; locked ones are fixed, and so are
                         those that follow them alone */
    double *constant; /* per such joint: where a scalar one is that was made so, else NaN */
    td_follower *follower;
    size_t followers;
    int *follows;   /* per such joint: which of these it is, −1 for none */
    td_names names; /* of the joints */
} td_applied;

/* whether one link of the model is above another, or it itself */
bool td_is_above(const td_model *model, int link, int other);

/* False without memory. What cannot be kept is reported. */
bool td_apply_locks(td_writer *writer, td_applied *applied);
/* What locked joints leave of a coupling: successor's sum − ratio · predecessor's sum of those that
   move. *locked: the name of one that is away from 0; NULL: there is none */
double td_coupling_offset(const td_model *model, const td_applied *applied, const td_coupling *c,
                          const char **locked);
/* Reports couplings whose offset is not 0, for a format that has no place for it. */
void td_check_couplings(td_writer *writer, const td_applied *applied);
/* The inertial of a link of the model with its payload, in axes of its frame where it has one.
   link: an index of the model's */
void td_apply_payload(const td_writer *writer, size_t index, td_link *link);
bool td_has_payload(const td_writer *writer, size_t index);

/* ---- formats --------------------------------------------------------------------------------- */

void td_write_urdf(td_writer *writer);
void td_write_urdf_joint(td_writer *writer, const td_applied *applied, size_t joint);
/* loops, couplings, springs, transmissions */
void td_write_urdf_others(td_writer *writer);
/* `<origin .../>` in a line of its own; nothing for the identity, and false */
bool td_put_origin(td_writer *writer, const char *indent, const td_pose *pose, const char *what,
                   td_source source);
/* ` xyz=".." rpy=".."`, nothing of what is zero */
void td_put_pose(td_writer *writer, const td_pose *pose, const char *what, td_source source);

void td_write_mjcf(td_writer *writer);

#endif
