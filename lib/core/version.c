/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include <winnow.h>

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

int winnow_version(void) {
    return WINNOW_VERSION;
}

const char *winnow_version_string(void) {
    return TEXT(WINNOW_VERSION_MAJOR) "." TEXT(WINNOW_VERSION_MINOR) "." TEXT(
        WINNOW_VERSION_PATCH);
}
