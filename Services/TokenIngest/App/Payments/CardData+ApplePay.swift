import ApplePayToken
import Contracts
import OrchardCrypto
import OrchardJSON

extension CardData {
    /// The parts of a decrypted token that an acquirer needs, in the form in which Apple wrote them.
    init(_ card: borrowing DecryptedCard) throws(CardDataError) {
        var builder = Builder()
        try card.primaryAccountNumber.withBytes { bytes throws(CardDataError) in
            try builder.add(.accountNumber, bytes)
        }
        try builder.add(.expirationDate, card.expirationDate.utf8)
        if !card.cardholderName.isEmpty {
            try card.cardholderName.withBytes { bytes throws(CardDataError) in
                try builder.add(.cardholderName, bytes)
            }
        }
        switch card.credential {
        case .threeDSecure(let credential):
            try credential.cryptogram.withBytes { text throws(CardDataError) in
                try builder.add(.cryptogram, text)
            }
            if let eci = credential.eci { try builder.add(.eciIndicator, eci.utf8) }
        case .emv(let credential):
            try credential.data.withBytes { text throws(CardDataError) in try builder.add(.emvData, text) }
            if !credential.encryptedPIN.isEmpty {
                try credential.encryptedPIN.withBytes { text throws(CardDataError) in
                    try builder.add(.encryptedPIN, text)
                }
            }
        }
        if !card.authenticationResponses.isEmpty {
            var shares = SharesBuilder()
            for share in card.authenticationResponses.shares {
                try card.authenticationResponses.withAuthenticationData(of: share) { data throws(CardDataError) in
                    try shares.add(
                        merchantIdentifier: share.merchantIdentifier, amount: share.transactionAmount,
                        authenticationData: data)
                }
            }
            try shares.withBytes { bytes throws(CardDataError) in try builder.add(.authenticationResponses, bytes) }
        }
        if let identifier = card.merchantTokenIdentifier {
            try builder.add(.merchantTokenIdentifier, identifier.utf8)
        }
        if let metadata = card.merchantTokenMetadata { try builder.add(.merchantTokenMetadata, metadata.bytes) }
        self = try builder.finish()
    }
}
