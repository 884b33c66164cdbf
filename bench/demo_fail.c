/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "demo_place.h"

#include <stdio.h>
#include <stdlib.h>

void demo_fail(const char *what, const char *why) {
    fflush(stdout);
    fprintf(stderr, "winnow-demo: %s: %s\n", what, why);
    exit(2);
}
