/* SPDX-License-Identifier: MIT */
/*
 * The records of a robot: growing arrays of links, joints and so on. All strings are deep copies in
 * one arena. A builder collects records; a model keeps its own copy.
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
    td_source source; /* source of the robot */
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
    bool incomplete; /* the file has errors, and placeholders replace unreadable records */
};

/* Sets the robot's source. Returns TD_OK, or TD_ERROR_MEMORY with nothing changed. */
td_status td_records_set_source(td_records *records, const td_source *source);

/* Append a deep copy of a record. Return TD_ERROR_ARGUMENT for NULL, for a struct that
   td_sized_read refuses, and for an enum out of range; TD_ERROR_MEMORY if memory runs out. */
td_status td_records_add_link(td_records *records, const td_link *link);
td_status td_records_add_joint(td_records *records, const td_joint *joint);
td_status td_records_add_loop(td_records *records, const td_loop *loop);
td_status td_records_add_coupling(td_records *records, const td_coupling *coupling);
td_status td_records_add_follower(td_records *records, const td_follower *follower);
td_status td_records_add_spring(td_records *records, const td_spring *spring);
td_status td_records_add_transmission(td_records *records, const td_transmission *transmission);
td_status td_records_add_flexible(td_records *records, const td_flexible *flexible);

/* Notes that a submechanism list declares a joint independent or dependent, and where. A joint
   declared dependent must depend on others. Returns TD_OK or TD_ERROR_MEMORY. */
td_status td_records_declare(td_records *records, int joint, bool independent,
                             const td_source *source);

/* Collects the names of joints that follow others by curves. Returns false if memory runs out. */
bool td_records_follower_names(const td_records *records, td_arena *arena, td_names *names);

/* Sets the flag of the first joint with this name. Returns TD_ERROR_NAME if no joint has it. */
/* Returns the index of the first loop with a name, which may be NULL; −1 without one. */
int td_records_find_loop(const td_records *records, const char *name);
td_status td_records_set_independent(td_records *records, const char *joint, bool independent);

/* Copies all records into target, which must be empty. The copy is deep. */
td_status td_records_copy(td_records *target, const td_records *source);
void td_records_free(td_records *records);

/* Replaces a follower by a deep copy of itself. Its curves get the current struct size
   (curve_records.c). Returns TD_ERROR_ARGUMENT if td_sized_read refuses a curve, or if a curve has
   an enum out of range or lacks an array; TD_ERROR_MEMORY if memory runs out. */
td_status td_follower_own(td_arena *arena, td_follower *follower);

#endif
