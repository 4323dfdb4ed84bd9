/* SPDX-License-Identifier: MIT */
/*
 * The records of a robot: growing arrays of links, joints and the rest, each with deep copies of
 * its strings in one arena. A builder collects them; a model keeps its own copy.
 */
#ifndef TD_RECORDS_H
#define TD_RECORDS_H

#include "base/arena.h"
#include "base/names.h"
#include "tandem/curve.h"
#include "tandem/records.h"

#define TD_LIST(type)                                                                              \
    struct {                                                                                       \
        type *at;                                                                                  \
        size_t count, capacity;                                                                    \
    }

typedef struct td_records {
    td_arena arena;
    const char *name;
    td_source source; /* of the robot */
    TD_LIST(td_link) link;
    TD_LIST(td_joint) joint;
    TD_LIST(td_loop) loop;
    TD_LIST(td_coupling) coupling;
    TD_LIST(td_follower) follower;
    TD_LIST(td_spring) spring;
    TD_LIST(td_transmission) transmission;
    TD_LIST(td_flexible) flexible;
} td_records;

struct td_builder {
    td_records records;
    bool incomplete; /* of a file with errors: stand-ins for what could not be read are in it */
};

/* TD_OK, or TD_ERROR_MEMORY with nothing changed. */
td_status td_records_set_source(td_records *records, const td_source *source);

/* Append a deep copy. TD_ERROR_ARGUMENT for NULL, a struct that td_sized_read refuses, or an enum
   out of its range; TD_ERROR_MEMORY. */
td_status td_records_add_link(td_records *records, const td_link *link);
td_status td_records_add_joint(td_records *records, const td_joint *joint);
td_status td_records_add_loop(td_records *records, const td_loop *loop);
td_status td_records_add_coupling(td_records *records, const td_coupling *coupling);
td_status td_records_add_follower(td_records *records, const td_follower *follower);
td_status td_records_add_spring(td_records *records, const td_spring *spring);
td_status td_records_add_transmission(td_records *records, const td_transmission *transmission);
td_status td_records_add_flexible(td_records *records, const td_flexible *flexible);

/* What a submechanism list says of a joint, and where: a joint that it says depends on others must
   do so. TD_OK or TD_ERROR_MEMORY. */
td_status td_records_declare(td_records *records, int joint, bool independent,
                             const td_source *source);

/* The names of joints that follow others by curves. False without memory. */
bool td_records_follower_names(const td_records *records, td_arena *arena, td_names *names);

/* Of the first joint of that name; TD_ERROR_NAME where there is none. */
td_status td_records_set_independent(td_records *records, const char *joint, bool independent);

/* A deep copy of all records into target, which is empty. */
td_status td_records_copy(td_records *target, const td_records *source);
void td_records_free(td_records *records);

/* A follower becomes a deep copy of itself, its curves those that this library knows
   (curve_records.c). TD_ERROR_ARGUMENT: one of them is refused by td_sized_read, has an enum out of
   its range or lacks an array; TD_ERROR_MEMORY. */
td_status td_follower_own(td_arena *arena, td_follower *follower);

#endif
