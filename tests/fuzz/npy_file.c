/*
 * The beginning of a .npy file: the magic, the length of the text, and the text,
 * of which there may be less. It is refused, or can be used.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fuzz.h"
#include "npy_use.h"

/* The length that the file says, or that of what there is: as if the file were
 * cut, which its reader notices. */
static size_t text_length(struct fuzz_bytes *bytes, unsigned length_bytes) {
    size_t length = 0, left;
    for (unsigned i = 0; i < length_bytes; i++)
        length |= (size_t)fuzz_byte(bytes) << 8 * i;
    left = (size_t)(bytes->end - bytes->at);
    return length < left ? length : left;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct fuzz_bytes bytes = {data, data + size};
    unsigned version = 0;
    char why[256] = "";
    npy_array array;
    if (size < NPY_MAGIC_BYTES)
        return 0;
    bytes.at += NPY_MAGIC_BYTES;
    const unsigned length_bytes = npy_length_bytes(data, &version);
    if (length_bytes == 0)
        return 0;
    const size_t length = text_length(&bytes, length_bytes);
    if (!npy_parse(&array, version, (const char *)bytes.at, length, "x", why,
                   sizeof why)) {
        FUZZ_MUST(why[0] != '\0');
        FUZZ_MUST(array.descr == NULL && array.item.fields == NULL);
        return 0;
    }
    FUZZ_MUST(fuzz_npy_use(&array, 1 + size % 300) == NULL);
    npy_clear(&array);
    return 0;
}
