import OrchardCrypto

/// The one root certificate for Apple's token signatures.
///
/// It is pinned by its bytes: no system store and no certificate inside a token can add another root.
public struct Trust: Sendable {
    let root: X509Certificate

    /// Apple Root CA - G3.
    public static let apple: Trust = {
        guard let der = Base64.decode(AppleRootCAG3.base64), let root = try? X509Certificate(der: der) else {
            preconditionFailure("the embedded Apple Root CA - G3 is damaged")
        }
        return Trust(root: root)
    }()

    /// Another root, for test wallets only: the holder of its key can make tokens.
    public init(root: X509Certificate) {
        self.root = root
    }
}

/// Apple Root CA - G3, valid 2014-04-30 to 2039-04-30, from https://www.apple.com/certificateauthority/.
///
/// SHA-256 63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179.
enum AppleRootCAG3 {
    static let base64 = """
        MIICQzCCAcmgAwIBAgIILcX8iNLFS5UwCgYIKoZIzj0EAwMwZzEbMBkGA1UEAwwSQXBwbGUgUm9vdCBDQSAtIEczMSYwJAYDVQQLDB1BcHBsZS\
        BDZXJ0aWZpY2F0aW9uIEF1dGhvcml0eTETMBEGA1UECgwKQXBwbGUgSW5jLjELMAkGA1UEBhMCVVMwHhcNMTQwNDMwMTgxOTA2WhcNMzkwNDMw\
        MTgxOTA2WjBnMRswGQYDVQQDDBJBcHBsZSBSb290IENBIC0gRzMxJjAkBgNVBAsMHUFwcGxlIENlcnRpZmljYXRpb24gQXV0aG9yaXR5MRMwEQ\
        YDVQQKDApBcHBsZSBJbmMuMQswCQYDVQQGEwJVUzB2MBAGByqGSM49AgEGBSuBBAAiA2IABJjpLz1AcqTtkyJygRMc3RCV8cWjTnHcFBbZDuWm\
        BSp3ZHtfTjjTuxxEtX/1H7YyYl3J6YRbTzBPEVoA/VhYDKX1DyxNB0cTddqXl5dvMVztK517IDvYuVTZXpmkOlEKMaNCMEAwHQYDVR0OBBYEFL\
        uw3qFYM4iapIqZ3r6966/ayySrMA8GA1UdEwEB/wQFMAMBAf8wDgYDVR0PAQH/BAQDAgEGMAoGCCqGSM49BAMDA2gAMGUCMQCD6cHEFl4aXTQY\
        2e3v9GwOAEZLuN+yRhHFD/3meoyhpmvOwgPUnPWTxnS4at+qIxUCMG1mihDK1A3UT82NQz60imOlM27jbdoXt2QfyFMm+YhidDkLF1vLUagM6B\
        gD56KyKA==
        """
}
