#pragma once
#include <stdint.h>

/// Reads `count` records of a topic's partitions from their beginning with librdkafka alone.
///
/// - Returns: the nanoseconds from the first record to the last; negative when they did not come.
int64_t yardstick_consume(const char *brokers, const char *topic, int32_t partitions, int64_t count);
