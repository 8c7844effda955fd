// The server answers one message ahead: an answer says nothing of what was written before the last message.
#include "messages.h"
#define ANSWERS_AHEAD
#include "answers.h"
