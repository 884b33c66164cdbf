/*
 * Conditions over columns: what the operations that test one share.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "selection/source.h"
#include "condition/program/where_program.h"

enum {
    /* Of each column, what its strings have in a dictionary with nulls. */
    WINNOW__WHERE_RANGES_EACH = 5
};

/* As the caller says it. */
typedef struct winnow__where {
    const winnow_condition *condition;
    const winnow_in *columns;
    unsigned column_count;
} winnow__where;

/* What a condition, or expressions, read of a call. */
typedef struct winnow__reading {
    const winnow__tested *tested;
    const winnow_in *columns;
    unsigned column_count;
} winnow__reading;

/* The columns are of the types that expressions read. */
winnow_status winnow__check_reading(const winnow__reading *reading,
                                    const winnow__query *query);
/* The ranges of the columns; how many they are, and at most. */
int winnow__reading_ranges(const winnow__reading *reading, uint64_t n,
                           winnow__range *list);
unsigned winnow__reading_most_ranges(const winnow__reading *reading);

/* What expressions read of a call. */
typedef struct winnow__where_values {
    const winnow_in *columns; /* of the call */
    const winnow__tested *tested;
    winnow__value_column *column; /* of each that is read */
} winnow__where_values;

/* A program with the columns of a call: where_bind.c. */
typedef struct winnow__bound {
    const winnow__where *where;
    const winnow__program *made;
    winnow__where_program program;
    winnow__where_values values;
    bool has_empty; /* groups without members */
    uint32_t *const
        *bits; /* on the host, of each test of strings: NULL, or those
                              of its dictionary's values */
} winnow__bound;

winnow__source winnow__source_of_condition(const winnow__where *where);
/* What such a source was made of; NULL: it is of another kind, or NULL. */
const winnow__where *winnow__where_of(const winnow__source *source);

/* A member of the kind: what the host works in, aligned to 16 bytes. */
size_t winnow__where_host_bytes(const void *of, const winnow__query *query);
/* Make the selection of all items, or of the first *d_n, for a sink or NULL
 * (winnow__host_make()). */
void winnow__select_where_on_host(const winnow__host_task *task,
                                  const winnow__where *where, void *selection,
                                  void *memory, const winnow__host_sink *sink);

/* Bytes that a thread has for the values of expressions; 0: there is none. */
typedef struct winnow__values_room {
    unsigned kept;      /* expressions whose values are there at a time */
    size_t value, bits; /* for those of each, and which are not null */
    size_t wide, registers, live, all; /* live: for sets of a tile's items */
} winnow__values_room;

/* The same, of one tile after the other, by any threads. */
typedef struct winnow__where_tiles {
    const winnow__host_loops *loops;
    winnow__bound bound;
    winnow__values_room room;
    unsigned char *memory; /* of the caller's thread, so large */
    uint64_t n;            /* items that are looked at */
} winnow__where_tiles;
void winnow__begin_where_tiles(const winnow__host_task *task,
                               const winnow__where *where, void *memory,
                               winnow__where_tiles *tiles);
/* The bits of the items of a tile that pass; 0 behind the last. `memory`: the
 * thread's own, of WINNOW__MOST_VALUES_BYTES or as tiles->room says, aligned to
 * 64; NULL: it is the caller's. */
void winnow__decide_tile(const winnow__where_tiles *tiles, uint64_t tile,
                         unsigned char *memory,
                         uint32_t words[WINNOW__SELECTION_WORDS]);
/* Members of the kind. What a device works in, aligned to 16 bytes. */
size_t winnow__where_device_bytes(const void *of, const winnow__query *query);
/* The first makes the tables of the condition's sets, or says
 * why the device cannot have them. Where the second does, it has enqueued nothing
 * before. */
winnow_status winnow__make_where_tables(const void *of,
                                        const winnow__call *call);
winnow_status winnow__select_where_on_device(const void *of,
                                             const winnow__call *call,
                                             void *selection, void *memory);

/* ---- where_bind.c: a program with the columns of a call. */
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

/* ---- where_order.c: the order of tests. */
/* Is a condition over n items ordered by a sample, on the host or on a device? */
bool winnow__is_ordered(const winnow__bound *bound, uint64_t n, bool on_host);

/* Bytes of memory for the sample of n items, aligned to 16. */
size_t winnow__order_host_bytes(uint64_t n);
/* Order the program by a sample of the items, if it pays. `values`: room for
 * those of expressions. */
void winnow__order_on_host(const winnow__host_task *task, void *memory,
                           const winnow__values_room *room,
                           unsigned char *values, winnow__bound *bound);
