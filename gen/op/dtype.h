/* dtype.h: the element types of tensors, and how they mix.
 *
 * Names are those of opdefs and models. Promotion is PyTorch's: a float beats an integer beats bool; f16 with bf16
 * gives f32; of two integers the wider wins, and signed with unsigned of the same width takes the next wider signed
 * one (after u64 there is none: f64, as in NumPy).
 */
#ifndef OPGEN_OP_DTYPE_H
#define OPGEN_OP_DTYPE_H

#include "base/str.h"

typedef enum Dtype {
    DT_BOOL,
    DT_U8,
    DT_I8,
    DT_U16,
    DT_I16,
    DT_U32,
    DT_I32,
    DT_U64,
    DT_I64,
    DT_F16,
    DT_BF16,
    DT_F32,
    DT_F64,
    DT_COUNT,
} Dtype;

typedef uint32_t DtypeSet; /* bit 1 << dtype */

const char *dtype_name(Dtype dtype); /* "f32" */
bool dtype_parse(Str name, Dtype *dtype);
/* A dtype's name or a group's: "float" (f16 bf16 f32 f64), "int" (all signed and unsigned), "bool", "any". False:
 * neither. */
bool dtype_set_parse(Str name, DtypeSet *set);
unsigned dtype_size(Dtype dtype); /* bytes */
bool dtype_is_float(Dtype dtype);
bool dtype_is_int(Dtype dtype); /* not bool */
bool dtype_is_signed(Dtype dtype);
Dtype dtype_promote(Dtype a, Dtype b); /* DT_COUNT is no type: the other one */
Dtype dtype_to_float(Dtype dtype);     /* itself if it is a float, else f32: the result of sin(integer) */
Dtype dtype_compute(Dtype dtype);      /* what is computed in: f32 for f16 and bf16, itself otherwise */

#endif
