import SandboxPKI

extension Acquirer {
    /// The answer to txnType 76: a day's settlement file.
    func settlementFile(_ message: ACPMessage) throws -> Answer? {
        let (date, merchant) = (message["settleDate"] ?? "", message["merId"] ?? "")
        let file: SettlementFile
        do throws(Refusal) {
            file = try book.settlementFile(
                of: merchant, on: date, at: now, feeBasisPoints: options.feeBasisPoints)
        } catch {
            return try refuse(message, error)
        }
        let fields = [
            "settleDate": date, "fileType": "00", "fileName": file.name, "fileContent": file.content,
        ]
        return try answer(message, fields, .right, Refusal(.success))
    }

    /// The answer to txnType 95: the certificate to which requests are encrypted now.
    func encryptionCertificate(_ message: ACPMessage) throws -> Answer? {
        let fields = ["certType": "01", "encryptPubKeyCert": signer.encryptionCertificate]
        return try answer(message, fields, .right, Refusal(.success))
    }
}
