/*
 * The CUDA runtime of the CPU device: as much of its interface as the library
 * and the tests use, by CUDA's names.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_SIMT_CUDA_RUNTIME_API_H
#define WINNOW_TESTS_SIMT_CUDA_RUNTIME_API_H

#include <stddef.h>
#include <stdint.h>

#define CUDART_VERSION 13000
#define CUDART_CB

#ifdef __cplusplus
extern "C" {
#endif

/* -------------------------------------------------------------------- errors
 */

/* NAME, number, text */
#define SIMT_ERRORS(E)                                                         \
    E(cudaSuccess, 0, "no error")                                              \
    E(cudaErrorInvalidValue, 1, "invalid argument")                            \
    E(cudaErrorMemoryAllocation, 2, "out of memory")                           \
    E(cudaErrorInvalidConfiguration, 9, "invalid configuration argument")      \
    E(cudaErrorInsufficientDriver, 35, "CUDA driver version is insufficient")  \
    E(cudaErrorInvalidDeviceFunction, 98, "invalid device function")           \
    E(cudaErrorNoDevice, 100, "no CUDA-capable device is detected")            \
    E(cudaErrorInvalidDevice, 101, "invalid device ordinal")                   \
    E(cudaErrorDeviceUninitialized, 201, "invalid device context")             \
    E(cudaErrorNoKernelImageForDevice, 209,                                    \
      "no kernel image is available for execution on the device")              \
    E(cudaErrorInvalidResourceHandle, 400, "invalid resource handle")          \
    E(cudaErrorSymbolNotFound, 500, "named symbol not found")                  \
    E(cudaErrorECCUncorrectable, 214, "uncorrectable ECC error")               \
    E(cudaErrorNotReady, 600, "device not ready")                              \
    E(cudaErrorIllegalAddress, 700, "illegal memory access")                   \
    E(cudaErrorLaunchTimeout, 702, "the launch timed out")                     \
    E(cudaErrorAssert, 710, "device-side assert triggered")                    \
    E(cudaErrorHardwareStackError, 714, "hardware stack error")                \
    E(cudaErrorIllegalInstruction, 715, "illegal instruction")                 \
    E(cudaErrorMisalignedAddress, 716, "misaligned address")                   \
    E(cudaErrorInvalidAddressSpace, 717, "invalid address space")              \
    E(cudaErrorInvalidPc, 718, "invalid program counter")                      \
    E(cudaErrorLaunchFailure, 719, "unspecified launch failure")               \
    E(cudaErrorLaunchOutOfResources, 701,                                      \
      "too many resources requested for launch")                               \
    E(cudaErrorContextIsDestroyed, 709, "context is destroyed")                \
    E(cudaErrorPeerAccessAlreadyEnabled, 704,                                  \
      "peer access is already enabled")                                        \
    E(cudaErrorHostMemoryAlreadyRegistered, 712,                               \
      "part or all of the requested memory range is already mapped")           \
    E(cudaErrorHostMemoryNotRegistered, 713,                                   \
      "pointer does not correspond to a registered memory region")             \
    E(cudaErrorCooperativeLaunchTooLarge, 720,                                 \
      "too many blocks in cooperative launch")                                 \
    E(cudaErrorNotSupported, 801, "operation not supported")                   \
    E(cudaErrorStreamCaptureUnsupported, 900,                                  \
      "operation not permitted when stream is capturing")                      \
    E(cudaErrorStreamCaptureInvalidated, 901,                                  \
      "operation failed due to a previous error during capture")               \
    E(cudaErrorStreamCaptureUnjoined, 904,                                     \
      "capturing stream has unjoined work")                                    \
    E(cudaErrorStreamCaptureImplicit, 906,                                     \
      "operation would make the legacy stream depend on a capturing one")      \
    E(cudaErrorInvalidClusterSize, 912, "invalid cluster size")                \
    E(cudaErrorUnknown, 999, "unknown error")

typedef enum cudaError {
#define SIMT_ERROR(NAME, NUMBER, TEXT) NAME = NUMBER,
    SIMT_ERRORS(SIMT_ERROR)
#undef SIMT_ERROR
} cudaError_t;

cudaError_t cudaGetLastError(void);
const char *cudaGetErrorName(cudaError_t error);
const char *cudaGetErrorString(cudaError_t error);

