// It looks at the answer when it has taken both completions.
#define LOOK_EARLY
#include "mixed-errors.h"
