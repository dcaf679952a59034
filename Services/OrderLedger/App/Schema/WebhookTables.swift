/// What shops' servers are told. It is outside the books, their chain, replay and audit.
enum WebhookTables {
    static let sql = """
        CREATE TABLE webhook_messages (
            partition integer NOT NULL,
            order_id uuid NOT NULL,
            endpoint text NOT NULL,
            message_id uuid NOT NULL,
            merchant_id uuid NOT NULL,
            "offset" bigint NOT NULL,
            line smallint NOT NULL,
            event text NOT NULL,
            body text NOT NULL,
            state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'delivered', 'parked')),
            tried_from timestamptz NOT NULL,
            due_at timestamptz CHECK (due_at IS NULL OR state = 'waiting'),
            lease bigint NOT NULL DEFAULT 0,
            failures integer NOT NULL DEFAULT 0,
            reason text,
            ended_at timestamptz CHECK ((ended_at IS NULL) = (state = 'waiting')),
            PRIMARY KEY (partition, order_id, endpoint, message_id))
            -- A queue is vacuumed after a number of dead rows: a share of a large table would be too many.
            WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50000);
        COMMENT ON TABLE webhook_messages IS 'What shops'' servers are told of their orders; kept 30 days after its end';
        COMMENT ON COLUMN webhook_messages.message_id IS 'The ce_id of the fact that it tells';
        COMMENT ON COLUMN webhook_messages."offset" IS 'The record of the journal that made it; with line, its place among '
            'the messages of its order';
        COMMENT ON COLUMN webhook_messages.body IS 'JSON, sent and signed as it is';
        COMMENT ON COLUMN webhook_messages.due_at IS 'When it is sent next; NULL while an earlier one of its order waits';
        COMMENT ON COLUMN webhook_messages.lease IS 'Counts the sends: the last one has it until due_at';
        COMMENT ON COLUMN webhook_messages.reason IS 'Why the last try failed, or why it is parked';
        CREATE INDEX webhook_messages_due ON webhook_messages (merchant_id, endpoint, due_at) WHERE due_at IS NOT NULL;
        CREATE INDEX webhook_messages_waiting ON webhook_messages (merchant_id, endpoint, tried_from)
            WHERE state = 'waiting';
        CREATE INDEX webhook_messages_order ON webhook_messages (partition, order_id) WHERE state = 'waiting';
        CREATE INDEX webhook_messages_parked ON webhook_messages (ended_at) WHERE state = 'parked';
        CREATE INDEX webhook_messages_parked_id ON webhook_messages (message_id) WHERE state = 'parked';
        CREATE INDEX webhook_messages_ended ON webhook_messages (ended_at) WHERE ended_at IS NOT NULL;

        CREATE TABLE webhook_endpoints (
            merchant_id uuid NOT NULL,
            endpoint text NOT NULL,
            seen_at timestamptz NOT NULL,
            failures integer NOT NULL DEFAULT 0,
            failing_since timestamptz,
            paused_until timestamptz,
            reason text,
            PRIMARY KEY (merchant_id, endpoint),
            CHECK ((failing_since IS NULL) = (failures = 0) AND (paused_until IS NULL) = (failures = 0)))
            WITH (fillfactor = 50);
        COMMENT ON TABLE webhook_endpoints IS 'Whether shops'' servers take messages now';
        COMMENT ON COLUMN webhook_endpoints.seen_at IS 'When a worker last had it in its merchants.json';
        COMMENT ON COLUMN webhook_endpoints.failures IS 'In a row; while there are any, one message at a time is sent';

        CREATE TABLE webhook_starts (
            partition integer PRIMARY KEY,
            first_offset bigint NOT NULL);
        COMMENT ON TABLE webhook_starts IS 'After recover: facts below this offset were told by the database that was lost';

        GRANT SELECT, INSERT, DELETE ON webhook_messages TO \(LedgerSchema.serviceRole);
        GRANT UPDATE (state, tried_from, due_at, lease, failures, reason, ended_at) ON webhook_messages
            TO \(LedgerSchema.serviceRole);
        GRANT SELECT, INSERT ON webhook_endpoints, webhook_starts TO \(LedgerSchema.serviceRole);
        GRANT UPDATE (seen_at, failures, failing_since, paused_until, reason) ON webhook_endpoints
            TO \(LedgerSchema.serviceRole);
        GRANT UPDATE (first_offset) ON webhook_starts TO \(LedgerSchema.serviceRole);
        """
}
