// It looks at the answer when it has taken one of two completions.
#define LOOK_EARLY sum = answer[0]
#include "mixed-errors.h"
