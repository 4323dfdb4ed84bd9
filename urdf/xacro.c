/* SPDX-License-Identifier: MIT */
/*
 * Runs xacro; see xacro.h.
 */
#include "xacro.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "load/build.h"
#include "vocabulary.h"

static bool ends_with_xacro(const char *path)
{
    static const char suffix[] = ".xacro";
    const size_t length = strlen(path), of_suffix = sizeof suffix - 1;
    return length > of_suffix && strcmp(path + length - of_suffix, suffix) == 0;
}

bool td_is_xacro_file(const char *path)
{
    const td_load_options options = td_load_options_default();
    td_file file;
    td_xml xml;
    bool found = ends_with_xacro(path);
    if (found || strcmp(path, "-") == 0)
        return found;
    if (td_file_read(path, options.max_bytes, NULL, &file) == TD_OK) {
        found = td_xml_parse(file.text, file.size, path, &options, NULL, &xml) == TD_OK &&
                td_xacro_find(xml.root).count > 0;
        td_xml_free(&xml);
    }
    free(file.text);
    return found;
}

/* ---- arguments ------------------------------------------------------------------------------- */

double td_xacro_seconds(const td_load_options *options)
{
    return options->xacro_timeout > 0 ? options->xacro_timeout : 30;
}

/* Returns why xacro would ignore or misread an argument, or NULL. */
static const char *fault_of(const char *argument)
{
    const size_t name = td_xacro_name_length(argument);
    const char *value = name > 0 ? argument + name + 2 : "";
    return name == 0                                  ? "it is not NAME:=VALUE"
           : strstr(value, ":=")                      ? "its value contains ':='"
           : *value == '\0'                           ? "xacro ignores an empty value"
           : argument[0] == '_' && argument[1] != '_' ? "xacro ignores names that begin with '_'"
                                                      : NULL;
}

size_t td_xacro_name_length(const char *word)
{
    static const char first[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    static const char others[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.-";
    const size_t length = strspn(word, first) > 0 ? strspn(word, others) : 0;
    return strncmp(word + length, ":=", 2) == 0 ? length : 0;
}

/* Reports the first argument that cannot be used. Returns whether there is one. */
static bool blame_arguments(const td_xacro *x, bool is_xacro)
{
    for (size_t i = 0; i < x->options->xacro_argument_count; i++) {
        const char *argument = x->options->xacro_arguments[i];
        const char *why = !x->is_file ? "this text is not a file, and xacro reads only files"
                          : !is_xacro ? "the file is not a xacro file"
                                      : fault_of(argument);
        if (!why)
            continue;
        td_report(x->diagnostics, TD_CODE_XACRO_ARGUMENT, (td_source){x->file, 0, 0, NULL},
                  !x->is_file ? "expand it first: xacro FILE NAME:=VALUE | tandem COMMAND -"
                  : is_xacro  ? "omit the argument, or correct it"
                              : "omit the argument, or name the .xacro file",
                  "argument '%.*s' of xacro has no effect: %s", td_shown(argument), argument, why);
        return true;
    }
    return false;
}

/* ---- expansion ------------------------------------------------------------------------------- */

/* Runs xacro on the file. The list that it fills is one of its arguments. */
static td_status run(const td_xacro *x, td_program *program)
{
    const td_load_options *options = x->options;
    const size_t cap = options->max_bytes < INT_MAX ? options->max_bytes : INT_MAX;
    char **words = calloc(options->xacro_argument_count + 3, sizeof *words);
    char *path = malloc(strlen(x->file) + sizeof "./"), *name = strdup(options->xacro);
    *program = (td_program){.end = TD_PROGRAM_NOT_STARTED};
    td_status status = words && path && name ? TD_OK : TD_ERROR_MEMORY;
    if (status == TD_OK) {
        sprintf(path, "%s%s", *x->file == '-' ? "./" : "", x->file);
        words[0] = name;
        words[1] = path;
        for (size_t i = 0; i < options->xacro_argument_count && status == TD_OK; i++) {
            words[i + 2] = strdup(options->xacro_arguments[i]);
            status = words[i + 2] ? TD_OK : TD_ERROR_MEMORY;
        }
    }
    if (status == TD_OK)
        status = td_program_run(words, td_xacro_seconds(options), cap, program);
    for (size_t i = 0; words && i < options->xacro_argument_count; i++)
        free(words[i + 2]);
    free(words);
    free(path);
    free(name);
    return status;
}

/* Parses xacro's result, which takes the place of the file's document. */
static td_status read_result(td_xacro *x, const td_program *program)
{
    static const char suffix[] = TD_XACRO_RESULT;
    td_xml result;
    char *name = malloc(strlen(x->file) + sizeof suffix);
    if (!name)
        return TD_ERROR_MEMORY;
    sprintf(name, "%s%s", x->file, suffix);
    td_status status = td_xml_parse(program->out[0].text, program->out[0].size, name, x->options,
                                    x->diagnostics, &result);
    if (status == TD_OK) {
        td_xacro_place(x->xml->root, result.root);
        x->result = td_arena_string(&result.arena, name);
        x->parts = td_xacro_find(result.root);
        status = x->result ? TD_OK : TD_ERROR_MEMORY;
    }
    free(name);
    td_xml_free(x->xml);
    *x->xml = result;
    return status;
}

td_status td_xacro_expand(td_xacro *x)
{
    x->parts = td_xacro_find(x->xml->root);
    const bool is_xacro = x->is_file && (ends_with_xacro(x->file) || x->parts.count > 0);
    if (!td_xacro_options_are_valid(x->options))
        return TD_ERROR_ARGUMENT;
    if (blame_arguments(x, is_xacro))
        return TD_ERROR_MODEL;
    if (!is_xacro || !x->options->xacro)
        return TD_OK;
    td_program program;
    td_status status = run(x, &program);
    const bool good = program.end == TD_PROGRAM_EXITED && program.code == 0 && program.out[0].size;
    if (status == TD_OK && !good) {
        td_xacro_report_failure(x, &program);
        status = TD_ERROR_MODEL;
    } else if (status == TD_OK) {
        td_xacro_report_success(x, &program);
        status = read_result(x, &program);
    }
    td_program_free(&program);
    return status;
}
