#ifndef ORCHARD_CRDKAFKA_SHIM_H
#define ORCHARD_CRDKAFKA_SHIM_H
#include <librdkafka/rdkafka.h>

/* Swift calls no variadic C function. Takes `headers` over only when it returns RD_KAFKA_RESP_ERR_NO_ERROR. */
static inline rd_kafka_resp_err_t orchard_kafka_produce(
    rd_kafka_t *client, const char *topic, int32_t partition, const void *key, size_t key_count,
    const void *value, size_t value_count, rd_kafka_headers_t *headers, void *opaque)
{
    return rd_kafka_producev(
        client, RD_KAFKA_V_TOPIC(topic), RD_KAFKA_V_PARTITION(partition), RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
        RD_KAFKA_V_KEY(key, key_count), RD_KAFKA_V_VALUE((void *)value, value_count),
        RD_KAFKA_V_HEADERS(headers), RD_KAFKA_V_OPAQUE(opaque), RD_KAFKA_V_END);
}
#endif
