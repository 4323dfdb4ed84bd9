/* SPDX-License-Identifier: MIT */
/*
 * Reads samples from a table: {file: TABLE, choose: in-turn | by-chance} of a specification.
 */
#include <stdlib.h>
#include <string.h>

#include "input/state_table.h"
#include "sweep/spec_parts.h"

#include "text.h"

typedef struct intake {
    sweep_spec *spec;
    size_t room;
} intake;

static bool take(void *context, const state_batch *batch)
{
    intake *in = context;
    sweep_samples *samples = &in->spec->samples;
    const size_t rows = samples->rows + batch->rows;
    const bool grow = rows > in->room;
    in->room = grow ? 2 * rows : in->room;
    for (enum quantity quantity = QUANTITY_Q; quantity < QUANTITY_COUNT; quantity++) {
        const size_t width = in->spec->c.size[quantity];
        if (batch->value[quantity] == NULL || !batch->given[quantity] || width == 0) {
            continue;
        }
        double **value = &samples->value[quantity];
        if (grow || *value == NULL) {
            *value = reallocate(*value, in->room * width + 1, sizeof **value);
        }
        memcpy(*value + samples->rows * width, batch->value[quantity],
               batch->rows * width * sizeof **value);
    }
    samples->rows = rows;
    return true;
}

bool spec_samples(sweep_spec *spec, const tool_options *options, const td_yaml_node *node)
{
    if (!node_keys(spec->file, node, "file choose")) {
        return false;
    }
    const td_yaml_node *file = node_of(node, "file"), *choose = node_of(node, "choose");
    if (file == NULL || file->kind != TD_YAML_SCALAR) {
        return node_fault(spec->file, node, "expected the file of a table: {file: motion.csv}");
    }
    if (choose != NULL) {
        const bool word = choose->kind == TD_YAML_SCALAR;
        spec->samples.any = word && strcmp(choose->text, "by-chance") == 0;
        if (!spec->samples.any && (!word || strcmp(choose->text, "in-turn") != 0)) {
            return node_fault(spec->file, choose, "expected 'in-turn' or 'by-chance'");
        }
    }
    const enum quantity cause = spec->fd ? QUANTITY_TAU : QUANTITY_QDD;
    const state_form form = {.read = {QUANTITY_Q, QUANTITY_QD, cause},
                             .count = 3,
                             .no_tree = true,
                             .words = &options->columns};
    intake in = {spec, 0};
    if (!state_table_read(&spec->c, &form, file->text, take, &in)) {
        return false;
    }
    return spec->samples.rows > 0 || node_fault(spec->file, file, "'%s' has no rows", file->text);
}
