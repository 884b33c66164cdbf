/*
 * Strings under test.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "packed_strings.h"

#include <stdlib.h>
#include <string.h>

#ifdef WINNOW_CUDA
#include "gpu.h"
#endif

/* The counts, with poison on both sides. */
#define COUNTS_AT 64
#define COUNTS_BYTES 144
/* Outputs may be as many bytes off their alignment. */
#define MOST_SKEW 16

void strings_open(struct strings *strings, const struct backend *backend,
                  uint64_t most, uint64_t most_bytes) {
    const size_t offsets = (most + 1) * sizeof(uint64_t);

    *strings = (struct strings){0};
    selected_open(&strings->selected, backend, most);
    region_open(&strings->out_offsets, backend, offsets + 2 * REGION_GUARD);
    /* More than the data: where offsets descend. */
    region_open(&strings->out, backend,
                2 * most_bytes + MOST_SKEW + 2 * REGION_GUARD);
    region_open(&strings->counts, backend, COUNTS_BYTES);
    region_open(&strings->there, backend, sizeof(uint64_t));
    strings->offsets = must_alloc(offsets);
    strings->data = must_alloc(most_bytes + 1);
    strings->wanted = must_alloc(2 * most_bytes + 1);
}

void strings_close(struct strings *strings) {
    selected_close(&strings->selected);
    region_close(&strings->out_offsets);
    region_close(&strings->out);
    region_close(&strings->counts);
    region_close(&strings->there);
    free(strings->offsets);
    free(strings->data);
    free(strings->wanted);
}

static uint64_t draw(uint64_t seed, uint64_t which, uint64_t below) {
    return data_random(seed, which) % below;
}

struct string_call string_call_random(uint64_t seed, uint64_t most,
                                      uint64_t most_bytes) {
    static const uint64_t edges[] = {0,    1,    31,   33,   4095,
                                     4096, 4097, 8193, 12289};
    const uint64_t edge = edges[draw(seed, 1, 9)];
    struct string_call call = {
        .lengths = (enum string_lengths)draw(seed, 2, STRINGS_LENGTHS),
        .wide = draw(seed, 3, 2),
        .n = draw(seed, 4, 2) && edge < most ? edge : draw(seed, 5, most),
        .there = UINT64_MAX,
        .most_bytes =
            draw(seed, 6, 3) ? most_bytes : draw(seed, 7, most_bytes + 1),
        .first = draw(seed, 8, 2) ? 0 : draw(seed, 9, 1000),
        .in_skew = (unsigned)draw(seed, 10, 16),
        .out_skew = (unsigned)draw(seed, 11, MOST_SKEW),
        .offsets_capacity = WINNOW_NO_LIMIT,
        .data_capacity = WINNOW_NO_LIMIT,
        .offsets_alone = draw(seed, 12, 8) == 0,
        .no_counts = draw(seed, 13, 8) == 0,
        .seed = seed};

    if (call.first > call.most_bytes)
        call.first = call.most_bytes;
    if (draw(seed, 14, 3) == 0)
        call.there = draw(seed, 15, call.n + 10);
    if (draw(seed, 16, 3) == 0)
        call.offsets_capacity = draw(seed, 17, call.n + 2);
    if (draw(seed, 18, 3) == 0)
        call.data_capacity = draw(seed, 19, call.most_bytes + 100);
    return call;
}

/* ---------------------------------------------------------------- the input */

static uint64_t length_of(const struct string_call *call, uint64_t i) {
    static const unsigned mixed[] = {0, 1, 8, 33, 5000};

    switch (call->lengths) {
    case STRINGS_SHORT:
        return draw(call->seed, 100 + i, 17);
    case STRINGS_EIGHT:
        return 8;
    case STRINGS_MIXED:
        return mixed[draw(call->seed, 100 + i, 5)];
    case STRINGS_LINES:
        return 128;
    case STRINGS_HUGE:
        return i == draw(call->seed, 50, call->n)
                   ? call->most_bytes / 4 * 3
                   : draw(call->seed, 100 + i, 4);
    case STRINGS_EMPTY:
    default:
        return 0;
    }
}

