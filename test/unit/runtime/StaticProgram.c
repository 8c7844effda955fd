// A program into which no library can be loaded.
int main(void) { return 0; }
