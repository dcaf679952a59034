#include "yardstick.h"

#include <librdkafka/rdkafka.h>
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
        !set(conf, "enable.auto.commit", "false") || !set(conf, "auto.offset.reset", "earliest"))
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
