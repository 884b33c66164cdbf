/*
 * winnow: filter tables in Arrow's C data interface.
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * winnow_arrow(7) says which types are filtered, and who owns which memory;
 * each function has a page in section 3 of the manual. The structs are those of
 * Arrow's C data, C device data and C stream interfaces, under Arrow's guards,
 * so this header can be included together with others that declare them.
 */
#ifndef WINNOW_ARROW_H
#define WINNOW_ARROW_H

#include <winnow.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ----------------------------------------------- the structs of Arrow's ABI */

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
    const char *format;
    const char *name;
    const char *metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema **children;
    struct ArrowSchema *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void **buffers;
    struct ArrowArray **children;
    struct ArrowArray *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

#endif /* ARROW_C_DATA_INTERFACE */

#ifndef ARROW_C_DEVICE_DATA_INTERFACE
#define ARROW_C_DEVICE_DATA_INTERFACE

typedef int32_t ArrowDeviceType;

#define ARROW_DEVICE_CPU 1
#define ARROW_DEVICE_CUDA 2
#define ARROW_DEVICE_CUDA_HOST 3
#define ARROW_DEVICE_OPENCL 4
#define ARROW_DEVICE_VULKAN 7
#define ARROW_DEVICE_METAL 8
#define ARROW_DEVICE_VPI 9
#define ARROW_DEVICE_ROCM 10
#define ARROW_DEVICE_ROCM_HOST 11
#define ARROW_DEVICE_EXT_DEV 12
#define ARROW_DEVICE_CUDA_MANAGED 13
#define ARROW_DEVICE_ONEAPI 14
#define ARROW_DEVICE_WEBGPU 15
#define ARROW_DEVICE_HEXAGON 16

struct ArrowDeviceArray {
    struct ArrowArray array;
    int64_t device_id;
    ArrowDeviceType device_type;
    void *sync_event;
    int64_t reserved[3];
};

#endif /* ARROW_C_DEVICE_DATA_INTERFACE */

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

#endif /* ARROW_C_STREAM_INTERFACE */

#ifndef ARROW_C_DEVICE_STREAM_INTERFACE
#define ARROW_C_DEVICE_STREAM_INTERFACE

struct ArrowDeviceArrayStream {
    ArrowDeviceType device_type;
    int (*get_schema)(struct ArrowDeviceArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowDeviceArrayStream *,
                    struct ArrowDeviceArray *out);
    const char *(*get_last_error)(struct ArrowDeviceArrayStream *);
    void (*release)(struct ArrowDeviceArrayStream *);
    void *private_data;
};

#endif /* ARROW_C_DEVICE_STREAM_INTERFACE */

/* --------------------------------------------------------------- conditions */

/*
 * Make a condition on the columns of a record batch from a text, in the
 * language of winnow_condition_parse().
 *
 *   schema  the schema of a struct, whose children are the columns: column c of
 *           the condition is children[c]. It is in host memory, and is read
 *           only during the call; the call does not release it. Children that
 *           the text does not name may have any type and any name, also an
 *           empty name or the name of another child.
 *   text    ends with a 0; at most 2^30 bytes before it.
 *
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: a pointer is NULL, or the schema was
 * released, is not of a struct, or is malformed; WINNOW_ERR_SYNTAX;
 * WINNOW_ERR_UNSUPPORTED: as for winnow_condition_parse(), or the text names a
 * column that the schema has twice, or a column whose type cannot be tested;
 * WINNOW_ERR_MEMORY.
 */
WINNOW_API_CHECKED winnow_status winnow_condition_parse_arrow(
    winnow_condition **condition_p, const struct ArrowSchema *schema,
    const char *text);

/* ------------------------------------------------------------------ filters */

