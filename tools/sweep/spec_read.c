/* SPDX-License-Identifier: MIT */
/*
 * Reads the specification of a sweep; see spec_read.h.
 */
#include "sweep/spec_read.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sink.h"
#include "input/file_text.h"
#include "load/text/model_write.h"
#include "sweep/sample.h"
#include "sweep/spec_parts.h"
#include "text.h"

enum { LARGEST_FILE = 4 }; /* MiB */

void spec_array(sweep_spec *spec, enum sweep_array array, size_t width)
{
    spec->width[array] = width;
    spec->name[array] = allocate(width + 1, sizeof *spec->name[array]);
    if (array < SWEEP_INPUTS) {
        spec->base[array] = allocate(width + 1, sizeof *spec->base[array]);
    }
}

/* Returns a digest of the inputs other than the robot: the specification, its samples, and
   wrenches. */
static uint64_t digest_all(const sweep_spec *spec, const char *text, size_t size)
{
    td_sink hash = {.hash = TD_HASH_START}; /* hashes all bytes written to it */
    const size_t links = td_link_count(spec->s->model);
    td_put(&hash, text, size);
    for (size_t quantity = 0; quantity < QUANTITY_COUNT; quantity++) {
        const double *value = spec->samples.value[quantity];
        if (value != NULL) {
            td_put(&hash, (const char *)&quantity, sizeof quantity);
            td_put(&hash, (const char *)value,
                   spec->samples.rows * spec->c.size[quantity] * sizeof *value);
        }
    }
    const double *wrenches = spec->s->loads->total;
    if (wrenches != NULL) {
        td_put(&hash, (const char *)wrenches, 6 * links * sizeof *wrenches);
    }
    const td_frame frame = loads_frame(spec->s->loads);
    if (frame != TD_FRAME_ALIGNED) {
        td_put(&hash, (const char *)&frame, sizeof frame);
    }
    return hash.hash;
}

/* ---- the file -------------------------------------------------------------------------------- */

static bool read_counts(sweep_spec *spec, const td_yaml_node *root)
{
    const uint64_t most = UINT64_C(1) << 52;
    const td_yaml_node *states = node_of(root, "states"), *seed = node_of(root, "seed");
    const td_yaml_node *sequence = node_of(root, "sequence"), *passive = node_of(root, "passive");
    uint64_t examples = 5;
    const td_yaml_node *shown = node_of(root, "examples");
    spec->form.states = spec->grid;
    if (states == NULL && spec->grid == 1) {
        return node_fault(spec->file, root, "the number of states is missing: 'states: 1e6'");
    }
    if ((states != NULL && !node_count(spec->file, states, 1, most, &spec->form.states)) ||
        (seed != NULL && !node_count(spec->file, seed, 0, most, &spec->seed)) ||
        (shown != NULL && !node_count(spec->file, shown, 0, 1000, &examples))) {
        return false;
    }
    spec->form.examples = (size_t)examples;
    if (spec->form.states % spec->period != 0 && spec->period > 1) {
        tell_note("%s: %" PRIu64 " states are not a multiple of the %" PRIu64
                  " combinations of grids and rows in turn",
                  spec->file, spec->form.states, spec->period);
    }
    if (sequence != NULL) {
        const bool word = sequence->kind == TD_YAML_SCALAR;
        spec->sobol = word && strcmp(sequence->text, "sobol") == 0;
        if (!spec->sobol && (!word || strcmp(sequence->text, "random") != 0)) {
            return node_fault(spec->file, sequence, "expected 'random' or 'sobol'");
        }
    }
    if (spec->sobol && spec->dimensions > TD_SOBOL_DIMENSIONS) {
        return node_fault(
            spec->file, sequence,
            "%zu numbers vary, but Sobol's sequence supports at most %d; use 'sequence: random'",
            spec->dimensions, TD_SOBOL_DIMENSIONS);
    }
    if (passive != NULL) {
        const bool word = passive->kind == TD_YAML_SCALAR;
        spec->forces.passive = word && strcmp(passive->text, "true") == 0;
        if (!spec->forces.passive && (!word || strcmp(passive->text, "false") != 0)) {
            return node_fault(spec->file, passive, "expected 'true' or 'false'");
        }
    }
    return true;
}

/* Drops the quantity that no result depends on: qdd with fd, otherwise tau. Refuses it in
   "vary". */
static bool drop_inputs(sweep_spec *spec, const td_yaml_node *vary)
{
    const enum sweep_array idle = spec->fd ? SWEEP_QDD : SWEEP_TAU;
    const td_yaml_node *given =
        vary != NULL ? node_of(vary, quantity_text((enum quantity)idle)) : NULL;
    if (given != NULL) {
        return node_fault(spec->file, given, "'%s' does not affect the evaluated quantities",
                          given->key);
    }
    for (size_t i = 0; i < spec->width[idle]; i++) {
        free(spec->name[idle][i]);
    }
    spec->width[idle] = 0;
    return true;
}