/* Make the offsets, and say how many bytes the data have. */
static uint64_t make_offsets(const struct string_call *call,
                             uint64_t *offsets) {
    uint64_t at = call->first;

    for (uint64_t i = 0; i < call->n; i++) {
        const uint64_t left = call->most_bytes - at;
        const uint64_t length = length_of(call, i);

        offsets[i] = at;
        at += length < left ? length : left;
    }
    offsets[call->n] = at;
    if (call->lengths == STRINGS_WILD) {
        /* Strings of a few bytes as a rule, so that there is room for most. */
        at = call->most_bytes;
        for (uint64_t i = 0; i <= call->n; i++) {
            offsets[i] = draw(call->seed, 100 + i, at + 1);
            if (i != 0 && draw(call->seed, 60 + 3 * i, 8))
                offsets[i] = offsets[i - 1] + draw(call->seed, 61 + 3 * i, 20);
            if (draw(call->seed, 62 + 3 * i, 50) == 0)
                offsets[i] = at + draw(call->seed, 63 + 3 * i, 100);
            if (draw(call->seed, 64 + 3 * i, 50) == 0)
                offsets[i] = UINT64_MAX - draw(call->seed, 65 + 3 * i, 3);
            if (!call->wide)
                offsets[i] = (uint32_t)offsets[i];
        }
    }
    /* Bytes of no string behind the last. */
    return at + 10 < call->most_bytes ? at + 10 : at;
}

static void *upload(const struct backend *backend, const void *from,
                    size_t bytes) {
    void *const memory = backend_alloc(backend, bytes + 1);

    if (bytes)
        backend_upload(backend, memory, from, bytes);
    return memory;
}

static void *upload_offsets(const struct strings *strings,
                            const struct string_call *call) {
    const struct backend *const backend = strings->selected.backend;
    uint32_t *narrow;
    void *memory;

    if (call->wide)
        return upload(backend, strings->offsets, (call->n + 1) * 8);
    narrow = must_alloc((call->n + 1) * 4);
    for (uint64_t i = 0; i <= call->n; i++)
        narrow[i] = (uint32_t)strings->offsets[i];
    memory = upload(backend, narrow, (call->n + 1) * 4);
    free(narrow);
    return memory;
}

/* --------------------------------------------------------------- the outcome */

struct outcome {
    uint64_t strings, bytes; /* true numbers */
    uint64_t written;        /* strings */
    uint64_t written_bytes;
};

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static uint64_t offset_at(const struct region *region, bool wide, uint64_t i) {
    const unsigned char *const from =
        region->seen + REGION_GUARD + i * (wide ? 8 : 4);
    uint64_t number = 0;

    memcpy(&number, from, wide ? 8 : 4); /* little-endian */
    return number;
}

/* One string after the other. */
static bool check_offsets(struct strings *strings,
                          const struct string_call *call, const uint8_t *keep,
                          uint64_t size, uint64_t room, struct outcome *outcome,
                          struct report *report) {
    const struct region *const seen = &strings->out_offsets;

    *outcome = (struct outcome){0};
    region_fetch(&strings->out_offsets, seen->bytes);
    if (offset_at(seen, call->wide, 0) != 0)
        return report_fail(report, "the first offset is not 0");
    for (uint64_t i = 0; i < call->n && i < call->there; i++) {
        const uint64_t begin = least(strings->offsets[i], size);
        const uint64_t end = least(strings->offsets[i + 1], size);
        const uint64_t bytes = end > begin ? end - begin : 0;

        if (!keep[i])
            continue;
        outcome->strings++;
        outcome->bytes += bytes;
        if (outcome->strings > call->offsets_capacity)
            continue;
        if (outcome->written_bytes < room)
            memcpy(strings->wanted + outcome->written_bytes,
                   strings->data + begin,
                   least(bytes, room - outcome->written_bytes));
        outcome->written_bytes = least(outcome->bytes, room);
        outcome->written++;
        if (offset_at(seen, call->wide, outcome->written) !=
            outcome->written_bytes)
            return report_fail(report, "d_offsets[%llu] is %llu, wanted %llu",
                               (unsigned long long)outcome->written,
                               (unsigned long long)offset_at(seen, call->wide,
                                                             outcome->written),
                               (unsigned long long)outcome->written_bytes);
    }
    return region_untouched(seen, "d_offsets", REGION_GUARD, 0, REGION_GUARD,
                            report) &&
           region_untouched(seen, "d_offsets", REGION_GUARD,
                            REGION_GUARD +
                                (outcome->written + 1) * (call->wide ? 8 : 4),
                            seen->bytes, report);
}

