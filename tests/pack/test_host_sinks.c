/*
 * The sinks of selections on the host, with each set of instructions: elements
 * of every size, at any alignment, in every density, into room for all or for
 * some. All memory around an output is compared, too; an input ends where its
 * allocation ends.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

#include "data.h"
#include "out_like.h"
#include "reduced.h"
#include "suite.h"

enum {
    GUARD = 128,
    /* Worth 4 threads. */
    LARGE = 4 * 64 * 4096 + 77,
    MOST_BYTES = 100
};

static const size_t sizes[] = {1, 2, 3, 4, 8, 12, 16, 24, 32, MOST_BYTES};
#define SIZES (sizeof(sizes) / sizeof(sizes[0]))

/* Around words, and around what is packed one by one. */
static const double shares[] = {0, 0.004, 0.03, 0.22, 0.5, 0.9, 0.99, 1};
#define SHARES (sizeof(shares) / sizeof(shares[0]))

struct sinks {
    winnow_context *context;
    const char *isa;
    void *selection;
    size_t selection_bytes;
    uint8_t *keep;  /* 1, or 0 */
    uint64_t n;     /* of the call */
    uint64_t there; /* items that there are: launch->d_n */
    uint64_t kept;
    /* an output, and what it is to be */
    unsigned char *memory, *wanted;
    size_t room, used; /* bytes of both; those that the call is near */
};

static void sinks_open(struct sinks *s, const char *isa,
                       winnow_context *context, uint64_t most,
                       size_t most_bytes) {
    *s = (struct sinks){.isa = isa, .context = context};
    cr_assert_eq(winnow_selection_bytes(most, &s->selection_bytes), WINNOW_OK);
    s->selection = must_alloc(s->selection_bytes);
    s->keep = must_alloc(most);
    s->room = most * most_bytes + 3 * GUARD;
    s->memory = must_alloc(s->room);
    s->wanted = must_alloc(s->room);
}

static void sinks_close(struct sinks *s) {
    free(s->selection);
    free(s->keep);
    free(s->memory);
    free(s->wanted);
}

/* Half of the words' runs are of 64 items: all, or none. */
static void select_share(struct sinks *s, double share, uint64_t n,
                         uint64_t there) {
    const winnow_mask mask = {WINNOW_MASK_BYTES, s->keep, 0};

    s->n = n;
    s->there = there;
    s->kept = 0;
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t draw = i / 512 % 2 == 1 ? i / 64 : i;

        s->keep[i] = (double)(data_random(77, draw) >> 11) * 0x1p-53 < share;
        s->kept += i < there && s->keep[i];
    }
    cr_assert_eq(winnow_select_flagged(s->context, &mask, n, s->selection,
                                       s->selection_bytes, NULL),
                 WINNOW_OK, "%s", winnow_last_error());
}

/* For outputs of at most this many bytes for each item. */
static void prepare(struct sinks *s, size_t bytes) {
    s->used = s->n * bytes + 3 * GUARD;
    cr_assert_leq(s->used, s->room);
    memset(s->memory, 0xa5, s->used);
    memset(s->wanted, 0xa5, s->used);
}

static void check(const struct sinks *s, winnow_status status, const char *what,
                  size_t bytes, uint64_t capacity) {
    cr_assert_eq(status, WINNOW_OK, "%s: %s", what, winnow_last_error());
    if (memcmp(s->memory, s->wanted, s->used) == 0)
        return;
    size_t at = 0;
    while (s->memory[at] == s->wanted[at])
        at++;
    cr_assert(false,
              "%s, %s: %zu bytes, %llu of %llu items kept, capacity %llu: "
              "byte %zu is %#x, wanted %#x",
              s->isa, what, bytes, (unsigned long long)s->kept,
              (unsigned long long)s->there, (unsigned long long)capacity, at,
              s->memory[at], s->wanted[at]);
}

/* Elements of `there` items: what lies behind them must not be read. Memory for n
 * items is allocated, since a call checks that arrays of n items do not overlap.
 */
