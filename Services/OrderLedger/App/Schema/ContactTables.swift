/// Customers' contacts, outside the books, their chain, replay and audit: what is here can be erased.
enum ContactTables {
    static let sql = """
        CREATE TABLE contacts (
            partition integer NOT NULL,
            order_id uuid NOT NULL,
            payment_id uuid NOT NULL,
            merchant_id uuid NOT NULL,
            received_at timestamptz NOT NULL,
            contact text,
            sealed text,
            next_check timestamptz NOT NULL,
            PRIMARY KEY (partition, order_id, payment_id),
            CHECK ((contact IS NULL) <> (sealed IS NULL))) WITH (fillfactor = 90);
        COMMENT ON TABLE contacts IS 'Personal data of customers: the only table that has any, and its rows are erased';
        COMMENT ON COLUMN contacts.contact IS 'JSON';
        COMMENT ON COLUMN contacts.sealed IS 'A compact JWE whose key was not there yet';
        COMMENT ON COLUMN contacts.next_check IS 'When it is decided again whether the contact is kept';
        CREATE INDEX contacts_next_check ON contacts (next_check);

        CREATE TABLE contact_erasures (
            partition integer NOT NULL,
            order_id uuid NOT NULL,
            erased_at timestamptz NOT NULL DEFAULT clock_timestamp(),
            PRIMARY KEY (partition, order_id));
        COMMENT ON TABLE contact_erasures IS 'Orders whose contacts were erased: no contact of theirs is stored again';

        CREATE TABLE contact_places (
            partition integer PRIMARY KEY,
            cluster_id text NOT NULL,
            next_offset bigint NOT NULL CHECK (next_offset >= 0)) WITH (fillfactor = 50);
        COMMENT ON TABLE contact_places IS 'Where reading the contacts goes on';

        GRANT SELECT, INSERT, DELETE ON contacts TO \(LedgerSchema.serviceRole);
        GRANT UPDATE (contact, sealed, next_check) ON contacts TO \(LedgerSchema.serviceRole);
        GRANT SELECT, INSERT ON contact_erasures, contact_places TO \(LedgerSchema.serviceRole);
        GRANT UPDATE (cluster_id, next_offset) ON contact_places TO \(LedgerSchema.serviceRole);
        """
}
