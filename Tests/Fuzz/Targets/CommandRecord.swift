// modules: OrchardJSON=Shared/JSON OrchardCrypto=Shared/Crypto OrchardJOSE=Shared/JOSE OrchardServiceKit=Shared/ServiceKit KafkaBridge=Shared/KafkaBridge OrchardPostgres=Shared/Postgres Contracts=Shared/Contracts Outbox=Shared/Outbox
// sources: Tests/ChargeGatewayTests/Commands/CommandRecordProperties.swift Services/ChargeGateway/App/Commands/CommandReading.swift Services/ChargeGateway/App/Commands/IncomingCommand.swift Services/ChargeGateway/App/Store/SealedCard.swift
// libraries: -lcrypto -lpq -lrdkafka
// longest: 4096

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    if let violation = CommandRecordProperties.violation(Array(UnsafeBufferPointer(start: start, count: count))) {
        preconditionFailure(violation)
    }
    return 0
}
