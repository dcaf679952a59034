import COrchardOpenSSL

/// The sender's half of ECDH-ES: a key on P-256 that is made for one secret and then wiped.
///
/// OpenSSL's key objects are made for long use; for a single use they cost a fifth of the whole. So this does what they
/// do (NIST SP 800-56A, sections 5.6.1.2 and 5.7.1.2) with the library's points and numbers.
public struct EphemeralAgreement: ~Copyable, Sendable {
    /// The fresh public key as `04 ‖ x ‖ y`, 65 bytes.
    public let point: [UInt8]
    /// The shared secret Z: the x coordinate, always 32 bytes.
    public let secret: SecretBytes

    /// Agrees with the owner of a key.
    public init(with peer: P256PublicKey) throws(CryptoError) {
        var point = [UInt8](repeating: 0, count: 65)
        var secret = [UInt8](repeating: 0, count: 32)
        guard Self.agree(with: peer.uncompressed, &point, &secret) else {
            SecretBytes.wipe(secret)
            throw .openSSL(.library, "no secret was agreed on")
        }
        self.point = point
        self.secret = SecretBytes(taking: secret)
    }

    private static func agree(with peer: [UInt8], _ point: inout [UInt8], _ secret: inout [UInt8]) -> Bool {
        // Freeing it wipes its numbers: the private one and everything computed with it.
        guard let group = Curve.p256.group, let numbers = BN_CTX_secure_new() else { return false }
        BN_CTX_start(numbers)
        let (fresh, theirs, shared) = (EC_POINT_new(group), EC_POINT_new(group), EC_POINT_new(group))
        defer {
            EC_POINT_free(fresh)
            EC_POINT_free(theirs)
            EC_POINT_clear_free(shared)
            BN_CTX_end(numbers)
            BN_CTX_free(numbers)
        }
        guard let number = BN_CTX_get(numbers), let x = BN_CTX_get(numbers), fresh != nil, theirs != nil, shared != nil
        else { return false }
        BN_set_flags(number, BN_FLG_CONSTTIME)
        return BN_priv_rand_range_ex(number, EC_GROUP_get0_order(group), 0, numbers) == 1 && BN_is_zero(number) == 0
            && EC_POINT_mul(group, fresh, number, nil, nil, numbers) == 1
            && EC_POINT_point2oct(group, fresh, POINT_CONVERSION_UNCOMPRESSED, &point, point.count, numbers)
                == point.count
            // Also checks that the point is on the curve, which has no other subgroup.
            && EC_POINT_oct2point(group, theirs, peer, peer.count, numbers) == 1
            && EC_POINT_mul(group, shared, nil, theirs, number, numbers) == 1
            && EC_POINT_get_affine_coordinates(group, shared, x, nil, numbers) == 1
            && BN_bn2binpad(x, &secret, Int32(secret.count)) == secret.count
    }
}

/// A curve's parameters.
private struct Curve: @unchecked Sendable {
    // @unchecked: OpenSSL's functions take a group without changing it; it is never freed.
    let group: OpaquePointer?

    static let p256 = Curve(group: EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1))
}