static bool read_root(sweep_spec *spec, const tool_options *options, const td_yaml_node *root)
{
    if (root == NULL) {
        complain("%s: the file is empty", spec->file);
        return false;
    }
    if (!node_keys(spec->file, root, "states seed sequence vary evaluate passive keep examples")) {
        return false;
    }
    const td_yaml_node *evaluate = node_of(root, "evaluate"), *keep = node_of(root, "keep");
    const td_yaml_node *vary = node_of(root, "vary");
    if (evaluate == NULL || keep == NULL) {
        return node_fault(spec->file, root, "'%s' is missing",
                          evaluate == NULL ? "evaluate" : "keep");
    }
    return spec_evaluate(spec, evaluate) && spec_vary(spec, options, vary) &&
           drop_inputs(spec, vary) && read_counts(spec, root) && spec_keep(spec, keep);
}

/* Names all inputs in which states can differ. */
static void name_inputs(sweep_spec *spec)
{
    sweep_form *form = &spec->form;
    for (size_t array = 0; array < SWEEP_INPUTS; array++) {
        for (size_t i = 0; i < spec->width[array]; i++) {
            form->input = reallocate(form->input, form->inputs + 1, sizeof *form->input);
            form->input[form->inputs++] = text_format("%s", spec->name[array][i]);
        }
    }
}

/* Computes a digest of everything in the robot that affects results: its records, the options of
   loading such as motors and plan, its payloads, and its locks. */
static td_status digest_robot(const session *s, uint64_t *digest)
{
    td_sink hash = {.hash = TD_HASH_START};
    uint64_t dynamics;
    td_status status = td_model_digest(s->model, s->workspace, &dynamics);
    if (status == TD_OK) {
        status = td_put_computed(&hash, s->model);
    }
    td_put_format(&hash, "%016" PRIx64, dynamics);
    *digest = hash.hash;
    return status;
}

static bool complete_form(sweep_spec *spec, const char *text, size_t size)
{
    sweep_form *form = &spec->form;
    form->robot = text_format("%s", td_model_name(spec->s->model));
    form->isa = text_format("%s", td_isa(spec->s->model));
    form->version = text_format("%s", td_version());
    form->spec = digest_all(spec, text, size);
    const td_status status = digest_robot(spec->s, &form->model);
    if (status != TD_OK) {
        complain("%s: %s", spec->s->file, td_status_text(status));
    }
    name_inputs(spec);
    return status == TD_OK;
}

static bool carries_twice(const sweep_spec *spec)
{
    for (size_t i = 0; i < spec->payloads; i++) {
        for (size_t k = 0; k < spec->s->loads->payloads; k++) {
            if (spec->s->loads->payload[k].index == spec->carrier[i]) {
                complain("'%s' has a payload both in %s and in --payload; remove one",
                         td_link_at(spec->s->model, spec->carrier[i])->name, spec->file);
                return true;
            }
        }
    }
    return false;
}

bool sweep_spec_read(sweep_spec *spec, const session *s, const tool_options *options,
                     const char *file)
{
    *spec = (sweep_spec){.s = s,
                         .file = file,
                         .c = coordinates_new(s->model, false),
                         .forces = options_forces(options)};
    size_t size;
    scoped char *text = file_text(file, LARGEST_FILE, &size);
    if (text == NULL) {
        return false;
    }
    td_diagnostics *list;
    td_diagnostics_new(0, &list);
    td_load_options limits = td_load_options_default();
    td_yaml yaml = {0};
    const td_status status =
        list == NULL ? TD_ERROR_MEMORY : td_yaml_parse(text, size, file, &limits, list, &yaml);
    for (size_t i = 0; i < td_diagnostics_size(list); i++) {
        const td_diagnostic *d = td_diagnostics_at(list, i);
        complain("%s:%d:%d: %s%s%s%s", file, d->source.line, d->source.column, d->message,
                 *d->remedy != '\0' ? " (" : "", d->remedy, *d->remedy != '\0' ? ")" : "");
    }
    if (status != TD_OK && td_diagnostics_size(list) == 0) {
        complain("%s: %s", file, td_status_text(status));
    }
    bool good = status == TD_OK && read_root(spec, options, yaml.root) &&
                complete_form(spec, text, size) && !carries_twice(spec);
    td_yaml_free(&yaml);
    td_diagnostics_free(list);
    return good;
}

void sweep_spec_free(sweep_spec *spec)
{
    for (size_t array = 0; array < SWEEP_ARRAYS; array++) {
        for (size_t i = 0; i < spec->width[array]; i++) {
            free(spec->name[array][i]);
        }
        free(spec->name[array]);
    }
    for (size_t array = 0; array < SWEEP_INPUTS; array++) {
        free(spec->base[array]);
    }
    for (size_t quantity = 0; quantity < QUANTITY_COUNT; quantity++) {
        free(spec->samples.value[quantity]);
    }
    free(spec->variable);
    free(spec->carrier);
    free(spec->shift);
    free(spec->pose);
    free(spec->jacobian);
    free(spec->reaction);
    free(spec->motor_effort);
    free(spec->follower_effort);
    free(spec->source);
    free(spec->chosen.condition);
    free(spec->row_column);
    sweep_form_free(&spec->form);
    coordinates_free(&spec->c);
}
