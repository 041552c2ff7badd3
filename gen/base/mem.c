/* mem.c: requests to the system, and the chain of traps that failed ones jump to.
 *
 * The chain and the counters belong to a thread each, so threads fail apart from one another. The
 * counters exist for the sweep that makes each request of a run fail in turn: what a run does when
 * memory ends is tested as anything else is. */
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

static _Thread_local MemTrap *traps;
static _Thread_local uint64_t requests;
static _Thread_local uint64_t fail_at; /* the value of requests at which to fail; 0: never */

void mem_trap_push(MemTrap *trap) {
    trap->outer = traps;
    trap->why = MEM_OK;
    trap->wanted = 0;
    traps = trap;
}

/* Traps are taken off from the inside out; taking off one takes off any left inside it. */
void mem_untrap(MemTrap *trap) { traps = trap->outer; }

NORETURN void mem_fail(MemWhy why, size_t wanted) {
    MemTrap *trap = traps;
    if (trap == NULL) {
        /* The one message that is printed from inside: nobody is left to report to. */
        fprintf(stderr, "opgen: out of memory (%zu bytes wanted) and no handler\n", wanted);
        abort();
    }
    traps = trap->outer;
    trap->why = why;
    trap->wanted = wanted;
    longjmp(trap->jump, 1);
}

/* Counts a request; true when it is the one that shall fail. */
static bool refused(void) { return ++requests == fail_at; }

void *mem_alloc(size_t n) { return mem_resize(NULL, n); }

/* Long blocks are better in large pages: fewer faults when they are first touched, and fewer misses afterwards. */
static void want_large_pages(void *p, size_t n) {
    /* Of whole pages, those at both ends too: a block of which a part is another kind of memory can not be moved by
     * moving its pages, so growing it would copy it. */
    const uintptr_t page = 4096, from = (uintptr_t)p / page * page, to = ((uintptr_t)p + n + page - 1) / page * page;
    if (to - from >= MEM_LARGE_PAGE)
        madvise((void *)from, to - from, MADV_HUGEPAGE); /* where it cannot be, nothing is lost */
}

void *mem_resize(void *p, size_t n) {
    if (n == 0) n = 1;
    /* Sizes no object can have are told apart here, because sanitizers stop the program at them. */
    void *q = refused() || n > PTRDIFF_MAX ? NULL : realloc(p, n);
    if (q == NULL) mem_fail(MEM_SYSTEM, n);
    if (n >= 2 * MEM_LARGE_PAGE) want_large_pages(q, n);
    return q;
}

void *mem_large_page(void) {
    void *p = refused() ? NULL : aligned_alloc(MEM_LARGE_PAGE, MEM_LARGE_PAGE);
    if (p == NULL) mem_fail(MEM_SYSTEM, MEM_LARGE_PAGE);
    madvise(p, MEM_LARGE_PAGE, MADV_HUGEPAGE);
    return p;
}

void mem_free(void *p) { free(p); }

size_t mem_times(size_t n, size_t size) {
    size_t product;
    if (__builtin_mul_overflow(n, size, &product)) mem_fail(MEM_SYSTEM, SIZE_MAX);
    return product;
}

void mem_fail_at(uint64_t nth) { fail_at = nth == 0 ? 0 : requests + nth; }

uint64_t mem_requests(void) { return requests; }
