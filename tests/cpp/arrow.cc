/* Arrow's interface, from C++. SPDX-License-Identifier: Apache-2.0 */
#include "check.hpp"

#include <winnow/arrow.hpp>

namespace {

/* A batch of one column of four numbers, which nobody owns. */
std::int32_t numbers[] = {1, 2, 3, 4};
const void *column_buffers[] = {nullptr, numbers};
const void *batch_buffers[] = {nullptr};
ArrowSchema column_schema, schema, *children_schema[] = {&column_schema};
ArrowArray column, *children[] = {&column};
ArrowDeviceArray batch;

void nothing(ArrowSchema *) {
}
void nothing(ArrowArray *) {
}

void describe() {
    column_schema.format = "i";
    column_schema.name = "x";
    column_schema.release = nothing;
    schema.format = "+s";
    schema.n_children = 1;
    schema.children = children_schema;
    schema.release = nothing;
    column.length = 4;
    column.n_buffers = 2;
    column.buffers = column_buffers;
    column.release = nothing;
    batch.array.length = 4;
    batch.array.n_buffers = 1;
    batch.array.buffers = batch_buffers;
    batch.array.n_children = 1;
    batch.array.children = children;
    batch.array.release = nothing;
    batch.device_type = ARROW_DEVICE_CPU;
    batch.device_id = -1;
}

/* Two streams: of no batches. */
template <class Stream, class Batch>
void describe(Stream &stream) {
    stream.get_schema = [](Stream *, ArrowSchema *to) {
        *to = schema;
        return 0;
    };
    stream.get_next = [](Stream *, Batch *to) {
        *to = Batch();
        return 0;
    };
    stream.get_last_error = [](Stream *) -> const char * { return nullptr; };
    stream.release = [](Stream *to) { to->release = nullptr; };
}

} // namespace

void test_arrow() {
    const winnow::context host;
    describe();
    const auto large = winnow::condition_parse_arrow(schema, "x > 2");
    ArrowDeviceArray out;
    winnow::filter_arrow(host, schema, batch, large, out);
    CHECK(out.array.length == 2);
    CHECK(static_cast<const std::int32_t *>(
              out.array.children[0]->buffers[1])[1] == 4);
    out.array.release(&out.array);

    ArrowArrayStream in = ArrowArrayStream(), filtered;
    describe<ArrowArrayStream, ArrowArray>(in);
    winnow::filter_arrow_stream(host, "x > 2", in, filtered);
    CHECK(!in.release);
    filtered.release(&filtered);

    ArrowDeviceArrayStream device_in = ArrowDeviceArrayStream(), device_out;
    device_in.device_type = ARROW_DEVICE_CPU;
    describe<ArrowDeviceArrayStream, ArrowDeviceArray>(device_in);
    winnow::filter_arrow_device_stream(host, "x > 2", device_in, device_out);
    CHECK(!device_in.release);
    device_out.release(&device_out);

    winnow::status status;
    CHECK(!winnow::condition_parse_arrow(schema, "y > 2", status).get());
    CHECK(status.code() == WINNOW_ERR_SYNTAX);
}
