/* hip_runtime.h: what generated sources for HIP call, as CUDA's runtime has it, for machines without an AMD GPU: their
 * sources compile with nvcc and run on NVIDIA's GPUs. For tests alone. */
#ifndef OPGEN_COMPAT_HIP_RUNTIME_H
#define OPGEN_COMPAT_HIP_RUNTIME_H

#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdio.h>

#define hipDeviceSynchronize cudaDeviceSynchronize
#define hipErrorInvalidResourceHandle cudaErrorInvalidResourceHandle
#define hipErrorInvalidValue cudaErrorInvalidValue
#define hipErrorMemoryAllocation cudaErrorMemoryAllocation
#define hipError_t cudaError_t
#define hipEventCreate cudaEventCreate
#define hipEventCreateWithFlags cudaEventCreateWithFlags
#define hipEventDestroy cudaEventDestroy
#define hipEventDisableTiming cudaEventDisableTiming
#define hipEventElapsedTime cudaEventElapsedTime
#define hipEventRecord cudaEventRecord
#define hipEventSynchronize cudaEventSynchronize
#define hipEvent_t cudaEvent_t
#define hipFree cudaFree
#define hipFuncAttributes cudaFuncAttributes
#define hipFuncGetAttributes cudaFuncGetAttributes
#define hipGetDevice cudaGetDevice
#define hipGetDeviceCount cudaGetDeviceCount
#define hipGetErrorName cudaGetErrorName
#define hipGetErrorString cudaGetErrorString
#define hipGetLastError cudaGetLastError
#define hipHostFree cudaFreeHost
#define hipHostMalloc cudaHostAlloc
#define hipHostMallocMapped cudaHostAllocMapped
#define hipHostMallocPortable cudaHostAllocPortable
#define hipGraphDestroy cudaGraphDestroy
#define hipGraphExecDestroy cudaGraphExecDestroy
#define hipGraphExec_t cudaGraphExec_t
#define hipGraphGetNodes cudaGraphGetNodes
#define hipGraphLaunch cudaGraphLaunch
#define hipGraph_t cudaGraph_t
#define hipMalloc cudaMalloc
#define hipMemGetInfo cudaMemGetInfo
#define hipMemcpyAsync cudaMemcpyAsync
#define hipMemcpyDeviceToDevice cudaMemcpyDeviceToDevice
#define hipMemcpyDeviceToHost cudaMemcpyDeviceToHost
#define hipMemcpyHostToDevice cudaMemcpyHostToDevice
#define hipMemoryTypeDevice cudaMemoryTypeDevice
#define hipMemoryTypeManaged cudaMemoryTypeManaged
#define hipSetDevice cudaSetDevice
#define hipStreamBeginCapture cudaStreamBeginCapture
#define hipStreamCaptureModeThreadLocal cudaStreamCaptureModeThreadLocal
#define hipStreamCaptureStatus cudaStreamCaptureStatus
#define hipStreamCaptureStatusNone cudaStreamCaptureStatusNone
#define hipStreamCreateWithFlags cudaStreamCreateWithFlags
#define hipStreamDestroy cudaStreamDestroy
#define hipStreamEndCapture cudaStreamEndCapture
#define hipStreamIsCapturing cudaStreamIsCapturing
#define hipStreamNonBlocking cudaStreamNonBlocking
#define hipStreamSynchronize cudaStreamSynchronize
#define hipStreamWaitEvent cudaStreamWaitEvent
#define hipStream_t cudaStream_t
#define hipSuccess cudaSuccess

/* What differs in more than its name. */
struct hipPointerAttribute_t {
    cudaMemoryType memoryType;
    int device, isManaged;
};

static inline cudaError_t hipPointerGetAttributes(hipPointerAttribute_t *to, const void *memory) {
    cudaPointerAttributes about;
    const cudaError_t error = cudaPointerGetAttributes(&about, memory);
    if (error == cudaSuccess) *to = {about.type, about.device, about.type == cudaMemoryTypeManaged};
    return error;
}

struct hipDeviceProp_t {
    char name[256], gcnArchName[256];
};

static inline cudaError_t hipGetDeviceProperties(hipDeviceProp_t *to, int device) {
    cudaDeviceProp about;
    const cudaError_t error = cudaGetDeviceProperties(&about, device);
    snprintf(to->name, sizeof to->name, "%.200s", about.name);
    snprintf(to->gcnArchName, sizeof to->gcnArchName, "sm_%d%d", about.major, about.minor);
    return error;
}

static inline cudaError_t hipGraphInstantiate(cudaGraphExec_t *made, cudaGraph_t graph, void *, char *, size_t) {
    return cudaGraphInstantiate(made, graph, 0);
}

#define __shfl_xor(value, lanes, width) __shfl_xor_sync(0xffffffffu, value, lanes, width)
#define __shfl_up(value, by, width) __shfl_up_sync(0xffffffffu, value, by, width)

#endif
