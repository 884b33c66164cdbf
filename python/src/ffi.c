/*
 * winnow._ffi: handlers of XLA's FFI, which compiled JAX programs call without
 * Python. It is built if jaxlib's header is installed.
 *
 *   copy_if: x [, mask] -> out of `size` items, count; zeros behind the survivors
 *   expand:  packed items, x [, mask] -> items, memory for a selection
 *
 * The attribute `condition` is the text of a condition, empty if there is a
 * mask; `name` is the column's name in it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <xla/ffi/api/c_api.h>

#include <winnow.h>

#define MOST_DEVICES 64
#define MOST_TEXT 65536

typedef struct ffi_place {
    const XLA_FFI_CallFrame *frame;
    winnow_context *context;
    winnow_launch launch;
} ffi_place;

/* ----------------------------------------------------------------- errors */

static XLA_FFI_Error *failed(const XLA_FFI_CallFrame *frame,
                             XLA_FFI_Error_Code code, const char *message) {
    XLA_FFI_Error_Create_Args arguments = {
        .struct_size = XLA_FFI_Error_Create_Args_STRUCT_SIZE,
        .message = message,
        .errc = code};
    return frame->api->XLA_FFI_Error_Create(&arguments);
}

static XLA_FFI_Error *failed_status(const XLA_FFI_CallFrame *frame,
                                    winnow_status status) {
    static const XLA_FFI_Error_Code codes[] = {
        [WINNOW_ERR_ARGUMENT] = XLA_FFI_Error_Code_INVALID_ARGUMENT,
        [WINNOW_ERR_UNSUPPORTED] = XLA_FFI_Error_Code_UNIMPLEMENTED,
        [WINNOW_ERR_MEMORY] = XLA_FFI_Error_Code_RESOURCE_EXHAUSTED,
        [WINNOW_ERR_NO_DEVICE] = XLA_FFI_Error_Code_UNAVAILABLE,
        [WINNOW_ERR_CUDA] = XLA_FFI_Error_Code_INTERNAL,
        [WINNOW_ERR_SYNTAX] = XLA_FFI_Error_Code_INVALID_ARGUMENT};
    const int known =
        (size_t)status < sizeof codes / sizeof codes[0] && codes[status];
    return failed(frame, known ? codes[status] : XLA_FFI_Error_Code_INTERNAL,
                  winnow_last_error());
}

/* ----------------------------------------------------- device and stream */

static pthread_mutex_t contexts_lock = PTHREAD_MUTEX_INITIALIZER;
static winnow_context *contexts[1 + MOST_DEVICES];

static XLA_FFI_Error *find_context(ffi_place *place, int device) {
    winnow_status status = WINNOW_OK;
    if (device < WINNOW_DEVICE_HOST || device >= MOST_DEVICES)
        return failed(place->frame, XLA_FFI_Error_Code_OUT_OF_RANGE,
                      "there is no such GPU");
    pthread_mutex_lock(&contexts_lock);
    if (!contexts[device + 1])
        status = winnow_context_create(&contexts[device + 1], device);
    place->context = contexts[device + 1];
    pthread_mutex_unlock(&contexts_lock);
    return status ? failed_status(place->frame, status) : NULL;
}

/* Find the ordinal of the GPU. Headers before jaxlib 0.6 have no function for
 * this; the build defines WINNOW_FFI_HAS_ORDINAL if the header has it. */
static XLA_FFI_Error *find_ordinal(const XLA_FFI_CallFrame *frame,
                                   int *ordinal) {
#ifdef WINNOW_FFI_HAS_ORDINAL
    XLA_FFI_DeviceOrdinal_Get_Args device = {
        .struct_size = XLA_FFI_DeviceOrdinal_Get_Args_STRUCT_SIZE,
        .ctx = frame->ctx};
    XLA_FFI_Error *const error = frame->api->XLA_FFI_DeviceOrdinal_Get(&device);
    *ordinal = device.device_ordinal;
    return error;
#else
    (void)ordinal;
    return failed(frame, XLA_FFI_Error_Code_UNIMPLEMENTED,
                  "winnow was built beside a jaxlib before 0.6, which does not "
                  "say which GPU a call is on: build it beside a newer one");
#endif
}

