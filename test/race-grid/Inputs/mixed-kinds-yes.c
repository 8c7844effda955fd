// It waits for its own completion and reads what is to come.
#define CLIENT_WAITS take_kinds(&e, 1, 0)
#include "mixed-call.h"
