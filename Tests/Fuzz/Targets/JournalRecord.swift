// modules: OrchardJSON=Shared/JSON OrchardCrypto=Shared/Crypto OrchardCompression=Shared/Compression OrchardJOSE=Shared/JOSE OrchardServiceKit=Shared/ServiceKit KafkaBridge=Shared/KafkaBridge OrchardPostgres=Shared/Postgres Contracts=Shared/Contracts Outbox=Shared/Outbox Ledger=Services/OrderLedger/Ledger
// sources: Tests/OrderLedgerTests/Projection/JournalRecordProperties.swift Services/OrderLedger/App/Store/JournalStore.swift Services/OrderLedger/App/Store/OrderStore.swift Services/OrderLedger/App/Store/OrderStore+Save.swift Services/OrderLedger/App/Store/ReadRecord+Postgres.swift Services/OrderLedger/App/Store/JournalRecord+Postgres.swift
// libraries: -lcrypto -lpq -lrdkafka -lz -lzstd
// longest: 4096

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    if let violation = JournalRecordProperties.violation(Array(UnsafeBufferPointer(start: start, count: count))) {
        preconditionFailure(violation)
    }
    return 0
}