static bool check_bytes(struct strings *strings, const struct string_call *call,
                        const struct outcome *outcome, struct report *report) {
    struct region *const out = &strings->out;
    const size_t at = REGION_GUARD + call->out_skew;
    const uint64_t bytes = call->offsets_alone ? 0 : outcome->written_bytes;

    region_fetch(out, out->bytes);
    for (uint64_t i = 0; i < bytes; i++)
        if (out->seen[at + i] != strings->wanted[i])
            return report_fail(report,
                               "byte %llu of %llu is 0x%02x, wanted 0x%02x",
                               (unsigned long long)i, (unsigned long long)bytes,
                               out->seen[at + i], strings->wanted[i]);
    return region_untouched(out, "d_data", at, 0, at, report) &&
           region_untouched(out, "d_data", at, at + bytes, out->bytes, report);
}

static bool check_counts(struct strings *strings,
                         const struct string_call *call,
                         const struct outcome *outcome, struct report *report) {
    struct region *const counts = &strings->counts;
    const size_t end = COUNTS_AT + (call->no_counts ? 0 : 16);
    uint64_t seen[2];

    region_fetch(counts, COUNTS_BYTES);
    memcpy(seen, counts->seen + COUNTS_AT, sizeof(seen));
    if (!call->no_counts &&
        (seen[0] != outcome->strings || seen[1] != outcome->bytes))
        return report_fail(
            report, "d_counts are %llu and %llu, wanted %llu and %llu",
            (unsigned long long)seen[0], (unsigned long long)seen[1],
            (unsigned long long)outcome->strings,
            (unsigned long long)outcome->bytes);
    return region_untouched(counts, "d_counts", COUNTS_AT, 0, COUNTS_AT,
                            report) &&
           region_untouched(counts, "d_counts", COUNTS_AT, end, COUNTS_BYTES,
                            report);
}

/* ------------------------------------------------------------------ the call */

static winnow_status make(struct strings *strings,
                          const struct string_call *call,
                          const winnow_in *described) {
    const struct selected *const selected = &strings->selected;
    winnow_launch launch = {.size = sizeof(launch),
                            .stream = selected->backend->stream};

    if (call->there != UINT64_MAX)
        launch.d_n = (const uint64_t *)(const void *)strings->there.base;
    return winnow_compact_strings(
        selected->backend->context, selected->d_selection, described, call->n,
        strings->out_offsets.base + REGION_GUARD, call->offsets_capacity,
        call->offsets_alone ? NULL
                            : strings->out.base + REGION_GUARD + call->out_skew,
        call->data_capacity,
        call->no_counts
            ? NULL
            : (uint64_t *)(void *)(strings->counts.base + COUNTS_AT),
        &launch);
}

