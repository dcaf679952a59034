/// AlgorithmIdentifiers of signatures.
public enum SignatureAlgorithm {
    /// ECDSA without parameters, RSASSA-PKCS1-v1_5 with NULL, as certificates and Apple's tokens have them.
    public static func identifier(for key: PrivateKey, digest: Digest) -> [UInt8] {
        key.isRSA
            ? DER.sequence(DER.objectIdentifier(rsa(digest)), DER.null)
            : DER.sequence(DER.objectIdentifier(ecdsa(digest)))
    }

    private static func ecdsa(_ digest: Digest) -> String {
        switch digest {
        case .sha1: "1.2.840.10045.4.1"
        case .sha256: "1.2.840.10045.4.3.2"
        case .sha384: "1.2.840.10045.4.3.3"
        }
    }

    private static func rsa(_ digest: Digest) -> String {
        switch digest {
        case .sha1: "1.2.840.113549.1.1.5"
        case .sha256: "1.2.840.113549.1.1.11"
        case .sha384: "1.2.840.113549.1.1.12"
        }
    }
}
