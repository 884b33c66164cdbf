/*
 * Bit-parallel search (Baeza-Yates, Gonnet, 1992). An element of the segment is a
 * byte of a text, or a character. Each element has a bit: did the elements up to it
 * match at the byte of the string that was just read? A segment with more elements
 * than a block is searched block by block, each over the whole string. Between two
 * blocks, `ended` says for each byte whether the earlier block's last element matched
 * there.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "segment.h"

#include "find.h"

#include <stdlib.h>

enum {
    WORDS = 64,
    ELEMENTS = 64 * WORDS,
    /* Results of next_element() that are no byte. */
    CHARACTER = -1,
    END = -2
};

/* Reads the segment's elements in order. */
typedef struct reader {
    const unsigned char *block;
    const winnow__pattern_step *step, *end;
    uint64_t done; /* bytes of the step */
} reader;

typedef struct machine {
    uint64_t row[256][WORDS];   /* elements that a byte may be, or begin */
    uint64_t characters[WORDS]; /* elements that continuation bytes continue */
    unsigned last;              /* the number of the block's last element */
    bool is_last_block, ends_with_character;
} machine;

static bool continues(unsigned char byte) {
    return (byte & 0xc0) == 0x80;
}

static int next_element(reader *r) {
    for (; r->step != r->end; r->step++, r->done = 0) {
        const uint64_t skip = r->step->skip;
        if (r->done < skip) {
            r->done++;
            return CHARACTER;
        }
        if (r->done < skip + r->step->text.bytes)
            return r
                ->block[UINT64_C(8) * r->step->text.place + r->done++ - skip];
    }
    return END;
}

/* The next block. A continuation byte never follows a character: the character has
 * all of them. */
static void fill(machine *m, reader *r) {
    unsigned number = 0;
    int element = END;
    memset(m, 0, sizeof *m);
    for (; number < ELEMENTS; number++) {
        const bool behind = m->ends_with_character;
        element = next_element(r);
        if (element == END)
            break;
        m->ends_with_character = element == CHARACTER;
        const uint64_t bit = UINT64_C(1) << number % 64;
        if (element == CHARACTER)
            m->characters[number / 64] |= bit;
        else if (!behind || !continues((unsigned char)element))
            m->row[element][number / 64] |= bit;
    }
    for (unsigned byte = 0; byte < 256; byte++)
        for (unsigned w = 0; w < WORDS && !continues((unsigned char)byte); w++)
            m->row[byte][w] |= m->characters[w];
    m->last = number - 1;
}

/* state[w + 1] is word w. state[0] has the bit that is carried into word 0: did the
 * elements before the block match at the byte before? Loops of constant length are
 * vectorized by compilers. */
static void read_byte(const machine *m, unsigned char byte,
                      const uint64_t *restrict state, uint64_t *restrict next) {
    const uint64_t *const row = m->row[byte];
    if (continues(byte))
        for (unsigned w = 0; w < WORDS; w++)
            next[w + 1] = ((state[w + 1] << 1 | state[w] >> 63) & row[w]) |
                          (state[w + 1] & m->characters[w]);
    else
        for (unsigned w = 0; w < WORDS; w++)
            next[w + 1] = (state[w + 1] << 1 | state[w] >> 63) & row[w];
}

/* On entry ended[t] says: do the elements before the block match at byte t? On
 * return: do those up to its last one? For the last block, returns where the first
 * match ends. */
static uint64_t run(machine *m, const unsigned char *s, uint64_t left,
                    uint64_t places, bool is_first, uint8_t *ended) {
    uint64_t state[2][WORDS + 1] = {{0}};
    bool before = is_first;
    for (uint64_t t = 0; t < places; t++) {
        uint64_t *const next = state[(t + 1) % 2];
        state[t % 2][0] = (uint64_t)before << 63;
        read_byte(m, s[t], state[t % 2], next);
        const bool ends = (next[m->last / 64 + 1] >> m->last % 64 & 1) != 0;
        before = is_first || ended[t] != 0;
        ended[t] = ends;
        if (ends && m->is_last_block &&
            (!m->ends_with_character || t + 1 == left || !continues(s[t + 1])))
            return t + 1;
    }
    return WINNOW__LIKE_NONE;
}

bool winnow__find_segment(const unsigned char *s, uint64_t bytes, uint64_t i,
                          uint64_t end, const unsigned char *block,
                          const winnow__pattern_step *step, uint32_t steps,
                          uint64_t *at_p) {
    reader r = {
        .block = block, .step = step, .end = step + steps, .done = step->skip};
    const uint64_t places = end - i;
    uint64_t at = WINNOW__LIKE_NONE;
    bool is_first = true, is_last = false;
    machine *const m = malloc(sizeof *m + places);
    if (m == NULL)
        return false;
    for (; !is_last; is_first = false) {
        fill(m, &r);
        reader ahead = r;
        is_last = m->is_last_block = next_element(&ahead) == END;
        at = run(m, s + i, bytes - i, places, is_first, (uint8_t *)(m + 1));
    }
    free(m);
    *at_p = at == WINNOW__LIKE_NONE ? at : i + at;
    return true;
}
