// One completion is the SEND's, one the answer's.
#define CLIENT_WAITS take(e.sent), take(e.sent)
#include "mixed-call.h"
