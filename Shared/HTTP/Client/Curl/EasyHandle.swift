import CCurl

/// A `CURL *`; it is cleaned up with its last reference.
final class EasyHandle {
    let pointer: UnsafeMutableRawPointer

    init?() {
        guard let pointer = curl_easy_init() else { return nil }
        self.pointer = pointer
    }

    deinit { curl_easy_cleanup(pointer) }
}