static unsigned char *make_input(uint64_t there, uint64_t n, size_t bytes,
                                 size_t offset, unsigned char **memory_p) {
    const size_t all = offset + there * bytes;
    const size_t addresses = offset + n * bytes;

    *memory_p = must_alloc(addresses != 0 ? addresses : 1);
#ifdef __SANITIZE_ADDRESS__
    ASAN_POISON_MEMORY_REGION(*memory_p + all, addresses - all);
#endif
    for (size_t i = 0; i < all; i += sizeof(uint64_t)) {
        const uint64_t random = data_random(78, i);

        memcpy(*memory_p + i, &random,
               all - i < sizeof(random) ? all - i : sizeof(random));
    }
    return *memory_p + offset;
}

/* The elements that are kept, or are not, behind `start` others. */
static void expect_packed(struct sinks *s, const unsigned char *in,
                          size_t bytes, bool wanted, size_t at, uint64_t start,
                          uint64_t capacity) {
    uint64_t rank = start;

    for (uint64_t i = 0; i < s->there; i++)
        if (s->keep[i] == wanted && rank < capacity)
            memcpy(s->wanted + at + rank++ * bytes, in + i * bytes, bytes);
}

static void run_compact(struct sinks *s, size_t bytes, size_t offset,
                        uint64_t capacity, uint64_t position) {
    const size_t at = GUARD + 3 * offset;
    unsigned char *memory;
    const unsigned char *const in =
        make_input(s->there, s->n, bytes, offset, &memory);
    uint64_t count = 99, end = position;

    prepare(s, bytes);
    expect_packed(s, in, bytes, true, at, position, capacity);
    check(s,
          winnow_compact(
              s->context, s->selection, in, s->n, bytes, s->memory + at,
              capacity, &count,
              WINNOW_LAUNCH(.d_n = &s->there,
                            .d_position = position != 0 ? &end : NULL)),
          "compact", bytes, capacity);
    cr_assert_eq(count, s->kept);
    if (position != 0)
        cr_assert_eq(end, position + s->kept < capacity ? position + s->kept
                                                        : capacity);
    free(memory);
}

/* The selection and two columns in one call, of which each has its part of one
 * memory. */
static void run_flagged(struct sinks *s, size_t bytes, size_t offset,
                        uint64_t capacity) {
    const size_t other = bytes < 4 ? 4 / bytes : 1, at = GUARD + offset;
    const uint64_t least = capacity < s->kept ? capacity : s->kept;
    const size_t behind = at + least * bytes;
    const winnow_mask mask = {WINNOW_MASK_BYTES, s->keep, 0};
    unsigned char *memory[2];
    const unsigned char *const in[] = {
        make_input(s->there, s->n, bytes, offset, &memory[0]),
        make_input(s->there, s->n, other, 0, &memory[1])};
    const winnow_move moves[] = {
        {.d_in = in[0], .d_out = s->memory + at, .element_bytes = bytes},
        {.d_in = in[1], .d_out = s->memory + behind, .element_bytes = other}};
    uint64_t count = 99;

    prepare(s, bytes + other);
    expect_packed(s, in[0], bytes, true, at, 0, least);
    expect_packed(s, in[1], other, true, behind, 0, least);
    check(s,
          winnow_copy_flagged(s->context, &mask, s->n, moves, 2, least, &count,
                              WINNOW_LAUNCH(.d_n = &s->there)),
          "copy_flagged", bytes, capacity);
    cr_assert_eq(count, s->kept);
    free(memory[0]);
    free(memory[1]);
}

/* Both outputs lie in one memory, with no byte between. */
static void run_split(struct sinks *s, size_t bytes, size_t offset,
                      uint64_t capacity) {
    const uint64_t rejected = s->there - s->kept;
    const uint64_t room = capacity < s->kept ? capacity : s->kept;
    const size_t at = GUARD + offset, behind = at + room * bytes;
    unsigned char *memory;
    const winnow_in in = {
        .type = WINNOW_OPAQUE,
        .element_bytes = (uint32_t)bytes,
        .d_base = make_input(s->there, s->n, bytes, offset, &memory)};
    const uint64_t least = rejected < capacity ? rejected : capacity;
    uint64_t counts[2] = {99, 99};

    prepare(s, bytes);
    expect_packed(s, in.d_base, bytes, true, at, 0, room);
    expect_packed(s, in.d_base, bytes, false, behind, 0, least);
    check(s,
          winnow_split(s->context, s->selection, &in, s->n,
                       OUT_LIKE(in, s->memory + at), room,
                       OUT_LIKE(in, s->memory + behind), least, counts,
                       WINNOW_LAUNCH(.d_n = &s->there)),
          "split", bytes, capacity);
    cr_assert_eq(counts[0], s->kept);
    cr_assert_eq(counts[1], rejected);
    free(memory);
}

