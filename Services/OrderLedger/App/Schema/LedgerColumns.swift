// swift-format-ignore-file: long lines
/// What the migrations make of an empty database: the columns, written by `Tests/record schema`: never edit it by hand.
enum LedgerColumns {
    static let text = #"""
        column attempt_places.cluster_id: text not null
        column attempt_places.next_offset: bigint not null
        column attempt_places.partition: integer not null
        column attempts.attempt_id: uuid not null
        column attempts.order_id: uuid not null
        column attempts.partition: integer not null
        column attempts.reason: text not null
        column attempts.recorded_at: timestamp with time zone not null default clock_timestamp()
        column attempts.stage: text not null
        column chain_heads.duplicates: bigint not null
        column chain_heads.head: bytea not null
        column chain_heads.last_offset: bigint
        column chain_heads.partition: integer not null
        column chain_heads.rows: bigint not null
        column commands.amount: bigint
        column commands.api_key: text not null
        column commands.command_id: uuid not null
        column commands.currency: text
        column commands.order_id: uuid not null
        column commands.partition: integer not null
        column commands.payment_id: uuid
        column commands.reason: text
        column commands.request: bytea
        column commands.requested_at: timestamp with time zone not null
        column commands.type: text not null
        column contact_erasures.erased_at: timestamp with time zone not null default clock_timestamp()
        column contact_erasures.order_id: uuid not null
        column contact_erasures.partition: integer not null
        column contact_places.cluster_id: text not null
        column contact_places.next_offset: bigint not null
        column contact_places.partition: integer not null
        column contacts.contact: text
        column contacts.merchant_id: uuid not null
        column contacts.next_check: timestamp with time zone not null
        column contacts.order_id: uuid not null
        column contacts.partition: integer not null
        column contacts.payment_id: uuid not null
        column contacts.received_at: timestamp with time zone not null
        column contacts.sealed: text
        column entries.account: text not null
        column entries.amount: bigint not null
        column entries.cause: uuid not null
        column entries.currency: text not null
        column entries.entry: smallint not null
        column entries.kind: text not null
        column entries.line: smallint not null
        column entries.merchant_id: uuid not null
        column entries.occurred_at: timestamp with time zone not null
        column entries.offset: bigint not null
        column entries.order_id: uuid not null
        column entries.partition: integer not null
        column entries.payment_id: uuid
        column entries.rules: smallint not null
        column facts.disposition: text not null
        column facts.event_id: uuid
        column facts.event_type: text
        column facts.hash: bytea not null
        column facts.headers: bytea
        column facts.key: bytea
        column facts.layout: smallint not null
        column facts.occurred_at: timestamp with time zone
        column facts.offset: bigint not null
        column facts.order_id: uuid
        column facts.partition: integer not null
        column facts.reader: smallint not null
        column facts.record: bytea
        column facts.recorded_at: timestamp with time zone not null default clock_timestamp()
        column facts.rules: smallint not null
        column facts.source: text
        column facts.stream: text
        column facts.stream_sequence: bigint
        column facts.value: bytea
        column faults.code: text not null
        column faults.fault: smallint not null
        column faults.offset: bigint not null
        column faults.partition: integer not null
        column faults.reason: text not null
        column faults.source_offset: bigint not null
        column faults.subject: text not null
        column final_offers.command_id: uuid not null
        column final_offers.created_at: timestamp with time zone not null
        column final_offers.order_id: uuid not null
        column final_offers.partition: integer not null
        column final_offers.request: bytea not null
        column final_offers.request_digest: bytea not null
        column final_offers.revision: bigint not null
        column follow_up_overview.account: text
        column follow_up_overview.acquirer: text
        column follow_up_overview.amount: numeric
        column follow_up_overview.code: text
        column follow_up_overview.command_id: uuid
        column follow_up_overview.currency: text
        column follow_up_overview.goods: numeric
        column follow_up_overview.kind: text
        column follow_up_overview.operation_id: uuid
        column follow_up_overview.order_id: uuid
        column follow_up_overview.order_number: text
        column follow_up_overview.partition: integer
        column follow_up_overview.payment_id: uuid
        column follow_up_overview.reason: text
        column follow_up_overview.serial: text
        column follow_up_overview.settlement_date: text
        column follow_up_overview.shipping: numeric
        column follow_up_overview.status: text
        column follow_up_overview.target: text
        column follow_up_overview.tax: numeric
        column follow_up_overview.transaction_time: timestamp with time zone
        column follow_up_overview.voided_by: uuid
        column follow_ups.account: text
        column follow_ups.acquirer: text
        column follow_ups.amount: bigint not null
        column follow_ups.booked_discount: bigint
        column follow_ups.booked_shipping: bigint
        column follow_ups.booked_subtotal: bigint
        column follow_ups.booked_tax: bigint
        column follow_ups.code: text
        column follow_ups.command_id: uuid
        column follow_ups.currency: text not null
        column follow_ups.given_discount: bigint
        column follow_ups.given_shipping: bigint
        column follow_ups.given_subtotal: bigint
        column follow_ups.given_tax: bigint
        column follow_ups.kind: text not null
        column follow_ups.operation_id: uuid not null
        column follow_ups.order_id: uuid not null
        column follow_ups.order_number: text
        column follow_ups.partition: integer not null
        column follow_ups.payment_id: uuid not null
        column follow_ups.reason: text
        column follow_ups.serial: text
        column follow_ups.settlement_date: text
        column follow_ups.status: text not null
        column follow_ups.target: text
        column follow_ups.transaction_time: timestamp with time zone
        column follow_ups.transition: bigint not null
        column follow_ups.voided_by: uuid
        column fulfilments.carrier: text
        column fulfilments.fulfilment_id: uuid not null
        column fulfilments.order_id: uuid not null
        column fulfilments.partition: integer not null
        column fulfilments.reported_at: timestamp with time zone not null
        column fulfilments.status: text not null
        column fulfilments.tracking_number: text
        column fulfilments.tracking_url: text
        column idempotency_keys.created_at: timestamp with time zone not null
        column idempotency_keys.key: text not null
        column idempotency_keys.merchant_id: uuid not null
        column idempotency_keys.order_id: uuid not null
        column idempotency_keys.partitions: integer not null
        column idempotency_keys.slot: integer not null
        column inbox_losses.end_offset: bigint not null
        column inbox_losses.first_offset: bigint not null
        column inbox_losses.found_at: timestamp with time zone not null default clock_timestamp()
        column inbox_losses.partition: integer not null
        column inbox_losses.topic: text not null
        column inbox_recoveries.former_server: text
        column inbox_recoveries.mark: bigint not null
        column inbox_recoveries.next_offset: bigint not null
        column inbox_recoveries.partition: integer not null
        column inbox_recoveries.recovered_at: timestamp with time zone not null default clock_timestamp()
        column inbox_recoveries.server: text not null
        column inbox_recoveries.topic: text not null
        column inbox_watermarks.cluster_id: text not null
        column inbox_watermarks.count: bigint not null default 0
        column inbox_watermarks.last_digest: bytea
        column inbox_watermarks.last_offset: bigint
        column inbox_watermarks.mark: bigint not null default 0
        column inbox_watermarks.next_offset: bigint not null
        column inbox_watermarks.objects: text not null
        column inbox_watermarks.partition: integer not null
        column inbox_watermarks.refusal: text
        column inbox_watermarks.system_identifier: bigint not null
        column inbox_watermarks.timeline: text not null
        column inbox_watermarks.topic: text not null
        column inbox_watermarks.updated_at: timestamp with time zone not null default clock_timestamp()
        column offered_orders.created_at: timestamp with time zone not null
        column offered_orders.expiry_due: timestamp with time zone
        column offered_orders.merchant_id: uuid not null
        column offered_orders.order_id: uuid not null
        column offered_orders.partition: integer not null
        column offered_orders.partitions: integer not null
        column offered_orders.reference: text
        column offered_orders.request: bytea not null
        column offered_orders.request_digest: bytea not null
        column offered_orders.revision: bigint not null
        column offers.card_type: text
        column offers.coupon: bigint
        column offers.created_at: timestamp with time zone not null
        column offers.order_id: uuid not null
        column offers.partition: integer not null
        column offers.region: text
        column offers.revision: bigint not null
        column offers.shipping_method: text
        column offers.total: bigint not null
        column order_offers.discount: bigint not null
        column order_offers.lines_digest: bytea not null
        column order_offers.order_id: uuid not null
        column order_offers.partition: integer not null
        column order_offers.revision: bigint not null
        column order_offers.shipping: bigint not null
        column order_offers.shipping_method: text
        column order_offers.subtotal: bigint not null
        column order_offers.tax: bigint not null
        column order_offers.total: bigint not null
        column order_overview.account: text
        column order_overview.acquirer: text
        column order_overview.changed_at: timestamp with time zone
        column order_overview.close_reason: text
        column order_overview.code: text
        column order_overview.currency: text
        column order_overview.last_four: text
        column order_overview.merchant_id: uuid
        column order_overview.network: text
        column order_overview.opened_at: timestamp with time zone
        column order_overview.order_id: uuid
        column order_overview.order_number: text
        column order_overview.partition: integer
        column order_overview.payment_amount: numeric
        column order_overview.payment_id: uuid
        column order_overview.payment_status: text
        column order_overview.payments: bigint
        column order_overview.reason: text
        column order_overview.revision: bigint
        column order_overview.settlement_date: text
        column order_overview.status: text
        column order_overview.total: numeric
        column order_overview.transaction_time: timestamp with time zone
        column orders.close_reason: text
        column orders.closing_command: uuid
        column orders.currency: text not null
        column orders.final_revision: bigint
        column orders.merchant_id: uuid not null
        column orders.order_id: uuid not null
        column orders.paid_payment: uuid
        column orders.partition: integer not null
        column orders.partitions: integer not null
        column orders.status: text not null
        column orders.unallocated_payment: uuid
        column outbox.created_at: timestamp with time zone not null default clock_timestamp()
        column outbox.event_id: text not null
        column outbox.headers: text not null
        column outbox.key: bytea not null
        column outbox.partition: integer not null
        column outbox.position: bigint not null identity a
        column outbox.topic: text not null
        column outbox.value: bytea not null
        column outbox_batches.event_ids: text[] not null
        column outbox_batches.first_sequence: bigint not null
        column outbox_batches.numbered_by: xid8 not null default pg_current_xact_id()
        column outbox_batches.partition: integer not null
        column outbox_batches.topic: text not null
        column outbox_position_seq.is_called: boolean not null
        column outbox_position_seq.last_value: bigint not null
        column outbox_position_seq.log_cnt: bigint not null
        column outbox_streams.last_offset: bigint
        column outbox_streams.last_sequence: bigint not null
        column outbox_streams.partition: integer not null
        column outbox_streams.topic: text not null
        column parked_facts.offset: bigint not null
        column parked_facts.order_id: uuid not null
        column parked_facts.partition: integer not null
        column payments.account: text
        column payments.acquirer: text
        column payments.amount: bigint not null
        column payments.code: text
        column payments.currency: text not null
        column payments.expires_at: timestamp with time zone
        column payments.last_four: text
        column payments.network: text
        column payments.order_id: uuid not null
        column payments.order_number: text
        column payments.partition: integer not null
        column payments.payment_data: text
        column payments.payment_id: uuid not null
        column payments.reason: text
        column payments.revision: bigint not null
        column payments.serial: text
        column payments.settlement_date: text
        column payments.status: text not null
        column payments.transaction_time: timestamp with time zone
        column payments.transition: bigint not null
        column refused_commands.command_id: uuid not null
        column refused_commands.command_type: text not null
        column refused_commands.order_id: uuid not null
        column refused_commands.partition: integer not null
        column refused_commands.reason: text not null
        column schema_migrations.additive: boolean not null default false
        column schema_migrations.applied_at: timestamp with time zone not null default clock_timestamp()
        column schema_migrations.checksum: bytea not null
        column schema_migrations.name: text not null
        column schema_migrations.number: integer not null
        column settlement_days.account: text not null
        column settlement_days.acquirer: text not null
        column settlement_days.checked_at: timestamp with time zone not null
        column settlement_days.merchant_id: uuid not null
        column settlement_days.oldest_at: timestamp with time zone
        column settlement_days.open_differences: bigint not null
        column settlement_days.report: bytea not null
        column settlement_days.settlement_date: text not null
        column settlement_days.status: text not null
        column settlement_facts.account: text not null
        column settlement_facts.acquirer: text not null
        column settlement_facts.kind: text not null
        column settlement_facts.merchant_id: uuid not null
        column settlement_facts.offset: bigint not null
        column settlement_facts.order_id: uuid not null
        column settlement_facts.owed: bigint
        column settlement_facts.partition: integer not null
        column settlement_facts.settlement_date: text not null
        column webhook_endpoints.endpoint: text not null
        column webhook_endpoints.failing_since: timestamp with time zone
        column webhook_endpoints.failures: integer not null default 0
        column webhook_endpoints.merchant_id: uuid not null
        column webhook_endpoints.paused_until: timestamp with time zone
        column webhook_endpoints.reason: text
        column webhook_endpoints.seen_at: timestamp with time zone not null
        column webhook_messages.body: text not null
        column webhook_messages.due_at: timestamp with time zone
        column webhook_messages.ended_at: timestamp with time zone
        column webhook_messages.endpoint: text not null
        column webhook_messages.event: text not null
        column webhook_messages.failures: integer not null default 0
        column webhook_messages.lease: bigint not null default 0
        column webhook_messages.line: smallint not null
        column webhook_messages.merchant_id: uuid not null
        column webhook_messages.message_id: uuid not null
        column webhook_messages.offset: bigint not null
        column webhook_messages.order_id: uuid not null
        column webhook_messages.partition: integer not null
        column webhook_messages.reason: text
        column webhook_messages.state: text not null default 'waiting'::text
        column webhook_messages.tried_from: timestamp with time zone not null
        column webhook_starts.first_offset: bigint not null
        column webhook_starts.partition: integer not null
        """#
}
