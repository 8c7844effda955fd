int fine(void) { return 0; }
