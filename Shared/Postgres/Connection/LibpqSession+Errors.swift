import CLibpq

extension LibpqSession {
    /// The error of a connection that cannot be used any more, with the server's message if there is one.
    func lost(_ reason: String) -> PostgresError {
        let text = lastNotice.text ?? (reason.isEmpty ? message : reason)
        return PostgresError(.connectionLost, text.isEmpty ? "the server closed the connection" : text)
    }

    /// The error of a result, without anything that may quote a value.
    static func serverError(_ result: OpaquePointer, at script: String? = nil) -> PostgresError {
        let state = field(result, .sqlState)
        // A result that libpq itself made, because the connection broke, has no fields.
        var reason = field(result, .primaryMessage) ?? oneLine(PQresultErrorMessage(result))
        if let state, state.hasPrefix("22") {
            // Data exceptions quote what they could not read.
            reason = "the server could not take a value (data exception)"
        }
        if let script, let position = field(result, .statementPosition).flatMap({ Int($0) }) {
            let line = script.unicodeScalars.prefix(position).count { $0 == "\n" } + 1
            reason += " (line \(line))"
        }
        return PostgresError(
            .server, reason, sqlState: state, constraint: field(result, .constraintName))
    }

    static func oneLine(_ text: UnsafePointer<CChar>?) -> String {
        guard let text else { return "" }
        return String(cString: text).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// Keeps the message of a server that ends an idle session: libpq treats it as a notice.
    func keepLastNotice() {
        PQsetNoticeReceiver(
            connection,
            { last, notice in
                guard let last, let notice,
                    let severity = LibpqSession.field(notice, .severity), ["FATAL", "PANIC"].contains(severity)
                else { return }
                Unmanaged<LastNotice>.fromOpaque(last).takeUnretainedValue().text =
                    LibpqSession.field(notice, .primaryMessage)
            }, Unmanaged.passUnretained(lastNotice).toOpaque())
    }

    /// The server's last message.
    final class LastNotice {
        var text: String?
    }

    /// libpq's `PG_DIAG_…`, character macros that Swift cannot import.
    private enum Field: Unicode.Scalar {
        case severity = "V"
        case sqlState = "C"
        case primaryMessage = "M"
        case statementPosition = "P"
        case constraintName = "n"
    }

    private static func field(_ result: OpaquePointer, _ field: Field) -> String? {
        PQresultErrorField(result, Int32(field.rawValue.value)).map { oneLine($0) }
    }
}
