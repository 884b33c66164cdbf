/*
 * Where a user's own profile of a device lies: by the XDG Base Directory
 * Specification, in a file with the device's name.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The directory for a user's settings, or NULL. A relative one counts as not
 * set, as the specification wants it. */
static const char *find_directory(const char **below_p) {
    const char *directory = secure_getenv("XDG_CONFIG_HOME");
    *below_p = "";
    if (directory != NULL && directory[0] == '/')
        return directory;
    directory = secure_getenv("HOME");
    *below_p = "/.config";
    return directory != NULL && directory[0] == '/' ? directory : NULL;
}

/* Letters, digits, dots and dashes of a name; a dash for anything else. */
static void simplify(const char *name, char *simple, size_t bytes) {
    size_t i = 0;
    for (; name[i] != '\0' && i + 1 < bytes; i++) {
        const char c = name[i];
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || c == '.';
        simple[i] = c;
        if (!plain)
            simple[i] = '-';
    }
    simple[i] = '\0';
}

bool winnow__user_profile_path(const char *device, char *path,
                               size_t path_bytes) {
    char name[128];
    const char *below;
    const char *const directory = find_directory(&below);
    if (directory == NULL || device[0] == '\0')
        return false;
    simplify(device, name, sizeof name);
    const int length = snprintf(path, path_bytes, "%s%s/winnow/%s.tuning",
                                directory, below, name);
    return length > 0 && (size_t)length < path_bytes;
}
