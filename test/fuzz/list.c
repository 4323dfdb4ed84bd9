/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: any bytes as a submechanism list, for a robot with two legs that can form a loop.
 */
#include "../support/objects.h"
#include "fuzz.h"

#include <string.h>

#define LINK(name)                                                                                 \
    "<link name='" name "'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' "   \
    "iyz='0' izz='1'/></inertial></link>"
#define JOINT(name, parent, child, x, z)                                                           \
    "<joint name='" name "' type='revolute'><parent link='" parent "'/><child link='" child "'/>"  \
    "<origin xyz='" x " 0 " z "'/><axis xyz='0 1 0'/><limit lower='-2' upper='2' effort='1' "      \
    "velocity='1'/></joint>"

static const char robot[] = "<robot name='legs'><link name='base'/>" LINK("crank") LINK("coupler")
    LINK("rocker") LINK("foot") JOINT("a", "base", "crank", "0", "0")
        JOINT("b", "crank", "coupler", "0", "0.2") JOINT("c", "base", "rocker", "0.4", "0")
            JOINT("d", "coupler", "foot", "0.4", "0") "</robot>";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint64_t hash = fuzz_hash(data, size);
    const td_load_options options = fuzz_options(hash);
    td_diagnostics *said = new_diagnostics(0);
    td_builder *builder;
    if (td_parse_urdf_memory(robot, strlen(robot), "robot", &options, said, &builder) != TD_OK)
        fuzz_fail("the robot of the target does not load");
    td_model *model = NULL;
    const td_status status =
        td_parse_submechanisms_memory(builder, (const char *)data, size, "list", &options, said);
    if (status == TD_ERROR_MODEL && td_diagnostics_count(said, TD_SEVERITY_ERROR) == 0)
        fuzz_fail("refused without an error");
    if (td_builder_finish(builder, &options, said, &model) == TD_OK) {
        if (status == TD_ERROR_MODEL)
            fuzz_fail("a list with errors makes a model");
        fuzz_call_all(model, hash);
    }
    fuzz_count(status == TD_OK);
    td_model_free(model);
    td_builder_free(builder);
    td_diagnostics_free(said);
    return 0;
}
