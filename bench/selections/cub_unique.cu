/*
 * CUB's calls for runs of equal keys.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cub_calls.h"

#include <cub/device/device_select.cuh>

namespace {

/* What all calls have. */
struct arguments {
    void *d_temp;
    std::size_t *temp_bytes_p;
    const void *d_keys, *d_values;
    std::int64_t n;
    void *d_keys_out, *d_values_out;
    std::uint64_t *d_count;
    winnow_stream stream;
};

template <typename Key>
int unique(const arguments &a) {
    return cub::DeviceSelect::Unique(
        a.d_temp, *a.temp_bytes_p, static_cast<const Key *>(a.d_keys),
        static_cast<Key *>(a.d_keys_out), a.d_count, a.n, a.stream);
}

template <typename Key, typename Value>
int unique_by_key(const arguments &a) {
    return cub::DeviceSelect::UniqueByKey(
        a.d_temp, *a.temp_bytes_p, static_cast<const Key *>(a.d_keys),
        static_cast<const Value *>(a.d_values),
        static_cast<Key *>(a.d_keys_out), static_cast<Value *>(a.d_values_out),
        a.d_count, a.n, a.stream);
}

template <typename Key>
int call(std::size_t value_bytes, const arguments &a) {
    switch (value_bytes) {
    case 0:
        return unique<Key>(a);
    case 4:
        return unique_by_key<Key, std::int32_t>(a);
    case 8:
        return unique_by_key<Key, std::int64_t>(a);
    }
    return cudaErrorInvalidValue;
}

} // namespace

int selections_cub_unique(std::size_t key_bytes, std::size_t value_bytes,
                          void *d_temp, std::size_t *temp_bytes_p,
                          const void *d_keys, const void *d_values,
                          std::uint64_t n, void *d_keys_out, void *d_values_out,
                          std::uint64_t *d_count, winnow_stream stream) {
    const arguments a = {d_temp,
                         temp_bytes_p,
                         d_keys,
                         d_values,
                         static_cast<std::int64_t>(n),
                         d_keys_out,
                         d_values_out,
                         d_count,
                         stream};
    switch (key_bytes) {
    case 4:
        return call<std::int32_t>(value_bytes, a);
    case 8:
        return call<std::int64_t>(value_bytes, a);
    }
    return cudaErrorInvalidValue;
}
