/// Captures, voids and refunds: a table of their own, so that the charges' stays as narrow and as fast as it was. An order says
/// whether it has any.
enum FollowUpTables {
    static let sql = """
        ALTER TABLE orders ADD COLUMN has_follow_ups boolean NOT NULL DEFAULT false;
        COMMENT ON COLUMN orders.has_follow_ups IS 'Whether follow_ups has rows of the order; they are read only then';
        GRANT UPDATE (has_follow_ups) ON orders TO \(GatewaySchema.serviceRole);

        ALTER TABLE operations
            ADD COLUMN kind text NOT NULL DEFAULT 'sale',
            ADD COLUMN serial text,
            ADD COLUMN absent_since timestamptz,
            -- Not looked at in the rows that are there: no version before this one wrote another phase.
            DROP CONSTRAINT operations_phase_check,
            ADD CONSTRAINT operations_phase_check CHECK (phase IN ('created', 'submitting', 'pending', 'unknown',
                'conflicted', 'succeeded', 'declined', 'refused', 'lateSuccess', 'expired')) NOT VALID,
            ADD CONSTRAINT operations_kind_check CHECK (kind IN ('sale', 'authorisation')) NOT VALID;
        COMMENT ON COLUMN operations.kind IS 'A sale, or an authorisation, whose amount is held until it is captured';
        COMMENT ON COLUMN operations.serial IS 'The acquirer''s number of it, which a capture, void or refund names';
        COMMENT ON COLUMN operations.absent_since IS 'Since when the settlement files are known to lack it';
        GRANT UPDATE (serial, absent_since) ON operations TO \(GatewaySchema.serviceRole);

        CREATE TABLE follow_ups (
            partition integer NOT NULL,
            order_id uuid NOT NULL,
            operation_id uuid NOT NULL,
            -- Their order within the order, from 0.
            number integer NOT NULL,
            payment_id uuid NOT NULL,
            merchant_id uuid NOT NULL,
            kind text NOT NULL CHECK (kind IN ('capture', 'void', 'refund')),
            target text CHECK (target IN ('sale', 'authorisation', 'capture')),
            -- NULL: its payment succeeded too late, and nobody asked for it.
            command_id uuid,
            caused_at timestamptz NOT NULL,
            amount bigint NOT NULL CHECK (amount > 0),
            currency text NOT NULL,
            parts text,
            -- The charge's route.
            route_id text,
            route_digest bytea,
            -- What it follows, at the acquirer.
            acquirer text NOT NULL,
            account text NOT NULL,
            original_number text NOT NULL,
            original_time timestamptz NOT NULL,
            original_serial text,
            -- Each attempt has its own key: order_number and transaction_time.
            attempt integer NOT NULL CHECK (attempt >= 0),
            order_number text NOT NULL,
            transaction_time timestamptz NOT NULL,
            phase text NOT NULL CHECK (phase IN ('created', 'submitting', 'pending', 'unknown', 'conflicted',
                'succeeded', 'declined')),
            is_live boolean NOT NULL GENERATED ALWAYS AS
                (phase IN ('created', 'submitting', 'pending', 'unknown', 'conflicted')) STORED,
            transition bigint NOT NULL,
            sends integer NOT NULL,
            unsent integer NOT NULL CHECK (unsent <= sends),
            is_sending boolean NOT NULL,
            sent_at timestamptz,
            open_since timestamptz,
            is_unknown_told boolean NOT NULL,
            queries integer NOT NULL,
            queried_at timestamptz,
            is_known_there boolean NOT NULL,
            is_recovered boolean NOT NULL,
            claims_paid boolean,
            next_step text CHECK (next_step IN ('send', 'query')),
            next_at timestamptz,
            serial text,
            absent_since timestamptz,
            last_suspect integer,
            is_query_only boolean NOT NULL,
            traceparent text,
            PRIMARY KEY (partition, order_id, operation_id),
            UNIQUE (partition, order_id, number),
            CHECK ((target IS NULL) = (kind <> 'void'))
        ) WITH (\(OrderTables.vacuuming));
        COMMENT ON TABLE follow_ups IS 'Captures, voids and refunds, and where they stand';
        COMMENT ON COLUMN follow_ups.amount IS 'Minor units';
        COMMENT ON COLUMN follow_ups.command_id IS 'The shop''s command; NULL when its payment succeeded too late';
        COMMENT ON COLUMN follow_ups.attempt IS 'The attempt that is looked at; each has its own key at the acquirer';
        COMMENT ON COLUMN follow_ups.last_suspect IS 'A lost database may have sent each attempt up to this one';
        COMMENT ON COLUMN follow_ups.is_query_only IS 'It may have been sent, and must not be sent any more';
        -- Notifications and settlement files name the acquirer's key only.
        CREATE INDEX follow_ups_reference ON follow_ups (order_number);
        -- One has no outcome at a time, whatever a program does. (After a recovery several may turn out to be so.)
        CREATE UNIQUE INDEX follow_ups_one_at_a_time ON follow_ups (partition, order_id, payment_id)
            WHERE is_live AND NOT is_recovered;
        CREATE INDEX follow_ups_live ON follow_ups (merchant_id, route_id, route_digest) WHERE is_live;

        GRANT SELECT, INSERT ON follow_ups TO \(GatewaySchema.serviceRole);
        -- Never whose money it is, how much, or what it follows. The key is that of the attempt.
        GRANT UPDATE (attempt, order_number, transaction_time, phase, transition, sends, unsent, is_sending, sent_at,
            open_since, is_unknown_told, queries, queried_at, is_known_there, is_recovered, claims_paid, next_step, next_at,
            serial, absent_since, last_suspect, is_query_only) ON follow_ups TO \(GatewaySchema.serviceRole);

        CREATE VIEW open_follow_ups AS
        SELECT partition, order_id, payment_id, operation_id, merchant_id, kind, target, phase,
            decimal_amount(amount, currency) AS amount, currency, command_id, caused_at, sent_at, open_since,
            date_trunc('second', clock_timestamp() - caused_at) AS age, attempt, sends, queries, queried_at, next_step,
            next_at, acquirer, account, order_number, transaction_time
        FROM follow_ups WHERE is_live;
        COMMENT ON VIEW open_follow_ups IS
            'Captures, voids and refunds without an end, with the acquirer''s key (account, order_number, transaction_time)';
        COMMENT ON COLUMN open_follow_ups.amount IS 'In the currency''s major unit';
        COMMENT ON COLUMN open_follow_ups.age IS 'Since they were asked for';
        """
}
