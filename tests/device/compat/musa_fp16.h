/* musa_fp16.h: conversions under the names that both have. */
#include <cuda_fp16.h>
