/*
 * The order of a program's tests (where.h), by a sample: plain C, the same on
 * the host and on a device.
 *
 * The members of a group may be tested in any order. They are sorted by rank:
 * price / (items - items that stay), the bytes that a member reads for each
 * item that it takes out. This order is the best for independent tests that
 * read the live items alone. The items that stay are counted in the sample. The
 * price of a nested group is what its members read in their order. But tests
 * read whole vectors, sectors or blocks, and depend on each other. So
 * neighbours in a small group are swapped while this reads less in the sample.
 *
 * On a device one warp computes the order: all lanes have the same lists, and
 * each lane has its own words of the sample. order.cu defines macros for this
 * before it includes this file. A single warp cannot hide misses of the
 * instruction cache. So code that is called from several places is not inlined
 * there.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "where.h"

#ifndef WINNOW__ORDER_LANES
#define WINNOW__ORDER_FUNCTION static inline
#define WINNOW__ORDER_STEP static inline /* called from several places */
#define WINNOW__ORDER_UNROLL
#define WINNOW__ORDER_LANES 1
#define WINNOW__ORDER_LANE 0u
#define WINNOW__ORDER_SUM(x) (x) /* the sum over all lanes */
#define WINNOW__ORDER_ONES(x) ((unsigned int)__builtin_popcount(x))
#endif

/* A sample, as words of 32 neighbours. */
#define WINNOW__ORDER_WORDS 64
/* The words of a lane, and the number in the sample of its word i. */
#define WINNOW__ORDER_OWN (WINNOW__ORDER_WORDS / WINNOW__ORDER_LANES)
#define WINNOW__ORDER_WORD(i) (WINNOW__ORDER_LANES * (i) + WINNOW__ORDER_LANE)
#define WINNOW__ORDER_EACH_WORD(i)                                             \
    WINNOW__ORDER_UNROLL                                                       \
    for (unsigned int i = 0; i < WINNOW__ORDER_OWN; i++)
/* Programs with more leaves keep the order of the text. */
#define WINNOW__ORDER_LEAVES WINNOW__WHERE_LEAVES
#define WINNOW__ORDER_MEMBERS (2 * WINNOW__ORDER_LEAVES)
#define WINNOW__ORDER_OPS (3 * WINNOW__ORDER_LEAVES)

/* A leaf reads 2^log2_items neighbours together, 2^7 at most, at a price. */
typedef struct winnow__order_price {
    float price;
    unsigned int log2_items;
} winnow__order_price;

/* The time of a leaf's tests, as a multiple of the time of one test and its
 * read: an estimate, not measured. */
WINNOW__ORDER_FUNCTION float
winnow__order_work(const winnow__where_leaf *leaf) {
    const float of_set = 4;
    return leaf->tests == 0 ? of_set : 1 + 0.3f * (float)(leaf->tests - 1);
}

/* The sample: the results of the tests, and the price of each leaf. */
typedef struct winnow__order_sample {
    /* The items that pass each leaf. A group's result replaces that of its
     * first leaf. */
    uint32_t words[WINNOW__ORDER_LEAVES][WINNOW__ORDER_WORDS];
    uint32_t inside[WINNOW__ORDER_WORDS]; /* the items that exist */
    winnow__order_price price[WINNOW__ORDER_LEAVES];
} winnow__order_sample;

/* Lists of members. Groups are numbered after the leaves. */
typedef struct winnow__order {
    winnow__order_sample *sample;
    uint32_t inside[WINNOW__ORDER_OWN]; /* this lane's words of the sample */
    float items;                        /* the number of items in all words */
    float total[WINNOW__ORDER_MEMBERS]; /* price of all items of the sample */
    float rank[WINNOW__ORDER_MEMBERS];
    uint8_t place[WINNOW__ORDER_MEMBERS]; /* index of its words */
    uint8_t first[WINNOW__ORDER_MEMBERS]; /* first member of a group */
    uint8_t next[WINNOW__ORDER_MEMBERS];  /* next member of the same group */
    unsigned int groups;
} winnow__order;
#define WINNOW__ORDER_END 255
/* Neighbours are swapped in groups of at most this many members. */
#define WINNOW__ORDER_FEW 8

