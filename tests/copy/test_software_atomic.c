/*
 * WINNOW_SOFTWARE_ATOMIC, whose blocks wait for one of them: with few blocks
 * and many tiles, and where they cannot run together, which is refused and
 * never waited for.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <string.h>

#include "tile/shapes.h"
#include "cuda/plan.h"

#include "cut.h"
#include "tests/cuda/part.h"
#include "reduced.h"
#include "rules.h"
#include "suite.h"
#include "trial.h"
#ifdef WINNOW_SIMT
#include "simt/simt.h"
#endif

#define ALL_SEEN 0x5a /* what is in memory that nothing is written to */

static const struct strategy_row *find_row(void) {
    FOR_EACH_STRATEGY(row, true) {
        if (row->strategy == WINNOW_SOFTWARE_ATOMIC)
            return row;
    }
    cr_assert_fail("it is not among the strategies");
    return NULL;
}

/* As if the device held this many of its blocks; 0: ask the device. */
static void limit_blocks(const struct backend *backend, unsigned blocks) {
    static const winnow__shape shapes[] = {WINNOW__SHAPE_software_atomic,
                                           WINNOW__SHAPE_index_software_atomic};
    winnow__device_shapes *const device = cut_shapes(backend);

    for (size_t s = 0; s < 2; s++)
        for (int size = 0; size < WINNOW__SIZES; size++)
            for (int kind = 0; kind < WINNOW__TEST_KINDS; kind++)
                atomic_store(&device->resident[shapes[s]][size][kind], blocks);
}

static uint64_t tile_items(size_t element) {
    return (*winnow__shapes[WINNOW__SHAPE_software_atomic].kernels)[0][0]
               .tile_bytes /
           element;
}

/* Values and indices, with a workspace of exactly the size asked for. */
static void run_right(struct trial *trial, uint64_t n) {
    struct trial_call call = TRIAL_CALL_INIT;

    call.row = find_row();
    call.n = n;
    call.workspace = WORKSPACE_GIVEN;
    MUST(trial_run(trial, &call, report));
    call.operation = COPY_INDEX;
    MUST(trial_run(trial, &call, report));
    call.wide = true;
    call.workspace = WORKSPACE_OF_CONTEXT;
    MUST(trial_run(trial, &call, report));
}

/* From one client, which has every tile, to more of them than tiles. */
GPU_TEST(software_atomic, LONG(few_blocks)) {
    static const unsigned blocks[] = {2, 3, 5, 18};

    for (int type = WINNOW_UINT8; type <= WINNOW_UINT64; type++) {
        const struct rule rule = rules_plain((winnow_type)type);
        const uint64_t items = tile_items(winnow_type_size((winnow_type)type));
        struct trial trial;

        trial_open(&trial, backend, &rule, pattern_named("uniform:0.5"), 61,
                   7 * items + 1, 1);
        for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
            limit_blocks(backend, blocks[i]);
            run_right(&trial, 1);
            run_right(&trial, items - 1);
            run_right(&trial, 4 * items);
            run_right(&trial, 7 * items + 1);
        }
        MUST(trial_close(&trial, report));
    }
}

/* ---------------------------------------------------------------- refusals */

/* A call that has to write nothing. */
struct refusal {
    const struct backend *backend;
    winnow_predicate *predicate;
    unsigned char *in, *out, *count;
    winnow_launch launch;
    uint64_t n;
};

static void open_refusal(struct refusal *r, const struct backend *backend,
                         uint64_t n) {
    const int32_t zero = 0;

    *r = (struct refusal){.backend = backend,
                          .launch = {.size = sizeof(r->launch),
                                     .strategy = WINNOW_SOFTWARE_ATOMIC},
                          .n = n};
    cr_assert_eq(
        winnow_predicate_compare(&r->predicate, WINNOW_INT32, WINNOW_GE, &zero),
        WINNOW_OK);
    r->in = gpu_alloc(n * 4);
    r->out = gpu_alloc(n * 8);
    r->count = gpu_alloc(8);
    GPU_MUST(cudaMemset(r->in, 0, n * 4));
}

