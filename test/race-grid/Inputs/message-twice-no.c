// A buffer for each message.
#include "messages.h"
#define SECOND other
#define LOOKED_AT there
#include "two-messages.h"
