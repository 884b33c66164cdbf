/*
 * A router's step of a mixture of experts on a GPU, captured in a graph once and
 * replayed. Each token has chosen experts. The library lists the choices by
 * expert, in blocks of one expert each; a kernel does the experts' work, block by
 * block; another adds what the experts say to each token, by the choices' weights.
 *
 * Exits with 77, which automake counts as skipped, where there is no device.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <winnow.h>

#include <cuda_runtime_api.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

constexpr unsigned int TOKENS = 1000, CHOICES = 2, EXPERTS = 8, WIDTH = 16;
constexpr unsigned int N = TOKENS * CHOICES;
/* Choices of a block, and the most blocks: winnow_partition_blocks(3). */
constexpr unsigned int ALIGN = 16;
constexpr unsigned int BLOCKS = (N + EXPERTS * (ALIGN - 1)) / ALIGN;

struct Step {
    int *expert;   /* of each choice; -1: none, as the expert was full */
    float *weight; /* of each choice */
    float *state;  /* WIDTH numbers of each token */
    float *matrix; /* WIDTH * WIDTH numbers of each expert */

    int *choices;               /* by expert, in blocks; -1 behind the last */
    unsigned int *block_expert; /* of each block */
    uint64_t *offsets;          /* in `choices`, of each expert */

    float *said;   /* WIDTH numbers of each choice */
    float *result; /* WIDTH numbers of each token */
};

/* A block of threads for each block of choices, a thread for each number: what
 * stands here for the work of an expert is a product with its matrix. */
__global__ void work(Step step) {
    if (blockIdx.x >= step.offsets[EXPERTS] / ALIGN)
        return;
    const float *const matrix =
        step.matrix + step.block_expert[blockIdx.x] * WIDTH * WIDTH;
    for (unsigned int i = 0; i < ALIGN; i++) {
        const int choice = step.choices[blockIdx.x * ALIGN + i];
        if (choice < 0)
            return;
        const float *const state = step.state + choice / CHOICES * WIDTH;
        float sum = 0;
        for (unsigned int k = 0; k < WIDTH; k++)
            sum += matrix[threadIdx.x * WIDTH + k] * state[k];
        step.said[choice * WIDTH + threadIdx.x] = sum;
    }
}

/* A block for each token. */
__global__ void combine(Step step) {
    float sum = 0;
    for (unsigned int c = 0; c < CHOICES; c++) {
        const unsigned int choice = blockIdx.x * CHOICES + c;
        if (step.expert[choice] >= 0)
            sum +=
                step.weight[choice] * step.said[choice * WIDTH + threadIdx.x];
    }
    step.result[blockIdx.x * WIDTH + threadIdx.x] = sum;
}

static void cuda(cudaError_t error) {
    if (error != cudaSuccess) {
        std::fprintf(stderr, "gpu_experts: %s\n", cudaGetErrorString(error));
        std::exit(1);
    }
}

static void must(winnow_status status) {
    if (status != WINNOW_OK) {
        std::fprintf(stderr, "gpu_experts: %s\n", winnow_last_error());
        std::exit(1);
    }
}

/* Memory that the host and the device share. */
template <class T>
static T *allocate(size_t number) {
    void *memory = nullptr;
    cuda(cudaMallocManaged(&memory, number * sizeof(T), cudaMemAttachGlobal));
    return static_cast<T *>(memory);
}

/* From -1 to 1. */
static float draw(unsigned int i) {
    i = (i ^ i >> 16) * 2654435761u;
    return static_cast<float>(i >> 8) * 0x1p-23f - 1;
}

static Step allocate_step() {
    Step step = {};
    step.expert = allocate<int>(N);
    step.weight = allocate<float>(N);
    step.state = allocate<float>(TOKENS * WIDTH);
    step.matrix = allocate<float>(EXPERTS * WIDTH * WIDTH);
    step.choices = allocate<int>(BLOCKS * ALIGN);
    step.block_expert = allocate<unsigned int>(BLOCKS);
    step.offsets = allocate<uint64_t>(EXPERTS + 1);
    step.said = allocate<float>(N * WIDTH);
    step.result = allocate<float>(TOKENS * WIDTH);
    for (unsigned int i = 0; i < TOKENS * WIDTH; i++)
        step.state[i] = draw(i);
    for (unsigned int i = 0; i < EXPERTS * WIDTH * WIDTH; i++)
        step.matrix[i] = draw(~i);
    return step;
}

