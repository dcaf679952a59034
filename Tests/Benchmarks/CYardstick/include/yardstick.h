#pragma once
#include <stdint.h>

/// Reads `count` records of a topic's partitions from their beginning with librdkafka alone.
///
/// - Returns: the nanoseconds from the first record to the last; negative when they did not come.
int64_t yardstick_consume(const char *brokers, const char *topic, int32_t partitions, int64_t count);

/// Runs statements one after the other with libpq alone, and looks at every cell of their rows.
///
/// - Returns: the nanoseconds that it took; negative when a statement failed.
int64_t yardstick_read(const char *database, const char *const *statements, int32_t count);
