#include <stdint.h>
static volatile uint64_t inbox[2];
volatile uint64_t copy;
void serve(void) { copy = inbox[0]; }
