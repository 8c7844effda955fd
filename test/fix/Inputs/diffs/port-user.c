/* Who sends knows no more of a port than that there is one. */
#include "port.h"

int greet(struct port *p);
int greet(struct port *p) {
  if (port_put(p, "good morning"))
    return -1;
  return port_put(p, "good night");
}
