/*
 * Conditions over columns: the common part of the operations that test one.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "selection/source.h"
#include "condition/program/where_program.h"

enum {
    /* For each column: the strings of a dictionary with nulls have the most. */
    WINNOW__WHERE_RANGES_EACH = 5
};

/* The caller's arguments. */
typedef struct winnow__where {
    const winnow_condition *condition;
    const winnow_in *columns;
    unsigned column_count;
} winnow__where;

/* The columns that a condition or expressions read. */
typedef struct winnow__reading {
    const winnow__tested *tested;
    const winnow_in *columns;
    unsigned column_count;
} winnow__reading;

/* WINNOW_OK if the columns have the types that expressions read. */
winnow_status winnow__check_reading(const winnow__reading *reading,
                                    const winnow__query *query);
/* Store the ranges of the columns; return their number. And the most ranges. */
int winnow__reading_ranges(const winnow__reading *reading, uint64_t n,
                           winnow__range *list);
unsigned winnow__reading_most_ranges(const winnow__reading *reading);

/* The columns that expressions read. */
typedef struct winnow__where_values {
    const winnow_in *columns; /* the caller's */
    const winnow__tested *tested;
    winnow__value_column *column; /* one for each that is read */
} winnow__where_values;

/* A program with a call's columns: where_bind.c. */
typedef struct winnow__bound {
    const winnow__where *where;
    const winnow__program *made;
    winnow__where_program program;
    winnow__where_values values;
    bool has_empty; /* there are groups without members */
    uint32_t *const
        *bits; /* on the host, for each test of strings: NULL, or the bits of
                  its dictionary's values */
} winnow__bound;

winnow__source winnow__source_of_condition(const winnow__where *where);
/* The struct that such a source was made from; NULL if the source is of another kind,
 * or NULL. */
const winnow__where *winnow__where_of(const winnow__source *source);

/* A function of the source's kind: bytes that the host needs, aligned to 16. */
size_t winnow__where_host_bytes(const void *of, const winnow__query *query);
/* Make the selection of all items, or of the first *d_n, by
 * winnow__host_make(). sink may be NULL. */
void winnow__select_where_on_host(const winnow__host_task *task,
                                  const winnow__where *where, void *selection,
                                  void *memory, const winnow__host_sink *sink);

/* Bytes that a thread needs for values of expressions; 0: there are none. */
typedef struct winnow__values_room {
    unsigned kept; /* number of expressions whose values are kept */
    size_t value,
        bits; /* for the values of each; for the bits of those that are
                           not null */
    size_t wide, registers, live, all; /* live: for sets of a tile's items */
} winnow__values_room;

/* Decides a condition tile by tile, in any thread. */
typedef struct winnow__where_tiles {
    const winnow__host_loops *loops;
    winnow__bound bound;
    winnow__values_room room;
    unsigned char *memory; /* for the caller's thread, room.all bytes */
    uint64_t n;            /* number of items to look at */
} winnow__where_tiles;
void winnow__begin_where_tiles(const winnow__host_task *task,
                               const winnow__where *where, void *memory,
                               winnow__where_tiles *tiles);
/* The bits of a tile's items that pass; 0 after the last item. `memory`: the
 * thread's own, of WINNOW__MOST_VALUES_BYTES or tiles->room.all bytes, aligned
 * to 64; NULL in the caller's thread. */
void winnow__decide_tile(const winnow__where_tiles *tiles, uint64_t tile,
                         unsigned char *memory,
                         uint32_t words[WINNOW__SELECTION_WORDS]);
/* Functions of the source's kind. Bytes that a device needs, aligned to 16. */
size_t winnow__where_device_bytes(const void *of, const winnow__query *query);
/* The first one makes the tables of the condition's sets, or reports why the
 * device cannot have them. If the second one makes them, it has enqueued
 * nothing before. */
winnow_status winnow__make_where_tables(const void *of,
                                        const winnow__call *call);
winnow_status winnow__select_where_on_device(const void *of,
                                             const winnow__call *call,
                                             void *selection, void *memory);

/* ---- where_bind.c: a program with a call's columns. */
/* A call's memory for binding: on its stack for conditions of at most 32
 * columns and 64 tests, else allocated. */
typedef struct winnow__bind_room {
    _Alignas(16) unsigned char own[9 << 10];
    void *allocated; /* NULL, or memory to free */
} winnow__bind_room;
winnow_status winnow__find_room(winnow__bind_room *room, size_t bytes,
                                void **memory_p);

/* The program that a call with these columns uses. */
const winnow__program *winnow__program_of(const winnow__where *where);
/* Bytes of memory for winnow__bind(), aligned to 16. */
size_t winnow__bind_bytes(const winnow__where *where);
/* Make the shortest program for the columns, which were checked. Its lists are
 * in `memory`, or the condition's. */
void winnow__bind(const winnow__where *where, void *memory,
                  winnow__bound *bound);
/* The same for the program in which anything may be null, without shortening:
 * its kernel serves all calls. */
size_t winnow__bind_whole_bytes(const winnow__where *where);
void winnow__bind_whole(const winnow__where *where, void *memory,
                        winnow__bound *bound);

/* ---- where_order.c: the order of tests. */
/* Does a sample order a condition over n items, on the host or on a device? */
bool winnow__is_ordered(const winnow__bound *bound, uint64_t n, bool on_host);

/* Bytes of memory for a sample of n items, aligned to 16. */
size_t winnow__order_host_bytes(uint64_t n);
/* Order the program by a sample of the items if that pays off. `values`: memory
 * for values of expressions. */
void winnow__order_on_host(const winnow__host_task *task, void *memory,
                           const winnow__values_room *room,
                           unsigned char *values, winnow__bound *bound);
