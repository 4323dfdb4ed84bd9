/* SPDX-License-Identifier: MIT */
/*
 * Reports whether results include passive forces; see passive.h.
 */
#include "input/passive.h"

#include "text.h"

static bool has_some(const td_model *model)
{
    bool some = td_spring_count(model) > 0 || td_flexible_count(model) > 0;
    for (size_t i = 0; i < td_joint_count(model); i++) {
        const td_joint *joint = td_joint_at(model, i);
        some = some || joint->damping != 0 || joint->friction != 0 || joint->spring_stiffness != 0;
    }
    for (size_t i = 0; i < td_loop_count(model); i++) {
        const td_loop *loop = td_loop_at(model, i);
        some = some || loop->damping != 0 || loop->friction != 0 || loop->spring_stiffness != 0;
    }
    for (size_t i = 0; i < td_transmission_count(model); i++) {
        some = some || td_transmission_at(model, i)->rotor_inertia != 0;
    }
    return some;
}

void passive_tell(const tool_options *options, const session *s)
{
    const char *how = !options->passive             ? "off (--passive)"
                      : options->passive_by_default ? "on (--no-passive)"
                                                    : "on";
    const bool limp = !options->passive && td_flexible_count(s->model) > 0;
    if (options->tells_passive && has_some(s->model)) {
        tell_note("%s: passive forces of joints are %s%s", s->file, how,
                  limp ? "; its flexible links have no stiffness" : "");
    }
}

void forces_add_json(const tool_options *options, cJSON *root)
{
    cJSON_AddBoolToObject(root, "passive", options->passive);
    loads_add_json(&options->loads, root);
}
