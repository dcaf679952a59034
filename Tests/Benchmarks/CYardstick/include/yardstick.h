#pragma once
#include <stdint.h>

/// Reads `count` records of a topic's partitions from their beginning with librdkafka alone.
///
/// - Returns: the nanoseconds from the first record to the last; negative when they did not arrive.
int64_t yardstick_consume(const char *brokers, const char *topic, int32_t partitions, int64_t count);

/// Writes `count` records of `bytes` bytes to a topic's partitions in turn with librdkafka alone, `batch` at a time: the next
/// ones when all replicas have acknowledged those before.
///
/// - Returns: the nanoseconds from the first record's acknowledgement to the last one's; negative when it fails.
int64_t yardstick_produce(
    const char *brokers, const char *topic, int32_t partitions, int64_t count, int64_t bytes, int64_t batch);

/// Runs statements one after the other with libpq alone, and reads every cell of their rows.
///
/// - Returns: the duration in nanoseconds; negative when a statement failed.
int64_t yardstick_read(const char *database, const char *const *statements, int32_t count);

/// Runs texts of one or several statements one after the other with libpq alone, and ignores their rows.
///
/// - Returns: the duration in nanoseconds; negative when a statement failed.
int64_t yardstick_write(const char *database, const char *const *statements, int32_t count);

/// CPU time in nanoseconds of `count` key generations with two agreements each, on P-256; negative when it fails.
int64_t yardstick_sealing(int64_t count);

/// CPU time of `count` verifications with an agreement each, on P-256.
int64_t yardstick_ec_token(int64_t count);

/// CPU time of `count` verifications and decryptions (OAEP) with RSA of 2048 bits.
int64_t yardstick_rsa_token(int64_t count);

/// CPU time of the RSA of `count` charges, with 2048 bits: two signatures (sale, query) and four verifications (their
/// answers, the notification, the certificate with it).
int64_t yardstick_charge(int64_t count);

/// CPU time of what `count` payments cannot do without, on P-256: the verifications of ticket and token, the token's
/// agreement, a key and the agreement to which the card data are sealed.
int64_t yardstick_payment(int64_t count);

/// The result of clients on one thread: answers (-1 after a failure), those not 2xx, time, and CPU time of the thread.
struct yardstick_load { int64_t answers, refused, nanoseconds, processor; };

/// Keeps connections busy: each sends a request as soon as it has the answers to the previous one. A request may
/// consist of `pipelined` ones in a row.
///
/// - Parameters:
///   - offsets: where each of the `count` requests begins, and the end of the last.
///   - nanoseconds: how long the first request is repeated; 0 sends each request once.
struct yardstick_load yardstick_http_load(
    int port, int connections, const char *requests, const int64_t *offsets, int64_t count, int pipelined,
    int64_t nanoseconds);

/// A server of libmicrohttpd that echoes its input; NULL when the library is not installed.
void *yardstick_http_serve(unsigned threads, int *port);
void yardstick_http_stop(void *server);