WINNOW__ORDER_FUNCTION int winnow__order_is_group(unsigned int member) {
    return member >= WINNOW__ORDER_LEAVES;
}

/* The items of this lane's word i that stay after the member. */
WINNOW__ORDER_FUNCTION uint32_t winnow__order_stay(const winnow__order *order,
                                                   unsigned int member,
                                                   unsigned int i) {
    const uint32_t word =
        order->sample->words[order->place[member]][WINNOW__ORDER_WORD(i)];
    return order->inside[i] & (winnow__order_is_group(member) ? ~word : word);
}

WINNOW__ORDER_FUNCTION float winnow__order_count(const uint32_t *live) {
    unsigned int items = 0;
    WINNOW__ORDER_EACH_WORD(i)
    items += WINNOW__ORDER_ONES(live[i]);
    return (float)WINNOW__ORDER_SUM(items);
}

/* The number of groups of 2^log2_items neighbours with a live item. Where lanes
 * have their own words, a group is at most one word. */
WINNOW__ORDER_FUNCTION float winnow__order_touched(const uint32_t *live,
                                                   unsigned int log2_items) {
    const unsigned int in_word = log2_items < 5 ? log2_items : 5;
    const unsigned int words = 1u << (log2_items - in_word);
    const uint32_t field = (UINT32_C(2) << ((1u << in_word) - 1)) - 1;
    const uint32_t firsts = UINT32_MAX / field;
    unsigned int touched = 0;
    uint32_t x = 0;
    WINNOW__ORDER_EACH_WORD(i) {
        x |= live[i];
        if ((i + 1) % words != 0)
            continue;
        for (unsigned int step = 1; step < 1u << in_word; step *= 2)
            x |= x >> step;
        touched += WINNOW__ORDER_ONES(x & firsts);
        x = 0;
    }
    return (float)WINNOW__ORDER_SUM(touched);
}

/* The price of a member for the live items. */
WINNOW__ORDER_STEP float winnow__order_reads(const winnow__order *order,
                                             unsigned int member,
                                             const uint32_t *live) {
    const winnow__order_price *const price = &order->sample->price[member];
    if (winnow__order_is_group(member))
        return order->items == 0 ? 0
                                 : order->total[member] *
                                       winnow__order_count(live) / order->items;
    return price->price * winnow__order_touched(live, price->log2_items);
}

/* to = the live items that stay after the member. */
WINNOW__ORDER_FUNCTION void winnow__order_keep(const winnow__order *order,
                                               unsigned int member,
                                               const uint32_t *live,
                                               uint32_t *to) {
    WINNOW__ORDER_EACH_WORD(i)
    to[i] = live[i] & winnow__order_stay(order, member, i);
}

/* Go through the list once and swap neighbours where this reads less. */
WINNOW__ORDER_STEP int winnow__order_swap(winnow__order *order,
                                          uint8_t *first) {
    uint32_t live[WINNOW__ORDER_OWN], after[WINNOW__ORDER_OWN];
    int swapped = 0;
    WINNOW__ORDER_EACH_WORD(i)
    live[i] = order->inside[i];
    for (uint8_t *link = first; *link != WINNOW__ORDER_END;
         link = &order->next[*link]) {
        const uint8_t a = *link, b = order->next[a];
        if (b != WINNOW__ORDER_END) {
            winnow__order_keep(order, a, live, after);
            const float a_b = winnow__order_reads(order, a, live) +
                              winnow__order_reads(order, b, after);
            winnow__order_keep(order, b, live, after);
            const float b_a = winnow__order_reads(order, b, live) +
                              winnow__order_reads(order, a, after);
            if (b_a < a_b) {
                order->next[a] = order->next[b];
                order->next[b] = a;
                *link = b;
                swapped = 1;
            }
        }
        winnow__order_keep(order, *link, live, live);
    }
    return swapped;
}

/* Improve the order of a group's members, which are sorted by rank. */
WINNOW__ORDER_STEP void winnow__order_settle(winnow__order *order,
                                             uint8_t *first) {
    unsigned int members = 0;
    for (unsigned int i = *first; i != WINNOW__ORDER_END; i = order->next[i])
        members++;
    if (members > WINNOW__ORDER_FEW)
        return;
    for (unsigned int i = 1; i < members; i++)
        if (!winnow__order_swap(order, first))
            return;
}

