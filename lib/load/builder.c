/* SPDX-License-Identifier: MIT */
/*
 * The builder collects the records of a robot. load/build.c makes a model of them.
 */
#include <stdlib.h>

#include "model/records.h"
#include "tandem/builder.h"

td_status td_builder_new(const char *robot_name, td_builder **builder)
{
    if (!builder)
        return TD_ERROR_ARGUMENT;
    td_builder *b = *builder = calloc(1, sizeof *b);
    if (!b)
        return TD_ERROR_MEMORY;
    b->records.name = td_arena_string(&b->records.arena, robot_name ? robot_name : "");
    if (b->records.name)
        return TD_OK;
    td_builder_free(b);
    *builder = NULL;
    return TD_ERROR_MEMORY;
}

void td_builder_free(td_builder *builder)
{
    if (builder)
        td_records_free(&builder->records);
    free(builder);
}

td_status td_builder_set_source(td_builder *builder, const td_source *source)
{
    return builder && source ? td_records_set_source(&builder->records, source) : TD_ERROR_ARGUMENT;
}

td_status td_builder_add_link(td_builder *builder, const td_link *link)
{
    return builder ? td_records_add_link(&builder->records, link) : TD_ERROR_ARGUMENT;
}

td_status td_builder_add_joint(td_builder *builder, const td_joint *joint)
{
    return builder ? td_records_add_joint(&builder->records, joint) : TD_ERROR_ARGUMENT;
}

td_status td_builder_add_loop(td_builder *builder, const td_loop *loop)
{
    return builder ? td_records_add_loop(&builder->records, loop) : TD_ERROR_ARGUMENT;
}

td_status td_builder_add_coupling(td_builder *builder, const td_coupling *coupling)
{
    return builder ? td_records_add_coupling(&builder->records, coupling) : TD_ERROR_ARGUMENT;
}

td_status td_builder_add_follower(td_builder *builder, const td_follower *follower)
{
    return builder ? td_records_add_follower(&builder->records, follower) : TD_ERROR_ARGUMENT;
}

td_status td_builder_add_spring(td_builder *builder, const td_spring *spring)
{
    return builder ? td_records_add_spring(&builder->records, spring) : TD_ERROR_ARGUMENT;
}

td_status td_builder_add_flexible(td_builder *builder, const td_flexible *flexible)
{
    return builder ? td_records_add_flexible(&builder->records, flexible) : TD_ERROR_ARGUMENT;
}

td_status td_builder_add_transmission(td_builder *builder, const td_transmission *record)
{
    return builder ? td_records_add_transmission(&builder->records, record) : TD_ERROR_ARGUMENT;
}

td_status td_builder_set_independent(td_builder *builder, const char *joint, bool independent)
{
    return builder && joint ? td_records_set_independent(&builder->records, joint, independent)
                            : TD_ERROR_ARGUMENT;
}
