/*
 * The path of a user's own profile of a device: by the XDG Base Directory
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
    /* The specification says: a relative path counts as not set. */
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
    /* In the name, replace anything but letters, digits and dots by a dash. */
    char *name = path + length - strlen(".tuning") - strlen(device);
    while (*(name += strspn(name, plain)) != '\0')
        *name = '-';
    return true;
}
