// modules: OrchardJSON=Shared/JSON
// sources: Tests/JSONTests/JSONProperties.swift

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    if let violation = JSONProperties.violation(Array(UnsafeBufferPointer(start: start, count: count))) {
        preconditionFailure(violation)
    }
    return 0
}
