/* SPDX-License-Identifier: MIT */
/*
 * Allocates scratch arrays of operations (operation_room.h).
 */
#include "dynamics/operation_room.h"

td_motor_room td_actuation_take(td_stack *stack, const td_model *model, const td_kernels *k)
{
    const td_actuation_map *map = model->charts.any ? &model->charts.actuation : &model->actuation;
    const size_t n = (size_t)map->matrix.columns, nu = map->nu;
    const size_t changing = td_motors_change(model) ? n : 0;
    return (td_motor_room){
        .X = td_take_reals(stack, k, changing * n),
        .Z = td_take_reals(stack, k, changing * nu),
        .force = td_take_reals(stack, k, model->tree.nv),
        .values = td_take_reals(stack, k, nu ? (size_t)map->matrix.row[nu] : 0),
        .lambda = td_take_reals(stack, k, n),
        .rest = td_take_reals(stack, k, n),
    };
}

static size_t factor_reals(const td_balances *b)
{
    size_t sum = 0;
    for (size_t n = 0; n < b->count; n++)
        sum += (size_t)(b->set[n].rows + b->set[n].held) * (size_t)b->set[n].held;
    return sum;
}

td_constrained_room td_constrained_take(td_stack *stack, const td_model *model, const td_kernels *k)
{
    const size_t nv = model->tree.nv, rows = model->closure.rows;
    if (k->lanes > 1) /* there is no batch version */
        return (td_constrained_room){0};
    return (td_constrained_room){
        .qdd = td_take_reals(stack, k, nv),
        .lambda = td_take_reals(stack, k, rows),
        .mu = td_take_reals(stack, k, rows),
        .by_tau = td_take_reals(stack, k, nv),
        .force = td_take_reals(stack, k, nv),
        .e = td_take_reals(stack, k, rows),
        .particular = td_take_reals(stack, k, nv),
        .rest = td_take_reals(stack, k, nv),
        .out = td_take_reals(stack, k, nv),
        .y = td_take_reals(stack, k, nv),
        .lambda_change = td_take_reals(stack, k, rows),
        .factors = td_take_reals(stack, k, factor_reals(&model->closure.balances)),
        .matrix = td_take_reals(stack, k, rows ? nv * nv : 0),
    };
}

td_products_room td_products_take(td_stack *stack, const td_model *model, const td_kernels *k)
{
    const size_t n = model->tree.nv;
    td_products_room room;
    for (int i = 0; i < TD_PRODUCT_PARTS; i++)
        room.part[i] = td_take_reals(stack, k, n);
    room.other = td_take_reals(stack, k, n);
    room.found = td_take_reals(stack, k, n);
    room.ydd = td_take_reals(stack, k, n);
    room.solved = td_take_reals(stack, k, n);
    return room;
}

td_reals *td_coriolis_take(td_stack *stack, const td_model *model, const td_kernels *k)
{
    const size_t nv = model->closure.identity ? 0 : model->tree.nv;
    return td_take_reals(stack, k, nv * nv);
}

td_reals *td_derivatives_take(td_stack *stack, const td_model *model, const td_kernels *k)
{
    return td_take_reals(stack, k, model->tree.nv);
}

td_reals *td_hybrid_take(td_stack *stack, const td_model *model, const td_kernels *k)
{
    const td_closure_map *closure = td_widest_closure(model);
    return td_take_reals(stack, k, closure->identity ? 0 : closure->pattern.entries);
}

td_reals *td_motion_derivatives_take(td_stack *stack, const td_model *model, const td_kernels *k)
{
    return td_take_reals(stack, k, (size_t)TD_CHANGE_MATRICES * TD_CHANGE_ROWS * model->tree.nv);
}

td_reals *td_operational_take(td_stack *stack, const td_model *model, const td_kernels *k)
{
    return td_take_reals(stack, k, 12 * model->tree.nv);
}
