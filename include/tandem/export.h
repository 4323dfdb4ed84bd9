/* SPDX-License-Identifier: MIT */
/*
 * Export: writes a model as URDF or MJCF for other programs, and computes a digest that identifies
 * a model. docs/export.md lists what each format can represent.
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
    TD_EXPORT_URDF, /* normalized: locked joints become fixed, payloads are merged into links */
    TD_EXPORT_MJCF, /* MuJoCo: the tree, with equality constraints for couplings and loops */
} td_export_format;

/* Options of an export. Start from td_export_options_default(). */
typedef struct td_export_options {
    size_t size_of;
    td_export_format format;       /* default TD_EXPORT_URDF */
    const td_workspace *workspace; /* default NULL; or a workspace of the model: its payloads are
                                      merged into the links, and MJCF gets its gravity */
    bool fit; /* default false; true: in MJCF, a follower's curve that MuJoCo cannot represent
                 becomes a quartic, fitted over the leader's range. A warning reports the largest
                 error */
} td_export_options;

static inline td_export_options td_export_options_default(void)
{
    TD_SIZED(td_export_options, options);
    return options;
}

/*
 * Writes a model as text (UTF-8, without a terminating NUL).
 *
 *   options      NULL: the defaults
 *   diagnostics  receives errors, warnings and notes; may be NULL
 *   text         capacity bytes for the result; NULL with capacity 0: only *size is computed
 *   size         receives the length of the text in bytes
 *
 * Numbers have the fewest digits that read back to the same double. Rotations are written as roll,
 * pitch and yaw. The angles reproduce the rotation to the bit if such angles are found, otherwise
 * to 1e-15.
 *
 * An exported URDF that is loaded with the same base, gravity and motors, but without locks and
 * starts, has the digest of this model and exports to the same text.
 *
 * TD_ERROR_MODEL: the format cannot represent something that dynamics depend on. Diagnostic TD-X001
 * names it. Anything else that the format cannot represent is a note (TD-X002).
 * TD_ERROR_FUNCTION: the model has a user-supplied closure (td_closure_function), which is code.
 * TD_ERROR_ARGUMENT: an argument is NULL, the workspace belongs to another model, or capacity is
 * below *size. In the last case *size is set and the contents of text are undefined.
 * TD_ERROR_MEMORY. After any other error *size is 0.
 *
 * Cost: O(records), and for MJCF also O(links · (loops + springs)).
 */
TD_API td_status td_model_export(const td_model *model, const td_export_options *options,
                                 td_diagnostics *diagnostics, char *text, size_t capacity,
                                 size_t *size);

/*
 * Computes a digest of everything that dynamics depend on. Models with equal descriptions have
 * equal digests; other models almost never do. The digest does not protect against forgery.
 *
 * It is the 64-bit FNV-1a hash of the normalized URDF, base and gravity. It leaves out visuals,
 * collisions, materials, names of springs and transmissions, safety controllers, calibrations, and
 * limits of effort, velocity and acceleration. Names of links and joints count, and so does the
 * order of elements.
 *
 * workspace may be NULL; otherwise the digest includes its payloads and gravity. TD_ERROR_MODEL: a
 * URDF cannot represent the model. TD_ERROR_ARGUMENT, TD_ERROR_FUNCTION and TD_ERROR_MEMORY as in
 * td_model_export. *digest is 0 after an error. Cost: O(records).
 */
TD_API td_status td_model_digest(const td_model *model, const td_workspace *workspace,
                                 uint64_t *digest);

#ifdef __cplusplus
}
#endif
#endif
