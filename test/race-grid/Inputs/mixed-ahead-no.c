// No buffer is out where the answer's completion is taken.
#define CLIENT_WAITS take(e.sent), take(e.sent)
#include "mixed-rounds.h"
