struct port;
int port_put(struct port *p, const char *text);
