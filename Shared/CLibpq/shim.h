#ifndef ORCHARD_CLIBPQ_SHIM_H
#define ORCHARD_CLIBPQ_SHIM_H
#include <libpq-fe.h>
/* Glibc's Swift module leaves it out; a connection's thread is woken by one. */
#include <sys/eventfd.h>
#endif
