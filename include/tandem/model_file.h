/* SPDX-License-Identifier: MIT */
/*
 * Model files: a text format for the records and options that a model was built from.
 *
 * A model file has the complete input of the builder. A program can send a model to another
 * process or machine, which loads it without XML. The loaded model computes the same bits, if it
 * uses the same instruction set. docs/model-files.md describes the format. Before tandem 1.0 any
 * release may change it and refuse files of earlier ones, so keep the URDF of a robot.
 */
#ifndef TANDEM_MODEL_FILE_H
#define TANDEM_MODEL_FILE_H

#include <stddef.h>

#include "tandem/builder.h"
#include "tandem/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the format that td_model_write writes, and the oldest version that
   td_load_model_memory reads. */
#define TD_MODEL_FILE_VERSION 2
#define TD_MODEL_FILE_OLDEST 1

/* Writes a model as text, without a terminating NUL. The text is UTF-8 if the names are.

     text  capacity bytes for the result; NULL with capacity 0: only *size is computed
     size  receives the length of the text in bytes

   Options that control how a file is read (max_bytes, max_elements, max_depth, submechanisms,
   xacro) are left out, because the records already contain the result.

   TD_ERROR_ARGUMENT: an argument is NULL, or capacity is below *size. In the latter case *size is
   set and the contents of text are undefined. TD_ERROR_FUNCTION: the model has a user-supplied
   closure (td_closure_function), which is code and cannot be written. TD_ERROR_MEMORY. After any
   other error *size is 0. Cost: O(records). */
TD_API td_status td_model_write(const td_model *model, char *text, size_t capacity, size_t *size);

/* Makes a model from a text that td_model_write wrote.

     text         size bytes
     name         names the text in diagnostics about its syntax; diagnostics about records name
                  the files that the records came from
     options      NULL: the options in the text; otherwise these options replace them
     diagnostics  may be NULL
     model        receives the model; NULL after an error

   The text may come from an untrusted source. TD_ERROR_MODEL: the text is damaged, and a diagnostic
   names the line; or its records have errors, as in td_builder_finish. TD_ERROR_IO: the text is
   larger than max_bytes of the options (of the default options if options is NULL). Other statuses
   as in td_builder_finish. */
TD_API td_status td_load_model_memory(const char *text, size_t size, const char *name,
                                      const td_load_options *options, td_diagnostics *diagnostics,
                                      td_model **model);

#ifdef __cplusplus
}
#endif
#endif
