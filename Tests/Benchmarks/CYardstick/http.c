// A client that keeps connections busy, and libmicrohttpd's server, if Debian's package is installed.
#define _GNU_SOURCE
#include "yardstick.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static int64_t now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

// The bytes of the whole answer that `text` begins with, 0 while its head is not complete, -1 when it has no length.
static long whole(const char *text, size_t count) {
    const char *end = memmem(text, count, "\r\n\r\n", 4);
    if (!end) return 0;
    for (const char *line = text; line < end; line = strstr(line, "\r\n") + 2)
        if (!strncasecmp(line, "content-length:", 15)) return end + 4 - text + atol(line + 15);
    return -1;
}

enum { room = 1 << 16 };

struct client { int socket, awaited; long received; char *buffer; };

// Removes the complete answers from a client's buffer; false when one has no length or does not fit.
static int take(struct client *client, struct yardstick_load *load) {
    long used = 0, length = 0;
    while ((length = whole(client->buffer + used, client->received - used)) > 0 && length <= client->received - used) {
        load->answers++;
        if (memcmp(client->buffer + used, "HTTP/1.1 2", 10)) load->refused++;
        client->awaited--;
        used += length;
    }
    memmove(client->buffer, client->buffer + used, client->received -= used);
    return length >= 0 && client->received < room;
}

struct yardstick_load yardstick_http_load(
    int port, int connections, const char *requests, const int64_t *offsets, int64_t count, int pipelined,
    int64_t nanoseconds) {
    struct yardstick_load load = {0}, failed = {-1};
    int64_t processor = now(CLOCK_THREAD_CPUTIME_ID);
    struct client *clients = calloc(connections, sizeof *clients);
    int poller = epoll_create1(EPOLL_CLOEXEC), isDone = 0;
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    for (int index = 0; index < connections; index++) {
        int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;
        clients[index].socket = descriptor;
        clients[index].buffer = malloc(room);
        if (connect(descriptor, (struct sockaddr *)&address, sizeof address)) goto end;
        setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        struct epoll_event event = {.events = EPOLLIN, .data.u32 = index};
        epoll_ctl(poller, EPOLL_CTL_ADD, descriptor, &event);
    }
    int64_t begin = now(CLOCK_MONOTONIC), next = 0, awaiting = 0;
    for (int index = 0; index < connections && next < count; index++, awaiting++) {
        int64_t size = offsets[next + 1] - offsets[next];
        clients[index].awaited = pipelined;
        if (send(clients[index].socket, requests + offsets[next], size, MSG_NOSIGNAL) != size) goto end;
        if (!nanoseconds) next++;  // else the first request again and again
    }
    int64_t last = begin;
    while (nanoseconds ? last - begin < nanoseconds : awaiting > 0) {
        struct epoll_event events[256];
        int some = epoll_wait(poller, events, 256, 20000);
        if (some <= 0) goto end;
        for (int place = 0; place < some; place++) {
            struct client *client = clients + events[place].data.u32;
            ssize_t bytes = recv(client->socket, client->buffer + client->received, room - client->received, MSG_DONTWAIT);
            if (bytes < 0 && (errno == EAGAIN || errno == EINTR)) continue;
            if (bytes <= 0) goto end;
            client->received += bytes;
            if (!take(client, &load)) goto end;
            if (client->awaited > 0) continue;
            if (next >= count) {
                awaiting--;
                continue;
            }
            int64_t size = offsets[next + 1] - offsets[next];
            client->awaited = pipelined;
            if (send(client->socket, requests + offsets[next], size, MSG_NOSIGNAL) != size) goto end;
            if (!nanoseconds) next++;
        }
        last = now(CLOCK_MONOTONIC);
    }
    load.nanoseconds = last - begin;
    isDone = 1;
end:
    for (int index = 0; index < connections; index++) {
        if (clients[index].socket) close(clients[index].socket);
        free(clients[index].buffer);
    }
    close(poller);
    free(clients);
    load.processor = now(CLOCK_THREAD_CPUTIME_ID) - processor;
    return isDone ? load : failed;
}

#if __has_include(<microhttpd.h>)
#include <microhttpd.h>

// The library is loaded on first use, so that the rest of this program does not need it.
static struct {
    __typeof__(&MHD_start_daemon) start;
    __typeof__(&MHD_stop_daemon) stop;
    __typeof__(&MHD_create_response_from_buffer) response;
    __typeof__(&MHD_destroy_response) destroy;
    __typeof__(&MHD_queue_response) queue;
    __typeof__(&MHD_get_daemon_info) info;
} library;

struct body { size_t count; char bytes[65536]; };

static enum MHD_Result echo(
    void *closure, struct MHD_Connection *connection, const char *url, const char *method, const char *version,
    const char *data, size_t *count, void **state) {
    struct body *body = *state;
    if (!body) {
        *state = body = malloc(sizeof *body);
        body->count = 0;
        return MHD_YES;
    }
    if (*count) {
        if (body->count + *count > sizeof body->bytes) return MHD_NO;
        memcpy(body->bytes + body->count, data, *count);
        body->count += *count;
        *count = 0;
        return MHD_YES;
    }
    struct MHD_Response *response = library.response(body->count, body->bytes, MHD_RESPMEM_MUST_COPY);
    enum MHD_Result result = library.queue(connection, 200, response);
    library.destroy(response);
    return result;
}

static void completed(
    void *closure, struct MHD_Connection *connection, void **state, enum MHD_RequestTerminationCode code) {
    free(*state);
    *state = NULL;
}

void *yardstick_http_serve(unsigned threads, int *port) {
    void *handle = dlopen("libmicrohttpd.so.12", RTLD_NOW);
    if (!handle) return NULL;
    library.start = dlsym(handle, "MHD_start_daemon");
    library.stop = dlsym(handle, "MHD_stop_daemon");
    library.response = dlsym(handle, "MHD_create_response_from_buffer");
    library.destroy = dlsym(handle, "MHD_destroy_response");
    library.queue = dlsym(handle, "MHD_queue_response");
    library.info = dlsym(handle, "MHD_get_daemon_info");
    struct MHD_Daemon *daemon = library.start(
        MHD_USE_EPOLL_INTERNAL_THREAD, 0, NULL, NULL, &echo, NULL, MHD_OPTION_NOTIFY_COMPLETED, &completed, NULL,
        MHD_OPTION_CONNECTION_TIMEOUT, 60u, threads > 1 ? MHD_OPTION_THREAD_POOL_SIZE : MHD_OPTION_END, threads,
        MHD_OPTION_END);
    if (daemon) *port = library.info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
    return daemon;
}

void yardstick_http_stop(void *server) { library.stop(server); }
#else
void *yardstick_http_serve(unsigned threads, int *port) { return NULL; }
void yardstick_http_stop(void *server) {}
#endif
