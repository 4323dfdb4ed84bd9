/* SPDX-License-Identifier: MIT */
/*
 * Actuation: u (nu) are the forces of the actuated tree joints, the list of which is decided at
 * load (td_load_options.actuation). A floating base is never actuated: its six rows of tau_y are
 * the residual base wrench and do not count.
 */
#ifndef TANDEM_ACTUATION_H
#define TANDEM_ACTUATION_H

#include "tandem/model.h"

#ifdef __cplusplus
extern "C" {
#endif

TD_API size_t td_nu(const td_model *model);
/* Joint index of the i-th entry of u, in the model's order (a planar joint has three entries and so
   occurs three times); -1 out of range. */
TD_API int td_actuated_joint(const td_model *model, size_t i);

/* M_u: the rows of M that belong to actuated joints, dense nu × nyd, row-major. */
TD_API td_status td_actuation_matrix(const td_model *model, double *M_u);

/* Whether u follows from tau_y: TD_OK where M_u is square and regular once the floating base's
   columns are left out; else TD_ERROR_UNDERACTUATED, TD_ERROR_OVERACTUATED or
   TD_ERROR_ACTUATION_SINGULAR. Decided at load. */
TD_API td_status td_actuation_status(const td_model *model);

/* u (nu) = M_u⁻ᵀ tau_y (nyd), so that u = M_u⁻ᵀ Mᵀ τ_ID (equation 19 of Kumar et al. 2017). Returns
   td_actuation_status; nothing is written unless that is TD_OK. */
TD_API td_status td_actuator_forces(const td_model *model, td_workspace *workspace,
                                    const double *tau_y, double *u);

#ifdef __cplusplus
}
#endif
#endif
