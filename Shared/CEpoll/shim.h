#ifndef ORCHARD_CEPOLL_SHIM_H
#define ORCHARD_CEPOLL_SHIM_H
// Linux calls that Swift's Glibc module leaves out.
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

// Event flags as plain integers: a combination is no case of the C enum.
static const uint32_t orchard_epoll_in = EPOLLIN;
static const uint32_t orchard_epoll_out = EPOLLOUT;
static const uint32_t orchard_epoll_peer_closed = EPOLLRDHUP;
static const uint32_t orchard_epoll_broken = EPOLLHUP | EPOLLERR;
static const uint32_t orchard_epoll_changes = EPOLLET;
static const uint32_t orchard_epoll_once = EPOLLONESHOT;

static inline int orchard_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }
static inline int orchard_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

// Declared here because the header hides it without _GNU_SOURCE, with which modules disagree on other types.
extern int accept4(int, struct sockaddr *, socklen_t *, int);

// Takes a waiting connection as a non-blocking socket.
static inline int orchard_accept(int listener) {
    return accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}
#endif