/* Insert a member, whose total is known, into a group's list by rank. Members
 * of equal rank keep their order. */
WINNOW__ORDER_STEP void winnow__order_insert(winnow__order *order,
                                             uint8_t *first,
                                             unsigned int member) {
    uint8_t *link = first;
    uint32_t stay[WINNOW__ORDER_OWN];
    winnow__order_keep(order, member, order->inside, stay);
    const float out = order->items - winnow__order_count(stay);
    /* A member that takes nothing out counts as taking out half an item. */
    order->rank[member] = order->total[member] / (out == 0 ? 0.5f : out);
    while (*link != WINNOW__ORDER_END &&
           order->rank[*link] <= order->rank[member])
        link = &order->next[*link];
    order->next[member] = *link;
    *link = (uint8_t)member;
}

/* Make a group of the members in the list; return its number. */
WINNOW__ORDER_STEP unsigned int winnow__order_group(winnow__order *order,
                                                    uint8_t *first) {
    const unsigned int group = WINNOW__ORDER_LEAVES + order->groups++;
    uint32_t live[WINNOW__ORDER_OWN];
    float total = 0;
    winnow__order_settle(order, first);
    WINNOW__ORDER_EACH_WORD(i)
    live[i] = order->inside[i];
    for (unsigned int i = *first; i != WINNOW__ORDER_END; i = order->next[i]) {
        total += winnow__order_reads(order, i, live);
        winnow__order_keep(order, i, live, live);
    }
    order->first[group] = *first;
    order->total[group] = total;
    order->place[group] = order->place[*first];
    WINNOW__ORDER_EACH_WORD(i)
    order->sample->words[order->place[group]][WINNOW__ORDER_WORD(i)] = live[i];
    return group;
}

/* Write a group's operations; return their number. */
WINNOW__ORDER_FUNCTION unsigned int
winnow__order_write(const winnow__order *order, unsigned int first,
                    uint16_t *op) {
    uint8_t behind[WINNOW__WHERE_DEPTH];
    unsigned int depth = 0, ops = 0, i = first;
    for (;;) {
        if (i == WINNOW__ORDER_END) {
            if (depth == 0)
                return ops;
            op[ops++] = WINNOW__WHERE_CLOSE;
            i = behind[--depth];
        } else if (winnow__order_is_group(i)) {
            op[ops++] = WINNOW__WHERE_OPEN;
            behind[depth++] = order->next[i];
            i = order->first[i];
        } else {
            op[ops++] = (uint16_t)i;
            i = order->next[i];
        }
    }
}

/*
 * Write the operations of a program in a better order, at most three for each
 * leaf; return their number. Changes the sample. The program has at most
 * WINNOW__ORDER_LEAVES leaves, and at most WINNOW__WHERE_DEPTH nested groups.
 */
WINNOW__ORDER_FUNCTION unsigned int
winnow__order_ops(winnow__order_sample *sample, const uint16_t *op,
                  unsigned int ops, uint16_t *to) {
    winnow__order order;
    uint8_t first[WINNOW__WHERE_DEPTH + 1]; /* first members of open groups */
    unsigned int depth = 0;
    first[0] = WINNOW__ORDER_END;
    order.sample = sample;
    WINNOW__ORDER_EACH_WORD(i)
    order.inside[i] = sample->inside[WINNOW__ORDER_WORD(i)];
    order.items = winnow__order_count(order.inside);
    order.groups = 0;
    for (unsigned int i = 0; i < ops; i++) {
        unsigned int member = op[i];
        if (member == WINNOW__WHERE_OPEN) {
            first[++depth] = WINNOW__ORDER_END;
            continue;
        }
        if (member < WINNOW__WHERE_OPEN) {
            order.place[member] = (uint8_t)member;
            order.total[member] =
                winnow__order_reads(&order, member, order.inside);
        } else {
            const int stays_open = member == WINNOW__WHERE_TURN;
            member = winnow__order_group(&order, &first[depth]);
            if (stays_open)
                first[depth] = WINNOW__ORDER_END;
            else
                depth--;
        }
        winnow__order_insert(&order, &first[depth], member);
    }
    winnow__order_settle(&order, &first[0]);
    return winnow__order_write(&order, first[0], to);
}
