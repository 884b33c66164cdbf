/*
 * Compiled code on disk, for later processes.
 *
 * An entry is a file. Its name is a digest of its key, and it also contains the key: a
 * file with another key is not the entry. A file is written under another name,
 * flushed, and renamed, so that no process reads an incomplete one. A process that
 * reads a damaged file removes it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <winnow.h>
#include <stddef.h>

/* ---- NVRTC, CUDA's compiler at run time. The library is not linked with it,
 * but opens it at its first use, if it exists. */
/* Code for a device, in memory of malloc(). */
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

/* The key of an entry: plain bytes. */
typedef struct winnow__disk_key {
    const void *bytes;
    size_t number;
} winnow__disk_key;

/* Find the code of a key, in memory of malloc(). False: there is none. */
bool winnow__disk_find(const winnow__disk_key *key, winnow__code *code);

/* Keep the code. If all entries together exceed the limit, remove those that were
 * used least recently. Returns NULL, or why the code was not kept, in `reason`. */
const char *winnow__disk_keep(const winnow__disk_key *key,
                              const winnow__code *code, char *reason,
                              size_t reason_bytes);

/* ---- The directory of compiled code and its maximum size, as the program or
 * the environment set them. */
/* True if nothing is read or kept. */
bool winnow__cache_is_off(void);
uint64_t winnow__cache_most_bytes(void);

typedef enum winnow__cache_use {
    WINNOW__CACHE_READ,
    WINNOW__CACHE_WRITE, /* creates the directory if it does not exist */
    WINNOW__CACHE_CLEAR  /* also opens one that is not trusted */
} winnow__cache_use;

/* Open the directory. Negative: it is off, cannot be opened, or is not trusted;
 * then `reason`, if it has room, says why, and is empty if it is off. */
int winnow__cache_open(winnow__cache_use use, char *reason,
                       size_t reason_bytes);

/* Code runs with the rights of the process. So the directory is trusted only if
 * nobody but root and the process's user may write there. */
struct stat;
bool winnow__cache_trusts(const struct stat *about);
