/*
 * A scatter by an estimate: its interface to the rest of partition_by_key.
 * regions.cuh explains it. Plain C, included by host and device code.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "../limits.h"
#include "kernels/core/args.h"

/* The words that blocks exchange, all zero before the first kernel. */
typedef struct winnow__partition_exchange {
    uint32_t sampled[2][WINNOW__PARTITION_DIGITS]; /* by half of the sample */
    uint32_t reserved[WINNOW__PARTITION_DIGITS];   /* sectors of each digit */
    uint32_t left_over[WINNOW__PARTITION_DIGITS];  /* items in no sector */
    uint32_t restored[WINNOW__PARTITION_DIGITS];   /* placed by repair */
    uint32_t all_overflow;                         /* sectors, of all digits */
    uint32_t all_left_over;                        /* items */
    uint32_t sampling_blocks, scattering_blocks;   /* that are done */
    uint32_t usable;    /* 1: the regions can be used */
    uint32_t settled;   /* 1: offsets are right, and spare room suffices */
    uint32_t next_tile; /* see winnow__partition_chunks */
    uint32_t unused;    /* pads to 16 bytes for winnow__clear() */
} winnow__partition_exchange;

/* The data that kernels write for later kernels. */
typedef struct winnow__partition_estimate {
    winnow__partition_exchange exchange;
    /* Where each digit's region begins, and the last one ends, in sectors. */
    uint32_t regions[WINNOW__PARTITION_DIGITS + 4];
    /* Of each digit, in items. Items of its region that are in its final place
     * are kept; others are displaced. */
    struct {
        uint64_t placed; /* where the region begins */
        uint64_t final;  /* where the final place begins */
        uint64_t kept_end;
        uint64_t displaced; /* of all digits before */
        uint64_t ahead;     /* displaced items before the kept ones */
        uint64_t room;      /* free places before the kept items */
    } repair[WINNOW__PARTITION_DIGITS];
    uint64_t all_displaced;
} winnow__partition_estimate;

/* The spare room of each array has the items left over, then items of sectors
 * that overflow, then displaced items. */
typedef struct winnow__partition_estimate_args {
    winnow__partition_estimate *estimate; /* NULL: there is none */
    void *spare_keys;
    uint64_t spare_items;
    uint32_t spare_left_over;
    uint32_t sampled_one_in; /* keys for each sampled one: a power of two */
    uint32_t sector;         /* items of a sector */
    uint32_t key_bytes;      /* of a key */
    /* NULL, or the counts of items of all parts, which the scatter adds to. A
     * block's counters are at offset part_table of dynamic shared memory. */
    unsigned long long *part_items;
    uint32_t part_table;
} winnow__partition_estimate_args;

#ifdef __cplusplus
extern "C" {
#endif

/* sample before the scatter, the others after it; [2]: by the size of keys. */
extern const winnow__kernel winnow__partition_sample[2];
extern const winnow__kernel winnow__partition_collect;
extern const winnow__kernel winnow__partition_restore[2];

#ifdef __cplusplus
}
#endif
