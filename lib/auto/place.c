/*
 * Where a user's own profile of a device lies: by the XDG Base Directory
 * Specification, in a file with the device's name.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool winnow__user_profile_path(const char *device, char *path,
                               size_t path_bytes) {
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "abcdefghijklmnopqrstuvwxyz0123456789.-";
    const char *directory = secure_getenv("XDG_CONFIG_HOME"), *below = "";
    /* A relative one counts as not set, as the specification wants it. */
    if (directory == NULL || directory[0] != '/') {
        directory = secure_getenv("HOME");
        below = "/.config";
    }
    if (directory == NULL || directory[0] != '/' || device[0] == '\0')
        return false;
    const int length = snprintf(path, path_bytes, "%s%s/winnow/%s.tuning",
                                directory, below, device);
    if (length < 0 || (size_t)length >= path_bytes)
        return false;
    /* Of the name, a dash for anything but letters, digits and dots. */
    char *name = path + length - strlen(".tuning") - strlen(device);
    while (*(name += strspn(name, plain)) != '\0')
        *name = '-';
    return true;
}
