/* SPDX-License-Identifier: MIT */
/*
 * Public structs that begin with their size, size_of (docs/abi.md). A caller that was compiled
 * with another version of the headers has a shorter or longer struct than the library. Members
 * that the caller lacks take their defaults. Members that the library does not know must be 0.
 */
#ifndef TD_SIZED_H
#define TD_SIZED_H

#include <stdbool.h>
#include <stddef.h>

/* An upper bound for all struct sizes. An uninitialized size_of most likely exceeds it. */
enum { TD_LARGEST_SIZE = 4096 };

/* Returns whether a struct of some version may have this size. */
bool td_size_is_valid(size_t size_of);

/* Copies the members of `given` into `ours`, which has `known` bytes and holds the defaults; its
   size becomes known. Returns false and leaves `ours` unchanged if given is NULL, if its size is
   invalid, or if it sets members beyond known. */
bool td_sized_read(void *ours, size_t known, const void *given);

/* Writes a caller's struct of size_of bytes: its size, then the members of `ours` (known bytes)
   that fit; 0 beyond. Does nothing if the size is invalid. */
void td_sized_write(void *theirs, size_t size_of, const void *ours, size_t known);

/* Returns struct i of an array. The first struct's size_of applies to all. */
const void *td_sized_at(const void *array, size_t i);

#endif
