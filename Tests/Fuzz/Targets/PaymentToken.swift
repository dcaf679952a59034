// modules: OrchardJSON=Shared/JSON OrchardCrypto=Shared/Crypto ApplePayToken=Services/TokenIngest/ApplePayToken
// sources: Tests/ApplePayTokenTests/PaymentTokenProperties.swift
// libraries: -lcrypto
// longest: 4096

private let properties = PaymentTokenProperties()

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    if let violation = properties.violation(Array(UnsafeBufferPointer(start: start, count: count))) {
        preconditionFailure(violation)
    }
    return 0
}
