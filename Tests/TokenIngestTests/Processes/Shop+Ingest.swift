import TestSupport

extension Shop {
    /// A real `token-ingest serve` with the shop's files, on free ports.
    func ingest(brokers: String, _ more: [String: String] = [:], openFiles: Int? = nil) throws -> TestProcess {
        try TestProcess(
            "token-ingest", ["serve", "--http-port", "0", "--admin-port", "0"],
            [
                "MERCHANTS": file("merchants.json"), "TICKET_KEYS": file("tickets.json"),
                "SEALING_KEYS": file("sealing.json"), "CONTACT_KEYS": file("contact.json"),
                "APPLE_ROOT": file("root.cert.pem"),
                "KAFKA_BOOTSTRAP_SERVERS": brokers, "KAFKA_PARTITIONS": "4", "PAYMENTS_ACKNOWLEDGEMENT": "1s",
                "LOG_LEVEL": "debug", "LIMIT_TICKET": "0",
            ].merging(more) { _, new in new }, openFiles: openFiles)
    }
}
