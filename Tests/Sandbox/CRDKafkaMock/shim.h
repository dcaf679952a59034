#ifndef ORCHARD_CRDKAFKAMOCK_SHIM_H
#define ORCHARD_CRDKAFKAMOCK_SHIM_H
/* librdkafka's mock cluster: for the sandbox only, never in a production binary. */
#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>
#endif
