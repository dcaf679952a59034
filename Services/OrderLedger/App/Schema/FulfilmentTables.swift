/// What shops report about the goods of their orders.
enum FulfilmentTables {
    static let sql = """
        CREATE TABLE fulfilments (
            partition integer NOT NULL,
            order_id uuid NOT NULL,
            fulfilment_id uuid NOT NULL,
            status text NOT NULL CHECK (status IN ('shipped', 'readyForPickup', 'served')),
            carrier text,
            tracking_number text,
            tracking_url text,
            reported_at timestamptz NOT NULL,
            PRIMARY KEY (partition, order_id, fulfilment_id));
        COMMENT ON TABLE fulfilments IS 'What shops report about the goods of paid orders; no money, so in no book';
        GRANT SELECT, INSERT ON fulfilments TO \(LedgerSchema.serviceRole);
        """
}
