struct message {
  struct message *next;
  char text[56];
};
struct message *last;
void touch(void) { last->text[0] = 1; }