static XLA_FFI_Error *find_place(ffi_place *place,
                                 const XLA_FFI_CallFrame *frame, int on_gpu) {
    *place = (ffi_place){
        .frame = frame,
        .launch = {.size = sizeof place->launch, .order = WINNOW_STABLE}};
    if (!on_gpu)
        return find_context(place, WINNOW_DEVICE_HOST);
    XLA_FFI_Stream_Get_Args stream = {
        .struct_size = XLA_FFI_Stream_Get_Args_STRUCT_SIZE, .ctx = frame->ctx};
    int ordinal = 0;
    XLA_FFI_Error *error = frame->api->XLA_FFI_Stream_Get(&stream);
    if (!error)
        error = find_ordinal(frame, &ordinal);
    place->launch.stream = stream.stream;
    return error ? error : find_context(place, ordinal);
}

/* ------------------------------------------------------------- arguments */

static winnow_type type_of(XLA_FFI_DataType dtype) {
    switch (dtype) {
    case XLA_FFI_DataType_S8:
        return WINNOW_INT8;
    case XLA_FFI_DataType_S16:
        return WINNOW_INT16;
    case XLA_FFI_DataType_S32:
        return WINNOW_INT32;
    case XLA_FFI_DataType_S64:
        return WINNOW_INT64;
    case XLA_FFI_DataType_PRED:
    case XLA_FFI_DataType_U8:
        return WINNOW_UINT8;
    case XLA_FFI_DataType_U16:
        return WINNOW_UINT16;
    case XLA_FFI_DataType_U32:
        return WINNOW_UINT32;
    case XLA_FFI_DataType_U64:
        return WINNOW_UINT64;
    case XLA_FFI_DataType_F16:
        return WINNOW_FLOAT16;
    case XLA_FFI_DataType_BF16:
        return WINNOW_BFLOAT16;
    case XLA_FFI_DataType_F32:
        return WINNOW_FLOAT32;
    case XLA_FFI_DataType_F64:
        return WINNOW_FLOAT64;
    default:
        return WINNOW_OPAQUE;
    }
}

static size_t element_bytes(const XLA_FFI_Buffer *buffer) {
    const size_t bytes = winnow_type_size(type_of(buffer->dtype));
    return bytes                                    ? bytes
           : buffer->dtype == XLA_FFI_DataType_C64  ? 8
           : buffer->dtype == XLA_FFI_DataType_C128 ? 16
                                                    : 0;
}

/* Return the bytes of an item: of all dimensions but the first. */
static size_t item_bytes(const XLA_FFI_Buffer *buffer) {
    size_t bytes = element_bytes(buffer);
    for (int64_t i = 1; i < buffer->rank; i++)
        bytes *= (size_t)buffer->dims[i];
    return bytes;
}

static const XLA_FFI_Buffer *argument(const XLA_FFI_CallFrame *frame, int i) {
    return frame->args.args[i];
}

static const XLA_FFI_Buffer *output(const XLA_FFI_CallFrame *frame, int i) {
    return frame->rets.rets[i];
}

/* Copy a text attribute, and end it by a 0. It is "" if there is none. */
static void text_of(const XLA_FFI_CallFrame *frame, const char *name,
                    char *text, size_t bytes) {
    text[0] = '\0';
    for (int64_t i = 0; i < frame->attrs.size; i++) {
        const XLA_FFI_ByteSpan *const found = frame->attrs.names[i];
        if (frame->attrs.types[i] == XLA_FFI_AttrType_STRING &&
            found->len == strlen(name) &&
            memcmp(found->ptr, name, found->len) == 0) {
            const XLA_FFI_ByteSpan *const value = frame->attrs.attrs[i];
            if (value->len < bytes) {
                memcpy(text, value->ptr, value->len);
                text[value->len] = '\0';
            }
        }
    }
}

