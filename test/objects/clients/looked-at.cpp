// The smallest client, which then looks at what the other node puts here: neither may have come.
#define LOOK
#include "put.cpp"
