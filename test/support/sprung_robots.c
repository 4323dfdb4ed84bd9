/* SPDX-License-Identifier: MIT */
/*
 * Random springs between links.
 */
#include "sprung_robots.h"

td_spring random_spring(td_random *random, const td_model *plain, bool bushing, bool equal)
{
    const size_t links = td_link_count(plain);
    const size_t one = td_random_below(random, links);
    size_t other = td_random_below(random, links);
    if (other == one)
        other = (one + 1) % links;
    td_spring spring =
        td_spring_default("s", td_link_at(plain, one)->name, td_link_at(plain, other)->name);
    spring.type = bushing ? TD_SPRING_BUSHING : TD_SPRING_LINE;
    td_random_fill(random, 3, spring.predecessor_origin.position);
    td_random_fill(random, 3, spring.successor_origin.position);
    td_random_rotation(random, spring.predecessor_origin.rotation);
    td_random_rotation(random, spring.successor_origin.rotation);
    double x[12];
    td_random_fill(random, 12, x);
    spring.length = 0.5 + 0.5 * x[0];
    spring.stiffness = 30 + 20 * x[1];
    spring.damping = 2 + x[2];
    for (int k = 0; k < 3; k++) {
        spring.angular_stiffness[k] = 20 + 10 * x[k];
        spring.angular_damping[k] = 3 + x[3 + k];
        spring.linear_stiffness[k] = 40 + 20 * x[equal ? 6 : 6 + k];
        spring.linear_damping[k] = 4 + 2 * x[9 + k];
    }
    return spring;
}

td_model *hanging(const td_spring *spring)
{
    td_builder *builder = test_builder("hanging");
    td_link base = td_link_default("base"), body = td_link_default("body");
    td_link plate = td_link_default("plate"), ground = td_link_default("ground");
    body.has_inertial = true;
    body.mass = 2;
    body.inertia[0] = 0.3, body.inertia[3] = 0.4, body.inertia[5] = 0.5;
    td_joint joint = td_joint_default("free", TD_JOINT_FLOATING, "base", "body");
    td_joint fixed = td_joint_default("fixed", TD_JOINT_FIXED, "body", "plate");
    td_joint floor = td_joint_default("floor", TD_JOINT_FIXED, "base", "ground");
    td_builder_add_link(builder, &base);
    td_builder_add_link(builder, &body);
    td_builder_add_link(builder, &plate);
    td_builder_add_link(builder, &ground);
    td_builder_add_joint(builder, &joint);
    td_builder_add_joint(builder, &fixed);
    td_builder_add_joint(builder, &floor);
    if (spring)
        assert_ok(td_builder_add_spring(builder, spring));
    td_load_options options = td_load_options_default();
    options.gravity[2] = 0;
    return model_of_builder(builder, &options);
}
