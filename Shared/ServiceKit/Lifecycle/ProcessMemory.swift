import COrchardLinux

/// How this process gives memory back to the system.
enum ProcessMemory {
    /// Gives buffers of 128 KB and more their own pages, which are returned to the system when the buffer is freed.
    ///
    /// glibc raises that size, up to 32 MB, when such a buffer is freed. The buffers of librdkafka then lie among small
    /// blocks, which keep their memory in the process: an order-ledger that had been far behind was larger by 200 MB.
    static func returnLargeBuffers() { orchard_set_mmap_threshold(128 << 10) }
}