static void close_refusal(struct refusal *r) {
    gpu_free(r->in);
    gpu_free(r->out);
    gpu_free(r->count);
    winnow_predicate_destroy(r->predicate);
}

static winnow_status call_with(const struct refusal *r, bool indices,
                               uint64_t n) {
    uint64_t *const count = (uint64_t *)(void *)r->count;
    winnow_launch launch = r->launch;

    launch.stream = r->backend->stream;
    return indices
               ? winnow_copy_index_if(r->backend->context, r->predicate,
                                      WINNOW_INT32, r->in, n, WINNOW_UINT64,
                                      r->out, WINNOW_NO_LIMIT, count, &launch)
               : winnow_copy_if(r->backend->context, r->predicate, WINNOW_INT32,
                                r->in, n, r->out, WINNOW_NO_LIMIT, count,
                                &launch);
}

static uint64_t fetch_count(const struct refusal *r) {
    uint64_t count;

    gpu_copy(&count, r->count, sizeof(count), r->backend->stream);
    return count;
}

/* Nothing is written, `part` is in the detail, and CUDA's last error is as it
 * was. A call of another strategy, in the same memory, is right after that. */
static void expect_refusal(struct refusal *r, const char *part) {
    uint64_t seen;

    memset(&seen, ALL_SEEN, sizeof(seen));
    for (int indices = 0; indices <= 1; indices++) {
        uint64_t first;

        GPU_MUST(cudaMemset(r->out, ALL_SEEN, r->n * 8));
        GPU_MUST(cudaMemset(r->count, ALL_SEEN, 8));
        GPU_MUST(cudaDeviceSynchronize());
        cr_assert_eq(call_with(r, indices != 0, r->n), WINNOW_ERR_UNSUPPORTED);
        cr_assert_not_null(strstr(winnow_last_error(), part), "%s",
                           winnow_last_error());
        cr_assert_eq(cudaGetLastError(), cudaSuccess,
                     "an error is left to the caller");
        cr_assert_eq(fetch_count(r), seen, "the count was written");
        gpu_copy(&first, r->out, sizeof(first), r->backend->stream);
        cr_assert_eq(first, seen, "the output was written");

        r->launch.strategy = WINNOW_WARP_AGGREGATED;
        cr_assert_eq(call_with(r, indices != 0, r->n), WINNOW_OK);
        r->launch.strategy = WINNOW_SOFTWARE_ATOMIC;
        cr_assert_eq(fetch_count(r), r->n);
    }
}

static void expect_count(const struct refusal *r, uint64_t n) {
    cr_assert_eq(call_with(r, false, n), WINNOW_OK, "%s", winnow_last_error());
    cr_assert_eq(fetch_count(r), n);
}

static winnow_status ask_bytes(const struct refusal *r, size_t *bytes_p) {
    winnow_plan plan = {.size = sizeof(plan)};
    winnow_launch launch = r->launch;
    winnow_status status;

    launch.plan = &plan;
    status = winnow_copy_if(r->backend->context, r->predicate, WINNOW_INT32,
                            NULL, r->n, NULL, WINNOW_NO_LIMIT, NULL, &launch);
    if (status == WINNOW_OK)
        *bytes_p = plan.workspace_bytes;
    return status;
}

/* So many elements have more tiles than the device can hold blocks. */
static uint64_t too_many(const struct backend *backend) {
    return UINT64_C(60607) * cut_context(backend)->multiprocessors + 3;
}

/* More blocks than the device can hold are asked of it: it refuses them. */
GPU_TEST(software_atomic, LONG(more_blocks_than_fit)) {
    struct refusal r;

    open_refusal(&r, backend, too_many(backend));
    limit_blocks(backend, 100000);
    expect_refusal(&r, "together");
    expect_count(&r, 100); /* two blocks */
    limit_blocks(backend, 0);
    expect_count(&r, 100003);
    close_refusal(&r);
}

/* A part of the device runs as many blocks as it holds, and refuses as many as
 * the whole device holds. */
