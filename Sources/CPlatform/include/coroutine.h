// Native stacks besides that of the thread, and the way from one to another.
#ifndef TENON_COROUTINE_H
#define TENON_COROUTINE_H

#include <stddef.h>
#include <stdint.h>

// A native stack, and where it was left.
typedef struct tenon_stack tenon_stack;

// Makes a stack on which a function is called when it is first switched to; the function must not
// return. Memory is taken for what is used. NULL when the system has none, or no stacks but a thread's.
tenon_stack *tenon_stack_create(size_t size, void (*body)(void *), void *context);

// Makes what stands for the stack of the thread that runs; NULL when there is no memory.
tenon_stack *tenon_stack_of_thread(void);

// Frees a stack that nobody runs on.
void tenon_stack_destroy(tenon_stack *stack);

// The lowest address that may be used, and the size from there on; 0 for a thread's own.
uintptr_t tenon_stack_low(const tenon_stack *stack);
size_t tenon_stack_size(const tenon_stack *stack);

// Gives the memory below an address back to the system; it reads as zeros when it is used again.
void tenon_stack_trim(tenon_stack *stack);

// Leaves the stack that runs, which is `from`, and goes on where `to` was left.
void tenon_stack_switch(tenon_stack *from, tenon_stack *to);

#endif
