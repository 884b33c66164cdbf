/*
 * A table whose rows are filtered by a condition: what the experiments of
 * winnow_select_where() and winnow_copy_where() share.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_BENCH_SELECTIONS_TABLE_H
#define WINNOW_BENCH_SELECTIONS_TABLE_H

#include "chosen.h"

#define SELECTIONS_COLUMNS 4

typedef struct selections_column {
    const char *name;
    winnow_type type;
    size_t bytes; /* of an element */
    void *in, *d_in;
    winnow_in tested; /* as the condition reads it */
} selections_column;

typedef struct selections_table {
    bench_lab *lab;
    const char *name; /* of the condition, in the rows */
    selections_column column[SELECTIONS_COLUMNS];
    unsigned columns;
    selections_chosen chosen;
    winnow_condition *condition;
    uint64_t *mask; /* of bits, as that on the device */
    void *d_mask, *d_selection;
    size_t selection_bytes;
    winnow_launch selecting;
    /* of selections_table_copy() */
    void *d_out[SELECTIONS_COLUMNS], *packed;
    bool anew; /* the outputs are allocated, and freed, in each call */
    uint64_t *d_count;
    winnow_launch launch;
} selections_table;

/* For n rows, in memory of the lab's. */
void selections_table_init(selections_table *t, bench_lab *lab, uint64_t n);
/* Add a column, whose elements the caller writes to what is returned, and then
 * send it. */
void *selections_table_add(selections_table *t, const char *name,
                           winnow_type type, size_t bytes);
void selections_table_send(selections_table *t);
/* Add a column that is on the device already, and is tested alone. */
void selections_table_add_tested(selections_table *t, const char *name,
                                 const winnow_in *tested);

/* The condition of a text, until the next. keep: of each row, what is expected
 * of it. */
typedef bool selections_keep(const selections_table *t, uint64_t i);
void selections_table_parse(selections_table *t, const char *text,
                            selections_keep *keep);
/* The same of a condition, which is the table's from then on. */
void selections_table_set(selections_table *t, const char *name,
                          winnow_condition *condition, selections_keep *keep);

/* Rows: winnow_select_where(), which reads `bytes` bytes of columns, and
 * the selection written; */
void selections_table_select(selections_table *t, uint64_t bytes);
/* what that call costs the thread that makes it; */
void selections_table_call(selections_table *t);
/* What a call with a condition takes, with what is waited for: the next one, once,
 * of a context that compiles so. `how`: of the row. */
void selections_table_once(selections_table *t, const char *how,
                           winnow_compile compile, winnow_condition *condition);
/* and winnow_copy_where() of all columns into outputs that are there; on the
 * host, into others that are allocated anew for each call, too. They read those
 * bytes, of all columns the sectors that are kept, and write what is kept. */
void selections_table_copy(selections_table *t, uint64_t bytes);

#endif
