/* SPDX-License-Identifier: MIT */
/*
 * Export: a model as a description that other programs read, and a number that tells models apart.
 * docs/export.md says what each format holds of a robot.
 */
#ifndef TANDEM_EXPORT_H
#define TANDEM_EXPORT_H

#include <stddef.h>
#include <stdint.h>

#include "tandem/diagnostic.h"
#include "tandem/model.h"
#include "tandem/workspace.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum td_export_format {
    TD_EXPORT_URDF, /* normalised: what is locked is fixed, payloads are part of their links */
    TD_EXPORT_MJCF, /* MuJoCo's: the tree, with joint equalities and constraints for loops */
} td_export_format;

typedef struct td_export_options {
    size_t size_of;
    td_export_format format;       /* TD_EXPORT_URDF */
    const td_workspace *workspace; /* NULL, or one of the model's: its payloads are part of the
                                      links, and its gravity is that of MJCF */
    bool fit; /* false; true: MJCF has a polynomial of fourth degree, fitted over the leader's
                 range, where a follower's curve is none; a warning says how far it is off */
} td_export_options;

static inline td_export_options td_export_options_default(void)
{
    TD_SIZED(td_export_options, options);
    return options;
}

/*
 * The text of a model in a format, UTF-8, without a NUL at its end: *size becomes its length in
 * bytes. text (capacity bytes) may be NULL, which asks for the length alone. options NULL: the
 * defaults.
 *
 * Numbers have the fewest digits that read back to the same double. A rotation has the roll, pitch
 * and yaw that give it again to the bit where such are found, else to rounding (1e-15). A URDF that
 * is loaded with the same options (base, gravity, motors; those of locks and starts left out) has
 * the digest of the model, and is exported as the same text again.
 *
 * What the format cannot hold, and what dynamics depend on, is an error that names it (TD-X001,
 * diagnostics may be NULL): TD_ERROR_MODEL, and *size is 0. What it cannot hold that dynamics do
 * not depend on is a note (TD-X002). TD_ERROR_FUNCTION: the model has a closure of the caller's
 * own, which is code. TD_ERROR_ARGUMENT: NULL, a workspace of another model, or less capacity than
 * *size, which is set, and then what text holds has no meaning. TD_ERROR_MEMORY. O(records), of
 * MJCF O(links · (loops + springs)) too.
 */
TD_API td_status td_model_export(const td_model *model, const td_export_options *options,
                                 td_diagnostics *diagnostics, char *text, size_t capacity,
                                 size_t *size);

/*
 * A number that is the same for models whose descriptions say the same of what dynamics depend on,
 * and hardly ever for others: FNV-1a, 64 bits, of the normalised URDF without visuals, collisions,
 * materials, names of springs and transmissions, safety controllers, calibrations and limits of
 * efforts, velocities and accelerations, with base and gravity behind it. Names of links and
 * joints count, and the order of elements. It is no protection against forgery. workspace NULL, or
 * one whose payloads and gravity count in. TD_ERROR_MODEL: the model has something that a URDF
 * cannot hold. Others as td_model_export; *digest is 0 then. O(records).
 */
TD_API td_status td_model_digest(const td_model *model, const td_workspace *workspace,
                                 uint64_t *digest);

#ifdef __cplusplus
}
#endif
#endif
