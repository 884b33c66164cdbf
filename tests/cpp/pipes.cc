/* Pipes of winnow.hpp. SPDX-License-Identifier: Apache-2.0 */
#include "check.hpp"

#include <winnow.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

int read_once(void *user, void *const *elements, std::uint64_t n,
              std::uint64_t *n_p) {
    bool &done = *static_cast<bool *>(user);
    *n_p = done || n == 0 ? 0 : 1;
    if (*n_p != 0)
        *static_cast<std::int32_t *>(elements[0]) = 5;
    done = true;
    return 0;
}

} // namespace

void test_pipes() {
    const winnow::context host;
    const winnow_field fields[] = {winnow::field<std::int32_t>("x")};
    const auto condition = winnow::condition::parse(fields, "x < 10");
    winnow_pipe_column column = winnow_pipe_column();
    winnow_pipe_input input = winnow_pipe_input();
    winnow_pipe_output output = winnow_pipe_output();
    std::vector<std::int32_t> out(4);
    column.type = WINNOW_INT32;
    input.element_bytes = sizeof(std::int32_t);
    output.memory = out.data();
    output.capacity = out.size();
    const winnow_pipe_column columns[] = {column};
    const winnow_pipe_input inputs[] = {input};
    const winnow_pipe_output outputs[] = {output};

    const std::int32_t numbers[] = {3, 30, 4};
    const void *const memory[] = {numbers};
    std::FILE *const file = std::tmpfile();
    CHECK(file && std::fwrite(numbers, sizeof(numbers), 1, file) == 1 &&
          std::fflush(file) == 0);
    winnow_pipe_file from = winnow_pipe_file();
    from.fd = fileno(file);
    const winnow_pipe_file files[] = {from};
    bool done = false;

    winnow::pipe pipe(host, condition, columns, inputs, outputs,
                      winnow::pipe_options());
    pipe.feed(memory, 2);
    pipe.feed_file(files, winnow::no_limit());
    pipe.feed_read(read_once, &done);
    CHECK(pipe.finish() == 4);
    CHECK(pipe.state().items == 6 && pipe.state().kept == 4);
    CHECK((out == std::vector<std::int32_t>{3, 3, 4, 5}));

    winnow::status status;
    pipe.feed(memory, 2, status);
    CHECK(status.code() == WINNOW_ERR_ARGUMENT);
    std::fclose(file);
}
