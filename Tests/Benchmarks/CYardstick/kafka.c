#include "yardstick.h"

#include <librdkafka/rdkafka.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static int set(rd_kafka_conf_t *conf, const char *name, const char *value) {
    char words[256];
    return rd_kafka_conf_set(conf, name, value, words, sizeof words) == RD_KAFKA_CONF_OK;
}

int64_t yardstick_consume(const char *brokers, const char *topic, int32_t partitions, int64_t count) {
    char words[256];
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    if (!set(conf, "bootstrap.servers", brokers) || !set(conf, "group.id", "yardstick") ||
        !set(conf, "enable.auto.commit", "false") || !set(conf, "auto.offset.reset", "earliest") ||
        !set(conf, "queued.min.messages", "1000000") || !set(conf, "queued.max.messages.kbytes", "2000000"))
        return -1;
    rd_kafka_t *consumer = rd_kafka_new(RD_KAFKA_CONSUMER, conf, words, sizeof words);
    if (!consumer) return -1;
    rd_kafka_poll_set_consumer(consumer);
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(partitions);
    for (int32_t partition = 0; partition < partitions; partition++)
        rd_kafka_topic_partition_list_add(list, topic, partition)->offset = 0;
    rd_kafka_assign(consumer, list);
    rd_kafka_topic_partition_list_destroy(list);

    rd_kafka_queue_t *queue = rd_kafka_queue_get_consumer(consumer);
    rd_kafka_message_t *messages[1000];
    int64_t first = 0, last = 0, read = 0;
    uint64_t sum = 0;
    while (read < count) {
        ssize_t some = rd_kafka_consume_batch_queue(queue, 10000, messages, 1000);
        if (some <= 0) break;
        if (!first) first = now();
        for (ssize_t index = 0; index < some; index++) {
            if (!messages[index]->err) {
                read++;
                sum += messages[index]->len ? ((const uint8_t *)messages[index]->payload)[0] : 0;
            }
            rd_kafka_message_destroy(messages[index]);
        }
    }
    last = now();
    rd_kafka_queue_destroy(queue);
    rd_kafka_consumer_close(consumer);
    rd_kafka_destroy(consumer);
    return read >= count && sum != 1 ? last - first : -1;
}

struct acknowledged { int64_t good, bad; };

static void delivered(rd_kafka_t *producer, const rd_kafka_message_t *message, void *context) {
    (void)producer;
    struct acknowledged *sum = context;
    if (message->err) sum->bad++;
    else sum->good++;
}

int64_t yardstick_produce(
    const char *brokers, const char *topic, int32_t partitions, int64_t count, int64_t bytes, int64_t batch) {
    char words[256], value[1 << 16];
    if (bytes > (int64_t)sizeof value) return -1;
    memset(value, 'x', (size_t)bytes);
    struct acknowledged sum = {0, 0};
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    if (!set(conf, "bootstrap.servers", brokers) || !set(conf, "acks", "all") ||
        !set(conf, "enable.idempotence", "true") || !set(conf, "linger.ms", "5") ||
        !set(conf, "compression.type", "lz4"))
        return -1;
    rd_kafka_conf_set_opaque(conf, &sum);
    rd_kafka_conf_set_dr_msg_cb(conf, delivered);
    rd_kafka_t *producer = rd_kafka_new(RD_KAFKA_PRODUCER, conf, words, sizeof words);
    if (!producer) return -1;
    rd_kafka_topic_t *handle = rd_kafka_topic_new(producer, topic, NULL);
    int64_t sent = 0, first = 0;
    // One record first: it waits for the connection and the producer's number.
    for (int64_t end = 1; handle && sent < count && !sum.bad; end = sent + batch) {
        for (; sent < end && sent < count; sent++) {
            int length = snprintf(words, sizeof words, "%lld", (long long)sent);
            int32_t partition = (int32_t)(sent % partitions);
            if (rd_kafka_produce(
                    handle, partition, RD_KAFKA_MSG_F_COPY, value, (size_t)bytes, words, (size_t)length, NULL))
                sum.bad++;
        }
        while (sum.good < sent && !sum.bad) rd_kafka_poll(producer, 10000);
        if (!first) first = now();
    }
    int64_t last = now();
    if (handle) rd_kafka_topic_destroy(handle);
    rd_kafka_destroy(producer);
    return handle && !sum.bad && sum.good == count ? last - first : -1;
}