/* ------------------------------------------------------------------- devices
 */

enum cudaDeviceAttr {
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrL2CacheSize = 38,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76,
    cudaDevAttrPageableMemoryAccess = 88,
    cudaDevAttrCooperativeLaunch = 95,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97
};

cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaInitDevice(int device, unsigned flags, unsigned device_flags);
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute,
                                   int device);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags);

enum cudaDriverEntryPointQueryResult {
    cudaDriverEntryPointSuccess = 0,
    cudaDriverEntryPointSymbolNotFound = 1
};
enum {
    cudaEnableDefault = 0
};
cudaError_t
cudaGetDriverEntryPointByVersion(const char *name, void **function,
                                 unsigned version, unsigned long long flags,
                                 enum cudaDriverEntryPointQueryResult *found);

/* ------------------------------------------------------------------- streams
 */

typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;

enum {
    cudaStreamDefault = 0,
    cudaStreamNonBlocking = 1,
    cudaEventDefault = 0,
    cudaEventDisableTiming = 2
};
#define cudaStreamLegacy ((cudaStream_t)0x1)
#define cudaStreamPerThread ((cudaStream_t)0x2)

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                unsigned flags);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventDestroy(cudaEvent_t event);

typedef void(CUDART_CB *cudaHostFn_t)(void *argument);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function,
                               void *argument);

/* -------------------------------------------------------------------- memory
 */

enum cudaMemcpyKind {
    cudaMemcpyHostToHost = 0,
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost = 2,
    cudaMemcpyDeviceToDevice = 3,
    cudaMemcpyDefault = 4
};
enum {
    cudaHostAllocDefault = 0,
    cudaHostRegisterDefault = 0,
    cudaMemAttachGlobal = 1
};

cudaError_t cudaMalloc(void **memory, size_t bytes);
cudaError_t cudaFree(void *memory);
cudaError_t cudaMallocHost(void **memory, size_t bytes);
cudaError_t cudaHostAlloc(void **memory, size_t bytes, unsigned flags);
cudaError_t cudaFreeHost(void *memory);
cudaError_t cudaHostRegister(void *memory, size_t bytes, unsigned flags);
cudaError_t cudaHostUnregister(void *memory);
cudaError_t cudaMallocManaged(void **memory, size_t bytes, unsigned flags);
cudaError_t cudaMemGetInfo(size_t *unused, size_t *all);

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes,
                       enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes,
                            enum cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaMemset(void *memory, int value, size_t bytes);
cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes,
                            cudaStream_t stream);

typedef struct cudaIpcMemHandle_st {
    char reserved[64];
} cudaIpcMemHandle_t;
enum {
    cudaIpcMemLazyEnablePeerAccess = 1
};
cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *memory);
cudaError_t cudaIpcOpenMemHandle(void **memory, cudaIpcMemHandle_t handle,
                                 unsigned flags);
cudaError_t cudaIpcCloseMemHandle(void *memory);

enum cudaMemoryType {
    cudaMemoryTypeUnregistered = 0,
    cudaMemoryTypeHost = 1,
    cudaMemoryTypeDevice = 2,
    cudaMemoryTypeManaged = 3
};
struct cudaPointerAttributes {
    enum cudaMemoryType type;
    int device;
    void *devicePointer;
    void *hostPointer;
};
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes,
                                     const void *memory);

typedef struct CUmemPoolHandle_st *cudaMemPool_t;
enum cudaMemAllocationType {
    cudaMemAllocationTypePinned = 1
};
enum cudaMemLocationType {
    cudaMemLocationTypeDevice = 1
};
struct cudaMemLocation {
    enum cudaMemLocationType type;
    int id;
};
struct cudaMemPoolProps {
    enum cudaMemAllocationType allocType;
    struct cudaMemLocation location;
};
enum cudaMemPoolAttr {
    cudaMemPoolAttrReleaseThreshold = 4
};
cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool,
                              const struct cudaMemPoolProps *properties);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool,
                                    enum cudaMemPoolAttr attribute,
                                    void *value);
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool);
cudaError_t cudaMallocAsync(void **memory, size_t bytes, cudaStream_t stream);
cudaError_t cudaMallocFromPoolAsync(void **memory, size_t bytes,
                                    cudaMemPool_t pool, cudaStream_t stream);