#ifdef WINNOW_CUDA
/* In a graph that runs twice: the second time over what the first one left. */
static winnow_status make_in_graph(struct strings *strings,
                                   const struct string_call *call,
                                   const winnow_in *described) {
    const cudaStream_t stream = strings->selected.backend->stream;
    cudaGraphExec_t exec;
    cudaGraph_t graph;

    GPU_MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    const winnow_status status = make(strings, call, described);
    GPU_MUST(cudaStreamEndCapture(stream, &graph));
    if (status == WINNOW_OK) {
        GPU_MUST(cudaGraphInstantiate(&exec, graph, 0));
        for (int replay = 0; replay < 2; replay++)
            GPU_MUST(cudaGraphLaunch(exec, stream));
        gpu_wait(stream);
        GPU_MUST(cudaGraphExecDestroy(exec));
    }
    GPU_MUST(cudaGraphDestroy(graph));
    return status;
}
#else
#define make_in_graph make /* of a context of the host */
#endif

static bool run(struct strings *strings, const struct string_call *call,
                const uint8_t *keep, const winnow_in *described,
                struct report *report) {
    const uint64_t most = call->wide ? INT64_MAX : INT32_MAX;
    const uint64_t size = described->data_size;
    const uint64_t room = call->data_capacity == WINNOW_NO_LIMIT
                              ? size
                              : least(call->data_capacity, most);
    struct outcome outcome;
    const char *error;

    region_poison(&strings->out_offsets, strings->out_offsets.bytes);
    region_poison(&strings->out, strings->out.bytes);
    region_poison(&strings->counts, COUNTS_BYTES);
    region_write(&strings->there, 0, &call->there, sizeof(call->there));
    if ((call->captured ? make_in_graph : make)(strings, call, described) !=
        WINNOW_OK)
        return report_fail(report, "%s", winnow_last_error());
    error = backend_wait(strings->selected.backend);
    if (error)
        return report_fail(report, "%s", error);
    return check_offsets(strings, call, keep, size, room, &outcome, report) &&
           check_bytes(strings, call, &outcome, report) &&
           check_counts(strings, call, &outcome, report) &&
           selected_apart(&strings->selected, report);
}

static bool tell(const struct string_call *call, struct report *report) {
    struct report what = *report;

    return report_fail(
        report,
        "%s -- %llu strings, lengths %d, %s, d_n %llu, data %llu from %llu, "
        "skews %u and %u, capacities %llu and %llu%s, seed %llu",
        what.text, (unsigned long long)call->n, (int)call->lengths,
        call->wide ? "wide" : "narrow", (unsigned long long)call->there,
        (unsigned long long)call->most_bytes, (unsigned long long)call->first,
        call->in_skew, call->out_skew,
        (unsigned long long)call->offsets_capacity,
        (unsigned long long)call->data_capacity,
        call->offsets_alone ? ", offsets alone" : "",
        (unsigned long long)call->seed);
}

bool strings_run(struct strings *strings, const struct string_call *call,
                 const uint8_t *keep, struct report *report) {
    const struct backend *const backend = strings->selected.backend;
    const uint64_t size = make_offsets(call, strings->offsets);
    /* Nothing behind the data: what is read there is found. */
    unsigned char *const data = backend_alloc(backend, size + call->in_skew);
    void *const offsets = upload_offsets(strings, call);
    const winnow_in described = {
        .type = call->wide ? WINNOW_STRING64 : WINNOW_STRING32,
        .d_base = offsets,
        .d_data = call->offsets_alone ? NULL : data + call->in_skew,
        .data_size = size,
        /* Nothing is there: it is not read. */
        .d_valid = call->seed % 2 != 0 ? (const void *)1 : NULL,
        .valid_offset = call->seed % 2 != 0 ? 5 : 0};
    bool ok;

    for (uint64_t i = 0; i < size; i++)
        strings->data[i] = (unsigned char)data_random(call->seed, 1000000 + i);
    if (size)
        backend_upload(backend, data + call->in_skew, strings->data, size);
    ok = (call->is_selected ||
          selected_make(&strings->selected, keep, call->n, report)) &&
         run(strings, call, keep, &described, report);
    backend_free(backend, data);
    backend_free(backend, offsets);
    return ok || tell(call, report);
}
