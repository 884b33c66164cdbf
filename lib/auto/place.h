/*
 * The path of a user's own tuning profile of a device.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The path of the profile for a device's name. False: there is no such path. */
bool winnow__user_profile_path(const char *device, char *path,
                               size_t path_bytes);
