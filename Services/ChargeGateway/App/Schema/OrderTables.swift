import OrchardPostgres

/// Orders, their operations and the shop's answered commands. Each key begins with the partition, so that partitions can
/// be laid on several servers; no sequence or foreign key spans two.
enum OrderTables {
    /// The indexes of what is due and what is live are queues on tables that grow for ever: vacuumed after so many dead
    /// rows, and not after a share of all orders that ever were. Room in each page, so that most updates touch no index.
    static let vacuuming =
        "fillfactor = 80, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50000"

    static let sql = """
        \(Migrator(schema: GatewaySchema.name, migrations: []).roleSQL(GatewaySchema.serviceRole))

        CREATE TABLE orders (
            partition integer NOT NULL,
            order_id uuid NOT NULL,
            closed_reason text CHECK (closed_reason IN ('paid', 'cancelled', 'expired')),
            closed_payment uuid,
            closed_command uuid,
            -- All NULL when there is nothing to do.
            due_at timestamptz,
            due_step text CHECK (due_step IN ('send', 'query')),
            due_acquirer text,
            due_account text,
            PRIMARY KEY (partition, order_id)
        ) WITH (\(vacuuming));
        COMMENT ON TABLE orders IS 'The row owns the order: whoever holds its lock steps it';
        COMMENT ON COLUMN orders.due_at IS 'When its machine does something by itself, and in the next columns what and where';
        -- A queue of each kind of step and account.
        CREATE INDEX orders_due ON orders (due_step, due_acquirer, due_account, partition, due_at, order_id)
            WHERE due_at IS NOT NULL;

        CREATE TABLE operations (
            partition integer NOT NULL,
            order_id uuid NOT NULL,
            payment_id uuid NOT NULL,
            -- The order of the commands within their order, from 0.
            number integer NOT NULL,
            merchant_id uuid NOT NULL,
            revision bigint NOT NULL,
            amount bigint NOT NULL CHECK (amount >= 0),
            currency text NOT NULL,
            expires_at timestamptz NOT NULL,
            signed_at timestamptz NOT NULL,
            card_network text,
            card_last_four text,
            card_data_type text,
            -- The route that the ticket named, and a hash of where it led then; NULL when it named none for this card.
            route_id text CHECK (route_id ~ '^[a-z0-9-]{1,32}$'),
            route_digest bytea CHECK (octet_length(route_digest) = 16),
            -- The acquirer's key; all NULL when no route takes the charge.
            acquirer text,
            account text,
            order_number text,
            transaction_time timestamptz,
            phase text NOT NULL CHECK (phase IN ('created', 'submitting', 'pending', 'unknown', 'conflicted',
                'succeeded', 'declined', 'refused', 'lateSuccess')),
            -- In a column of its own, which changes once: an index over the phase would be written at each step.
            is_live boolean NOT NULL GENERATED ALWAYS AS
                (phase IN ('created', 'submitting', 'pending', 'unknown', 'conflicted')) STORED,
            transition bigint NOT NULL,
            sends integer NOT NULL,
            unsent integer NOT NULL CHECK (unsent <= sends),
            is_sending boolean NOT NULL,
            sent_at timestamptz,
            -- Since when the outcome is open, and whether the journal was told that it is unknown.
            open_since timestamptz,
            is_unknown_told boolean NOT NULL,
            queries integer NOT NULL,
            queried_at timestamptz,
            is_known_there boolean NOT NULL,
            -- Whether sends may have been forgotten with a database's last transactions.
            is_recovered boolean NOT NULL,
            holds_card boolean NOT NULL,
            claims_paid boolean,
            next_step text CHECK (next_step IN ('send', 'query')),
            next_at timestamptz,
            -- The sealed card data, the key they are sealed to and the hash of the ticket they are bound to: gone as
            -- soon as no send can follow.
            sealed_card text,
            sealing_key text,
            ticket_hash bytea,
            traceparent text,
            PRIMARY KEY (partition, order_id, payment_id),
            UNIQUE (partition, order_id, number),
            CHECK (holds_card OR (sealed_card IS NULL AND sealing_key IS NULL AND ticket_hash IS NULL))
        ) WITH (\(vacuuming));
        COMMENT ON TABLE operations IS
            'Charges, and where they stand; open_charges shows those without an end, with decimal amounts';
        COMMENT ON COLUMN operations.number IS 'The order of the commands within their order, from 0';
        COMMENT ON COLUMN operations.amount IS 'Minor units';
        COMMENT ON COLUMN operations.signed_at IS 'When Apple signed the token';
        COMMENT ON COLUMN operations.order_number IS 'The acquirer''s key, with transaction_time and account';
        COMMENT ON COLUMN operations.open_since IS 'Since when a send may have left without an outcome';
        COMMENT ON COLUMN operations.sealed_card IS 'Card data, encrypted; gone as soon as no send can follow';
        -- Notifications name the acquirer's key only.
        CREATE INDEX operations_reference ON operations (order_number);
        -- At most one charge of an order is live, whatever a program does. (After a recovery several may turn out to be.)
        CREATE UNIQUE INDEX operations_single_flight ON operations (partition, order_id)
            WHERE is_live AND NOT is_recovered;
        -- What is live is few among all that ever were: which routes it needs, how much there is, and a person's list.
        CREATE INDEX operations_live ON operations (merchant_id, route_id, route_digest)
            WHERE is_live;
        -- Which keys must not be lost yet.
        CREATE INDEX operations_sealed ON operations (sealing_key) WHERE sealed_card IS NOT NULL;

        CREATE TABLE answered_commands (
            partition integer NOT NULL,
            order_id uuid NOT NULL,
            command_id uuid NOT NULL,
            PRIMARY KEY (partition, order_id, command_id)
        );
        COMMENT ON TABLE answered_commands IS 'Shops'' commands that were answered, so that a repetition is known';

        GRANT SELECT, INSERT ON orders, operations, answered_commands TO \(GatewaySchema.serviceRole);
        GRANT UPDATE (closed_reason, closed_payment, closed_command, due_at, due_step, due_acquirer, due_account)
            ON orders TO \(GatewaySchema.serviceRole);
        -- Never whose charge it is, how much, or under which key at the acquirer.
        GRANT UPDATE (phase, transition, sends, unsent, is_sending, sent_at, open_since, is_unknown_told, queries,
            queried_at, is_known_there, is_recovered, holds_card, claims_paid, next_step, next_at, expires_at, signed_at,
            sealed_card, sealing_key, ticket_hash) ON operations TO \(GatewaySchema.serviceRole);
        """

    /// The charges of tokens that Apple did not bind to their orders.
    static let orderSignedSQL = """
        ALTER TABLE operations ADD COLUMN is_order_signed boolean NOT NULL DEFAULT true;
        COMMENT ON COLUMN operations.is_order_signed IS
            'False: the token may name no order, and only an answer that names this one is believed when it says paid';
        """

    /// When the acquirer took an operation.
    static let acceptedSQL = ["operations", "follow_ups"].map { table in
        """
        ALTER TABLE \(table) ADD COLUMN accepted_at timestamptz;
        COMMENT ON COLUMN \(table).accepted_at IS 'When the acquirer first said that it took it';
        GRANT UPDATE (accepted_at) ON \(table) TO \(GatewaySchema.serviceRole);
        """
    }.joined(separator: "\n")

    /// The order that expires when its live charge ends unpaid.
    static let expirySQL = """
        ALTER TABLE orders ADD COLUMN expiry_command uuid;
        COMMENT ON COLUMN orders.expiry_command IS 'The command that closes the order when its live charge ends unpaid';
        GRANT UPDATE (expiry_command) ON orders TO \(GatewaySchema.serviceRole);
        """
}
