/*
 * Where a user's own tuning profile of a device lies.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* By the device's name; false: there is no such place. */
bool winnow__user_profile_path(const char *device, char *path,
                               size_t path_bytes);
