// The WRITE is posted behind the message that is answered.
#include "messages.h"
#define WRITES_LATE
#include "answers.h"
