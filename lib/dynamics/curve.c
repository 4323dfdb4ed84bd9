/* SPDX-License-Identifier: MIT */
/*
 * Evaluates the curves by which joints follow others.
 */
#include "tandem/curve.h"
#include "dynamics/eval.h"

td_status td_curve_value(const td_model *model, size_t follower, size_t k, double position,
                         double value[4])
{
    if (!model || !value || follower >= model->records.follower.count ||
        k >= model->records.follower.at[follower].curves)
        return TD_ERROR_ARGUMENT;
    const td_curve_data *curve = &model->curves[follower].curve[k];
    if (!curve->sine && !curve->coefficient)
        return TD_ERROR_ARGUMENT;
    model->single->curve(curve, &position, value);
    return TD_OK;
}