static void run_expand(struct sinks *s, size_t bytes, size_t offset,
                       uint64_t available, bool fills) {
    const size_t at = GUARD + 5 * offset;
    const uint64_t some = available < s->kept ? available : s->kept;
    unsigned char *memory, fill[MOST_BYTES];
    const winnow_in packed = {
        .type = WINNOW_OPAQUE,
        .element_bytes = (uint32_t)bytes,
        .d_base = make_input(available, available, bytes, offset, &memory)};
    uint64_t rank = 0;

    memset(fill, 0x17, sizeof(fill));
    prepare(s, bytes);
    for (uint64_t i = 0; i < s->there; i++)
        if (!s->keep[i] && fills)
            memcpy(s->wanted + at + i * bytes, fill, bytes);
        else if (s->keep[i] && rank < some)
            memcpy(s->wanted + at + i * bytes,
                   (const unsigned char *)packed.d_base + rank++ * bytes,
                   bytes);
    check(s,
          winnow_expand(s->context, s->selection, &packed, available, s->n,
                        fills ? fill : NULL, OUT_LIKE(packed, s->memory + at),
                        WINNOW_LAUNCH(.d_n = &s->there)),
          fills ? "expand and fill" : "expand", bytes, available);
    free(memory);
}

static void run_index(struct sinks *s, size_t size, uint64_t capacity) {
    const size_t at = GUARD + size;
    uint64_t rank = 0, count = 99;

    prepare(s, size);
    for (uint64_t i = 0; i < s->there; i++)
        if (s->keep[i] && rank < capacity) /* low bytes first */
            memcpy(s->wanted + at + rank++ * size, &i, size);
    check(s,
          winnow_compact_index(s->context, s->selection, s->n,
                               size == 8 ? WINNOW_UINT64 : WINNOW_UINT32,
                               s->memory + at, capacity, &count,
                               WINNOW_LAUNCH(.d_n = &s->there)),
          "compact_index", size, capacity);
    cr_assert_eq(count, s->kept);
}

static void run_mask(struct sinks *s, winnow_mask_kind kind, uint64_t offset) {
    const unsigned bits = kind == WINNOW_MASK_BITS ? 1 : 8;

    prepare(s, 1);
    for (uint64_t i = 0; i < s->n; i++) {
        unsigned char *const byte = s->wanted + GUARD + (offset + i) * bits / 8;
        const unsigned keep = i < s->there && s->keep[i];
        const unsigned bit = (unsigned)((offset + i) % 8);

        *byte =
            (unsigned char)(bits == 8 ? keep
                                      : (*byte & ~(1U << bit)) | keep << bit);
    }
    check(s,
          winnow_selection_to_mask(s->context, s->selection, s->n, kind,
                                   s->memory + GUARD, offset,
                                   WINNOW_LAUNCH(.d_n = &s->there)),
          "selection_to_mask", bits, offset);
}

static void run_all(struct sinks *s, size_t bytes, size_t offset) {
    const uint64_t capacities[] = {s->n, s->kept, s->kept - (s->kept != 0),
                                   s->kept / 2};

    for (unsigned c = 0; c < 4; c++) {
        run_compact(s, bytes, offset, capacities[c], 0);
        run_flagged(s, bytes, offset, capacities[c]);
        run_split(s, bytes, offset, capacities[c]);
        run_expand(s, bytes, offset, capacities[c], c % 2 == 0);
    }
    run_compact(s, bytes, offset, s->n, s->n / 3 + 1);
    run_expand(s, bytes, offset, s->kept, false);
    run_expand(s, bytes, offset, s->kept / 3, true);
}

