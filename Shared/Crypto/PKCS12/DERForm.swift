/// What a file in DER holds, by its first bytes.
public enum DERForm: Hashable, Sendable {
    case certificate
    case pkcs12
    /// PKCS#8, not encrypted.
    case privateKey

    /// nil for another file, PEM for example.
    public init?(_ bytes: some Collection<UInt8>) {
        var bytes = bytes.prefix(16).makeIterator()
        guard bytes.next() == DERTag.sequence, let length = bytes.next() else { return nil }
        if length >= 0x80 { for _ in 0..<Int(length & 0x7F) { _ = bytes.next() } }
        switch (bytes.next(), bytes.next(), bytes.next()) {
        case (DERTag.sequence, _, _): self = .certificate
        case (DERTag.integer, 1, 3): self = .pkcs12
        case (DERTag.integer, 1, 0): self = .privateKey
        default: return nil
        }
    }
}
