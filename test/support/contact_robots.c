/* SPDX-License-Identifier: MIT */
#include "contact_robots.h"

#include "coupled_robots.h"
#include "loop_robots.h"

td_model *contact_robot_plain(td_random *random, int seed)
{
    td_builder *b = NULL;
    const size_t size = (size_t)(seed / 4);
    if (seed % 4 == 3)
        return loop_robot_load(&loop_robots[size % loop_robot_count]);
    if (seed % 4 == 0)
        b = coupled_random(random, 3 + size % 5);
    else if (seed % 4 == 1)
        b = chain_of_four_bars(1 + size % 4, (unsigned)(size / 4) % 8);
    else
        b = coupled_case(size % 8, random);
    return model_of_builder(b, NULL);
}

void contact_robot_start(const td_model *model, double *y, double *q)
{
    ck_assert_uint_lt(td_nq(model), CONTACT_ROOM);
    td_workspace *w = test_workspace(model);
    if (td_loop_cluster_count(model) == 0)
        td_neutral(model, TD_COORDINATES_INDEPENDENT, y);
    else
        assert_ok(td_independent_coordinates(model, w, td_reference(model, TD_COORDINATES_TREE), y,
                                             NULL));
    assert_ok(td_closure(model, w, y, NULL, NULL, q, NULL, NULL));
}

td_model *contact_robot_changed(const td_model *model, contact_change change, void *context)
{
    td_builder *b = test_builder(td_model_name(model));
    td_load_options load = td_load_options_default();
    for (size_t i = 0; i < td_link_count(model); i++)
        assert_ok(td_builder_add_link(b, td_link_at(model, i)));
    for (size_t i = 0; i < td_joint_count(model); i++) {
        td_joint joint = *td_joint_at(model, i);
        if (!joint.parent) {
            load.base = TD_BASE_FLOATING;
            continue;
        }
        change(context, td_joint_place_at(model, i), &joint, NULL);
        assert_ok(td_builder_add_joint(b, &joint));
    }
    for (size_t i = 0; i < td_loop_count(model); i++) {
        td_loop loop = *td_loop_at(model, i);
        change(context, (td_joint_place){.q = TD_NONE}, NULL, &loop);
        assert_ok(td_builder_add_loop(b, &loop));
    }
    for (size_t i = 0; i < td_coupling_count(model); i++)
        assert_ok(td_builder_add_coupling(b, td_coupling_at(model, i)));
    return model_of_builder(b, &load);
}
