import Outbox

/// What people look at with psql; the service itself reads none of it.
enum ChargeViews {
    static let sql = """
        \(DecimalAmount.migrationSQL(schema: GatewaySchema.name))

        -- The condition is the index' of live operations.
        CREATE VIEW open_charges AS
        SELECT partition, order_id, payment_id, merchant_id, phase, decimal_amount(amount, currency) AS amount, currency,
            signed_at, sent_at, open_since, date_trunc('second', clock_timestamp() - signed_at) AS age, sends, queries,
            queried_at, next_step, next_at, expires_at, acquirer, account, order_number, transaction_time, card_network,
            card_last_four
        FROM operations WHERE is_live;
        COMMENT ON VIEW open_charges IS
            'Charges without an end, with the acquirer''s key (account, order_number, transaction_time)';
        COMMENT ON COLUMN open_charges.amount IS 'In the currency''s major unit';
        COMMENT ON COLUMN open_charges.age IS 'Since Apple signed the token';
        """
}
