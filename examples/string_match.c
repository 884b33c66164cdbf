/*
 * Where does a word occur in a text? The library packs the indices of its first
 * letter; each of these is looked at.
 *
 *     string_match WORD <TEXT
 *
 * prints the places as offsets in bytes, as `grep -ob` does. Without a word the
 * program looks for one in a text of its own. examples/gpu_string_match.cu is
 * the same for a GPU.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <winnow.h>

static const char sample[] = "the grain falls, the chaff flies; then the wind";

/* All of standard input. */
static char *read_text(size_t *length_p) {
    size_t room = 4096, length = 0;
    char *text = malloc(room);

    for (;;) {
        if (text == NULL) {
            perror("string_match");
            exit(1);
        }
        length += fread(text + length, 1, room - length, stdin);
        if (length < room)
            break;
        room *= 2;
        text = realloc(text, room);
    }
    *length_p = length;
    return text;
}

/* Print where the word is, and return how often. */
static uint64_t match(winnow_context *context, const char *text, size_t length,
                      const char *word) {
    const size_t size = strlen(word);
    winnow_predicate *first_letter = NULL;
    uint64_t *candidates = malloc((length + 1) * sizeof *candidates);
    uint64_t count = 0, found = 0;

    if (candidates == NULL ||
        winnow_predicate_compare(&first_letter, WINNOW_UINT8, WINNOW_EQ,
                                 word) ||
        winnow_copy_index_if(context, first_letter, WINNOW_UINT8, text, length,
                             WINNOW_UINT64, candidates, WINNOW_NO_LIMIT, &count,
                             NULL)) {
        fprintf(stderr, "string_match: %s\n", winnow_last_error());
        exit(1);
    }
    for (uint64_t i = 0; i < count; i++)
        if (length - candidates[i] >= size &&
            memcmp(text + candidates[i], word, size) == 0) {
            printf("%llu\n", (unsigned long long)candidates[i]);
            found++;
        }
    winnow_predicate_destroy(first_letter);
    free(candidates);
    return found;
}

int main(int argc, char **argv) {
    winnow_context *context = NULL;
    size_t length = sizeof sample - 1;
    uint64_t found;

    if (argc > 2 || (argc == 2 && argv[1][0] == '\0')) {
        fprintf(stderr, "usage: string_match WORD <TEXT\n");
        return 2;
    }
    if (winnow_context_create(&context, WINNOW_DEVICE_HOST)) {
        fprintf(stderr, "string_match: %s\n", winnow_last_error());
        return 1;
    }
    if (argc == 2) {
        char *text = read_text(&length);

        found = match(context, text, length, argv[1]);
        free(text);
    } else {
        found = match(context, sample, length, "the");
    }
    winnow_context_destroy(context);
    return argc == 2 ? found == 0 : found != 4;
}
