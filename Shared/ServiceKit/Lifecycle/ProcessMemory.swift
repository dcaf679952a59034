import COrchardLinux

/// How this process gives memory back to the system.
enum ProcessMemory {
    /// Buffers of 128 KB and more get pages of their own, and leave with them.
    ///
    /// glibc raises that size when such a buffer is freed, up to 32 MB. What librdkafka fetches then lies among small
    /// blocks, which keep its memory here for ever: an order-ledger that had been far behind was larger by 200 MB.
    static func returnLargeBuffers() { orchard_set_mmap_threshold(128 << 10) }
}
