import CCurl
import Glibc
import OrchardCrypto
import OrchardHTTPTypes

/// A request in the hands of libcurl. Only the client's thread touches it; libcurl's callbacks get its address.
final class Transfer {
    let submission: ClientMailbox.Submission
    let easy: EasyHandle
    let url: HTTPURL
    let begin: ContinuousClock.Instant
    let deadline: ContinuousClock.Instant
    var record: TransferRecord
    /// Whether it was begun again on a new connection; that happens once.
    var isSecondTry = false
    private let sockets: ConnectionSockets
    private let addressPolicy: HTTPAddressPolicy
    private var hasRefusedAddress = false
    private let freshReader: AnswerReader
    private var fieldList: UnsafeMutablePointer<curl_slist>?
    private let body: UnsafeMutableBufferPointer<UInt8>
    /// The request's own certificate and key; empty without an identity. libcurl reads them here, and copies no key.
    private let certificate: UnsafeMutableBufferPointer<UInt8>
    private let key: UnsafeMutableBufferPointer<UInt8>
    private let errorText: UnsafeMutableBufferPointer<CChar>

    init(
        _ submission: ClientMailbox.Submission, easy: EasyHandle, url: HTTPURL,
        configuration: HTTPClientConfiguration, sockets: ConnectionSockets
    ) {
        self.submission = submission
        self.easy = easy
        self.url = url
        self.sockets = sockets
        addressPolicy = configuration.addressPolicy
        begin = .now
        deadline = begin + (submission.request.timeout ?? configuration.totalTimeout)
        freshReader = AnswerReader(
            maximumHead: configuration.maximumHead,
            maximumBody: submission.request.maximumBody ?? configuration.maximumBody,
            isHead: submission.request.method == .head)
        record = TransferRecord(reader: freshReader)
        body = Self.copy(submission.request.body)
        certificate = Self.copy(submission.request.identity?.certificate.der ?? [])
        key = submission.request.identity?.privateKeyPEM.withBytes { Self.copy($0) } ?? Self.copy([])
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0)
        apply(configuration)
    }

    deinit {
        curl_slist_free_all(fieldList)
        // A body may hold card data.
        for secret in [body, key] {
            if let start = secret.baseAddress { explicit_bzero(start, secret.count) }
            secret.deallocate()
        }
        certificate.deallocate()
        errorText.deallocate()
    }

    private static func copy(_ bytes: [UInt8]) -> UnsafeMutableBufferPointer<UInt8> {
        let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
        _ = buffer.initialize(from: bytes)
        return buffer
    }

    /// Bytes of the request that were given to the socket, over all tries.
    var bytesSent: Int { orchard_request_size(easy.pointer) }

    /// Makes ready for a second try, on a connection of its own.
    func restart() {
        isSecondTry = true
        record = TransferRecord(reader: freshReader)
        orchard_set_long(easy.pointer, CURLOPT_FRESH_CONNECT, 1)
        orchard_set_long(
            easy.pointer, CURLOPT_TIMEOUT_MS, max(1, ContinuousClock.now.duration(to: deadline).inMilliseconds))
    }

    /// What libcurl's code means.
    func failure(code: Int32) -> HTTPFailure? {
        guard code != CURLE_OK.rawValue else { return nil }
        if hasRefusedAddress, HTTPFailure.Code(curlCode: code) == .connect {
            return HTTPFailure(.addressRefused, "the host's address is not one of the public Internet")
        }
        let detail = errorText[0] != 0 ? errorText.baseAddress.map { String(cString: $0) } : nil
        return HTTPFailure(.init(curlCode: code), detail ?? String(cString: orchard_describe(code)))
    }

    private func apply(_ configuration: HTTPClientConfiguration) {
        let handle = easy.pointer
        let request = submission.request
        orchard_set_string(handle, CURLOPT_URL, request.url)
        orchard_set_string(handle, CURLOPT_PROTOCOLS_STR, "http,https")
        orchard_set_long(handle, CURLOPT_NOSIGNAL, 1)
        // Else the end of a transfer whose host is being resolved would wait for the resolver, and all others with it.
        orchard_set_long(handle, CURLOPT_QUICK_EXIT, 1)
        orchard_set_long(handle, CURLOPT_FOLLOWLOCATION, 0)
        orchard_set_string(handle, CURLOPT_PROXY, "")
        orchard_set_long(handle, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
        orchard_set_long(handle, CURLOPT_HTTP09_ALLOWED, 0)
        orchard_set_long(handle, CURLOPT_CONNECTTIMEOUT_MS, configuration.connectTimeout.inMilliseconds)
        orchard_set_long(handle, CURLOPT_TIMEOUT_MS, max(1, begin.duration(to: deadline).inMilliseconds))
        orchard_set_long(handle, CURLOPT_MAXAGE_CONN, Int(configuration.idleTimeout.components.seconds))
        orchard_set_pointer(handle, CURLOPT_ERRORBUFFER, errorText.baseAddress)

        orchard_set_long(handle, CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
        orchard_set_long(handle, CURLOPT_SSL_VERIFYPEER, 1)
        orchard_set_long(handle, CURLOPT_SSL_VERIFYHOST, 2)
        if let file = configuration.caFile {
            orchard_set_string(handle, CURLOPT_CAINFO, file)
            orchard_set_string(handle, CURLOPT_CAPATH, nil)
        }
        // libcurl reads the authorities once a day unless it is told otherwise. The system's take 10 ms to read.
        orchard_set_long(handle, CURLOPT_CA_CACHE_TIMEOUT, 5)
        if request.identity != nil {
            orchard_set_string(handle, CURLOPT_SSLCERTTYPE, "DER")
            orchard_lend(handle, CURLOPT_SSLCERT_BLOB, certificate.baseAddress, certificate.count)
            orchard_set_string(handle, CURLOPT_SSLKEYTYPE, "PEM")
            orchard_lend(handle, CURLOPT_SSLKEY_BLOB, key.baseAddress, key.count)
        } else {
            if let file = configuration.clientCertificate { orchard_set_string(handle, CURLOPT_SSLCERT, file) }
            if let file = configuration.clientKey { orchard_set_string(handle, CURLOPT_SSLKEY, file) }
        }

        applyMethod(request.method)
        // An empty value removes the field that libcurl would add.
        for line in ["Expect:", "Accept:", "Content-Type:"] where request.fields[String(line.dropLast())] == nil {
            fieldList = curl_slist_append(fieldList, line)
        }
        for field in request.fields {
            let line = field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)"
            fieldList = curl_slist_append(fieldList, line)
        }
        orchard_set_pointer(handle, CURLOPT_HTTPHEADER, fieldList)
        applyCallbacks()
    }

    private func applyMethod(_ method: HTTPMethod) {
        let handle = easy.pointer
        switch method {
        case .get where body.isEmpty: orchard_set_long(handle, CURLOPT_HTTPGET, 1)
        case .head where body.isEmpty: orchard_set_long(handle, CURLOPT_NOBODY, 1)
        case .delete where body.isEmpty: orchard_set_string(handle, CURLOPT_CUSTOMREQUEST, method.rawValue)
        default:
            orchard_set_long(handle, CURLOPT_POST, 1)
            orchard_set_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, body.count)
            orchard_set_pointer(handle, CURLOPT_POSTFIELDS, body.baseAddress)
            if method != .post { orchard_set_string(handle, CURLOPT_CUSTOMREQUEST, method.rawValue) }
        }
    }
}

