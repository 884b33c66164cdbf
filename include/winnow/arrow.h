/*
 * winnow: filter tables in Arrow's C data interface.
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * winnow_arrow(7) says which types are filtered and how memory is owned; each
 * function has a page in section 3 of the manual. The structs are those of
 * Arrow's C data, C device data and C stream interfaces, under Arrow's guards:
 * this header goes together with every other one that declares them.
 */
#ifndef WINNOW_ARROW_H
#define WINNOW_ARROW_H

#include <winnow.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------- the structs, of Arrow's ABI
 */

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
 * The condition that a text says of the columns of a record batch, as
 * winnow_condition_parse() has it.
 *
 *   schema  of a struct, whose children are the columns: column c of the
 *           condition is children[c]. In host memory, in use during the call
 *           alone; it stays its owner's. Children that no condition tests may
 *           have any type and any name, also an empty one or that of another
 *           child.
 *   text    ends with a 0; at most 2^30 bytes before it.
 *
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: a pointer is NULL, or the schema was
 * released, is not of a struct, or is malformed; WINNOW_ERR_SYNTAX;
 * WINNOW_ERR_UNSUPPORTED: what winnow_condition_parse() refuses, or the text
 * names a column that the schema has twice, or one whose type no test takes;
 * WINNOW_ERR_MEMORY.
 */
WINNOW_API_CHECKED winnow_status winnow_condition_parse_arrow(
    winnow_condition **condition_p, const struct ArrowSchema *schema,
    const char *text);

/* ------------------------------------------------------------------ filters */

/*
 * Make the record batch of the rows of `in` that pass a condition, in their
 * order, in memory of its own.
 *
 *   condition  its column c is child c of the batch. A row whose outcome is
 *              unknown, because of a null, is not kept.
 *   schema     of a struct: the type of `in` and of `out`. All structs are in
 *              host memory, and in use during the call alone.
 *   in         a record batch: an array of a struct without nulls of its own.
 *              It is read, also at its offset, and stays its owner's. For a
 *              context of the host device_type is ARROW_DEVICE_CPU,
 *              ARROW_DEVICE_CUDA_HOST or ARROW_DEVICE_CUDA_MANAGED; for one of
 *              a device it is ARROW_DEVICE_CUDA with the context's device, or
 *              one of the latter two. Work on launch->stream waits for
 *              sync_event, unless that is NULL; a context of the host takes
 *              none.
 *   out        any contents, which are overwritten. The caller owns the batch,
 *              until it calls out->array.release(). device_type and device_id
 *              are ARROW_DEVICE_CPU and -1, or ARROW_DEVICE_CUDA and the
 *              context's. sync_event is NULL on the host; on a device it
 *              belongs to the batch, and has happened when the batch is
 *              written.
 *   launch     NULL for the defaults. Of its members stream counts; what else
 *              changes a result is refused: d_n, d_position, plan, strategies.
 *
 * The length of an array is the host's to know: on a device the call waits
 * until the rows are counted, and cannot be captured. (Without a wait:
 * winnow_copy_where().) Columns may still be written when the call returns. The
 * input stays as it is until then. A batch may outlive the context.
 *
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: a pointer is NULL, an array was
 * released, is of another device or is malformed, as far as the host can see:
 * the detail names the column and what is wrong; WINNOW_ERR_UNSUPPORTED: a type
 * that is not filtered (winnow_arrow(7)), or a stream that is captured;
 * WINNOW_ERR_MEMORY; WINNOW_ERR_CUDA. After an error *out is as it was.
 */
WINNOW_API_CHECKED winnow_status winnow_filter_arrow(
    winnow_context *context, const winnow_condition *condition,
    const struct ArrowSchema *schema, const struct ArrowDeviceArray *in,
    struct ArrowDeviceArray *out, const winnow_launch *launch);

/*
 * Make a stream of record batches with those rows of another stream that pass
 * the condition that a text says. Each batch is filtered when it is asked for;
 * a batch may be empty. The schema is that of `in`. All is in host memory.
 *
 *   context  of the host. It outlives the stream; the batches outlive both.
 *   text     as for winnow_condition_parse_arrow().
 *   in       is moved into `out`: on success in->release is NULL, and the
 *            release of `out` releases it. After an error it stays the
 *            caller's.
 *   out      any contents, which are overwritten. The caller owns the stream.
 *            Its get_next() returns EINVAL for a malformed batch, ENOTSUP for
 *            what is not filtered, ENOMEM, or the error of `in`; the text of
 *            get_last_error() says what happened.
 *
 * Batches of `out` may keep parts of batches of `in` instead of copies of them,
 * since a stream gives its batches away.
 *
 * Returns WINNOW_OK; what winnow_condition_parse_arrow() returns;
 * WINNOW_ERR_ARGUMENT: a pointer is NULL, or the stream was released or has no
 * schema; WINNOW_ERR_UNSUPPORTED, also for a column of a type that is not
 * filtered, and for a context of a device; WINNOW_ERR_MEMORY.
 */
WINNOW_API_CHECKED winnow_status winnow_filter_arrow_stream(
    winnow_context *context, const char *text, struct ArrowArrayStream *in,
    struct ArrowArrayStream *out);

/*
 * The same for a stream of batches in memory of a device, or of the host. The
 * structs are in host memory.
 *
 *   context  of the host or of a device. It outlives the stream; the batches
 *            outlive both.
 *   in       its device_type, and each batch's place, are as of `in` of
 *            winnow_filter_arrow(). Moved into `out` as above.
 *   out      in host memory, of any contents, which are overwritten. Its
 *            device_type is ARROW_DEVICE_CPU or ARROW_DEVICE_CUDA, and batches
 *            are as `out` of winnow_filter_arrow(). get_next() works on a CUDA
 *            stream of its own, and returns when the batch is written: its
 *            sync_event has happened.
 *
 * Returns what winnow_filter_arrow_stream() does, but for contexts of a device;
 * WINNOW_ERR_CUDA.
 */
WINNOW_API_CHECKED winnow_status winnow_filter_arrow_device_stream(
    winnow_context *context, const char *text,
    struct ArrowDeviceArrayStream *in, struct ArrowDeviceArrayStream *out);

#ifdef __cplusplus
}
#endif

#endif /* WINNOW_ARROW_H */