/* Parse the condition of a call without a mask, on x. */
static winnow_status parse(const XLA_FFI_CallFrame *frame, winnow_type type,
                           winnow_condition **condition) {
    char *const text = malloc(MOST_TEXT);
    char name[256];
    winnow_status status = WINNOW_ERR_MEMORY;
    if (text) {
        const winnow_field field = {.name = name, .type = type};
        text_of(frame, "condition", text, MOST_TEXT);
        text_of(frame, "name", name, sizeof name);
        status = winnow_condition_parse(condition, &field, 1, text);
    }
    free(text);
    return status;
}

/* ------------------------------------------------------------------ calls */

/* Write zeros behind the survivors: jax_debug_nans looks at all of an output. */
static winnow_status fill(const ffi_place *place, const winnow_move *move,
                          uint64_t size, const uint64_t *d_count) {
    void *const zeros = calloc(1, move->element_bytes);
    const winnow_out out = {.element_bytes = (uint32_t)move->element_bytes,
                            .d_base = move->d_out};
    const winnow_status status =
        zeros ? winnow_fill(place->context, d_count, size, zeros, &out,
                            &place->launch)
              : WINNOW_ERR_MEMORY;
    free(zeros);
    return status;
}

static XLA_FFI_Error *copy_if(ffi_place *place) {
    const XLA_FFI_CallFrame *const frame = place->frame;
    const XLA_FFI_Buffer *const x = argument(frame, 0);
    const XLA_FFI_Buffer *const out = output(frame, 0);
    const uint64_t n = (uint64_t)x->dims[0], size = (uint64_t)out->dims[0];
    uint64_t *const d_count = output(frame, 1)->data;
    const winnow_move move = {
        .d_in = x->data, .d_out = out->data, .element_bytes = item_bytes(x)};
    winnow_condition *condition = NULL;
    winnow_status status;
    if (frame->args.size == 2) {
        const winnow_mask mask = {.kind = WINNOW_MASK_BYTES,
                                  .d_flags = argument(frame, 1)->data};
        status = winnow_copy_flagged(place->context, &mask, n, &move, 1, size,
                                     d_count, &place->launch);
    } else {
        const winnow_in column = {.type = type_of(x->dtype), .d_base = x->data};
        status = parse(frame, column.type, &condition);
        if (!status)
            status = winnow_copy_where(place->context, condition, &column, 1, n,
                                       &move, 1, size, d_count, &place->launch);
        winnow_condition_destroy(condition);
    }
    if (!status)
        status = fill(place, &move, size, d_count);
    return status ? failed_status(frame, status) : NULL;
}

static XLA_FFI_Error *expand(ffi_place *place) {
    const XLA_FFI_CallFrame *const frame = place->frame;
    const XLA_FFI_Buffer *const packed = argument(frame, 0);
    const XLA_FFI_Buffer *const x = argument(frame, 1);
    const XLA_FFI_Buffer *const room = output(frame, 1);
    const uint64_t n = (uint64_t)x->dims[0];
    const size_t bytes = (size_t)room->dims[0];
    const winnow_in in = {.element_bytes = (uint32_t)item_bytes(packed),
                          .d_base = packed->data};
    winnow_condition *condition = NULL;
    winnow_status status;
    if (frame->args.size == 3) {
        const winnow_mask mask = {.kind = WINNOW_MASK_BYTES,
                                  .d_flags = argument(frame, 2)->data};
        status = winnow_select_flagged(place->context, &mask, n, room->data,
                                       bytes, &place->launch);
    } else {
        const winnow_in column = {.type = type_of(x->dtype), .d_base = x->data};
        status = parse(frame, column.type, &condition);
        if (!status)
            status = winnow_select_where(place->context, condition, &column, 1,
                                         n, room->data, bytes, &place->launch);
        winnow_condition_destroy(condition);
    }
    if (!status) {
        void *const zeros = calloc(1, in.element_bytes);
        const winnow_out out = {.element_bytes = in.element_bytes,
                                .d_base = output(frame, 0)->data};
        status = zeros ? winnow_expand(place->context, room->data, &in,
                                       (uint64_t)packed->dims[0], n, zeros,
                                       &out, &place->launch)
                       : WINNOW_ERR_MEMORY;
        free(zeros);
    }
    return status ? failed_status(frame, status) : NULL;
}

