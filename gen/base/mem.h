/* mem.h: the one place where opgen asks the system for memory.
 *
 * Nothing else in gen/ calls malloc, realloc or free. A request that cannot be met (the system
 * refuses, or a limit set on an arena is reached) does not return: it jumps to the innermost
 * MemTrap, so that the code in between needs no check after each allocation. What was allocated
 * on the way belongs to arenas, which the owner of the trap frees.
 *
 *     MemTrap trap;
 *     if (MEM_TRAP(&trap)) { ...failed: trap.why says how; the trap is already gone... }
 *     ...work...
 *     mem_untrap(&trap);
 *
 * Locals changed between MEM_TRAP and a failure must be volatile, as with any setjmp. Code that
 * holds a file descriptor or another resource outside an arena must not allocate meanwhile.
 */
#ifndef OPGEN_BASE_MEM_H
#define OPGEN_BASE_MEM_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NORETURN _Noreturn

typedef enum MemWhy {
    MEM_OK = 0,
    MEM_SYSTEM, /* the system has no more */
    MEM_LIMIT,  /* an arena reached its limit */
    MEM_THROWN, /* mem_throw was called: an error that is described elsewhere */
} MemWhy;

typedef struct MemTrap {
    jmp_buf jump;
    struct MemTrap *outer;
    MemWhy why;
    size_t wanted; /* bytes asked for, MEM_SYSTEM and MEM_LIMIT */
} MemTrap;

void mem_trap_push(MemTrap *trap);
#define MEM_TRAP(trap) (mem_trap_push(trap), setjmp((trap)->jump) != 0)
void mem_untrap(MemTrap *trap);

/* Jump to the innermost trap. Without a trap: says so on stderr and aborts. */
NORETURN void mem_fail(MemWhy why, size_t wanted);
NORETURN static inline void mem_throw(void) { mem_fail(MEM_THROWN, 0); }

/* Never NULL. mem_resize(NULL, n) allocates; sizes of 0 are taken as 1. */
void *mem_alloc(size_t n);
void *mem_resize(void *p, size_t n);
void mem_free(void *p);
/* One large page of the system's, or as much memory in small ones. Never NULL; it is not given back. */
enum { MEM_LARGE_PAGE = 2 << 20 };
void *mem_large_page(void);
/* n * size, or mem_fail when that overflows. */
size_t mem_times(size_t n, size_t size);

/* For tests: the nth request from now on fails (1 is the next); 0 turns it off. mem_requests counts. */
void mem_fail_at(uint64_t nth);
uint64_t mem_requests(void);

#endif
