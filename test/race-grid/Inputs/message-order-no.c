// The first completion is that of the first buffer.
#include "messages.h"
#define SECOND other
#define LOOKED_AT there
#include "two-messages.h"
