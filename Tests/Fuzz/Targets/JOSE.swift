// modules: OrchardJSON=Shared/JSON OrchardCrypto=Shared/Crypto OrchardJOSE=Shared/JOSE
// sources: Tests/JOSETests/JOSEProperties.swift
// libraries: -lcrypto

private let properties: JOSEProperties = {
    guard let properties = try? JOSEProperties() else { preconditionFailure("the fuzzer's key cannot be read") }
    return properties
}()

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    if let violation = properties.violation(Array(UnsafeBufferPointer(start: start, count: count))) {
        preconditionFailure(violation)
    }
    return 0
}
