/*
 * Filter a record batch in Arrow's C data interface: a batch of two columns is
 * made here, as a library such as pyarrow or DuckDB exports one; the batch that
 * comes back could go to any other library that imports them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <winnow/arrow.h>

/* Nothing here is allocated: to release it is to say so. */
static void release_schema(struct ArrowSchema *schema) {
    schema->release = NULL;
}

static void release_array(struct ArrowArray *array) {
    array->release = NULL;
}

static struct ArrowSchema schema_of(const char *format, const char *name) {
    return (struct ArrowSchema){.format = format,
                                .name = name,
                                .flags = ARROW_FLAG_NULLABLE,
                                .release = release_schema};
}

static struct ArrowArray array_of(int64_t length, int64_t null_count,
                                  const void **buffers, int64_t n_buffers) {
    return (struct ArrowArray){.length = length,
                               .null_count = null_count,
                               .n_buffers = n_buffers,
                               .buffers = buffers,
                               .release = release_array};
}

int main(void) {
    enum {
        ROWS = 5
    };
    /* price: float64; id: int32, null in row 3 */
    const double price[ROWS] = {20.0, 30.5, 10.25, 12.0, 99.0};
    const int32_t id[ROWS] = {1, 2, 3, 0, 5};
    const uint8_t valid[1] = {0x17}; /* 1 1 1 0 1, from the lowest bit on */
    const void *price_buffers[] = {NULL, price};
    const void *id_buffers[] = {valid, id};
    const void *batch_buffers[] = {NULL};

    struct ArrowSchema price_schema = schema_of("g", "price");
    struct ArrowSchema id_schema = schema_of("i", "id");
    struct ArrowSchema *schemas[] = {&price_schema, &id_schema};
    struct ArrowSchema schema = schema_of("+s", "");
    schema.n_children = 2;
    schema.children = schemas;

    struct ArrowArray price_array = array_of(ROWS, 0, price_buffers, 2);
    struct ArrowArray id_array = array_of(ROWS, 1, id_buffers, 2);
    struct ArrowArray *arrays[] = {&price_array, &id_array};
    struct ArrowDeviceArray in = {.array = array_of(ROWS, 0, batch_buffers, 1),
                                  .device_id = -1,
                                  .device_type = ARROW_DEVICE_CPU};
    in.array.n_children = 2;
    in.array.children = arrays;

    winnow_context *context = NULL;
    winnow_condition *condition = NULL;
    struct ArrowDeviceArray out;

    if (winnow_context_create(&context, WINNOW_DEVICE_HOST) ||
        winnow_condition_parse_arrow(&condition, &schema, "price < 24") ||
        winnow_filter_arrow(context, condition, &schema, &in, &out, NULL)) {
        fprintf(stderr, "%s\n", winnow_last_error());
        return 1;
    }

    const int64_t rows = out.array.length;
    const int64_t nulls = out.array.children[1]->null_count;
    const double *const kept = out.array.children[0]->buffers[1];
    for (int64_t i = 0; i < rows; i++)
        printf("price %g\n", kept[i]);
    printf("%d of %d rows, %d without an id\n", (int)rows, ROWS, (int)nulls);

    out.array.release(&out.array);
    winnow_condition_destroy(condition);
    winnow_context_destroy(context);
    return rows == 3 && nulls == 1 ? 0 : 1;
}
