/* SPDX-License-Identifier: MIT */
/*
 * Draws random configurations; see random_state.h.
 */
#include "input/random_state.h"

#include <math.h>
#include <stdlib.h>

#include "text.h"

void random_state(bool tree, const td_model *model, td_workspace *workspace, uint64_t *seed,
                  double *x)
{
    enum { MOST_HALVINGS = 10 };
    td_random_configuration(model, coordinates_for(tree), seed, x);
    if (tree || td_loop_cluster_count(model) == 0) {
        return;
    }
    const double *reference = td_reference(model, TD_COORDINATES_INDEPENDENT);
    scoped double *step = allocate(td_nyd(model), sizeof *step),
                  *q = allocate(td_nq(model), sizeof *q);
    td_difference(model, TD_COORDINATES_INDEPENDENT, reference, x, step);
    for (int n = 0; n < MOST_HALVINGS; n++) {
        /* a batch starts from the reference, not from the solution of the previous call */
        if (td_batch_closure(model, workspace, 1, x, NULL, NULL, q, NULL, NULL, NULL) == TD_OK) {
            /* fills the coordinates of joints that are partly dependent */
            td_independent_coordinates(model, workspace, q, x, NULL);
            break;
        }
        td_integrate(model, TD_COORDINATES_INDEPENDENT, reference, step, ldexp(1, -1 - n), x);
    }
}
