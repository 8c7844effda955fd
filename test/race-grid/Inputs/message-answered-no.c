// A WRITE is over when the peer has answered the message behind it.
#include "messages.h"
#include "answers.h"