cudaError_t cudaFreeAsync(void *memory, cudaStream_t stream);

/* ------------------------------------------------------------------- kernels
 */

typedef struct dim3 {
    unsigned int x, y, z;
} dim3;

enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributeNonPortableClusterSizeAllowed = 13
};
struct cudaFuncAttributes {
    int ptxVersion;
    int maxThreadsPerBlock;
    /* Of the variables that a thread has come to: a compiler knows of all. */
    size_t sharedSizeBytes;
};
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes,
                                  const void *function);
cudaError_t cudaFuncSetAttribute(const void *function,
                                 enum cudaFuncAttribute attribute, int value);

typedef enum cudaLaunchAttributeID {
    cudaLaunchAttributeCooperative = 2,
    cudaLaunchAttributeClusterDimension = 4,
    cudaLaunchAttributeProgrammaticStreamSerialization = 6
} cudaLaunchAttributeID;
typedef union cudaLaunchAttributeValue {
    int cooperative;
    struct {
        unsigned int x, y, z;
    } clusterDim;
    int programmaticStreamSerializationAllowed;
} cudaLaunchAttributeValue;
typedef struct cudaLaunchAttribute_st {
    cudaLaunchAttributeID id;
    cudaLaunchAttributeValue val;
} cudaLaunchAttribute;
typedef struct cudaLaunchConfig_st {
    dim3 gridDim;
    dim3 blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute *attrs;
    unsigned int numAttrs;
} cudaLaunchConfig_t;

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config,
                                const void *function, void **arguments);
#ifdef __cplusplus
} /* C++ may give one number for a dim3 */
struct simt_dim3 : dim3 {
    simt_dim3(unsigned int n) : dim3{n, 1, 1} {
    }
    simt_dim3(const dim3 &d) : dim3(d) {
    }
};
cudaError_t cudaLaunchKernel(const void *function, simt_dim3 blocks,
                             simt_dim3 threads, void **arguments,
                             size_t shared_bytes, cudaStream_t stream);
extern "C" {
#endif
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                          const void *function,
                                                          int threads,
                                                          size_t shared_bytes);
cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *function,
                                           const cudaLaunchConfig_t *config);

/* -------------------------------------------------------------------- graphs
 */

typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphNode_st *cudaGraphNode_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;
typedef struct cudaGraphEdgeData_st {
    unsigned char type;
} cudaGraphEdgeData;

enum cudaStreamCaptureMode {
    cudaStreamCaptureModeGlobal = 0,
    cudaStreamCaptureModeThreadLocal = 1,
    cudaStreamCaptureModeRelaxed = 2
};
enum cudaStreamCaptureStatus {
    cudaStreamCaptureStatusNone = 0,
    cudaStreamCaptureStatusActive = 1
};
enum cudaGraphNodeType {
    cudaGraphNodeTypeKernel = 0,
    cudaGraphNodeTypeMemcpy = 1,
    cudaGraphNodeTypeMemset = 2,
    cudaGraphNodeTypeHost = 3,
    cudaGraphNodeTypeEmpty = 5,
    cudaGraphNodeTypeMemAlloc = 10,
    cudaGraphNodeTypeMemFree = 11
};
struct cudaMemAllocNodeParams {
    size_t bytesize;
    void *dptr;
};

cudaError_t cudaStreamBeginCapture(cudaStream_t stream,
                                   enum cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph);
cudaError_t
cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode);
cudaError_t cudaStreamIsCapturing(cudaStream_t stream,
                                  enum cudaStreamCaptureStatus *status);
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream,
                                     enum cudaStreamCaptureStatus *status,
                                     unsigned long long *id, cudaGraph_t *graph,
                                     const cudaGraphNode_t **dependencies,
                                     const cudaGraphEdgeData **edges,
                                     size_t *number);
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes,
                              size_t *number);
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node,
                                 enum cudaGraphNodeType *type);
cudaError_t
cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node,
                               struct cudaMemAllocNodeParams *memory);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                 unsigned long long flags);
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec,
                                          cudaGraph_t graph,
                                          unsigned long long flags);
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);

#ifdef __cplusplus
}
#endif

#endif
