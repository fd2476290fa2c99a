// mmap and its like have flags that are hidden unless asked for.
#define _GNU_SOURCE 1
#include "include/coroutine.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TENON_THREAD_SANITIZER 1
extern void *__tsan_get_current_fiber(void);
extern void *__tsan_create_fiber(unsigned flags);
extern void __tsan_destroy_fiber(void *fiber);
extern void __tsan_switch_to_fiber(void *fiber, unsigned flags);
#endif
#endif

struct tenon_stack {
  // Where the stack pointer stood when it was left; the registers lie above it.
  void *left;
  // The memory, its lowest page included, which nobody may touch; NULL for a thread's own.
  void *memory;
  size_t size;
  size_t guard;
#if TENON_THREAD_SANITIZER
  void *fiber;
#endif
};

// MARK: The way from one to another

// Keeps the registers that a callee has to leave as they are on the stack that is left, and takes up
// those of the other. Everything else the caller has saved already.
void tenon_switch(void **left, void *next);
// What a new stack begins with.
void tenon_enter(void);

#if defined(__x86_64__)
#define TENON_HAS_STACKS 1
#define TENON_SAVED_WORDS 7
__attribute__((naked)) void tenon_switch(void **left, void *next) {
  __asm__ volatile(
      "pushq %rbp\n\t"
      "pushq %rbx\n\t"
      "pushq %r12\n\t"
      "pushq %r13\n\t"
      "pushq %r14\n\t"
      "pushq %r15\n\t"
      "movq %rsp, (%rdi)\n\t"
      "movq %rsi, %rsp\n\t"
      "popq %r15\n\t"
      "popq %r14\n\t"
      "popq %r13\n\t"
      "popq %r12\n\t"
      "popq %rbx\n\t"
      "popq %rbp\n\t"
      "retq");
}

__attribute__((naked)) void tenon_enter(void) {
  // Nothing called this: whoever walks the stack ends here.
  __asm__ volatile(
      ".cfi_undefined rip\n\t"
      "movq %r13, %rdi\n\t"
      "callq *%r12\n\t"
      "ud2");
}

static void prepare(tenon_stack *stack, void (*body)(void *), void *context) {
  // Behind the last word that is taken off the stack has the alignment that a call begins with.
  void **top = (void **)((char *)stack->memory + stack->size - 64);
  *--top = (void *)tenon_enter;
  *--top = NULL;             // rbp
  *--top = NULL;             // rbx
  *--top = (void *)body;     // r12
  *--top = context;          // r13
  *--top = NULL;             // r14
  *--top = NULL;             // r15
  stack->left = top;
}
#elif defined(__aarch64__)
#define TENON_HAS_STACKS 1
__attribute__((naked)) void tenon_switch(void **left, void *next) {
  __asm__ volatile(
      "sub sp, sp, #160\n\t"
      "stp x19, x20, [sp, #0]\n\t"
      "stp x21, x22, [sp, #16]\n\t"
      "stp x23, x24, [sp, #32]\n\t"
      "stp x25, x26, [sp, #48]\n\t"
      "stp x27, x28, [sp, #64]\n\t"
      "stp x29, x30, [sp, #80]\n\t"
      "stp d8, d9, [sp, #96]\n\t"
      "stp d10, d11, [sp, #112]\n\t"
      "stp d12, d13, [sp, #128]\n\t"
      "stp d14, d15, [sp, #144]\n\t"
      "mov x9, sp\n\t"
      "str x9, [x0]\n\t"
      "mov sp, x1\n\t"
      "ldp x19, x20, [sp, #0]\n\t"
      "ldp x21, x22, [sp, #16]\n\t"
      "ldp x23, x24, [sp, #32]\n\t"
      "ldp x25, x26, [sp, #48]\n\t"
      "ldp x27, x28, [sp, #64]\n\t"
      "ldp x29, x30, [sp, #80]\n\t"
      "ldp d8, d9, [sp, #96]\n\t"
      "ldp d10, d11, [sp, #112]\n\t"
      "ldp d12, d13, [sp, #128]\n\t"
      "ldp d14, d15, [sp, #144]\n\t"
      "add sp, sp, #160\n\t"
      "ret");
}

__attribute__((naked)) void tenon_enter(void) {
  __asm__ volatile(
      ".cfi_undefined x30\n\t"
      "mov x0, x20\n\t"
      "blr x19\n\t"
      "brk #1");
}

static void prepare(tenon_stack *stack, void (*body)(void *), void *context) {
  void **top = (void **)((char *)stack->memory + stack->size - 64 - 160);
  for (int index = 0; index < 20; index++) top[index] = NULL;
  top[0] = (void *)body;          // x19
  top[1] = context;               // x20
  top[11] = (void *)tenon_enter;  // x30
  stack->left = top;
}
#endif

// MARK: Stacks

tenon_stack *tenon_stack_create(size_t size, void (*body)(void *), void *context) {
#if TENON_HAS_STACKS
  tenon_stack *stack = calloc(1, sizeof *stack);
  if (!stack) return NULL;
  stack->guard = (size_t)sysconf(_SC_PAGESIZE);
  stack->size = (size + 2 * stack->guard - 1) / stack->guard * stack->guard;
  int flags = MAP_PRIVATE | MAP_ANONYMOUS;
#if defined(MAP_NORESERVE)
  flags |= MAP_NORESERVE;
#endif
#if defined(MAP_STACK)
  flags |= MAP_STACK;
#endif
  stack->memory = mmap(NULL, stack->size, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (stack->memory == MAP_FAILED) {
    free(stack);
    return NULL;
  }
  if (mprotect(stack->memory, stack->guard, PROT_NONE) != 0) {
    munmap(stack->memory, stack->size);
    free(stack);
    return NULL;
  }
  prepare(stack, body, context);
#if TENON_THREAD_SANITIZER
  stack->fiber = __tsan_create_fiber(0);
#endif
  return stack;
#else
  (void)size, (void)body, (void)context;
  return NULL;
#endif
}

tenon_stack *tenon_stack_of_thread(void) { return calloc(1, sizeof(tenon_stack)); }

void tenon_stack_destroy(tenon_stack *stack) {
  if (stack->memory) {
#if TENON_THREAD_SANITIZER
    __tsan_destroy_fiber(stack->fiber);
#endif
    munmap(stack->memory, stack->size);
  }
  free(stack);
}

uintptr_t tenon_stack_low(const tenon_stack *stack) {
  return stack->memory ? (uintptr_t)stack->memory + stack->guard : 0;
}

size_t tenon_stack_size(const tenon_stack *stack) {
  return stack->memory ? stack->size - stack->guard : 0;
}

void tenon_stack_trim(tenon_stack *stack) {
  if (!stack->memory) return;
  uintptr_t low = tenon_stack_low(stack);
  uintptr_t end = (uintptr_t)stack->left / stack->guard * stack->guard;
  // What is used again and again is kept.
  const size_t kept = 256 << 10;
  if (end > low + kept) madvise((void *)low, end - low - kept, MADV_DONTNEED);
}

#if TENON_THREAD_SANITIZER
// The sanitizer follows it by what is said to it, not by its calls.
__attribute__((no_sanitize("thread")))
#endif
void tenon_stack_switch(tenon_stack *from, tenon_stack *to) {
#if TENON_HAS_STACKS
#if TENON_THREAD_SANITIZER
  if (!from->memory) from->fiber = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(to->fiber, 0);
#endif
  tenon_switch(&from->left, to->left);
#else
  (void)from, (void)to;
#endif
}
