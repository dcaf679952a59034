import SandboxWallet

/// The source of tokens: the sandbox's own wallet, or an independent one in another process.
protocol TokenSource: Sendable {
    func mint(_ request: MintRequest) async throws -> MintedToken
    /// A token with one thing wrong.
    func mint(_ request: MintRequest, fault: MintingFault) async throws -> MintedToken
}

/// The sandbox's own wallet.
struct OwnWallet: TokenSource {
    let wallet: Wallet

    func mint(_ request: MintRequest) throws -> MintedToken { try wallet.mint(request) }
    func mint(_ request: MintRequest, fault: MintingFault) throws -> MintedToken {
        try wallet.mint(request, fault: fault)
    }
}
