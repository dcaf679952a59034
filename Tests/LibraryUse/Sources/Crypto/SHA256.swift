/// Stands for swift-crypto, whose module has this name and types of these names.
public enum SHA256 {
    public static let byteCount = 32
}

public enum AES {
    public enum GCM {}
}
