/*
 * Record batches of a column k and another.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "arrow_batch.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

struct ArrowSchema *arrow_batch_of(struct ArrowSchema *column) {
    return arrow_schema("+s", "", 2, arrow_schema("i", "k", 0), column);
}

static void drop_validity(struct ArrowArray *array) {
    free((void *)(uintptr_t)array->buffers[0]);
    array->buffers[0] = NULL;
    array->null_count = 0;
}

void arrow_batch_open(const struct backend *backend, struct arrow_batch *batch,
                      struct ArrowSchema *schema, uint64_t n,
                      const struct arrow_shape *shape) {
    batch->asked = ARROW_K_IS_BELOW_50;
    batch->schema = schema;
    arrow_random(schema, n, shape, &batch->host);
    drop_validity(&batch->host);
    batch->in = (struct ArrowDeviceArray){.device_id = -1,
                                          .device_type = ARROW_DEVICE_CPU};
    if (backend->gpu) {
        batch->in.device_id = 0;
        batch->in.device_type = ARROW_DEVICE_CUDA;
        arrow_upload(backend, schema, &batch->host, &batch->in.array);
    } else {
        batch->in.array = batch->host;
    }
}

void arrow_batch_close(const struct backend *backend,
                       struct arrow_batch *batch) {
    if (backend->gpu)
        batch->in.array.release(&batch->in.array);
    batch->host.release(&batch->host);
    arrow_schema_free(batch->schema);
}

winnow_condition *arrow_condition(const struct ArrowSchema *schema,
                                  const char *text) {
    winnow_condition *condition;
    cr_assert(winnow_condition_parse_arrow(&condition, schema, text) ==
                  WINNOW_OK,
              "%s", winnow_last_error());
    return condition;
}

static bool is_null(const struct arrow_batch *batch, int64_t i) {
    struct arrow_text text = {0};
    bool is;
    arrow_write(&text, batch->schema->children[1], batch->host.children[1],
                batch->host.offset + i);
    is = text.length == 5 && memcmp(text.bytes, "null ", 5) == 0;
    free(text.bytes);
    return is;
}

bool arrow_batch_keeps(const struct arrow_batch *batch, int64_t i) {
    if (batch->asked != ARROW_K_IS_BELOW_50)
        return is_null(batch, i) == (batch->asked == ARROW_C_IS_NULL);
    const struct ArrowArray *const k = batch->host.children[0];
    const int64_t at = k->offset + batch->host.offset + i;
    const unsigned char *const valid = k->buffers[0];
    return (valid == NULL || (valid[at / 8] >> at % 8 & 1)) &&
           ((const int32_t *)k->buffers[1])[at] < 50;
}

void arrow_batch_compare(const struct arrow_batch *batch,
                         const struct ArrowArray *out) {
    struct arrow_text wanted = {0}, found = {0};
    int64_t kept = 0;
    for (int64_t i = 0; i < batch->host.length; i++)
        if (arrow_batch_keeps(batch, i)) {
            wanted.length = found.length = 0;
            cr_assert_lt(kept, out->length, "%s",
                         batch->schema->children[1]->format);
            arrow_write(&wanted, batch->schema, &batch->host, i);
            arrow_write(&found, batch->schema, out, kept++);
            cr_assert(wanted.length == found.length &&
                          memcmp(wanted.bytes, found.bytes, wanted.length) == 0,
                      "%s of %s: row %lld of %lld is %.*s, not %.*s",
                      batch->schema->children[1]->format,
                      batch->schema->children[1]->n_children == 0
                          ? "no children"
                          : batch->schema->children[1]->children[0]->format,
                      (long long)i, (long long)batch->host.length,
                      (int)found.length, found.bytes, (int)wanted.length,
                      wanted.bytes);
        }
    cr_assert_eq(kept, out->length, "%lld rows, not %lld",
                 (long long)out->length, (long long)kept);
    free(wanted.bytes);
    free(found.bytes);
}