// MARK: - Callbacks

extension Transfer {
    private func applyCallbacks() {
        let handle = easy.pointer
        // Unretained: the loop holds the transfer until libcurl has let go of the handle.
        let me = Unmanaged.passUnretained(self).toOpaque()
        orchard_set_data_callback(handle, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            Transfer.at(context).receive(bytes, size * count) { $0.receive(line: $1) }
        }
        orchard_set_pointer(handle, CURLOPT_HEADERDATA, me)
        orchard_set_data_callback(handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            Transfer.at(context).receive(bytes, size * count) { $0.receive(body: $1) }
        }
        orchard_set_pointer(handle, CURLOPT_WRITEDATA, me)
        orchard_set_prerequisite(handle) { context, _, _, _, localPort in
            Transfer.at(context).allowSend(localPort: localPort) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
        }
        orchard_set_pointer(handle, CURLOPT_PREREQDATA, me)
        orchard_set_open_socket(handle) { context, _, address in
            guard let address else { return -1 }
            return Transfer.at(context).open(address)
        }
        orchard_set_pointer(handle, CURLOPT_OPENSOCKETDATA, me)
        // The sockets outlive all transfers: the loop lets go of them after its last connection is closed.
        let sockets = Unmanaged.passUnretained(sockets).toOpaque()
        orchard_set_close_socket(handle) { context, descriptor in
            guard let context else { return -1 }
            return Unmanaged<ConnectionSockets>.fromOpaque(context).takeUnretainedValue().close(descriptor)
        }
        orchard_set_pointer(handle, CURLOPT_CLOSESOCKETDATA, sockets)
    }

    private static func at(_ context: UnsafeMutableRawPointer?) -> Transfer {
        guard let context else { preconditionFailure("libcurl gave no context") }
        return Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
    }

    /// Opens a socket for an address, unless the policy forbids it. libcurl then tries the host's next address.
    private func open(_ address: UnsafeMutablePointer<curl_sockaddr>) -> Int32 {
        let (family, type, kind) = (address.pointee.family, address.pointee.socktype, address.pointee.protocol)
        guard addressPolicy.allows(family: family, orchard_address(address)) else {
            hasRefusedAddress = true
            return -1
        }
        return sockets.open(family: family, type: type, protocol: kind)
    }

    /// Gives bytes to the reader. Any other count than all of them makes libcurl stop.
    private func receive(
        _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int,
        _ take: (inout AnswerReader, UnsafeRawBufferPointer) -> Bool
    ) -> Int {
        take(&record.reader, UnsafeRawBufferPointer(start: bytes, count: count)) ? count : count == 0 ? 1 : 0
    }

    private func allowSend(localPort: Int32) -> Bool {
        let hasUnreadInput = sockets.hasUnreadInput(
            localPort: UInt16(truncatingIfNeeded: localPort), isSecure: url.isSecure)
        return record.allowSend(bytesSent: bytesSent, hasUnreadInput: hasUnreadInput)
    }
}

extension Duration {
    fileprivate var inMilliseconds: Int { Int(self / .milliseconds(1)) }
}
