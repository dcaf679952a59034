import OrchardCrypto

/// The one root certificate under which Apple's token signatures must stand.
///
/// Pinned by its bytes: no system store and no certificate inside a token can add another.
public struct Trust: Sendable {
    let root: X509Certificate

    /// Apple Root CA - G3.
    public static let apple: Trust = {
        guard let der = Base64.decode(AppleRootCAG3.base64), let root = try? X509Certificate(der: der) else {
            preconditionFailure("the embedded Apple Root CA - G3 is damaged")
        }
        return Trust(root: root)
    }()

    /// Another root, for test wallets only: whoever holds its key can make tokens.
    public init(root: X509Certificate) {
        self.root = root
    }
}