static void release(const Step &step) {
    void *const all[] = {step.expert,  step.weight,  step.state,
                         step.matrix,  step.choices, step.block_expert,
                         step.offsets, step.said,    step.result};
    for (void *const memory : all)
        cuda(cudaFree(memory));
}

/* What the router says; in each round something else. */
static void choose(const Step &step, unsigned int round) {
    for (unsigned int i = 0; i < N; i++) {
        const unsigned int any = (i + 7919 * round) * 2654435761u >> 16;
        step.expert[i] = any % 11 == 0 ? -1 : static_cast<int>(any % EXPERTS);
        step.weight[i] = (draw(i + round) + 1) / 2;
    }
}

/* Choices to experts. With launch.plan: what workspace does it take? */
static winnow_status route(winnow_context *context, const Step &step,
                           const winnow_launch &launch) {
    static const int none = -1;
    const void *const fills[] = {&none};
    winnow_in keys = {};
    winnow_digit digit = {};
    winnow_blocks blocks = {};
    winnow_move numbers = {};
    keys.type = WINNOW_INT32;
    keys.d_base = step.expert;
    digit.parts = EXPERTS;
    blocks.size = sizeof blocks;
    blocks.align = ALIGN;
    blocks.fills = fills;
    blocks.d_block_parts = step.block_expert;
    numbers.d_out = step.choices;
    numbers.element_bytes = sizeof *step.choices;
    return winnow_partition_blocks(context, &keys, N, &digit, &blocks, &numbers,
                                   1, step.offsets, &launch);
}

static cudaGraphExec_t capture(winnow_context *context, const Step &step,
                               const winnow_launch &launch) {
    const auto stream = static_cast<cudaStream_t>(launch.stream);
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    must(route(context, step, launch));
    work<<<BLOCKS, WIDTH, 0, stream>>>(step);
    combine<<<TOKENS, WIDTH, 0, stream>>>(step);
    cuda(cudaGetLastError());
    cuda(cudaStreamEndCapture(stream, &graph));
    cuda(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    cuda(cudaGraphDestroy(graph));
    return exec;
}

/* The same token by token, in any order of the experts. */
static bool is_right(const Step &step) {
    for (unsigned int t = 0; t < TOKENS; t++)
        for (unsigned int i = 0; i < WIDTH; i++) {
            double wanted = 0;
            for (unsigned int c = t * CHOICES; c < (t + 1) * CHOICES; c++)
                for (unsigned int k = 0; k < WIDTH && step.expert[c] >= 0; k++)
                    wanted +=
                        double(step.weight[c]) *
                        step.matrix[(step.expert[c] * WIDTH + i) * WIDTH + k] *
                        step.state[t * WIDTH + k];
            if (!(std::fabs(step.result[t * WIDTH + i] - wanted) < 1e-4))
                return false;
        }
    return true;
}

int main() {
    winnow_context *context = nullptr;
    const winnow_status status = winnow_context_create(&context, 0);
    if (status == WINNOW_ERR_NO_DEVICE) {
        std::printf("skipped: no CUDA device (%s)\n", winnow_last_error());
        return 77;
    }
    must(status);

    cudaStream_t stream;
    cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    const Step step = allocate_step();
    winnow_plan plan = {};
    winnow_launch launch = {};
    plan.size = sizeof plan;
    launch.size = sizeof launch;
    launch.order = WINNOW_STABLE;
    launch.stream = stream;
    launch.plan = &plan;
    must(route(context, step, launch));
    launch.plan = nullptr;
    /* With a workspace a graph has one launch for it. */
    launch.workspace_bytes = plan.workspace_bytes;
    if (plan.workspace_bytes != 0)
        cuda(cudaMalloc(&launch.d_workspace, plan.workspace_bytes));
    cudaGraphExec_t exec = capture(context, step, launch);

    bool right = true;
    for (unsigned int round = 0; round < 3; round++) {
        choose(step, round);
        cuda(cudaGraphLaunch(exec, stream));
        cuda(cudaStreamSynchronize(stream));
        const bool now = is_right(step);
        std::printf("round %u: %u choices in %u blocks of %u, %s\n", round, N,
                    static_cast<unsigned int>(step.offsets[EXPERTS] / ALIGN),
                    ALIGN, now ? "right" : "WRONG");
        right = right && now;
    }
    cuda(cudaGraphExecDestroy(exec));
    cuda(cudaFree(launch.d_workspace));
    release(step);
    cuda(cudaStreamDestroy(stream));
    winnow_context_destroy(context);
    return right ? 0 : 1;
}
