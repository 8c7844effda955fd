// The client of the operations that waits for nothing: the word that is being sent is written again, and the
// one that is fetched is looked at before it is there.
#define NO_WAIT
#include "operations.cpp"
