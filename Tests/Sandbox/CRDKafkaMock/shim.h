#ifndef ORCHARD_CRDKAFKAMOCK_SHIM_H
#define ORCHARD_CRDKAFKAMOCK_SHIM_H
#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>
#endif
