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

#include "tandem/builder.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reads the file; "-" is standard input, and "tandem:gripper" a robot that comes with tandem, with
   or without .urdf behind its name. Such a robot is looked for in the folder that TANDEM_ROBOTS of
   the environment names, else in share/tandem/robots of the prefix that the library is in. A name
   that no robot there has is TD_ERROR_IO, with a diagnostic that says which one may be meant. */
TD_API td_status td_load_urdf(const char *path, const td_load_options *options,
                              td_diagnostics *diagnostics, td_model **model);

/* Reads size bytes of text, which may be NULL if there are none; name stands for the file in
   diagnostics. */
TD_API td_status td_load_urdf_memory(const char *text, size_t size, const char *name,
                                     const td_load_options *options, td_diagnostics *diagnostics,
                                     td_model **model);

/* As td_load_urdf_memory, into a builder to which records may be added before it is finished. On
   failure *builder is NULL. */
TD_API td_status td_parse_urdf_memory(const char *text, size_t size, const char *name,
                                      const td_load_options *options, td_diagnostics *diagnostics,
                                      td_builder **builder);

/* A submechanism list: a YAML file in the form of HyRoDyn's and Phobos' with the loops that a URDF
   does not tell of, which joints are independent, and which are driven
   (docs/formats/submechanisms.md). The functions above read the file that options->submechanisms
   names. This one reads size bytes of text into a builder to which all joints have been added; name
   stands for the file in diagnostics. Loops are added, those of mechanisms that HyRoDyn has built
   in included; what the list says of the independence of a joint replaces what its record says, and
   makes it an error where a joint that is to depend on others does not; a joint that is driven gets
   a transmission unless it has one: TD_ACTUATION_TRANSMISSION takes them as the motors.
   TD_ERROR_MODEL: the diagnostics name the errors, and the builder makes no model any more;
   TD_ERROR_IO: larger than options->max_bytes, or TANDEM_HAS_YAML in tandem/config.h is 0;
   TD_ERROR_MEMORY; TD_ERROR_ARGUMENT. */
TD_API td_status td_parse_submechanisms_memory(td_builder *builder, const char *text, size_t size,
                                               const char *name, const td_load_options *options,
                                               td_diagnostics *diagnostics);

#ifdef __cplusplus
}
#endif
#endif
