// One answer to a message.
#include "messages.h"
#include "answers.h"
