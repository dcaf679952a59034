import CRDKafka

extension ClientHandle {
    /// Copies a message into librdkafka's queue; never blocks.
    ///
    /// - Parameter opaque: comes back with the delivery report.
    func produce(_ message: KafkaMessage, _ opaque: UnsafeMutableRawPointer) -> rd_kafka_resp_err_t {
        let headers = message.headers.isEmpty ? nil : rd_kafka_headers_new(message.headers.count)
        for header in message.headers {
            _ = header.value.withUnsafeBytes {
                rd_kafka_header_add(headers, header.name, -1, $0.baseAddress, $0.count)
            }
        }
        let error = message.value.withUnsafeBytes { value in
            withBytes(of: message.key) { key in
                orchard_kafka_produce(
                    client, names.outer(message.topic), message.partition, key.baseAddress, key.count,
                    value.baseAddress,
                    value.count, headers, opaque)
            }
        }
        if error != RD_KAFKA_RESP_ERR_NO_ERROR, let headers { rd_kafka_headers_destroy(headers) }
        return error
    }

    /// Stops waiting for everything that is not acknowledged. A report with an error follows for each message.
    func purge() {
        rd_kafka_purge(
            client, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT | RD_KAFKA_PURGE_F_NON_BLOCKING)
    }

    private func withBytes<Result>(of bytes: [UInt8]?, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        bytes?.withUnsafeBytes(body) ?? body(UnsafeRawBufferPointer(start: nil, count: 0))
    }
}
