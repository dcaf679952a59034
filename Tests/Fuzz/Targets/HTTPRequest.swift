// modules: OrchardJSON=Shared/JSON OrchardHTTPTypes=Shared/HTTP/Types OrchardServiceKit=Shared/ServiceKit OrchardHTTPServer=Shared/HTTP/Server
// sources: Tests/HTTPServerTests/Parsing/RequestParserProperties.swift
// longest: 512

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    if let violation = RequestParserProperties.violation(Array(UnsafeBufferPointer(start: start, count: count))) {
        preconditionFailure(violation)
    }
    return 0
}
