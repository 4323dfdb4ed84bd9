/* SPDX-License-Identifier: MIT */
/*
 * Status codes, which every function that can fail returns, and declarations that all public
 * headers share: the export attribute, the index TD_NONE, and the version. Codes and texts come
 * from the table TD_STATUS_TABLE.
 */
#ifndef TANDEM_STATUS_H
#define TANDEM_STATUS_H

#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Exports a declaration from the shared library. The Windows build of tandem defines TD_API itself.
 */
#if !defined(TD_API)
#if defined(__GNUC__) && !defined(_WIN32)
#define TD_API __attribute__((visibility("default")))
#else
#define TD_API
#endif
#endif

/* The invalid index. All indices are size_t and start at 0. Functions that return an index, and
   fields that store one, use TD_NONE for "none", as their comments describe. Functions that take an
   index reject TD_NONE like any index out of range. */
#define TD_NONE SIZE_MAX

/* First lines of a _default function: declares a struct, clears it, and sets its first member,
   size_of. */
#define TD_SIZED(type, record)                                                                     \
    type record;                                                                                   \
    memset(&record, 0, sizeof record);                                                             \
    record.size_of = sizeof record

/* Table of X(code, text). The order is part of the ABI; add new codes at the end. */
#define TD_STATUS_TABLE(X)                                                                         \
    X(TD_OK, "success")                                                                            \
    X(TD_ERROR_ARGUMENT, "an argument is missing or out of range")                                 \
    X(TD_ERROR_MEMORY, "out of memory")                                                            \
    X(TD_ERROR_IO, "the file cannot be read")                                                      \
    X(TD_ERROR_MODEL, "the model has errors; the diagnostics list them")                           \
    X(TD_ERROR_ISA, "the requested instruction set is not available")                              \
    X(TD_ERROR_NAME, "no element has this name")                                                   \
    X(TD_ERROR_UNDERACTUATED, "there are fewer actuators than independent coordinates")            \
    X(TD_ERROR_ACTUATION_SINGULAR, "the actuated joints do not span the independent coordinates")  \
    X(TD_ERROR_NOT_FINITE, "the state or the result is not a finite number")                       \
    X(TD_ERROR_SINGULAR, "the mass matrix is singular: a joint moves no inertia")                  \
    X(TD_ERROR_ASSEMBLY, "a loop cannot be closed at these coordinates")                           \
    X(TD_ERROR_CLOSURE_SINGULAR, "a loop is singular: independent joints do not determine it")     \
    X(TD_ERROR_BRANCH, "a loop closes only on a different branch than at the start")               \
    X(TD_ERROR_QUATERNION, "a quaternion is not of unit length")                                   \
    X(TD_ERROR_DEPENDENT, "the joint follows others and has no coordinate of its own")             \
    X(TD_ERROR_STEP, "no integration step is short enough for the tolerances")                     \
    X(TD_ERROR_LIMIT, "no duration is long enough for the motion to respect a limit")              \
    X(TD_ERROR_FUNCTION, "the model has a user-supplied closure, which cannot be written")         \
    X(TD_ERROR_STOP, "prescribed motion drives a joint into its stop")                             \
    X(TD_ERROR_MATRICES, "the workspace was made without matrices (td_workspace_options)")         \
    X(TD_ERROR_REACTION, "no reaction forces keep the resting and sticking joints at rest")        \
    X(TD_ERROR_DIVERGED, "the fixed step is too long: integration errors add energy")              \
    X(TD_ERROR_EQUILIBRIUM, "no equilibrium was found from this start")                            \
    X(TD_ERROR_STIFFNESS, "a joint that is not locked has no stiffness")                           \
    X(TD_ERROR_RICCATI, "no gain stabilizes every motion")                                         \
    X(TD_ERROR_UNDETERMINED, "the measured positions do not determine all joints")                 \
    X(TD_ERROR_MEASURED, "no configuration matches the measured positions")                        \
    X(TD_ERROR_EVENTS, "events such as impacts repeat without end")

/* Status of a call. TD_OK is 0. */
typedef enum td_status {
#define TD_STATUS_ENUM(code, text) code,
    TD_STATUS_TABLE(TD_STATUS_ENUM)
#undef TD_STATUS_ENUM
} td_status;

/* Returns the English text of a status, never NULL; "unknown status" if the number is not a status.
 */
TD_API const char *td_status_text(td_status status);

/* Returns the version of the library that runs, "MAJOR.MINOR.PATCH". */
TD_API const char *td_version(void);

#ifdef __cplusplus
}
#endif
#endif
