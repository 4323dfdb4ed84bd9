/* SPDX-License-Identifier: MIT */
/*
 * Model files: the records and options that a model was made of as text, and the model of such a
 * text. It is the builder's input in full, so that a model can be kept, sent to another process or
 * machine, and made again without any XML; the model that comes back computes the same numbers, to
 * the bit, where the same instruction set is in use. docs/model-files.md describes the format.
 */
#ifndef TANDEM_MODEL_FILE_H
#define TANDEM_MODEL_FILE_H

#include <stddef.h>

#include "tandem/builder.h"
#include "tandem/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the format that td_model_write writes, and the oldest one that is read. */
#define TD_MODEL_FILE_VERSION 2
#define TD_MODEL_FILE_OLDEST 1

/* The text of a model, UTF-8 where its names are, without a NUL at its end: *size becomes its
   length in bytes. text (capacity bytes) may be NULL, which asks for the length alone. Options that
   bear on the reading of a file (max_bytes, max_elements, max_depth, submechanisms) are not in it:
   what the file said is in the records. TD_ERROR_ARGUMENT: NULL, or less capacity than *size, which
   is set, and then what text holds has no meaning; TD_ERROR_FUNCTION: the model has a closure of
   the caller's own (td_closure_function), which is code and cannot be written, and *size is 0;
   TD_ERROR_MEMORY. O(records). */
TD_API td_status td_model_write(const td_model *model, char *text, size_t capacity, size_t *size);

/* The model of a text of td_model_write, of size bytes. name stands for the text in diagnostics
   about its form; those about records name the files that the records came from. options NULL:
   those of the text; otherwise these replace all of them. Texts may come from anywhere: a damaged
   one is TD_ERROR_MODEL with a diagnostic that names the line; larger than options->max_bytes, or
   than the default with options NULL: TD_ERROR_IO. Others as td_builder_finish, *model being NULL
   then. */
TD_API td_status td_load_model_memory(const char *text, size_t size, const char *name,
                                      const td_load_options *options, td_diagnostics *diagnostics,
                                      td_model **model);

#ifdef __cplusplus
}
#endif
#endif
