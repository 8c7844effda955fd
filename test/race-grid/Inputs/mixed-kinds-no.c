// It waits until its own completion and the answer have come.
#define CLIENT_WAITS take_kinds(&e, 1, 1)
#include "mixed-call.h"
