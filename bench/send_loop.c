/* The other side of the broadcast in bench.server: one message to many sockets, nothing else.
   send_loop PORT CONNECTIONS BYTES ROUNDS: connects, sends ROUNDS times to every connection, and prints the
   CPU time of one send in ns. */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

static long long cpu(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(int argc, char **argv) {
  if (argc != 5) return 2;
  int count = atoi(argv[2]), size = atoi(argv[3]), rounds = atoi(argv[4]), one = 1;
  int *sockets = calloc(count, sizeof *sockets);
  char *data = calloc(size, 1);
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(atoi(argv[1]))};
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  for (int i = 0; i < count; i++) {
    sockets[i] = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(sockets[i], (struct sockaddr *)&to, sizeof to)) return 1;
    setsockopt(sockets[i], IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  }
  long long spent = 0;
  for (int r = 0; r < rounds; r++) {
    long long before = cpu();
    for (int i = 0; i < count; i++)
      if (send(sockets[i], data, size, MSG_NOSIGNAL) != size) return 1;
    spent += cpu() - before;
    struct timespec pause = {0, 20000000};
    nanosleep(&pause, 0);
  }
  printf("%lld\n", spent / ((long long)rounds * count));
  return 0;
}