GPU_TEST(software_atomic, LONG(part_of_the_device)) {
    winnow__cuda_context *context = cut_context(backend);
    winnow__device_shapes *const shapes = cut_shapes(backend);
    struct backend divided = *backend;
    unsigned most, held;
    struct refusal r;
    struct part part;

    open_refusal(&r, backend, too_many(backend));
    expect_count(&r, 1); /* asks the device */
    most = atomic_load(
        &shapes->resident[WINNOW__SHAPE_software_atomic][2][r.predicate->kind]);
    if (!part_open(&part, 8)) {
        close_refusal(&r);
        cr_skip_test("the driver divides no devices");
    }
    divided.stream = part.stream;
    r.backend = &divided;
    held = most / context->multiprocessors * part.multiprocessors;
    cr_assert_geq(r.n, most * tile_items(4));
    expect_count(&r, (held - 1) * tile_items(4));
    expect_refusal(&r, "together");
    gpu_wait(divided.stream);
    part_close(&part);
    close_refusal(&r);
}

GPU_TEST(software_atomic, no_cooperative_launches) {
    struct refusal r;
    size_t bytes = 1;

    open_refusal(&r, backend, 1000);
    cut_context(backend)->cooperative = false;
    expect_refusal(&r, "cooperative");
    cr_assert_eq(ask_bytes(&r, &bytes), WINNOW_ERR_UNSUPPORTED);
    cr_assert_eq(bytes, 1u);
    expect_count(&r, 0); /* takes no blocks */
    close_refusal(&r);
}

/* There is room for the coordinator, or for a client. */
GPU_TEST(software_atomic, room_for_one_block) {
    struct refusal r;
    size_t bytes = 1;

    open_refusal(&r, backend, 1000);
    limit_blocks(backend, 1);
    expect_refusal(&r, "needs two");
    cr_assert_eq(ask_bytes(&r, &bytes), WINNOW_ERR_UNSUPPORTED);
    limit_blocks(backend, 2);
    expect_count(&r, 1000);
    close_refusal(&r);
}

/* --------------------------------------------------------------- workspace */

/* 512 bytes for each block that asks: for each tile, as far as there is room.
 */
GPU_TEST(software_atomic, workspace) {
    static const uint64_t tiles[] = {1, 2, 30, 31, 32, 33, 1000};
    struct refusal r;
    size_t bytes;

    open_refusal(&r, backend, 1);
    limit_blocks(backend, 32);
    for (size_t i = 0; i < sizeof(tiles) / sizeof(tiles[0]); i++) {
        const size_t clients = tiles[i] < 31 ? (size_t)tiles[i] : 31;

        /* Wherever the input begins, it has no more tiles than these. */
        r.n = tiles[i] * tile_items(4) - 3;
        cr_assert_eq(ask_bytes(&r, &bytes), WINNOW_OK);
        cr_assert_eq(bytes, 256 + 512 * clients + 16);
    }
    r.n = 0;
    cr_assert_eq(ask_bytes(&r, &bytes), WINNOW_OK);
    cr_assert_eq(bytes, 256u);
    close_refusal(&r);
}

#ifdef WINNOW_SIMT
/* A launch that is refused is not tried again; another error is CUDA's. */
GPU_TEST(software_atomic, refused_once) {
    struct refusal r;
    unsigned before;

    open_refusal(&r, backend, 1000);
    before = simt_calls("cudaLaunchKernelExC");
    simt_fail("cudaLaunchKernelExC", cudaErrorCooperativeLaunchTooLarge, 0);
    cr_assert_eq(call_with(&r, false, r.n), WINNOW_ERR_UNSUPPORTED);
    cr_assert_eq(simt_calls("cudaLaunchKernelExC"), before + 1);
    simt_fail("cudaLaunchKernelExC", cudaErrorLaunchOutOfResources, 0);
    cr_assert_eq(call_with(&r, false, r.n), WINNOW_ERR_CUDA);
    cr_assert_eq(simt_calls("cudaLaunchKernelExC"), before + 2);
    expect_count(&r, r.n);
    close_refusal(&r);
}
#endif
