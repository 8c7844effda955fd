// One buffer is posted for two messages.
#include "messages.h"
#define SECOND there
#define LOOKED_AT there
#include "two-messages.h"
