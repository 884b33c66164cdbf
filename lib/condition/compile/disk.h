/*
 * Compiled code on disk, for later processes.
 *
 * An entry is a file, whose name is a digest of its key, and which has the key
 * as well: a file whose key is another one is no entry. It is written under
 * another name, flushed, and renamed, so that no process ever reads a part of
 * one. Whoever reads something else than a whole entry removes it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <winnow.h>
#include <stddef.h>

/* ---- NVRTC, CUDA's compiler at run time. The library is not linked with
 * it: it is opened at its first use, where there is one. */
/* Code for a device, in memory of malloc()'s. */
typedef struct winnow__code {
    void *bytes;
    size_t number;
} winnow__code;

/*
 * Compile a source for devices of a compute capability, ten times the major one
 * and the minor one. Floats are as IEEE 754 has them: no contraction, denormals
 * kept. The first call of the process opens the compiler.
 *
 * WINNOW_ERR_SYNTAX: it does not compile, and the detail has the compiler's log;
 * WINNOW_ERR_UNSUPPORTED: there is no compiler, or it does not know the device;
 * WINNOW_ERR_MEMORY; each with the detail set.
 */
winnow_status winnow__nvrtc_compile(const char *source, int capability,
                                    winnow__code *code);

/* What code is found by: bytes, no more. */
typedef struct winnow__disk_key {
    const void *bytes;
    size_t number;
} winnow__disk_key;

/* The code of a key, as memory of malloc()'s. False: it is not there. */
bool winnow__disk_find(const winnow__disk_key *key, winnow__code *code);

/* Keep the code, and remove what was used least recently once all entries have
 * more bytes than are allowed. NULL, or why it was not kept, in `reason`. */
const char *winnow__disk_keep(const winnow__disk_key *key,
                              const winnow__code *code, char *reason,
                              size_t reason_bytes);

/* ---- Where compiled code is kept on disk, and how much of it: what the
 * program or the environment says. */
/* Is nothing read, and nothing kept? */
bool winnow__cache_is_off(void);
uint64_t winnow__cache_most_bytes(void);

typedef enum winnow__cache_use {
    WINNOW__CACHE_READ,
    WINNOW__CACHE_WRITE, /* it is made, if it is not there */
    WINNOW__CACHE_CLEAR  /* also one that is not trusted */
} winnow__cache_use;

/* The directory. Negative: it is off, cannot be opened or is not trusted, and
 * `reason`, if it has room, says why; empty: it is off. */
int winnow__cache_open(winnow__cache_use use, char *reason,
                       size_t reason_bytes);

/* Code runs with the rights of the process: may nobody write there but root and
 * the user that it runs as? */
struct stat;
bool winnow__cache_trusts(const struct stat *about);