static void run_selection(struct sinks *s, double share, uint64_t n,
                          uint64_t there) {
    select_share(s, share, n, there);
    for (size_t b = 0; b < SIZES; b++)
        for (size_t offset = 0; offset < (reduced_mode() ? 1 : 2); offset++)
            run_all(s, sizes[b], offset);
    for (size_t size = 4; size <= 8; size += 4) {
        run_index(s, size, s->n);
        run_index(s, size, s->kept);
        run_index(s, size, s->kept / 2);
    }
    for (uint64_t offset = 0; offset < 10; offset += 3) {
        run_mask(s, WINNOW_MASK_BYTES, offset);
        run_mask(s, WINNOW_MASK_BITS, offset);
    }
}

static void run_small(const char *isa, winnow_context *context) {
    static const uint64_t lengths[] = {1,    31,   63,   64,   65,
                                       1000, 4095, 4096, 4097, 8255};
    struct sinks s;

    sinks_open(&s, isa, context, 8255, MOST_BYTES + 1);
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
        for (size_t share = reduced_mode() ? i % 2 : 0; share < SHARES;
             share += reduced_mode() ? 2 : 1) {
            run_selection(&s, shares[share], lengths[i], lengths[i]);
            if (share % 3 == 1)
                run_selection(&s, shares[share], lengths[i],
                              lengths[i] * 2 / 3);
        }
    sinks_close(&s);
}

/* What a tile's neighbours write lies around it. */
static void run_large(const char *isa, winnow_context *context) {
    struct sinks s;

    sinks_open(&s, isa, context, LARGE, 8 + 1);
    for (size_t share = 1; share < SHARES; share++)
        for (unsigned threads = reduced_mode() ? 4 : 1; threads <= 4;
             threads += 3) {
            cr_assert_eq(winnow_context_set_threads(context, threads),
                         WINNOW_OK);
            select_share(&s, shares[share], LARGE, LARGE);
            for (size_t bytes = 1; bytes <= 8; bytes *= 2) {
                run_compact(&s, bytes, 1, s.kept - 5, 0);
                run_flagged(&s, bytes, 1, s.kept);
                run_flagged(&s, bytes, 0, s.kept / 2);
                run_split(&s, bytes, 0, LARGE);
                run_expand(&s, bytes, 0, s.kept, bytes < 4);
            }
            run_index(&s, 4, LARGE);
            run_index(&s, 8, LARGE);
            run_mask(&s, WINNOW_MASK_BITS, 3);
        }
    sinks_close(&s);
}

/* Of many threads some get no CPU: what they have yet to count others do not
 * wait for. */
static void run_crowded(const char *isa, winnow_context *context) {
    enum {
        THREADS = 32,
        ITEMS = THREADS * 64 * 4096
    };
    struct sinks s;

    sinks_open(&s, isa, context, ITEMS, 5);
    cr_assert_eq(winnow_context_set_threads(context, THREADS), WINNOW_OK);
    for (unsigned i = 0; i < (reduced_mode() ? 1 : 5); i++) {
        select_share(&s, 0.3, ITEMS, ITEMS);
        run_flagged(&s, 4, 0, ITEMS);
    }
    sinks_close(&s);
}

static void run_isa(const char *isa) {
    winnow_context *context;
    winnow_status status;

    cr_assert_eq(setenv("WINNOW_HOST_ISA", isa, 1), 0);
    status = winnow_context_create(&context, WINNOW_DEVICE_HOST);
    unsetenv("WINNOW_HOST_ISA");
    if (status == WINNOW_ERR_UNSUPPORTED || status == WINNOW_ERR_ARGUMENT) {
        cr_log_info("not tested: %s", winnow_last_error());
        return;
    }
    cr_assert_eq(status, WINNOW_OK, "%s", winnow_last_error());
    run_small(isa, context);
    run_large(isa, context);
    run_crowded(isa, context);
    winnow_context_destroy(context);
}

Test(host_sinks, portable) {
    run_isa("portable");
}

Test(host_sinks, avx2) {
    run_isa("avx2");
}

Test(host_sinks, avx512) {
    run_isa("avx512");
}
