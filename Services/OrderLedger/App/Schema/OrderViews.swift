import Outbox

/// Views for people who use psql. The service itself reads none of them.
enum OrderViews {
    static let sql = """
        \(DecimalAmount.migrationSQL(schema: LedgerSchema.name))

        CREATE VIEW order_overview AS
        SELECT o.partition, o.order_id, o.merchant_id, o.status, o.close_reason, t.opened_at, t.changed_at,
            f.revision, decimal_amount(f.total, o.currency) AS total, o.currency, t.payments,
            p.payment_id, p.status AS payment_status, p.reason, decimal_amount(p.amount, p.currency) AS payment_amount,
            p.network, p.last_four, p.acquirer, p.account, p.order_number, p.transaction_time, p.code, p.settlement_date
        FROM orders AS o
            CROSS JOIN LATERAL (
                SELECT (SELECT min(occurred_at) FROM facts AS a
                        WHERE a.partition = o.partition AND a.order_id = o.order_id AND \(JournalTables.isTaken)) AS opened_at,
                    (SELECT max(occurred_at) FROM facts AS a
                        WHERE a.partition = o.partition AND a.order_id = o.order_id AND \(JournalTables.isTaken)) AS changed_at,
                    (SELECT count(*) FROM payments AS a
                        WHERE a.partition = o.partition AND a.order_id = o.order_id) AS payments) AS t
            LEFT JOIN LATERAL (
                SELECT a.revision, a.total FROM order_offers AS a
                WHERE a.partition = o.partition AND a.order_id = o.order_id
                ORDER BY a.revision DESC LIMIT 1) AS f ON true
            LEFT JOIN LATERAL (
                SELECT a.* FROM payments AS a WHERE a.partition = o.partition AND a.order_id = o.order_id
                ORDER BY a.payment_id = o.paid_payment DESC NULLS LAST, a.transaction_time DESC NULLS LAST, a.payment_id
                LIMIT 1) AS p ON true;
        COMMENT ON VIEW order_overview IS
            'One row an order: state, times, price, and its payment (the one that paid, else the newest) with the '
            'acquirer''s reference';
        COMMENT ON COLUMN order_overview.total IS 'Of the newest revision that was told, in the currency''s major unit';
        COMMENT ON COLUMN order_overview.payments IS 'How many payments were tried';
        """
}
