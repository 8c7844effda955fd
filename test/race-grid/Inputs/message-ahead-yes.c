// Every second answer is the last message's; the client waits for any.
#include "messages.h"
#define ANSWERS_TWICE
#include "answers.h"
