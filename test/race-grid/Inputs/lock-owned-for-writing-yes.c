// Who asks for a rwlock to write under and has it already is refused: that is no fence.
#define BETWEEN
#include "lock-owned-for-writing.h"
