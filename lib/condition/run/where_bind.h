/*
 * A program gets the columns of a call.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "where.h"

/* Memory of a call for what it binds: on its stack for conditions of 32 columns and
 * 64 tests, else allocated. */
typedef struct winnow__bind_room {
    _Alignas(16) unsigned char own[9 << 10];
    void *allocated; /* NULL, or for free() */
} winnow__bind_room;
winnow_status winnow__find_room(winnow__bind_room *room, size_t bytes,
                                void **memory_p);

/* The program that a call with these columns takes. */
const winnow__program *winnow__program_of(const winnow__where *where);
/* Bytes of memory for winnow__bind(), aligned to 16. */
size_t winnow__bind_bytes(const winnow__where *where);
/* The shortest program for the columns, which were checked. Its lists are in the
 * memory, or the condition's. */
void winnow__bind(const winnow__where *where, void *memory,
                  winnow__bound *bound);
/* The same of the program where anything may be null, as it is: a kernel of it was
 * made for all calls. */
size_t winnow__bind_whole_bytes(const winnow__where *where);
void winnow__bind_whole(const winnow__where *where, void *memory,
                        winnow__bound *bound);
