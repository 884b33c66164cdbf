/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "text.h"

#include "../data.h"

#include <string.h>

const char *const seeds_keywords[SEEDS_KEYWORDS] = {"quern", "thresh", "winnow",
                                                    "grain"};

/* This many of 2^32 words are the keyword. A word and the blank after it are 5.9
 * bytes on average, so that 4 MiB have 710 thousand. */
static const uint32_t shares[SEEDS_KEYWORDS] = {42000, 526000, 8540000,
                                                122400000};

/* As often as in English, roughly. */
static const char letters[] =
    "eeeeeeeeeeeetttttttttaaaaaaaaoooooooiiiiiiinnnnnnnsssssshhhhhhrrrrrrddddll"
    "llcccuuummmwwffggyyppbbvk";

static uint64_t append(char *text, uint64_t at, uint64_t n, const char *word,
                       size_t length) {
    const uint64_t room = n - at;
    const size_t take = length < room ? length : (size_t)room;
    memcpy(text + at, word, take);
    at += take;
    if (at < n)
        text[at++] = ' ';
    return at;
}

/* Two to eight letters. */
static size_t draw_word(uint64_t bits, char word[8]) {
    const size_t length = 2 + bits % 7;
    bits /= 7;
    for (size_t i = 0; i < length; i++) {
        word[i] = letters[bits % (sizeof letters - 1)];
        bits /= sizeof letters - 1;
    }
    return length;
}

/* A keyword, or as often one whose last letter is another; 0 letters: neither.
 */
static size_t draw_keyword(uint32_t drawn, char word[8]) {
    for (unsigned k = 0; k < SEEDS_KEYWORDS; k++) {
        const size_t length = strlen(seeds_keywords[k]);
        memcpy(word, seeds_keywords[k], length);
        if (drawn < shares[k])
            return length;
        drawn -= shares[k];
        word[length - 1] = 'x';
        if (drawn < shares[k])
            return length;
        drawn -= shares[k];
    }
    return 0;
}

void seeds_text(char *text, uint64_t n) {
    uint64_t at = 0;
    for (uint64_t i = 0; at < n; i++) {
        char word[8];
        size_t length = draw_keyword((uint32_t)bench_random(41, i), word);
        if (length == 0)
            length = draw_word(bench_random(42, i), word);
        at = append(text, at, n, word, length);
    }
}

seeds_keyword seeds_keyword_of(const char *word) {
    seeds_keyword keyword = {.length = (uint32_t)strlen(word)};
    memcpy(keyword.text, word, keyword.length);
    return keyword;
}

uint64_t seeds_find(const char *text, uint64_t n, const seeds_keyword *keyword,
                    uint32_t *positions) {
    uint64_t found = 0;
    for (uint64_t i = 0; i + keyword->length <= n; i++) {
        const char *const first =
            memchr(text + i, keyword->text[0], (size_t)(n - i));
        if (first == NULL)
            break;
        i = (uint64_t)(first - text);
        if (i + keyword->length > n)
            break;
        if (memcmp(first, keyword->text, keyword->length) != 0)
            continue;
        if (positions != NULL)
            positions[found] = (uint32_t)i;
        found++;
    }
    return found;
}
