// Functions that are not here, as the topology lists them.
#include "grid.h"

void attach(void *what);
void tick(void);
