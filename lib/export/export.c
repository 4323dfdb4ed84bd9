/* SPDX-License-Identifier: MIT */
/*
 * The public functions of export.
 */
#include "tandem/export.h"

#include "base/c_locale.h"
#include "base/sized.h"
#include "export/writer.h"

static td_status status_of(const td_writer *w)
{
    return w->failed || td_diagnostics_failed(w->diagnostics) ? TD_ERROR_MEMORY
           : w->errors                                        ? TD_ERROR_MODEL
                                                              : TD_OK;
}

/* Runs a writer in the C locale. */
static td_status run(td_writer *w, void (*write)(td_writer *writer))
{
    td_c_locale locale;
    if (w->model->given_options.closure_count)
        return TD_ERROR_FUNCTION;
    if (!td_c_locale_begin(&locale))
        return TD_ERROR_MEMORY;
    write(w);
    td_c_locale_end(&locale);
    td_arena_free(&w->arena);
    return status_of(w);
}

td_status td_model_export(const td_model *model, const td_export_options *given,
                          td_diagnostics *diagnostics, char *text, size_t capacity, size_t *size)
{
    static void (*const formats[])(td_writer * writer) = {
        [TD_EXPORT_URDF] = td_write_urdf, [TD_EXPORT_MJCF] = td_write_mjcf};
    td_export_options options = td_export_options_default();
    if (size)
        *size = 0;
    if (!model || !size || (!text && capacity) ||
        (given && !td_sized_read(&options, sizeof options, given)) ||
        (unsigned)options.format >= sizeof formats / sizeof *formats ||
        (options.workspace && options.workspace->model != model))
        return TD_ERROR_ARGUMENT;
    td_writer w = {.model = model,
                   .workspace = options.workspace,
                   .diagnostics = diagnostics,
                   .fit = options.fit,
                   .sink = {text, capacity, 0, TD_HASH_START}};
    const td_status status = run(&w, formats[options.format]);
    if (status != TD_OK)
        return status;
    *size = w.sink.size;
    return text && w.sink.size > capacity ? TD_ERROR_ARGUMENT : TD_OK;
}

static void write_digest(td_writer *w)
{
    const td_tree *tree = w->workspace ? w->workspace->eval.tree : &w->model->tree;
    const double gravity[3] = {tree->gravity.x, tree->gravity.y, tree->gravity.z};
    td_write_urdf(w);
    td_put_format(&w->sink, "base %d\n", (int)w->model->base);
    td_put_numbers(w, "gravity", gravity, 3);
}

td_status td_model_digest(const td_model *model, const td_workspace *workspace, uint64_t *digest)
{
    if (digest)
        *digest = 0;
    if (!model || !digest || (workspace && workspace->model != model))
        return TD_ERROR_ARGUMENT;
    td_writer w = {.model = model,
                   .workspace = workspace,
                   .dynamic = true,
                   .sink = {NULL, 0, 0, TD_HASH_START}};
    const td_status status = run(&w, write_digest);
    if (status == TD_OK)
        *digest = w.sink.hash;
    return status;
}