/*
 * Make a new record batch with the rows of `in` that pass a condition, in the
 * order of the input. It has memory of its own.
 *
 *   condition  column c of the condition is child c of the batch. A row is not
 *              kept if the condition is unknown because of a null.
 *   schema     the schema of a struct: the type of `in` and of `out`. All
 *              structs are in host memory, and are read only during the call.
 *   in         a record batch: an array of structs without nulls. Its offset
 *              may be greater than 0. The call does not release it. For a
 *              context of the host device_type is ARROW_DEVICE_CPU,
 *              ARROW_DEVICE_CUDA_HOST or ARROW_DEVICE_CUDA_MANAGED. For a
 *              context of a device it is ARROW_DEVICE_CUDA with the context's
 *              device, ARROW_DEVICE_CUDA_HOST or ARROW_DEVICE_CUDA_MANAGED. The
 *              work on launch->stream waits for sync_event, if that is not
 *              NULL. For a context of the host, sync_event has to be NULL.
 *   out        is overwritten. The caller owns the batch, and calls
 *              out->array.release(). device_type and device_id are
 *              ARROW_DEVICE_CPU and -1, or ARROW_DEVICE_CUDA and the context's
 *              device. sync_event is NULL on the host; on a device it belongs
 *              to the batch, and is complete when the batch is written.
 *   launch     NULL for the defaults. The call uses stream, and refuses d_n,
 *              d_position, plan and strategies.
 *
 * On a device the host waits until the rows are counted, because the length of
 * an array is in host memory; so the call cannot be captured.
 * (winnow_copy_where() does not wait.) The GPU may still write columns when the
 * call returns; the caller must not change the input before that work is done.
 * A batch may outlive the context.
 *
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: a pointer is NULL, or an array was
 * released, is of another device, or is malformed as far as the host can check;
 * the detail names the column and what is wrong. WINNOW_ERR_UNSUPPORTED: a type
 * that is not filtered (winnow_arrow(7)), or a stream that is captured;
 * WINNOW_ERR_MEMORY; WINNOW_ERR_CUDA. After an error *out is unchanged.
 */
WINNOW_API_CHECKED winnow_status winnow_filter_arrow(
    winnow_context *context, const winnow_condition *condition,
    const struct ArrowSchema *schema, const struct ArrowDeviceArray *in,
    struct ArrowDeviceArray *out, const winnow_launch *launch);

/*
 * Make a stream of record batches from another stream: each batch has the rows
 * that pass a condition in text form. get_next() filters one batch; the result
 * may be empty. The schema is that of `in`. All memory is host memory.
 *
 *   context  a context of the host, which must not be destroyed before the
 *            stream is released. Batches may outlive both.
 *   text     as for winnow_condition_parse_arrow().
 *   in       is moved into `out`: on success in->release is NULL, and the
 *            release of `out` releases it. After an error the caller still owns
 *            it.
 *   out      is overwritten. The caller owns the stream. Its get_next() returns
 *            EINVAL for a malformed batch, ENOTSUP for a type that is not
 *            filtered, ENOMEM, or the error of `in`; get_last_error() returns
 *            the reason.
 *
 * The batches that a stream returns belong to their receiver. So a batch of
 * `out` may take over buffers of a batch of `in` instead of copying them.
 *
 * Returns WINNOW_OK; the errors of winnow_condition_parse_arrow();
 * WINNOW_ERR_ARGUMENT: a pointer is NULL, or the stream was released or has no
 * schema; WINNOW_ERR_UNSUPPORTED, also for a column of a type that is not
 * filtered, and for a context of a device; WINNOW_ERR_MEMORY.
 */
WINNOW_API_CHECKED winnow_status winnow_filter_arrow_stream(
    winnow_context *context, const char *text, struct ArrowArrayStream *in,
    struct ArrowArrayStream *out);

/*
 * Make a stream of record batches from another stream, as
 * winnow_filter_arrow_stream() does, with batches in device memory or host
 * memory. The structs are in host memory.
 *
 *   context  a context of the host or of a device, which must not be destroyed
 *            before the stream is released. Batches may outlive both.
 *   in       its device_type and its batches are as for `in` of
 *            winnow_filter_arrow(). It is moved into `out`, as above.
 *   out      is overwritten. Its device_type is ARROW_DEVICE_CPU or
 *            ARROW_DEVICE_CUDA, and its batches are like `out` of
 *            winnow_filter_arrow(). get_next() uses a CUDA stream of its own,
 *            and returns when the batch is written and its sync_event is
 *            complete.
 *
 * Returns the same as winnow_filter_arrow_stream(), and WINNOW_ERR_CUDA. A
 * context of a device is not an error.
 */
WINNOW_API_CHECKED winnow_status winnow_filter_arrow_device_stream(
    winnow_context *context, const char *text,
    struct ArrowDeviceArrayStream *in, struct ArrowDeviceArrayStream *out);

#ifdef __cplusplus
}
#endif

#endif /* WINNOW_ARROW_H */
