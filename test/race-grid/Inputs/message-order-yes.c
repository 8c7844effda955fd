// The first completion is not that of the second buffer.
#include "messages.h"
#define SECOND other
#define LOOKED_AT other
#include "two-messages.h"
