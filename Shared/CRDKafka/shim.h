#ifndef ORCHARD_CRDKAFKA_SHIM_H
#define ORCHARD_CRDKAFKA_SHIM_H
#include <librdkafka/rdkafka.h>
#endif
