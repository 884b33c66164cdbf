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

#include "nvrtc.h"

#include <stdbool.h>
#include <stdint.h>

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
