// It takes one of each in a round.
#define CLIENT_WAITS take_kinds(&e, 1, 1)
#include "mixed-rounds.h"
