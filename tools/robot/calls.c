/* SPDX-License-Identifier: MIT */
/*
 * The two sets of functions, see calls.h.
 */
#include "robot/calls.h"

#include <math.h>
#include <stdlib.h>

#include "text.h"

static const calls independent_calls = {
#define CALL(name) .name = td_##name,
#define OPERATION(name, ...) CALL(name) CALL(batch_##name)
    CALL_TABLE(CALL) TD_OPERATIONS(OPERATION)
#undef OPERATION
#undef CALL
};

static const calls tree_calls = {
#define CALL(name) .name = td_tree_##name,
#define OPERATION(name, ...) CALL(name).batch_##name = td_batch_tree_##name,
    CALL_TABLE(CALL) TD_OPERATIONS(OPERATION)
#undef OPERATION
#undef CALL
};

const calls *calls_of(bool tree)
{
    return tree ? &tree_calls : &independent_calls;
}

void calls_sample(const calls *call, const td_model *model, td_workspace *workspace, uint64_t *seed,
                  double *x)
{
    enum { MOST_HALVINGS = 10 };
    call->random_configuration(model, seed, x);
    if (call != &independent_calls || td_loop_cluster_count(model) == 0) {
        return;
    }
    double *reference = allocate(td_ny(model), sizeof *reference);
    double *step = allocate(td_nyd(model), sizeof *step), *q = allocate(td_nq(model), sizeof *q);
    td_reference_coordinates(model, reference);
    td_difference(model, reference, x, step);
    for (int n = 0; n < MOST_HALVINGS; n++) {
        /* a batch starts where nothing was solved before */
        if (td_batch_closure(model, workspace, 1, x, NULL, NULL, q, NULL, NULL, NULL) == TD_OK) {
            /* poses of which loops decide a part are closed then */
            td_independent_coordinates(model, workspace, q, x, NULL);
            break;
        }
        td_integrate(model, reference, step, ldexp(1, -1 - n), x);
    }
    free(reference);
    free(step);
    free(q);
}
