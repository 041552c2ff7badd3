/* opgen_embedded.h: first in each source for a machine without an operating system, so that the headers behind it leave
 * out what there is none of: clones for several processors, threads, stores past a cache, <string.h>.
 */
#ifndef OPGEN_EMBEDDED_H
#define OPGEN_EMBEDDED_H

#ifndef OPGEN_FREESTANDING
#define OPGEN_FREESTANDING
#endif

/* Kernels that are not written for this have blocks and vectors of their own for x86: plain C will do. */
#ifndef OPGEN_VECTOR_BYTES
#define OPGEN_VECTOR_BYTES 0
#endif

#endif