/* --------------------------------------------------------------- handlers */

/* Answer XLA's first call, which asks for a handler's version and traits. No
 * handler is declared capturable: XLA would make the captured call a child of a
 * CUDA graph, and CUDA refuses children that allocate memory, as calls without
 * a workspace do. */
static int describes(XLA_FFI_CallFrame *frame) {
    /* From jaxlib 0.11 on this type has another name, so it is not named
     * here. */
    if (!frame->extension_start ||
        frame->extension_start->type != XLA_FFI_Extension_Metadata)
        return 0;
    XLA_FFI_Metadata *const metadata =
        ((XLA_FFI_Metadata_Extension *)(void *)frame->extension_start)
            ->metadata;
    metadata->api_version =
        (XLA_FFI_Api_Version){.struct_size = XLA_FFI_Api_Version_STRUCT_SIZE,
                              .major_version = XLA_FFI_API_MAJOR,
                              .minor_version = XLA_FFI_API_MINOR};
    metadata->traits = 0;
    return 1;
}

static XLA_FFI_Error *handle(XLA_FFI_CallFrame *frame, int on_gpu,
                             int64_t arguments,
                             XLA_FFI_Error *(*call)(ffi_place *)) {
    ffi_place place;
    if (describes(frame) || frame->stage != XLA_FFI_ExecutionStage_EXECUTE)
        return NULL;
    if (frame->rets.size != 2 ||
        (frame->args.size != arguments && frame->args.size != arguments + 1))
        return failed(frame, XLA_FFI_Error_Code_INVALID_ARGUMENT,
                      "the number of arguments or results is wrong");
    XLA_FFI_Error *const error = find_place(&place, frame, on_gpu);
    return error ? error : call(&place);
}

static XLA_FFI_Error *copy_if_cpu(XLA_FFI_CallFrame *frame) {
    return handle(frame, 0, 1, copy_if);
}

static XLA_FFI_Error *copy_if_cuda(XLA_FFI_CallFrame *frame) {
    return handle(frame, 1, 1, copy_if);
}

static XLA_FFI_Error *expand_cpu(XLA_FFI_CallFrame *frame) {
    return handle(frame, 0, 2, expand);
}

static XLA_FFI_Error *expand_cuda(XLA_FFI_CallFrame *frame) {
    return handle(frame, 1, 2, expand);
}

/* ------------------------------------------------------------- the module */

static int prepare_module(PyObject *module) {
    static const struct {
        const char *name;
        XLA_FFI_Handler *handler;
    } handlers[] = {{"copy_if_cpu", copy_if_cpu},
                    {"copy_if_cuda", copy_if_cuda},
                    {"expand_cpu", expand_cpu},
                    {"expand_cuda", expand_cuda}};
    for (size_t i = 0; i < sizeof handlers / sizeof handlers[0]; i++) {
        PyObject *const capsule =
            PyCapsule_New((void *)handlers[i].handler, NULL, NULL);
        const int added =
            capsule ? PyModule_AddObjectRef(module, handlers[i].name, capsule)
                    : -1;
        Py_XDECREF(capsule);
        if (added)
            return -1;
    }
    return 0;
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, prepare_module}, {0, NULL}};

static struct PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "winnow._ffi",
    .m_doc = "Handlers of XLA's foreign function interface.",
    .m_slots = slots};

PyMODINIT_FUNC PyInit__ffi(void);
PyMODINIT_FUNC PyInit__ffi(void) {
    return PyModuleDef_Init(&definition);
}
