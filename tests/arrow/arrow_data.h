/*
 * Record batches for tests: schemas, random arrays of any type, and the oracle,
 * which writes an element as text whatever the layout of its array is.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_ARROW_DATA_H
#define WINNOW_TESTS_ARROW_DATA_H

#include <winnow/arrow.h>

#include "backend.h"

/* Of a format, with children if that has any: their number and they follow. An
 * array of a dictionary has arrow_encoded(). Formats and names are not copied. */
struct ArrowSchema *arrow_schema(const char *format, const char *name,
                                 int children, ...);
/* Make it one of a dictionary. */
struct ArrowSchema *arrow_encoded(struct ArrowSchema *schema,
                                  struct ArrowSchema *values);
/* Release it, and free what arrow_schema() returned. */
void arrow_schema_free(struct ArrowSchema *schema);

struct arrow_shape {
    bool nulls;  /* a third of the elements, at all levels */
    bool sliced; /* arrays begin at an offset, and go on behind their end */
    uint64_t seed;
};

/* A random array. Its buffers end where their last element ends. Numbers are
 * small. Values below nulls have no meaning. */
void arrow_random(const struct ArrowSchema *schema, uint64_t n,
                  const struct arrow_shape *shape, struct ArrowArray *out);
/* How many arrays that arrow_random() made, or arrow_upload(), were not released
 * yet. */
int arrow_unreleased(void);

/* Copies of an array in memory of a backend, and of the host. */
void arrow_upload(const struct backend *backend,
                  const struct ArrowSchema *schema, const struct ArrowArray *in,
                  struct ArrowArray *out);
void arrow_download(const struct backend *backend,
                    const struct ArrowSchema *schema,
                    const struct ArrowArray *in, struct ArrowArray *out);

/* Text that grows. */
struct arrow_text {
    char *bytes;
    size_t length, room;
};

/* Append what element i of an array on the host is. */
void arrow_write(struct arrow_text *to, const struct ArrowSchema *schema,
                 const struct ArrowArray *array, int64_t i);

#endif
