/*
 * Where does a word occur in a text, on a GPU? Each thread looks at one place.
 * Those that have found the word take the next places of the output by one
 * atomic for each warp, so that the places come in no order.
 *
 *     gpu_string_match WORD <TEXT
 *
 * prints the places as offsets in bytes. Without a word the program looks for
 * one in a text of its own. examples/string_match.c is the same for the CPU.
 *
 * Exits with 77, which automake counts as skipped, where there is no device.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <winnow/device.cuh>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

constexpr unsigned int THREADS = 256;

__global__ void match(const char *text, unsigned long long length,
                      const char *word, unsigned int size,
                      unsigned long long *places, unsigned long long *count) {
    const unsigned long long i =
        blockIdx.x * static_cast<unsigned long long>(blockDim.x) + threadIdx.x;
    if (i >= length || length - i < size)
        return;
    for (unsigned int k = 0; k < size; k++)
        if (text[i + k] != word[k])
            return;
    places[winnow::device::aggregated_increment(count)] = i;
}

static void check(cudaError_t error) {
    if (error != cudaSuccess) {
        std::fprintf(stderr, "gpu_string_match: %s\n",
                     cudaGetErrorString(error));
        std::exit(1);
    }
}

/* Memory that the host and the device share. */
template <class T>
static T *allocate(size_t number) {
    void *memory = nullptr;
    check(cudaMallocManaged(&memory, number * sizeof(T), cudaMemAttachGlobal));
    return static_cast<T *>(memory);
}

static std::string read_text() {
    std::string text;
    char part[4096];
    for (size_t got; (got = std::fread(part, 1, sizeof part, stdin)) != 0;)
        text.append(part, got);
    return text;
}

/* Print where the word is, and return how often. */
static unsigned long long find(const std::string &text,
                               const std::string &word) {
    char *const d_text = allocate<char>(text.size() + 1);
    char *const d_word = allocate<char>(word.size());
    auto *const places = allocate<unsigned long long>(text.size() + 1);
    auto *const count = allocate<unsigned long long>(1);
    const auto blocks = static_cast<unsigned int>(text.size() / THREADS + 1);

    std::memcpy(d_text, text.data(), text.size());
    std::memcpy(d_word, word.data(), word.size());
    *count = 0;
    match<<<blocks, THREADS>>>(d_text, text.size(), d_word,
                               static_cast<unsigned int>(word.size()), places,
                               count);
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
    const unsigned long long found = *count;
    std::sort(places, places + found);
    for (unsigned long long i = 0; i < found; i++)
        std::printf("%llu\n", places[i]);
    check(cudaFree(d_text));
    check(cudaFree(d_word));
    check(cudaFree(places));
    check(cudaFree(count));
    return found;
}

int main(int argc, char **argv) {
    int devices = 0;
    if (argc > 2 || (argc == 2 && argv[1][0] == '\0')) {
        std::fprintf(stderr, "usage: gpu_string_match WORD <TEXT\n");
        return 2;
    }
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        std::printf("skipped: no CUDA device\n");
        return 77;
    }
    if (argc == 2)
        return find(read_text(), argv[1]) == 0;
    return find("the grain falls, the chaff flies; then the wind", "the") != 4;
}
