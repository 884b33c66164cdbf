/*
 * Can a device reach a range of memory, from its start to its end? Memory of
 * every kind, and what lies right behind it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <string.h>

#include <criterion/criterion.h>

#include "cuda/backend.h"

#include "backend.h"
#include "gpu.h"
#include "mapping.h"
#include "simt/simt.h"

/* ----------------------------------------------------------------- memory */

enum {
    PAGE = 4096,
    PAGES = 8
};

/* The host's plain memory, some of which turns into other kinds: a page that is
 * not named is between them. */
static _Alignas(PAGE) char room[PAGES * PAGE];

static struct backend backend;
static char *before; /* what a call has before the range in question */

static void open_device(bool reaches_plain_memory) {
    simt_settings.pageable = reaches_plain_memory;
    backend_open_gpu(&backend);
    before = gpu_alloc(16);
}

static void close_device(void) {
    gpu_free(before);
    backend_close(&backend);
}

static char *allocate_at(char *place) {
    void *memory;

    simt_place(place);
    GPU_MUST(cudaMalloc(&memory, PAGE));
    cr_assert_eq(memory, place);
    return memory;
}

static char *pin_at(char *place) {
    void *memory;

    simt_place(place);
    GPU_MUST(cudaMallocHost(&memory, PAGE));
    cr_assert_eq(memory, place);
    return memory;
}

static void map(struct mapping *mapping, unsigned pieces, bool allowed) {
    cr_assert(mapping_open(mapping, pieces, allowed));
}

/* The library holds no piece. */
static void unmap(struct mapping *mapping) {
    const unsigned pieces = simt_pieces();

    mapping_close(mapping);
    cr_assert_eq(simt_pieces(), pieces - mapping->pieces);
}

/* ------------------------------------------------------------------ tests */

static winnow_status ask(const char *start, uint64_t bytes) {
    const winnow__call call = {.query = {.context = backend.context,
                                         .launch = {.stream = backend.stream}}};
    const winnow__range ranges[] = {
        {.name = "d_in", .start = before, .bytes = 16},
        {.name = "d_out", .start = start, .bytes = bytes},
        {.name = "d_count", .bytes = 8}};

    return winnow__cuda_reaches(&call, ranges, 3);
}

/* detail: NULL, or what is said of it. */
static void expect(const char *start, uint64_t bytes, const char *detail) {
    const winnow_status status = ask(start, bytes);

    cr_assert_eq(cudaGetLastError(), cudaSuccess,
                 "an error is left to the caller");
    if (detail == NULL) {
        cr_assert_eq(status, WINNOW_OK, "%p, %llu: %s", (const void *)start,
                     (unsigned long long)bytes, winnow_last_error());
        return;
    }
    cr_assert_eq(status, WINNOW_ERR_ARGUMENT, "%p, %llu", (const void *)start,
                 (unsigned long long)bytes);
    cr_assert(strstr(winnow_last_error(), "d_out") &&
                  strstr(winnow_last_error(), detail),
              "%s", winnow_last_error());
}

/* Another allocation is right behind it, or pinned memory, which would go on by
 * itself. */
Test(reach, one_piece) {
    char *memory, *behind;

    open_device(false);
    memory = allocate_at(room);
    behind = allocate_at(room + PAGE);
    expect(memory, PAGE, NULL);
    expect(memory + PAGE - 4, 4, NULL);
    expect(memory, PAGE + 1, "there are 4096");
    expect(memory + PAGE - 16, 17, "there are 16");
    expect(memory, UINT64_C(1) << 40, "past the end");
    gpu_free(behind);
    behind = pin_at(room + PAGE);
    expect(memory, PAGE + 1, "there are 4096");
    GPU_MUST(cudaFreeHost(behind));
    gpu_free(memory);
    close_device();
}

