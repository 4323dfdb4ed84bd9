/* SPDX-License-Identifier: MIT */
/*
 * Finds the loops that must be solved together because they share coordinates. A joint that follows
 * by curves is solved with the loops that it moves and with the loops that decide its leaders.
 * Everything that such a follower follows, and everything that follows it, joins them.
 */
#include "base/sets.h"
#include "load/closure/follower_order.h"
#include "load/closure/loop_analysis.h"

/* Merges a loop with all loops that share a coordinate with the joints from body up to above. */
static void unite_path(const td_model *model, int *set, int *first, int loop, int body, int above)
{
    const td_csr *rate = &model->closure.rate;
    for (; body != above; body = model->tree.body[body].parent) {
        const td_body *b = &model->tree.body[body];
        for (int e = rate->row[b->qd]; e < rate->row[b->qd + b->nv]; e++) {
            int *owner = &first[rate->column[e]];
            if (*owner < 0)
                *owner = loop;
            else
                set[td_set_of(set, loop)] = td_set_of(set, *owner);
        }
    }
}

/* Merges a follower with everything that shares its coordinate or a coordinate that it follows. */
static void unite_follower(const td_build *build, int *set, int *first, int joint, int element)
{
    const td_model *model = build->model;
    const td_follower_curves *curves = td_curves_of_follower(model, joint);
    for (size_t k = 0; k <= td_follower_record(model, joint)->curves; k++) {
        const td_argument a = td_argument_of(build, k ? &curves->leader[k - 1] : &joint);
        for (int e = 0; e < a.count; e++) {
            int *owner = &first[model->closure.wd[a.joint[e]]];
            if (*owner < 0)
                *owner = element;
            else
                set[td_set_of(set, element)] = td_set_of(set, *owner);
        }
    }
}

bool td_unite_loops(td_build *build, size_t count, const int *covered,
                    const td_follower_order *order, int *set)
{
    td_model *model = build->model;
    int *first = TD_ARENA_NEW(&model->records.arena, int, model->closure.nwd);
    if (!first)
        return false;
    for (size_t k = 0; k < model->closure.nwd; k++)
        first[k] = -1;
    for (size_t l = 0; l < count; l++) {
        const td_loop *record = &model->records.loop.at[l];
        int p = td_loop_body(model, record->predecessor),
            s = td_loop_body(model, record->successor);
        int above = td_loop_ancestor(&model->tree, p, s);
        set[l] = (int)l;
        if (covered[l] >= 0)
            continue;
        unite_path(model, set, first, (int)l, p, above);
        unite_path(model, set, first, (int)l, s, above);
    }
    for (int n = 0; n < order->count; n++)
        if (first[model->closure.wd[order->joint[n]]] >= 0)
            build->tied[order->joint[n]] = 1;
    if (!td_spread_ties(build, order))
        return false;
    for (int n = 0; n < order->count; n++) {
        set[count + (size_t)n] = (int)count + n;
        if (build->tied[order->joint[n]])
            unite_follower(build, set, first, order->joint[n], (int)count + n);
    }
    return true;
}

void td_mark_leaders(td_build *build, const td_follower_order *order)
{
    const td_model *model = build->model;
    for (int n = 0; n < order->count; n++)
        for (size_t k = 0; k < td_follower_record(model, order->joint[n])->curves; k++) {
            const td_argument a =
                td_argument_of(build, &td_curves_of_follower(model, order->joint[n])->leader[k]);
            for (int e = 0; e < a.count; e++)
                build->leads[a.joint[e]] = 1;
        }
}
