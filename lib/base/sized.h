/* SPDX-License-Identifier: MIT */
/*
 * Structs of the interface that begin with their size, size_of (docs/abi.md). A caller that was
 * built with another version of the headers has a shorter or a longer one than the library knows:
 * what a caller does not have takes the default, and what the library does not know must be 0.
 */
#ifndef TD_SIZED_H
#define TD_SIZED_H

#include <stdbool.h>
#include <stddef.h>

/* No struct will be longer. A size_of that nobody has set is most likely beyond it. */
enum { TD_LARGEST_SIZE = 4096 };

/* Whether some version may have a struct of that size. */
bool td_size_is_valid(size_t size_of);

/* ours, of known bytes, holds defaults and takes over what given has; its size becomes known.
   False, with ours as it was, where given is NULL, its size is not valid, or it has more than is
   known. */
bool td_sized_read(void *ours, size_t known, const void *given);

/* Writes size_of bytes into a caller's struct: its size, and of ours, known bytes, what it has room
   for; 0 beyond. Nothing for a size that is not valid. */
void td_sized_write(void *theirs, size_t size_of, const void *ours, size_t known);

/* The i-th struct of an array whose elements have the size that the first one names. */
const void *td_sized_at(const void *array, size_t i);

#endif
