/*
 * Comments in the text of a condition: -- to the end of the line, and C's.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "text.h"

#include <string.h>

/* The end of the comment that begins here, or NULL, and the failure is recorded.
 * A program that writes -5 behind a minus does not lose the rest of its text. */
static char *end_of_comment(winnow__text *text, char *at, uint32_t place) {
    if (*at == '/') {
        char *const end = strstr(at + 2, "*/");
        if (end == NULL)
            winnow__text_fail(text, WINNOW_ERR_SYNTAX, place,
                              "found '/*', a comment that no '*/' ends");
        return end != NULL ? end + 2 : NULL;
    }
    if (strchr(" \t\r\n", at[2]) != NULL) /* or the end of the text */
        return at + strcspn(at, "\r\n");
    winnow__text_fail(text, WINNOW_ERR_SYNTAX, place,
                      "found '--' without a space behind it: write - -5, or -- "
                      "and a space before a comment");
    return NULL;
}

bool winnow__text_blank_comments(winnow__text *text, char *copy) {
    char *at = copy;
    while ((at = strpbrk(at, "'\"-/")) != NULL) {
        const bool twice = at[1] == at[0];
        if (*at == '\'' || *at == '"') { /* where it is twice, two follow */
            char *const end = strchr(at + 1, *at);
            at = end != NULL ? end + 1 : strchr(at, '\0');
        } else if ((*at == '-' && twice) || (*at == '/' && at[1] == '*')) {
            char *const end = end_of_comment(text, at, (uint32_t)(at - copy));
            if (end == NULL)
                return false;
            memset(at, ' ', (size_t)(end - at));
            at = end;
        } else {
            at += twice ? 2 : 1; /* of // the second begins no comment */
        }
    }
    return true;
}
