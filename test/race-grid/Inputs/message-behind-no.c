// The WRITE is posted before the message that is answered.
#include "messages.h"
#include "answers.h"
