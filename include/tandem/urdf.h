/* SPDX-License-Identifier: MIT */
/*
 * The URDF importer: files, memory buffers and standard input. Absent from a library that was built
 * without it (TANDEM_HAS_URDF in tandem/config.h is 0 then).
 *
 * All functions: options NULL means the defaults; diagnostics may be NULL; on failure *model is
 * NULL and the status is TD_ERROR_IO (cannot be read, or larger than options->max_bytes),
 * TD_ERROR_MODEL (the diagnostics name the errors), or one of td_builder_finish.
 */
#ifndef TANDEM_URDF_H
#define TANDEM_URDF_H

#include "tandem/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reads the file; "-" is standard input. */
TD_API td_status td_load_urdf(const char *path, const td_load_options *options,
                              td_diagnostics *diagnostics, td_model **model);

/* Reads size bytes of text; name stands for the file in diagnostics. */
TD_API td_status td_load_urdf_memory(const char *text, size_t size, const char *name,
                                     const td_load_options *options, td_diagnostics *diagnostics,
                                     td_model **model);

/* As td_load_urdf_memory, into a builder to which records may be added before it is finished. On
   failure *builder is NULL. */
TD_API td_status td_parse_urdf_memory(const char *text, size_t size, const char *name,
                                      const td_load_options *options, td_diagnostics *diagnostics,
                                      td_builder **builder);

#ifdef __cplusplus
}
#endif
#endif
