/*
 * The order of a condition's tests, found by a sample of the items. A call asks for
 * it where the columns are large; here the kernel is launched alone.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "soak.h"

#include <stdlib.h>
#include <string.h>

#include "conditions.h"
#include "cuda/launch.h"
#include "kernels/select/order.h"
#include "select/elements.h"
#include "condition/program/where_program.h"
#include "select/kernels.h"
#include "simt/where_lists.h"

enum {
    ITEMS = 20000,
    LEAVES = 3
};

/* Three tests of a column each, joined by AND. */
static void write_lists(const struct rule rule[LEAVES],
                        winnow__select_where_args *args) {
    static struct expression e;
    unsigned node[LEAVES];

    e = (struct expression){0};
    for (unsigned l = 0; l < LEAVES; l++)
        node[l] = expression_test(&e, l, &rule[l]);
    node[1] = expression_join(&e, EXPRESSION_AND, node[0], node[1]);
    expression_join(&e, EXPRESSION_AND, node[1], node[2]);
    winnow_condition *const condition = expression_create(&e);

    where_lists_write(&condition->programs[0]->code, args);
    winnow_condition_destroy(condition);
}

/* The columns are of 8, 4 and 1 bytes; the leaf of one keeps a part in 64 of all
 * items, half of them, and nearly all: whichever these are, the one that keeps the
 * fewest goes first, the one that keeps the most goes last. */
static bool run_order(const struct backend *backend, unsigned number,
                      uint64_t seed, struct report *report) {
    static const winnow_type types[LEAVES] = {WINNOW_UINT64, WINNOW_UINT32,
                                              WINNOW_UINT8};
    static const size_t sizes[LEAVES] = {8, 4, 1};
    static unsigned char data[LEAVES][8 * ITEMS], *d_data[LEAVES];
    static uint16_t *d_order;
    static uint64_t *d_n;
    const unsigned turn = (unsigned)soak_draw(seed, 40, LEAVES);
    const uint64_t n = soak_draw(seed, 41, 2) ? ITEMS : ITEMS / 2;
    struct rule rule[LEAVES];
    uint16_t order[LEAVES + 1];

    (void)number;
    for (unsigned l = 0; l < LEAVES; l++) {
        const unsigned kept = (l + turn) % LEAVES; /* few, half, most */
        const unsigned top = 8 * (unsigned)sizes[l];
        const uint64_t parts[] = {1, 32, 63};

        rule[l] = (struct rule){.type = types[l],
                                .compare = WINNOW_LT,
                                .low = parts[kept] << (top - 6)};
        for (size_t i = 0; i < sizes[l] * ITEMS; i += 8) {
            const uint64_t any = data_random(seed + l, i);
            memcpy(data[l] + i, &any, 8);
        }
        if (d_data[l] == NULL)
            d_data[l] = backend_alloc(backend, sizeof(data[l]));
        backend_upload(backend, d_data[l], data[l], sizes[l] * ITEMS);
    }
    if (d_order == NULL) {
        d_order = backend_alloc(backend, (1 + WINNOW__ORDER_OPS) * 2);
        d_n = backend_alloc(backend, sizeof(*d_n));
    }
    winnow__select_where_args args = {.n = (const unsigned long long *)d_n,
                                      .order = d_order};

    write_lists(rule, &args);
    args.to.n = ITEMS;
    for (unsigned l = 0; l < LEAVES; l++)
        args.lists.columns[l] = winnow__elements(
            d_data[l], sizes[l], (unsigned)__builtin_ctzll(sizes[l]));
    backend_upload(backend, d_n, &n, sizeof(n));
    if (!soak_done(
            backend,
            winnow__launch(&winnow__order_where, 1, &args, backend->stream),
            report))
        return false;
    backend_download(backend, order, d_order, sizeof(order));
    if (order[0] != LEAVES)
        return report_fail(report, "%u operations", order[0]);
    for (unsigned k = 0; k < LEAVES; k++) {
        const unsigned wanted = (k + LEAVES - turn) % LEAVES;

        if (order[1 + k] != wanted)
            return report_fail(report, "leaf %u is number %u, not leaf %u",
                               order[1 + k], k, wanted);
    }
    return true;
}

void soak_order(void) {
    soak_add(SOAK_USUAL, run_order, 0, "order of tests");
}
