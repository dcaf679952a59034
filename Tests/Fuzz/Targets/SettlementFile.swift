// modules: OrchardJSON=Shared/JSON OrchardCrypto=Shared/Crypto OrchardCompression=Shared/Compression OrchardJOSE=Shared/JOSE Contracts=Shared/Contracts Charging=Services/ChargeGateway/Charging
// sources: Tests/AcquirersTests/Settlement/SettlementFileProperties.swift Tests/Support/ZipWriter.swift Tests/Support/Deflate.swift Services/ChargeGateway/Acquirers/UnionPay/Settlement/DetailFile.swift Services/ChargeGateway/Acquirers/UnionPay/Settlement/DisputeFile.swift Services/ChargeGateway/Acquirers/UnionPay/Settlement/FixedWidthFile.swift Services/ChargeGateway/Acquirers/UnionPay/Settlement/SettlementPackage.swift Services/ChargeGateway/Acquirers/UnionPay/Settlement/SummaryFile.swift Services/ChargeGateway/Acquirers/UnionPay/Messages/ACPSignature.swift
// libraries: -lcrypto -lz -lzstd
// longest: 2400

private let properties: SettlementFileProperties = {
    guard let properties = SettlementFileProperties() else { preconditionFailure("the day of the files is none") }
    return properties
}()

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    if let violation = properties.violation(Array(UnsafeBufferPointer(start: start, count: count))) {
        preconditionFailure(violation)
    }
    return 0
}
