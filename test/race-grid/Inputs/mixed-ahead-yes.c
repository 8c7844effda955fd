// The completion may be that of the next question.
#define AHEAD
#define CLIENT_WAITS take(e.sent), take(e.sent)
#include "mixed-rounds.h"