/* Behind mapped pieces, an allocation. */
Test(reach, pieces_side_by_side) {
    struct mapping mapping;
    char *start, *behind, *pinned[2];
    size_t bytes;

    open_device(false);
    map(&mapping, 2, true);
    start = mapping.start;
    bytes = mapping.bytes;
    behind = allocate_at(start + bytes);
    expect(start, bytes, NULL);
    expect(start + bytes / 2 - 1, 2, NULL);
    expect(start, bytes + 1, "past the end");
    expect(start + bytes - 16, 32, "there are 16");
    gpu_free(behind);
    unmap(&mapping);

    for (int i = 0; i < 2; i++)
        pinned[i] = pin_at(room + i * PAGE);
    expect(room, 2 * PAGE, NULL);
    expect(room, 2 * PAGE + 1, "past the end");
    for (int i = 0; i < 2; i++)
        GPU_MUST(cudaFreeHost(pinned[i]));
    close_device();
}

/* As `expect`, of memory whose pieces the driver does not know. */
static void expect_unknown(const char *start, uint64_t bytes,
                           const char *detail) {
    simt_fail("cuMemGetAddressRange", CUDA_ERROR_NOT_FOUND, 1);
    expect(start, bytes, detail);
    if (detail != NULL)
        cr_assert_null(strstr(winnow_last_error(), "there are"), "%s",
                       winnow_last_error());
}

/* Nothing is known but that its ends can be reached. */
Test(reach, pieces_unknown) {
    char *memory;

    open_device(false);
    memory = allocate_at(room);
    expect_unknown(memory, PAGE, NULL);
    expect_unknown(memory, PAGE + 1, "past the end");
    gpu_free(memory);
    GPU_MUST(cudaHostRegister(room, PAGE, cudaHostRegisterDefault));
    expect_unknown(room, PAGE, NULL);
    expect_unknown(room, PAGE + 1, "past the end");
    GPU_MUST(cudaHostUnregister(room));
    close_device();
}

/* Where a device reaches plain memory, too, it goes on behind pinned or
 * registered memory of the host's, and behind no other. */
Test(reach, registered_in_part) {
    char *const allocated = room + 2 * PAGE, *const registered = room;
    char *const pinned = room + 4 * PAGE;
    struct mapping one, two;
    char *half, *behind;
    size_t bytes;

    open_device(false);
    (void)allocate_at(allocated);
    (void)pin_at(pinned);
    GPU_MUST(cudaHostRegister(registered, PAGE, cudaHostRegisterDefault));
    map(&one, 1, true);
    map(&two, 2, true);
    half = (char *)two.start + two.bytes / 2;
    bytes = one.bytes;
    behind = allocate_at(half + bytes);
    expect(pinned, PAGE + 1, "there are 4096");
    expect(registered, PAGE + 1, "past the end");
    close_device();

    open_device(true);
    expect(pinned, PAGE + 1, NULL);
    expect(registered, PAGE + 1, NULL);
    expect(allocated, PAGE + 1, "there are 4096");
    expect_unknown(allocated, PAGE + 1, "past the end");
    expect(half, bytes + 1, "there are 65536");
    expect(one.start, bytes + 1, "there are 65536");
    gpu_free(allocated);
    gpu_free(behind);
    GPU_MUST(cudaFreeHost(pinned));
    GPU_MUST(cudaHostUnregister(registered));
    unmap(&one);
    unmap(&two);
    close_device();
}

/* What the call's graph allocates is there when it runs. */
Test(reach, allocated_in_graph) {
    cudaGraph_t graph;
    char *memory;

    open_device(false);
    GPU_MUST(
        cudaStreamBeginCapture(backend.stream, cudaStreamCaptureModeGlobal));
    GPU_MUST(cudaMallocAsync((void **)&memory, PAGE, backend.stream));
    expect(memory, PAGE, NULL);
    expect(memory + 8, PAGE - 8, NULL);
    expect(memory, PAGE + 1, "none at all");
    GPU_MUST(cudaStreamEndCapture(backend.stream, &graph));
    expect(memory, PAGE, "none at all");
    GPU_MUST(cudaGraphDestroy(graph));
    close_device();
}

Test(reach, out_of_reach) {
    struct mapping mapping;

    open_device(false);
    map(&mapping, 1, false);
    expect(mapping.start, 16, "cannot reach");
    expect(room, 16, "plain host memory");
    expect(room, 0, NULL);
    close_device();

    open_device(true);
    expect(room, 16, NULL);
    expect(mapping.start, 16, "cannot reach");
    unmap(&mapping);
    close_device();
}
