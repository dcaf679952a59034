// swift-format-ignore-file: long lines
/// What the migrations make of an empty database: all but the columns, written by `Tests/record schema`: never edit it by hand.
enum LedgerCatalogue {
    static let text = #"""
        constraint attempt_places_next_offset_check on attempt_places: CHECK ((next_offset >= 0))
        constraint attempt_places_pkey on attempt_places: PRIMARY KEY (partition)
        constraint attempts_pkey on attempts: PRIMARY KEY (partition, order_id, attempt_id)
        constraint attempts_reason_check on attempts: CHECK ((reason ~ '^[A-Za-z]{1,64}$'::text))
        constraint attempts_stage_check on attempts: CHECK ((stage ~ '^[A-Za-z]{1,64}$'::text))
        constraint chain_heads_duplicates_check on chain_heads: CHECK ((duplicates >= 0))
        constraint chain_heads_head_check on chain_heads: CHECK ((length(head) = 32))
        constraint chain_heads_pkey on chain_heads: PRIMARY KEY (partition)
        constraint chain_heads_rows_check on chain_heads: CHECK ((rows >= 0))
        constraint commands_pkey on commands: PRIMARY KEY (partition, order_id, command_id)
        constraint contact_erasures_pkey on contact_erasures: PRIMARY KEY (partition, order_id)
        constraint contact_places_next_offset_check on contact_places: CHECK ((next_offset >= 0))
        constraint contact_places_pkey on contact_places: PRIMARY KEY (partition)
        constraint contacts_check on contacts: CHECK (((contact IS NULL) <> (sealed IS NULL)))
        constraint contacts_pkey on contacts: PRIMARY KEY (partition, order_id, payment_id)
        constraint entries_amount_check on entries: CHECK ((amount <> 0))
        constraint entries_pkey on entries: PRIMARY KEY (partition, "offset", entry, line)
        constraint facts_disposition_check on facts: CHECK ((disposition = ANY (ARRAY['applied'::text, 'parked'::text, 'refused'::text, 'unreadable'::text])))
        constraint facts_hash_check on facts: CHECK ((length(hash) = 32))
        constraint facts_pkey on facts: PRIMARY KEY (partition, "offset")
        constraint facts_record on facts: CHECK ( CASE WHEN (record IS NULL) THEN ((headers IS NOT NULL) AND (value IS NOT NULL)) ELSE ((key IS NULL) AND (headers IS NULL) AND (value IS NULL)) END) NOT VALID not validated
        constraint faults_pkey on faults: PRIMARY KEY (partition, "offset", fault)
        constraint final_offers_pkey on final_offers: PRIMARY KEY (partition, order_id)
        constraint follow_ups_pkey on follow_ups: PRIMARY KEY (partition, order_id, operation_id)
        constraint fulfilments_pkey on fulfilments: PRIMARY KEY (partition, order_id, fulfilment_id)
        constraint fulfilments_status_check on fulfilments: CHECK ((status = ANY (ARRAY['shipped'::text, 'readyForPickup'::text, 'served'::text])))
        constraint idempotency_keys_partitions_check on idempotency_keys: CHECK ((partitions > 0))
        constraint idempotency_keys_pkey on idempotency_keys: PRIMARY KEY (slot, merchant_id, key)
        constraint idempotency_keys_slot_check on idempotency_keys: CHECK (((slot >= 0) AND (slot <= 1023)))
        constraint inbox_losses_check on inbox_losses: CHECK ((end_offset > first_offset))
        constraint inbox_losses_pkey on inbox_losses: PRIMARY KEY (topic, partition, first_offset)
        constraint inbox_recoveries_pkey on inbox_recoveries: PRIMARY KEY (topic, partition, recovered_at)
        constraint inbox_watermarks_check on inbox_watermarks: CHECK (((last_digest IS NULL) = (last_offset IS NULL)))
        constraint inbox_watermarks_next_offset_check on inbox_watermarks: CHECK ((next_offset >= 0))
        constraint inbox_watermarks_partition_check on inbox_watermarks: CHECK ((partition >= 0))
        constraint inbox_watermarks_pkey on inbox_watermarks: PRIMARY KEY (topic, partition)
        constraint offered_orders_pkey on offered_orders: PRIMARY KEY (partition, order_id)
        constraint offers_pkey on offers: PRIMARY KEY (partition, order_id, revision)
        constraint order_offers_pkey on order_offers: PRIMARY KEY (partition, order_id, revision)
        constraint orders_pkey on orders: PRIMARY KEY (partition, order_id)
        constraint orders_status_check on orders: CHECK ((status = ANY (ARRAY['open'::text, 'authorised'::text, 'paid'::text, 'voided'::text, 'cancelled'::text, 'expired'::text, 'review'::text]))) NOT VALID not validated
        constraint outbox_batches_event_ids_check on outbox_batches: CHECK ((cardinality(event_ids) > 0))
        constraint outbox_batches_first_sequence_check on outbox_batches: CHECK ((first_sequence > 0))
        constraint outbox_batches_pkey on outbox_batches: PRIMARY KEY (partition, topic)
        constraint outbox_partition_check on outbox: CHECK ((partition >= 0))
        constraint outbox_pkey on outbox: PRIMARY KEY (partition, event_id)
        constraint outbox_streams_last_sequence_check on outbox_streams: CHECK ((last_sequence > 0))
        constraint outbox_streams_pkey on outbox_streams: PRIMARY KEY (partition, topic)
        constraint parked_facts_pkey on parked_facts: PRIMARY KEY (partition, "offset")
        constraint payments_pkey on payments: PRIMARY KEY (partition, order_id, payment_id)
        constraint refused_commands_pkey on refused_commands: PRIMARY KEY (partition, order_id, command_id)
        constraint schema_migrations_pkey on schema_migrations: PRIMARY KEY (number)
        constraint settlement_days_pkey on settlement_days: PRIMARY KEY (merchant_id, acquirer, account, settlement_date)
        constraint settlement_days_status_check on settlement_days: CHECK ((status = ANY (ARRAY['reconciled'::text, 'differs'::text, 'waiting'::text])))
        constraint settlement_facts_kind_check on settlement_facts: CHECK ((kind = ANY (ARRAY['file'::text, 'row'::text, 'dispute'::text, 'explanation'::text, 'payOut'::text])))
        constraint settlement_facts_pkey on settlement_facts: PRIMARY KEY (partition, "offset")
        constraint webhook_endpoints_check on webhook_endpoints: CHECK ((((failing_since IS NULL) = (failures = 0)) AND ((paused_until IS NULL) = (failures = 0))))
        constraint webhook_endpoints_pkey on webhook_endpoints: PRIMARY KEY (merchant_id, endpoint)
        constraint webhook_messages_check on webhook_messages: CHECK (((due_at IS NULL) OR (state = 'waiting'::text)))
        constraint webhook_messages_check1 on webhook_messages: CHECK (((ended_at IS NULL) = (state = 'waiting'::text)))
        constraint webhook_messages_pkey on webhook_messages: PRIMARY KEY (partition, order_id, endpoint, message_id)
        constraint webhook_messages_state_check on webhook_messages: CHECK ((state = ANY (ARRAY['waiting'::text, 'delivered'::text, 'parked'::text])))
        constraint webhook_starts_pkey on webhook_starts: PRIMARY KEY (partition)
        definition of view follow_up_overview: SELECT partition, order_id, payment_id, operation_id, kind, target, status, reason, decimal_amount(amount, currency) AS amount, currency, decimal_amount((booked_subtotal - booked_discount), currency) AS goods, decimal_amount(booked_shipping, currency) AS shipping, decimal_amount(booked_tax, currency) AS tax, command_id, voided_by, acquirer, account, order_number, transaction_time, code, serial, settlement_date FROM follow_ups f;
        definition of view order_overview: SELECT partition, order_id, merchant_id, status, close_reason, opened_at, changed_at, revision, decimal_amount(total, currency) AS total, currency, payments, payment_id, status AS payment_status, reason, decimal_amount(amount, currency) AS payment_amount, network, last_four, acquirer, account, order_number, transaction_time, code, settlement_date FROM (((orders o CROSS JOIN LATERAL ( SELECT ( SELECT min(occurred_at) AS min FROM facts a WHERE ((partition = partition) AND (order_id = order_id) AND (disposition = ANY (ARRAY['applied'::text, 'parked'::text])))) AS opened_at, ( SELECT max(occurred_at) AS max FROM facts a WHERE ((partition = partition) AND (order_id = order_id) AND (disposition = ANY (ARRAY['applied'::text, 'parked'::text])))) AS changed_at, ( SELECT count(*) AS count FROM payments a WHERE ((partition = partition) AND (order_id = order_id))) AS payments) t) LEFT JOIN LATERAL ( SELECT revision, total FROM order_offers a WHERE ((partition = partition) AND (order_id = order_id)) ORDER BY revision DESC LIMIT 1) f ON (true)) LEFT JOIN LATERAL ( SELECT partition, order_id, payment_id, status, transition, revision, currency, amount, network, last_four, payment_data, reason, acquirer, account, order_number, transaction_time, code, serial, settlement_date FROM payments a WHERE ((partition = partition) AND (order_id = order_id)) ORDER BY (payment_id = paid_payment) DESC NULLS LAST, transaction_time DESC NULLS LAST, payment_id LIMIT 1) p ON (true));
        function decimal_amount(minor_units bigint, currency text): of the owner, returns numeric, sql, i, search_path=pg_catalog, pg_temp, source 9c9c52d990cfb4f5773f918280e2d1beea024eaf225e2d69804a2d57ad189fa8
        function expect_rows(written bigint, expected bigint): of the owner, returns void, plpgsql, v, search_path=pg_catalog, pg_temp, source 954fa70f387fc3db384e0a5652122f796b3bf1c4d35333cc048c1c41a85da27d
        function outbox_number(of_partition integer, of_topic text, at_most integer): of the owner, returns bigint, plpgsql, v, security definer, search_path=pg_catalog, pg_temp, source a49986c79974485d0158a740d7eb8aa1551658fa62451af3e238aa6edc1d7b4b
        function outbox_recover(of_partition integer, of_topic text, ids text[], last bigint, acknowledged bigint): of the owner, returns void, plpgsql, v, security definer, search_path=pg_catalog, pg_temp, source 06cf1bc01ca585d92bc94255eed02c4bc733d6ab60781f3558ea6fc1e21aea16
        function outbox_settle(of_partition integer, of_topic text, first bigint, acknowledged bigint): of the owner, returns integer, plpgsql, v, security definer, search_path=pg_catalog, pg_temp, source e45a3df8b62e2b05e29b7f4e2426e73a36e2526a2be1434c8ab5255f9282f3a6
        function outbox_streams_only_grow(): of the owner, returns trigger, plpgsql, v, search_path=pg_catalog, pg_temp, source f47c1edca422083ea2bfd3bd81d4d9aff0985650bf48876fbbc2bcd5ab429d2c
        function prune_attempts(): of the owner, returns integer, plpgsql, v, security definer, search_path=pg_catalog, pg_temp, source f23776de7dca33d42f05c9ff72f922cb4d4e1ad78bcea6d0641ef0893c80f0ba
        function refuse_change(): of the owner, returns trigger, plpgsql, v, search_path=pg_catalog, pg_temp, source 76b13842b40a2613834caa76aefd285c6d672d175f2b813c89f0c56bd2b617ba
        function refuse_unbalanced(): of the owner, returns trigger, plpgsql, v, search_path=pg_catalog, pg_temp, source 8e6c939720213d29dd51c0efc2a8b8c613ce329d1cc41339ff05b338d0102e2a
        index attempt_places_pkey on attempt_places: CREATE UNIQUE INDEX attempt_places_pkey ON ledger.attempt_places USING btree (partition)
        index attempts_pkey on attempts: CREATE UNIQUE INDEX attempts_pkey ON ledger.attempts USING btree (partition, order_id, attempt_id)
        index attempts_recorded on attempts: CREATE INDEX attempts_recorded ON ledger.attempts USING btree (recorded_at)
        index chain_heads_pkey on chain_heads: CREATE UNIQUE INDEX chain_heads_pkey ON ledger.chain_heads USING btree (partition)
        index commands_pkey on commands: CREATE UNIQUE INDEX commands_pkey ON ledger.commands USING btree (partition, order_id, command_id)
        index contact_erasures_pkey on contact_erasures: CREATE UNIQUE INDEX contact_erasures_pkey ON ledger.contact_erasures USING btree (partition, order_id)
        index contact_places_pkey on contact_places: CREATE UNIQUE INDEX contact_places_pkey ON ledger.contact_places USING btree (partition)
        index contacts_next_check on contacts: CREATE INDEX contacts_next_check ON ledger.contacts USING btree (next_check)
        index contacts_pkey on contacts: CREATE UNIQUE INDEX contacts_pkey ON ledger.contacts USING btree (partition, order_id, payment_id)
        index entries_pkey on entries: CREATE UNIQUE INDEX entries_pkey ON ledger.entries USING btree (partition, "offset", entry, line)
        index facts_event on facts: CREATE UNIQUE INDEX facts_event ON ledger.facts USING btree (partition, order_id, event_id) WHERE (disposition = ANY (ARRAY['applied'::text, 'parked'::text]))
        index facts_pkey on facts: CREATE UNIQUE INDEX facts_pkey ON ledger.facts USING btree (partition, "offset")
        index faults_pkey on faults: CREATE UNIQUE INDEX faults_pkey ON ledger.faults USING btree (partition, "offset", fault)
        index final_offers_pkey on final_offers: CREATE UNIQUE INDEX final_offers_pkey ON ledger.final_offers USING btree (partition, order_id)
        index follow_ups_pkey on follow_ups: CREATE UNIQUE INDEX follow_ups_pkey ON ledger.follow_ups USING btree (partition, order_id, operation_id)
        index follow_ups_settlement on follow_ups: CREATE INDEX follow_ups_settlement ON ledger.follow_ups USING btree (account, settlement_date, partition, order_id) WHERE (settlement_date IS NOT NULL)
        index follow_ups_without_date on follow_ups: CREATE INDEX follow_ups_without_date ON ledger.follow_ups USING btree (account, transaction_time, partition, order_id) WHERE ((settlement_date IS NULL) AND (status = 'succeeded'::text))
        index fulfilments_pkey on fulfilments: CREATE UNIQUE INDEX fulfilments_pkey ON ledger.fulfilments USING btree (partition, order_id, fulfilment_id)
        index idempotency_keys_pkey on idempotency_keys: CREATE UNIQUE INDEX idempotency_keys_pkey ON ledger.idempotency_keys USING btree (slot, merchant_id, key)
        index inbox_losses_pkey on inbox_losses: CREATE UNIQUE INDEX inbox_losses_pkey ON ledger.inbox_losses USING btree (topic, partition, first_offset)
        index inbox_recoveries_pkey on inbox_recoveries: CREATE UNIQUE INDEX inbox_recoveries_pkey ON ledger.inbox_recoveries USING btree (topic, partition, recovered_at)
        index inbox_watermarks_pkey on inbox_watermarks: CREATE UNIQUE INDEX inbox_watermarks_pkey ON ledger.inbox_watermarks USING btree (topic, partition)
        index offered_orders_expiry on offered_orders: CREATE INDEX offered_orders_expiry ON ledger.offered_orders USING btree (expiry_due) WHERE (expiry_due IS NOT NULL)
        index offered_orders_merchant on offered_orders: CREATE INDEX offered_orders_merchant ON ledger.offered_orders USING btree (merchant_id, created_at, order_id)
        index offered_orders_order on offered_orders: CREATE UNIQUE INDEX offered_orders_order ON ledger.offered_orders USING btree (order_id)
        index offered_orders_pkey on offered_orders: CREATE UNIQUE INDEX offered_orders_pkey ON ledger.offered_orders USING btree (partition, order_id)
        index offered_orders_reference on offered_orders: CREATE INDEX offered_orders_reference ON ledger.offered_orders USING btree (merchant_id, reference, created_at) WHERE (reference IS NOT NULL)
        index offers_pkey on offers: CREATE UNIQUE INDEX offers_pkey ON ledger.offers USING btree (partition, order_id, revision)
        index order_offers_pkey on order_offers: CREATE UNIQUE INDEX order_offers_pkey ON ledger.order_offers USING btree (partition, order_id, revision)
        index orders_pkey on orders: CREATE UNIQUE INDEX orders_pkey ON ledger.orders USING btree (partition, order_id)
        index outbox_batches_pkey on outbox_batches: CREATE UNIQUE INDEX outbox_batches_pkey ON ledger.outbox_batches USING btree (partition, topic)
        index outbox_pkey on outbox: CREATE UNIQUE INDEX outbox_pkey ON ledger.outbox USING btree (partition, event_id)
        index outbox_streams_pkey on outbox_streams: CREATE UNIQUE INDEX outbox_streams_pkey ON ledger.outbox_streams USING btree (partition, topic)
        index outbox_waiting on outbox: CREATE INDEX outbox_waiting ON ledger.outbox USING btree (partition, topic, "position")
        index parked_facts_order on parked_facts: CREATE INDEX parked_facts_order ON ledger.parked_facts USING btree (partition, order_id)
        index parked_facts_pkey on parked_facts: CREATE UNIQUE INDEX parked_facts_pkey ON ledger.parked_facts USING btree (partition, "offset")
        index payments_pkey on payments: CREATE UNIQUE INDEX payments_pkey ON ledger.payments USING btree (partition, order_id, payment_id)
        index payments_settlement on payments: CREATE INDEX payments_settlement ON ledger.payments USING btree (account, settlement_date, partition, order_id) WHERE (settlement_date IS NOT NULL)
        index payments_without_date on payments: CREATE INDEX payments_without_date ON ledger.payments USING btree (account, transaction_time, partition, order_id) WHERE ((settlement_date IS NULL) AND (status = ANY (ARRAY['succeeded'::text, 'lateSuccess'::text])))
        index refused_commands_pkey on refused_commands: CREATE UNIQUE INDEX refused_commands_pkey ON ledger.refused_commands USING btree (partition, order_id, command_id)
        index schema_migrations_pkey on schema_migrations: CREATE UNIQUE INDEX schema_migrations_pkey ON ledger.schema_migrations USING btree (number)
        index settlement_days_open on settlement_days: CREATE INDEX settlement_days_open ON ledger.settlement_days USING btree (merchant_id, acquirer, account, settlement_date) WHERE (status <> 'reconciled'::text)
        index settlement_days_pkey on settlement_days: CREATE UNIQUE INDEX settlement_days_pkey ON ledger.settlement_days USING btree (merchant_id, acquirer, account, settlement_date)
        index settlement_facts_day on settlement_facts: CREATE INDEX settlement_facts_day ON ledger.settlement_facts USING btree (merchant_id, acquirer, account, kind, settlement_date, partition, "offset") INCLUDE (owed)
        index settlement_facts_order on settlement_facts: CREATE INDEX settlement_facts_order ON ledger.settlement_facts USING btree (partition, order_id)
        index settlement_facts_pkey on settlement_facts: CREATE UNIQUE INDEX settlement_facts_pkey ON ledger.settlement_facts USING btree (partition, "offset")
        index webhook_endpoints_pkey on webhook_endpoints: CREATE UNIQUE INDEX webhook_endpoints_pkey ON ledger.webhook_endpoints USING btree (merchant_id, endpoint)
        index webhook_messages_due on webhook_messages: CREATE INDEX webhook_messages_due ON ledger.webhook_messages USING btree (merchant_id, endpoint, due_at) WHERE (due_at IS NOT NULL)
        index webhook_messages_ended on webhook_messages: CREATE INDEX webhook_messages_ended ON ledger.webhook_messages USING btree (ended_at) WHERE (ended_at IS NOT NULL)
        index webhook_messages_order on webhook_messages: CREATE INDEX webhook_messages_order ON ledger.webhook_messages USING btree (partition, order_id) WHERE (state = 'waiting'::text)
        index webhook_messages_parked on webhook_messages: CREATE INDEX webhook_messages_parked ON ledger.webhook_messages USING btree (ended_at) WHERE (state = 'parked'::text)
        index webhook_messages_parked_id on webhook_messages: CREATE INDEX webhook_messages_parked_id ON ledger.webhook_messages USING btree (message_id) WHERE (state = 'parked'::text)
        index webhook_messages_pkey on webhook_messages: CREATE UNIQUE INDEX webhook_messages_pkey ON ledger.webhook_messages USING btree (partition, order_id, endpoint, message_id)
        index webhook_messages_waiting on webhook_messages: CREATE INDEX webhook_messages_waiting ON ledger.webhook_messages USING btree (merchant_id, endpoint, tried_from) WHERE (state = 'waiting'::text)
        index webhook_starts_pkey on webhook_starts: CREATE UNIQUE INDEX webhook_starts_pkey ON ledger.webhook_starts USING btree (partition)
        rights of PUBLIC on decimal_amount(minor_units bigint, currency text): EXECUTE
        rights of PUBLIC on outbox_streams_only_grow(): EXECUTE
        rights of PUBLIC on refuse_change(): EXECUTE
        rights of PUBLIC on refuse_unbalanced(): EXECUTE
        rights of ledger_service on attempt_places: INSERT, SELECT
        rights of ledger_service on attempt_places.cluster_id: UPDATE
        rights of ledger_service on attempt_places.next_offset: UPDATE
        rights of ledger_service on attempts: INSERT, SELECT
        rights of ledger_service on chain_heads: INSERT, SELECT
        rights of ledger_service on chain_heads.duplicates: UPDATE
        rights of ledger_service on chain_heads.head: UPDATE
        rights of ledger_service on chain_heads.last_offset: UPDATE
        rights of ledger_service on chain_heads.rows: UPDATE
        rights of ledger_service on commands: INSERT, SELECT
        rights of ledger_service on contact_erasures: INSERT, SELECT
        rights of ledger_service on contact_places: INSERT, SELECT
        rights of ledger_service on contact_places.cluster_id: UPDATE
        rights of ledger_service on contact_places.next_offset: UPDATE
        rights of ledger_service on contacts: DELETE, INSERT, SELECT
        rights of ledger_service on contacts.contact: UPDATE
        rights of ledger_service on contacts.next_check: UPDATE
        rights of ledger_service on contacts.sealed: UPDATE
        rights of ledger_service on entries: INSERT, SELECT
        rights of ledger_service on expect_rows(written bigint, expected bigint): EXECUTE
        rights of ledger_service on facts: INSERT, SELECT
        rights of ledger_service on faults: INSERT, SELECT
        rights of ledger_service on final_offers: INSERT, SELECT
        rights of ledger_service on follow_ups: INSERT, SELECT
        rights of ledger_service on follow_ups.account: UPDATE
        rights of ledger_service on follow_ups.acquirer: UPDATE
        rights of ledger_service on follow_ups.booked_discount: UPDATE
        rights of ledger_service on follow_ups.booked_shipping: UPDATE
        rights of ledger_service on follow_ups.booked_subtotal: UPDATE
        rights of ledger_service on follow_ups.booked_tax: UPDATE
        rights of ledger_service on follow_ups.code: UPDATE
        rights of ledger_service on follow_ups.order_number: UPDATE
        rights of ledger_service on follow_ups.reason: UPDATE
        rights of ledger_service on follow_ups.serial: UPDATE
        rights of ledger_service on follow_ups.settlement_date: UPDATE
        rights of ledger_service on follow_ups.status: UPDATE
        rights of ledger_service on follow_ups.transaction_time: UPDATE
        rights of ledger_service on follow_ups.transition: UPDATE
        rights of ledger_service on follow_ups.voided_by: UPDATE
        rights of ledger_service on fulfilments: INSERT, SELECT
        rights of ledger_service on idempotency_keys: INSERT, SELECT
        rights of ledger_service on inbox_losses: INSERT, SELECT
        rights of ledger_service on inbox_recoveries: INSERT, SELECT
        rights of ledger_service on inbox_watermarks: INSERT, SELECT
        rights of ledger_service on inbox_watermarks.cluster_id: UPDATE
        rights of ledger_service on inbox_watermarks.count: UPDATE
        rights of ledger_service on inbox_watermarks.last_digest: UPDATE
        rights of ledger_service on inbox_watermarks.last_offset: UPDATE
        rights of ledger_service on inbox_watermarks.mark: UPDATE
        rights of ledger_service on inbox_watermarks.next_offset: UPDATE
        rights of ledger_service on inbox_watermarks.objects: UPDATE
        rights of ledger_service on inbox_watermarks.refusal: UPDATE
        rights of ledger_service on inbox_watermarks.system_identifier: UPDATE
        rights of ledger_service on inbox_watermarks.timeline: UPDATE
        rights of ledger_service on inbox_watermarks.updated_at: UPDATE
        rights of ledger_service on offered_orders: INSERT, SELECT
        rights of ledger_service on offered_orders.expiry_due: UPDATE
        rights of ledger_service on offered_orders.revision: UPDATE
        rights of ledger_service on offers: INSERT, SELECT
        rights of ledger_service on order_offers: INSERT, SELECT
        rights of ledger_service on orders: INSERT, SELECT
        rights of ledger_service on orders.close_reason: UPDATE
        rights of ledger_service on orders.closing_command: UPDATE
        rights of ledger_service on orders.final_revision: UPDATE
        rights of ledger_service on orders.paid_payment: UPDATE
        rights of ledger_service on orders.status: UPDATE
        rights of ledger_service on orders.unallocated_payment: UPDATE
        rights of ledger_service on outbox: INSERT, SELECT
        rights of ledger_service on outbox_batches: SELECT
        rights of ledger_service on outbox_number(of_partition integer, of_topic text, at_most inte: EXECUTE
        rights of ledger_service on outbox_recover(of_partition integer, of_topic text, ids text[],: EXECUTE
        rights of ledger_service on outbox_settle(of_partition integer, of_topic text, first bigint: EXECUTE
        rights of ledger_service on outbox_streams: SELECT
        rights of ledger_service on outbox_streams.last_offset: UPDATE
        rights of ledger_service on parked_facts: DELETE, INSERT, SELECT
        rights of ledger_service on payments: INSERT, SELECT
        rights of ledger_service on payments.account: UPDATE
        rights of ledger_service on payments.acquirer: UPDATE
        rights of ledger_service on payments.code: UPDATE
        rights of ledger_service on payments.expires_at: UPDATE
        rights of ledger_service on payments.last_four: UPDATE
        rights of ledger_service on payments.network: UPDATE
        rights of ledger_service on payments.order_number: UPDATE
        rights of ledger_service on payments.payment_data: UPDATE
        rights of ledger_service on payments.reason: UPDATE
        rights of ledger_service on payments.serial: UPDATE
        rights of ledger_service on payments.settlement_date: UPDATE
        rights of ledger_service on payments.status: UPDATE
        rights of ledger_service on payments.transaction_time: UPDATE
        rights of ledger_service on payments.transition: UPDATE
        rights of ledger_service on prune_attempts(): EXECUTE
        rights of ledger_service on refused_commands: INSERT, SELECT
        rights of ledger_service on schema_migrations: SELECT
        rights of ledger_service on settlement_days: INSERT, SELECT
        rights of ledger_service on settlement_days.checked_at: UPDATE
        rights of ledger_service on settlement_days.oldest_at: UPDATE
        rights of ledger_service on settlement_days.open_differences: UPDATE
        rights of ledger_service on settlement_days.report: UPDATE
        rights of ledger_service on settlement_days.status: UPDATE
        rights of ledger_service on settlement_facts: INSERT, SELECT
        rights of ledger_service on the schema: USAGE
        rights of ledger_service on webhook_endpoints: INSERT, SELECT
        rights of ledger_service on webhook_endpoints.failing_since: UPDATE
        rights of ledger_service on webhook_endpoints.failures: UPDATE
        rights of ledger_service on webhook_endpoints.paused_until: UPDATE
        rights of ledger_service on webhook_endpoints.reason: UPDATE
        rights of ledger_service on webhook_endpoints.seen_at: UPDATE
        rights of ledger_service on webhook_messages: DELETE, INSERT, SELECT
        rights of ledger_service on webhook_messages.due_at: UPDATE
        rights of ledger_service on webhook_messages.ended_at: UPDATE
        rights of ledger_service on webhook_messages.failures: UPDATE
        rights of ledger_service on webhook_messages.lease: UPDATE
        rights of ledger_service on webhook_messages.reason: UPDATE
        rights of ledger_service on webhook_messages.state: UPDATE
        rights of ledger_service on webhook_messages.tried_from: UPDATE
        rights of ledger_service on webhook_starts: INSERT, SELECT
        rights of ledger_service on webhook_starts.first_offset: UPDATE
        sequence outbox_position_seq: of the owner
        table attempt_places: of the owner, fillfactor=50
        table attempts: of the owner
        table chain_heads: of the owner, fillfactor=50
        table commands: of the owner
        table contact_erasures: of the owner
        table contact_places: of the owner, fillfactor=50
        table contacts: of the owner, fillfactor=90, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=50000
        table entries: of the owner
        table facts: of the owner
        table faults: of the owner
        table final_offers: of the owner
        table follow_ups: of the owner, fillfactor=70
        table fulfilments: of the owner
        table idempotency_keys: of the owner
        table inbox_losses: of the owner
        table inbox_recoveries: of the owner
        table inbox_watermarks: of the owner, fillfactor=50
        table offered_orders: of the owner, fillfactor=80, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=50000
        table offers: of the owner
        table order_offers: of the owner
        table orders: of the owner, fillfactor=70
        table outbox: of the owner, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=5000
        table outbox_batches: of the owner, fillfactor=50
        table outbox_streams: of the owner, fillfactor=50
        table parked_facts: of the owner
        table payments: of the owner, fillfactor=70
        table refused_commands: of the owner
        table schema_migrations: of the owner
        table settlement_days: of the owner, fillfactor=70
        table settlement_facts: of the owner
        table webhook_endpoints: of the owner, fillfactor=50
        table webhook_messages: of the owner, fillfactor=70, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=50000
        table webhook_starts: of the owner
        trigger entries_append_only on entries: always: CREATE TRIGGER entries_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON ledger.entries FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change()
        trigger entries_balance on entries: always: CREATE TRIGGER entries_balance AFTER INSERT ON ledger.entries REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_unbalanced()
        trigger facts_append_only on facts: always: CREATE TRIGGER facts_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON ledger.facts FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change()
        trigger faults_append_only on faults: always: CREATE TRIGGER faults_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON ledger.faults FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change()
        trigger outbox_streams_only_grow on outbox_streams: always: CREATE TRIGGER outbox_streams_only_grow BEFORE UPDATE ON ledger.outbox_streams FOR EACH ROW EXECUTE FUNCTION ledger.outbox_streams_only_grow()
        view follow_up_overview: of the owner
        view order_overview: of the owner
        """#
}
