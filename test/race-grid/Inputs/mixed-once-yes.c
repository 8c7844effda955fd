// The one completion may be that of the SEND.
#define CLIENT_WAITS take(e.sent)
#include "mixed-call.h"
