/* main.c: a model on a Cortex-M4 with nothing below it: no operating system, no C library, no heap. The other side of
 * the debugger (here QEMU, by semihosting) is told how it went.
 */
#include "mlp.h"

/* ---- the board */
extern uint32_t stack_top[], bss_begin[], bss_end[];
void reset(void);

__attribute__((section(".vectors"), used)) static const void *const vectors[] = {stack_top, (void *)reset};

static int ask_host(int what, const void *argument) {
    register int r0 __asm__("r0") = what;
    register const void *r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

static void say(const char *text) { ask_host(0x04, text); }

/* The compiler makes calls of these; a C library would have them. Not to be made calls of themselves. */
void *memset(void *to, int with, size_t size) {
    volatile unsigned char *p = to;
    while (size-- > 0)
        *p++ = (unsigned char)with;
    return to;
}

void *memcpy(void *to, const void *from, size_t size) {
    volatile unsigned char *p = to;
    const unsigned char *q = from;
    while (size-- > 0)
        *p++ = *q++;
    return to;
}

/* ---- the program */
enum { ROWS = 2, WIDE = mlp_elements_x / mlp_max_batch, CLASSES = mlp_elements_y / mlp_max_batch };
static float x[ROWS * WIDE], y[ROWS * CLASSES], logits[ROWS * CLASSES];

static int classify(void) {
    for (int i = 0; i < ROWS * WIDE; i++)
        x[i] = (float)(i * 7 % 31 - 15) / 16;
    if (mlp_run(ROWS + 1000, mlp_max_inner, x, y, logits) != mlp_bad_dim) return 1;
    if (mlp_run(ROWS, mlp_max_inner, x, y, logits) != mlp_ok) return 2;
    for (int row = 0; row < ROWS; row++) {
        float sum = 0;
        int best = 0;
        for (int c = 0; c < CLASSES; c++) {
            const float part = y[row * CLASSES + c];
            if (!(part > 0 && part < 1)) return 3;
            if (part > y[row * CLASSES + best]) best = c;
            sum += part;
        }
        if (!(sum > 0.9999f && sum < 1.0001f)) return 4;
        const char line[] = {'r', 'o', 'w', ' ', (char)('0' + row),  ':',  ' ', 'c', 'l',
                             'a', 's', 's', ' ', (char)('0' + best), '\n', 0};
        say(line);
    }
    return 0;
}

void reset(void) {
    *(volatile uint32_t *)0xE000ED88 |= 0xFu << 20; /* the unit for floats is off after a reset */
    __asm__ volatile("dsb\n\tisb");
    for (uint32_t *p = bss_begin; p < bss_end; p++)
        *p = 0;
    const int wrong = classify();
    say(wrong == 0 ? "right\n" : "wrong\n");
    ask_host(0x18, (const void *)(uintptr_t)(wrong == 0 ? 0x20026 : 0x20023)); /* the end */
    for (;;)
        continue;
}
