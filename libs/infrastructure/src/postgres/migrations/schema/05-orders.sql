-- The fraud analysis counts recent orders with the same contact. Addresses are compared by hash: a long address can
-- exceed the size of an index entry, and a collision only raises a score.
CREATE FUNCTION comparable_phone(phone text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN nullif(regexp_replace(regexp_replace(phone, '[^0-9]', '', 'g'), '^00', ''), '');
COMMENT ON FUNCTION comparable_phone IS 'Digits only, without the international prefix 00; null without digits.';

CREATE FUNCTION phone_key(phone text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN reverse(comparable_phone(phone));
COMMENT ON FUNCTION phone_key IS 'The digits of comparable_phone from the end: numbers with and without prefix begin alike.';

CREATE FUNCTION comparable_address(address jsonb) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN hashtextextended(
    nullif(btrim(regexp_replace(lower(address ->> 'address'), '[[:space:][:punct:]]+', ' ', 'g')), '') || '|' ||
    coalesce(nullif(regexp_replace(lower(address ->> 'zip'), '[[:space:]-]+', '', 'g'), ''),
      btrim(lower(address ->> 'city')), ''),
    0);
COMMENT ON FUNCTION comparable_address IS 'Hash of street and zip, or else city, by letters and digits; null without a street.';

-- The tables that an order writes have domains instead of CHECKs: PostgreSQL parses the text of each CHECK for each
-- statement, but that of a domain once for each connection. A counted repetition, {1,64}, would take 8 µs, this takes
-- 0.6.
CREATE DOMAIN receipt_number AS text CHECK (VALUE ~ '^[A-Za-z0-9-]+$' AND length(VALUE) <= 64);
CREATE DOMAIN order_source AS text CHECK (VALUE = ANY ('{POS,WEBSITE}'));
CREATE DOMAIN payment_status AS text CHECK (VALUE = ANY ('{PENDING,SUCCEEDED,FAILED,REFUNDED,CANCELLED}'));
CREATE DOMAIN fulfillment_status AS text
  CHECK (VALUE = ANY ('{PENDING,CONFIRMED,PROCESSING,SHIPPED,DELIVERED,CANCELLED,RETURNED}'));
CREATE DOMAIN external_reference AS text CHECK (VALUE <> '' AND length(VALUE) <= 64);
CREATE DOMAIN positive_int AS int CHECK (VALUE > 0);
CREATE DOMAIN unit_count AS int CHECK (VALUE >= 0);
CREATE DOMAIN fraud_verdict AS text CHECK (VALUE = ANY ('{ACCEPT,REVIEW,REJECT}'));
CREATE DOMAIN stage_state AS text CHECK (VALUE = ANY ('{pending,held,done,dead}'));
CREATE DOMAIN mail_outcome AS text CHECK (VALUE = ANY ('{sent,undeliverable,failed,not_wanted}'));
CREATE DOMAIN refund_reason AS text CHECK (VALUE = ANY ('{goods,shipping,goodwill,chargeback,repayment}'));
CREATE DOMAIN booking_kind AS text
  CHECK (VALUE = ANY ('{lines,credit,payment,refund,chargeback,write_off,cancellation}'));
CREATE DOMAIN movement_kind AS text CHECK (VALUE = ANY ('{OPENING,ORDER,CANCELLATION,RETURN,ADJUSTMENT,SET,COUNT}'));

-- Amounts have no CHECK: imported history has credit notes, which are negative. The domain refuses a negative order.
CREATE TABLE orders (
  store_id int NOT NULL REFERENCES stores,
  id uuid NOT NULL,
  receipt_number receipt_number NOT NULL,
  source order_source NOT NULL,
  status payment_status NOT NULL, -- The payment status.
  fulfillment_status fulfillment_status NOT NULL,
  -- Why the order is under review: codes of rules, or manual. Null means that it is not under review.
  held_reasons text[],
  payment_method text NOT NULL,
  currency text NOT NULL,
  amount bigint NOT NULL, -- The sum of the lines, in minor units.
  -- The amount that the customer owes. The part that the other amounts do not explain is an adjustment.
  total_amount bigint NOT NULL,
  tax_amount bigint NOT NULL DEFAULT 0,
  shipping_amount bigint NOT NULL DEFAULT 0,
  discount_amount bigint NOT NULL DEFAULT 0,
  shipping_tax jsonb, -- The taxes on shipping, in the form of order_lines.tax.
  -- The taxes at placing, in the form of bookings.tax_lines. Null when lines and shipping still have them.
  placed_tax_lines jsonb,
  -- Whether the client that placed or changed the order gave its charges, so that the service never recomputes them.
  -- Null means no.
  charges_given boolean,
  tax_included boolean NOT NULL DEFAULT false, -- Whether line prices and shipping include their taxes.
  -- The credit for cancelled units: their share of the total, or everything except the fee.
  cancelled_amount bigint NOT NULL DEFAULT 0,
  cancellation_fee bigint, -- What stays owed for a cancelled order. Null means nothing.
  -- What is still to be paid; negative when money is to be paid back. Each writer of money or a status sets it.
  balance bigint NOT NULL DEFAULT 0,
  -- The sum of the quantities of the lines. Like the amounts, every writer of lines maintains it.
  units bigint NOT NULL DEFAULT 0,
  customer_id uuid,
  customer_name text NOT NULL,
  customer_email text NOT NULL DEFAULT '',
  customer_phone text NOT NULL DEFAULT '',
  shipping_address jsonb NOT NULL DEFAULT '{}',
  billing_address jsonb NOT NULL DEFAULT '{}',
  notes text NOT NULL DEFAULT '',
  metadata jsonb NOT NULL DEFAULT '{}', -- Custom fields of clients: texts by key.
  external_reference external_reference, -- The order's number in the client's own system. Unique per store and mode.
  is_test boolean NOT NULL DEFAULT false,
  -- Whether this service placed the order: its first two stages are then done, and have no rows.
  placed boolean NOT NULL DEFAULT false,
  placed_by uuid, -- The API key, or the person, that placed the order.
  email_key text COLLATE "C" NOT NULL, -- email_key, phone_key and comparable_address of the contact.
  phone_key text COLLATE "C",
  address_key bigint,
  search_text text NOT NULL, -- The text of order_text and parts_text.
  created_at timestamptz(3) NOT NULL,
  imported_at timestamptz(3), -- Null when the order was placed here.
  due_at timestamptz(3), -- created_at plus the days of its payment terms, of 24 hours each. Null without terms.
  PRIMARY KEY (store_id, id),
  FOREIGN KEY (store_id, customer_id) REFERENCES customers ON DELETE SET NULL (customer_id)
);
COMMENT ON TABLE orders IS 'Orders, with the customer''s contact as it was when the order was placed.';
-- Receipt numbers are unique in a store, in any letter case.
CREATE UNIQUE INDEX orders_by_receipt ON orders (store_id, upper(receipt_number));
-- The filter of the order list uses it, too. Orders without a reference have null instead of '': `= $1` then implies
-- the condition of the index in a generic plan.
-- @protects unique-reference
CREATE UNIQUE INDEX orders_by_external_reference ON orders (store_id, external_reference, is_test)
  WHERE external_reference IS NOT NULL;
-- These indexes serve the order list, newest first, one for every combination of its filters: two filters that match
-- many orders each may match few together, and an index on one of them would then lead through most of the store.
CREATE INDEX orders_newest ON orders (store_id, created_at DESC, id DESC);
CREATE INDEX orders_by_status ON orders (store_id, status, created_at DESC, id DESC);
CREATE INDEX orders_by_fulfillment ON orders (store_id, fulfillment_status, created_at DESC, id DESC);
CREATE INDEX orders_by_source ON orders (store_id, source, created_at DESC, id DESC);
CREATE INDEX orders_by_source_status ON orders (store_id, source, status, created_at DESC, id DESC);
CREATE INDEX orders_by_source_fulfillment ON orders (store_id, source, fulfillment_status, created_at DESC, id DESC);
CREATE INDEX orders_by_statuses ON orders (store_id, status, fulfillment_status, created_at DESC, id DESC);
CREATE INDEX orders_by_all_labels ON orders (store_id, source, status, fulfillment_status, created_at DESC, id DESC);
-- Test orders are few, and live orders write nothing here. Lists of live orders read the indexes of all orders.
CREATE INDEX orders_test ON orders (store_id, created_at DESC, id DESC) WHERE is_test;
-- Finds orders with an open amount.
CREATE INDEX orders_open ON orders (store_id, created_at DESC, id DESC) WHERE balance > 0;
-- Finds overdue orders. The columns after the time are all that is needed to count and sort them.
CREATE INDEX orders_open_by_due_time ON orders (store_id, due_at, created_at, id) WHERE balance > 0 AND due_at IS NOT NULL;
-- Finds the few orders whose customers must get money back.
CREATE INDEX orders_refund_due ON orders (store_id, created_at DESC, id DESC) WHERE balance < 0;
-- These indexes find the few orders under review: those of one store for its order list, and those of all stores by
-- their reasons, also without imported orders. An id begins with the time.
CREATE INDEX orders_held ON orders (store_id, created_at DESC, id DESC) WHERE held_reasons IS NOT NULL;
CREATE INDEX orders_held_by_reasons ON orders (held_reasons, id, store_id) WHERE held_reasons IS NOT NULL;
CREATE INDEX orders_placed_held_by_reasons ON orders (held_reasons) WHERE held_reasons IS NOT NULL AND placed;
CREATE INDEX orders_by_customer ON orders (store_id, customer_id) WHERE customer_id IS NOT NULL;
-- The filter by metadata uses it. Keys are under the id of the store, so a look-up reads no entry of other stores.
-- Orders without metadata write nothing here.
CREATE INDEX orders_by_metadata ON orders
  USING gin (jsonb_set(jsonb_object(ARRAY[store_id::text, '']), ARRAY[store_id::text], metadata) jsonb_path_ops)
  WITH (gin_pending_list_limit = 64) WHERE metadata <> '{}';
-- A search also reads the index's list of pending entries, whose size this limits (in kB): 1 ms when it is full.
CREATE INDEX orders_search ON orders USING gin (store_id, search_text gin_trgm_ops) WITH (gin_pending_list_limit = 2048);
-- Searches for an e-mail (search-terms.ts) and the fraud analysis use these. The second index has what the first does
-- not represent: unusual e-mails, and other texts with an @.
CREATE INDEX orders_by_email ON orders (store_id, email_key, created_at) WHERE customer_email <> '';
CREATE INDEX orders_by_odd_email ON orders (store_id, created_at)
  WHERE customer_email ~ '[^!-~]|@.*@' OR search_text LIKE '%' || chr(9001) || '%@%';
-- The fraud analysis uses these to find recent website orders with the same phone or address (measurements in
-- docs/decisions/0010). The search for a phone uses the two by phone.
CREATE INDEX orders_by_phone ON orders (store_id, phone_key, created_at)
  WHERE source = 'WEBSITE' AND phone_key IS NOT NULL;
CREATE INDEX orders_by_phone_pos ON orders (store_id, phone_key, created_at)
  WHERE source = 'POS' AND phone_key IS NOT NULL;
CREATE INDEX orders_by_address ON orders (store_id, address_key, created_at)
  WHERE source = 'WEBSITE' AND address_key IS NOT NULL;

-- These are columns, because index expressions and generated columns are planned again for each INSERT. The statement
-- that places an order fills them, with a plan that its connection keeps; for any other writer, a trigger does. Most
-- orders are billed to their shipping address.
CREATE FUNCTION address_text(shipping jsonb, billing jsonb) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce(chr(9001) || normalize(shipping ->> 'company'), '') || coalesce(chr(9001) || normalize(shipping ->> 'vat_id'), '')
  || coalesce(chr(9001) || normalize(shipping ->> 'address'), '')
  || coalesce(chr(9001) || normalize(nullif(billing ->> 'company', shipping ->> 'company')), '')
  || coalesce(chr(9001) || normalize(nullif(billing ->> 'vat_id', shipping ->> 'vat_id')), '')
  || coalesce(chr(9001) || normalize(nullif(billing ->> 'address', shipping ->> 'address')), '');
COMMENT ON FUNCTION address_text IS 'Companies, VAT numbers and streets of two addresses; empty without any.';

CREATE FUNCTION order_text(email text, receipt_number text, customer_name text, external_reference text, shipping jsonb,
  billing jsonb) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN lower(normalize(email) || chr(9001) || receipt_number || chr(9001) || normalize(customer_name)
  || coalesce(chr(9001) || normalize(external_reference), '') || address_text(shipping, billing));
COMMENT ON FUNCTION order_text IS 'What searches compare of an order, apart from its shipments and payments.';

CREATE FUNCTION parts_text(of_store int, of_order uuid) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN coalesce((
    SELECT string_agg(chr(9001) || lower(normalize(text)), '' ORDER BY kind, number) FROM (
      SELECT 1 AS kind, number, tracking_number AS text FROM shipments
      WHERE store_id = of_store AND order_id = of_order AND tracking_number <> ''
      UNION ALL
      SELECT 2, number, reference FROM payments WHERE store_id = of_store AND order_id = of_order
    ) AS part), '');
END $$;
COMMENT ON FUNCTION parts_text IS 'Tracking numbers of an order, and references of its payments.';

CREATE FUNCTION search_text_of(item orders) RETURNS text LANGUAGE sql STABLE
RETURN order_text(item.customer_email, item.receipt_number, item.customer_name, item.external_reference,
    item.shipping_address, item.billing_address)
  || parts_text(item.store_id, item.id);

CREATE FUNCTION key_the_order() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.email_key := email_key(NEW.customer_email);
  NEW.phone_key := phone_key(NEW.customer_phone);
  NEW.address_key := comparable_address(NEW.shipping_address);
  NEW.search_text := search_text_of(NEW);
  RETURN NEW;
END $$;
CREATE TRIGGER orders_have_keys BEFORE INSERT ON orders
  FOR EACH ROW WHEN (NEW.email_key IS NULL) EXECUTE FUNCTION key_the_order();
CREATE TRIGGER orders_keep_their_keys BEFORE UPDATE
  OF receipt_number, customer_name, customer_email, customer_phone, shipping_address, billing_address, external_reference ON orders
  FOR EACH ROW EXECUTE FUNCTION key_the_order();

-- Lines have no foreign key to the catalog: they are snapshots and outlive the product.
CREATE TABLE order_lines (
  store_id int NOT NULL,
  order_id uuid NOT NULL,
  position int NOT NULL,
  product_id int,
  variant_id int,
  sku text NOT NULL DEFAULT '',
  name text NOT NULL,
  attributes jsonb NOT NULL DEFAULT '{}',
  attribute_names text[] NOT NULL DEFAULT '{}', -- Names of the attributes in sequence, which jsonb does not keep.
  unit_price bigint NOT NULL,
  quantity unit_count NOT NULL, -- 0 when the line is cancelled.
  line_total bigint NOT NULL,
  metadata jsonb NOT NULL DEFAULT '{}', -- Custom fields, as in orders.
  tax jsonb, -- A list [{name, rate, amount}] with the rate in percent. Null means no tax.
  discount_amount bigint, -- Null means no discount.
  -- The price list that gave the price. Null means the catalog, an import or the client.
  price_source text,
  PRIMARY KEY (store_id, order_id, position),
  FOREIGN KEY (store_id, order_id) REFERENCES orders ON DELETE CASCADE
);
COMMENT ON TABLE order_lines IS 'Lines of an order: snapshots of what was sold, and for how much.';

-- There is no foreign key to orders: a rejected order has an assessment and no row in orders.
CREATE TABLE fraud_assessments (
  store_id int NOT NULL REFERENCES stores,
  order_id uuid NOT NULL,
  verdict fraud_verdict NOT NULL,
  score int NOT NULL,
  reasons jsonb NOT NULL DEFAULT '[]',
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (store_id, order_id)
);
COMMENT ON TABLE fraud_assessments IS 'Verdict of the fraud analysis on an order, with its reasons.';
-- Retention deletes the oldest assessments of rejected orders.
CREATE INDEX fraud_assessments_rejected ON fraud_assessments (created_at) WHERE verdict = 'REJECT';

-- This table is also the queue: workers claim due stages by locking them. Free space in each page keeps a claim in the
-- page of its row.
CREATE TABLE order_stages (
  store_id int NOT NULL,
  order_id uuid NOT NULL,
  stage text NOT NULL,
  reference text NOT NULL DEFAULT '', -- The shipment or refund that the stage is about.
  state stage_state NOT NULL,
  run_at timestamptz(3) NOT NULL DEFAULT now(), -- The time at which a pending stage is due.
  locked_until timestamptz(3), -- The time until which a worker holds the stage. It identifies the claim.
  attempts int NOT NULL DEFAULT 0,
  notified text[] NOT NULL DEFAULT '{}', -- Channels that have sent the message. Empty while mail is the only channel.
  -- The class of the last failure, but not its text, which may contain personal data.
  last_error text NOT NULL DEFAULT '',
  outcome mail_outcome, -- How the mail ended. Null while it waits.
  -- Whether a failed mail is not a dead letter: an operator dismissed it, or it was imported.
  dismissed boolean NOT NULL DEFAULT false,
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (store_id, order_id, stage, reference),
  FOREIGN KEY (store_id, order_id) REFERENCES orders ON DELETE CASCADE
) WITH (fillfactor = 70);
COMMENT ON TABLE order_stages IS 'Stages of an order''s pipeline and their state.';
-- Workers claim the longest due stage first; its age is the pipeline's lag. The lock is not indexed, because a claim
-- changes it.
CREATE INDEX order_stages_due ON order_stages (run_at) WHERE state = 'pending';
-- With a backlog, workers claim from each store in turn. BETWEEN keeps the planner from choosing the wrong one of the
-- two indexes.
CREATE INDEX order_stages_due_by_store ON order_stages (store_id, run_at) WHERE state BETWEEN 'pending' AND 'pending';
-- Finds dead letters of the last day.
CREATE INDEX order_stages_failed ON order_stages (updated_at) WHERE outcome = 'failed' AND NOT dismissed;
-- Finds failed mails of one store.
CREATE INDEX order_stages_failed_by_store ON order_stages (store_id) WHERE outcome = 'failed' AND NOT dismissed;

CREATE TABLE idempotency_keys (
  store_id int NOT NULL REFERENCES stores,
  mode text NOT NULL CHECK (mode = ANY ('{live,test}')),
  key text NOT NULL, -- The key as sent; after an erasure of the person, chr(1) and the SHA-256 of the key.
  kind text NOT NULL CHECK (kind = ANY ('{order,change,stock,prices,webhook}')),
  -- A version and the SHA-256 of the request; after an erasure of the person, the first two bytes.
  request_hash bytea NOT NULL,
  record json, -- What the answer shows. Null for a change after an erasure of its person.
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  order_id uuid, -- The order that the first request placed or changed; null for all other kinds.
  PRIMARY KEY (store_id, mode, key)
);
COMMENT ON TABLE idempotency_keys IS 'Idempotency keys of writes, until they expire.';
-- Retention deletes the oldest keys.
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);

-- This table is append-only and complete: a change of an order without its event does not commit. Placing and import
-- write no event.
CREATE TABLE order_events (
  store_id int NOT NULL,
  order_id uuid NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  actor_type text NOT NULL CHECK (actor_type IN ('key', 'person', 'operator', 'pipeline', 'system')),
  actor_id text NOT NULL DEFAULT '',
  -- The name, at that time, of the key or the person, or of the account that ran the command.
  actor_name text NOT NULL DEFAULT '',
  event text NOT NULL,
  field text CHECK (field IN ('status', 'fulfillment_status')),
  from_value text,
  to_value text,
  reference text NOT NULL DEFAULT '', -- The shipment, payment or refund that the event is about, or follows from.
  -- Contains no personal data except in reason and metadata, which an erasure of the person removes.
  details jsonb NOT NULL DEFAULT '{}',
  transaction xid8 NOT NULL DEFAULT pg_current_xact_id(), -- The transaction that wrote the event.
  PRIMARY KEY (store_id, order_id, id),
  FOREIGN KEY (store_id, order_id) REFERENCES orders,
  CHECK ((event = 'status_changed') = (num_nulls(field, from_value, to_value) = 0)),
  CHECK (num_nulls(field, from_value, to_value) IN (0, 3))
);
COMMENT ON TABLE order_events IS 'History of orders after the placing, in the order of id.';
-- Finds what happened to orders after a position of the feed, and to an order in a transaction that changes many.
CREATE INDEX order_events_by_transaction ON order_events (store_id, transaction, order_id);
-- Finds the first and the newest status of an order quickly, however many other events it has.
CREATE INDEX order_events_of_status ON order_events (store_id, order_id, field, id) WHERE field IS NOT NULL;
-- Finds the events that show the name of a person, for its erasure.
CREATE INDEX order_events_by_person ON order_events (store_id, actor_id) WHERE actor_type = 'person';
-- Finds the first change of an order's lines, which says what the order cost when it was placed.
CREATE INDEX order_events_of_lines ON order_events (store_id, order_id, id) WHERE event = 'lines_changed';

-- Counts the events that have a limit for each order; also serves shipments that are being picked, which show some of
-- these events.
CREATE INDEX order_events_limited ON order_events (store_id, order_id, event)
  WHERE event = ANY ('{shipment_created,mail_requested,noted,held,contact_changed,billing_changed,terms_changed,lines_changed,units_cancelled,metadata_changed}');

CREATE FUNCTION keep_order_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF to_jsonb(OLD) - '{details,actor_name}'::text[] = to_jsonb(NEW) - '{details,actor_name}'::text[]
    AND NEW.details IN (OLD.details, OLD.details - '{reason,metadata}'::text[])
    AND (NEW.actor_name = OLD.actor_name OR NEW.actor_name = 'Erased' AND OLD.actor_type = 'person') THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'order_events is append-only' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER order_events_are_append_only BEFORE UPDATE OR DELETE ON order_events
  FOR EACH ROW EXECUTE FUNCTION keep_order_event();
CREATE TRIGGER order_events_stay BEFORE TRUNCATE ON order_events EXECUTE FUNCTION refuse_change('is append-only');

CREATE TABLE shipments (
  store_id int NOT NULL,
  order_id uuid NOT NULL,
  reference external_reference NOT NULL,
  number positive_int NOT NULL, -- The number of the shipment in the order, from 1.
  status text NOT NULL CHECK (status IN ('picking', 'shipped', 'delivered', 'void')),
  carrier text NOT NULL DEFAULT '',
  tracking_number text NOT NULL DEFAULT '',
  tracking_url text NOT NULL DEFAULT '',
  notify boolean NOT NULL DEFAULT true, -- Whether the customer gets a mail when it is shipped.
  shipped_at timestamptz(3),
  delivered_at timestamptz(3),
  -- A version and the SHA-256 of the request, in base64; after an erasure, its beginning.
  request_hash text NOT NULL DEFAULT '',
  PRIMARY KEY (store_id, order_id, reference),
  UNIQUE (store_id, order_id, number),
  FOREIGN KEY (store_id, order_id) REFERENCES orders
);
COMMENT ON TABLE shipments IS 'Shipments of orders. A reference is unique in its order for ever.';

-- This runs at the end of the transaction: a change of an order that saves a shipment or a payment then also fills
-- search_text, in the single update of the order. The lock makes the second of two writers see the shipment of the
-- first.
CREATE FUNCTION search_parts() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE item orders;
BEGIN
  SELECT * INTO item FROM orders WHERE store_id = NEW.store_id AND id = NEW.order_id FOR NO KEY UPDATE;
  IF item.search_text <> search_text_of(item) THEN
    UPDATE orders SET search_text = search_text_of(item) WHERE store_id = NEW.store_id AND id = NEW.order_id;
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER shipments_are_searched AFTER INSERT OR UPDATE OF tracking_number ON shipments
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION search_parts();

CREATE TABLE shipment_items (
  store_id int NOT NULL,
  order_id uuid NOT NULL,
  reference text NOT NULL,
  position int NOT NULL,
  bin_id int NOT NULL DEFAULT 0, -- The bin that the units came from. 0 means no bin, as in an imported order.
  quantity unit_count NOT NULL, -- 0 when the units were picked from other bins.
  PRIMARY KEY (store_id, order_id, reference, position, bin_id),
  FOREIGN KEY (store_id, order_id, reference) REFERENCES shipments,
  FOREIGN KEY (store_id, order_id, position) REFERENCES order_lines
);
COMMENT ON TABLE shipment_items IS 'What a shipment contains, by the position of the line and by bin.';

CREATE TABLE returned_units (
  store_id int NOT NULL,
  order_id uuid NOT NULL,
  position int NOT NULL,
  bin_id int NOT NULL DEFAULT 0, -- The bin, as in shipment_items.
  quantity positive_int NOT NULL,
  PRIMARY KEY (store_id, order_id, position, bin_id),
  FOREIGN KEY (store_id, order_id, position) REFERENCES order_lines
);
COMMENT ON TABLE returned_units IS 'Shipped units whose stock went back to bins, by line and by the bin that they came from.';

CREATE TABLE cancelled_units (
  store_id int NOT NULL,
  order_id uuid NOT NULL,
  -- The last units_cancelled event of the transaction, set by a trigger: without that event, nothing is cancelled.
  event bigint NOT NULL,
  position int NOT NULL,
  bin_id int NOT NULL DEFAULT 0, -- The bin, as in shipment_items.
  quantity positive_int NOT NULL,
  PRIMARY KEY (store_id, order_id, event, position, bin_id),
  FOREIGN KEY (store_id, order_id, event) REFERENCES order_events,
  FOREIGN KEY (store_id, order_id, position) REFERENCES order_lines
);
COMMENT ON TABLE cancelled_units IS 'Units that an order gave up before they shipped, by line and by bin, while others stayed.';

CREATE FUNCTION key_the_cancelled_units() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT max(id) INTO NEW.event FROM order_events AS cancellation
  WHERE store_id = NEW.store_id AND order_id = NEW.order_id AND cancellation.event = 'units_cancelled'
    AND transaction = pg_current_xact_id();
  RETURN NEW;
END $$;
CREATE TRIGGER cancelled_units_have_their_event BEFORE INSERT ON cancelled_units
  FOR EACH ROW EXECUTE FUNCTION key_the_cancelled_units();

CREATE TABLE payments (
  store_id int NOT NULL,
  order_id uuid NOT NULL,
  reference external_reference NOT NULL,
  number positive_int NOT NULL,
  amount bigint NOT NULL CONSTRAINT is_not_negative CHECK (amount >= 0),
  at timestamptz(3) NOT NULL DEFAULT now(),
  request_hash text NOT NULL DEFAULT '',
  PRIMARY KEY (store_id, order_id, reference),
  UNIQUE (store_id, order_id, number),
  FOREIGN KEY (store_id, order_id) REFERENCES orders
);
COMMENT ON TABLE payments IS 'Payments of orders, in minor units of the order''s currency.';

CREATE TABLE refunds (LIKE payments INCLUDING ALL, FOREIGN KEY (store_id, order_id) REFERENCES orders);
-- The amount that the payment closed without money. Negative when it recovers an earlier write-off.
ALTER TABLE payments ADD written_off bigint CHECK (written_off <> 0);
ALTER TABLE payments ADD method text NOT NULL DEFAULT ''; -- How the order was paid, such as card.
ALTER TABLE payments ADD fee bigint NOT NULL DEFAULT 0 CHECK (fee >= 0); -- The fee that the gateway keeps.
ALTER TABLE payments ADD payout text NOT NULL DEFAULT ''; -- The settlement in which the gateway pays the money out.
ALTER TABLE payments ADD metadata jsonb NOT NULL DEFAULT '{}'; -- Custom fields, as in orders.
-- Finds orders that were paid in a range of time.
CREATE INDEX payments_by_time ON payments (store_id, at, order_id);
CREATE CONSTRAINT TRIGGER payments_are_searched AFTER INSERT ON payments
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION search_parts();
-- Units that the refund was for, as [{line, quantity, cancelled_quantity?}], lines from 1. Null means none.
ALTER TABLE refunds ADD lines jsonb;
ALTER TABLE refunds ADD restock boolean NOT NULL DEFAULT false; -- Whether these units went back to bins.
ALTER TABLE refunds ADD reason refund_reason NOT NULL DEFAULT 'goodwill';
-- How much the refund lowers what is owed.
ALTER TABLE refunds ADD credited bigint NOT NULL DEFAULT 0 CHECK (credited >= 0);
COMMENT ON TABLE refunds IS 'Refunds of orders, in minor units of the order''s currency.';

-- This table is append-only. The placing of an order has no row, and costs nothing: the journal derives it from the
-- order.
CREATE TABLE bookings (
  store_id int NOT NULL,
  is_test boolean NOT NULL, -- The mode of the order.
  at timestamptz(3) NOT NULL, -- The time that the booking is dated to.
  id bigint GENERATED ALWAYS AS IDENTITY,
  order_id uuid NOT NULL,
  kind booking_kind NOT NULL,
  reference text NOT NULL DEFAULT '', -- The payment or refund that the booking is about.
  -- These columns add to the amounts of the order, in minor units.
  charged bigint NOT NULL, -- Adds to total_amount.
  credited bigint NOT NULL,
  paid bigint NOT NULL,
  refunded bigint NOT NULL,
  tax_lines jsonb, -- The tax in what is charged or credited, as [{name, rate, amount, included}]. Null means none.
  booked_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  event bigint, -- The last event of the change, whose actor made the booking. Null for an import.
  PRIMARY KEY (store_id, is_test, at, id), -- The key has the sequence of the journal.
  FOREIGN KEY (store_id, order_id) REFERENCES orders,
  FOREIGN KEY (store_id, order_id, event) REFERENCES order_events
);
COMMENT ON TABLE bookings IS 'Changes of the amounts of orders after the placement. The total of an order plus its bookings gives its current amounts.';
CREATE INDEX bookings_by_kind ON bookings (store_id, is_test, kind, at, id);
CREATE INDEX bookings_by_order ON bookings (store_id, order_id, at, id);
-- The journal sums what an order charged after it was placed. Few bookings charge, and an order may have thousands.
CREATE INDEX bookings_charged ON bookings (store_id, order_id) INCLUDE (charged) WHERE charged <> 0;
CREATE TRIGGER bookings_are_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON bookings
  EXECUTE FUNCTION refuse_change('is append-only');

-- The history of the order, its stock and its payment status stay, so deleting these rows alone would contradict them.
SELECT pg_temp.for_each_table('{shipments,shipment_items,returned_units,cancelled_units,payments,refunds}', $$
  CREATE TRIGGER %1$s_stay BEFORE DELETE OR TRUNCATE ON %1$s EXECUTE FUNCTION refuse_change('keeps its rows')$$);

-- Two writers must not both ship or cancel the last unit: the lock makes the second see what the first has done. The
-- check runs once for each statement, because a check of each row would cost the square of the rows.
CREATE FUNCTION limit_to_ordered_units() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  of_store int;
  of_order uuid;
  beyond int;
BEGIN
  FOR of_store, of_order IN SELECT DISTINCT store_id, order_id FROM changed ORDER BY store_id, order_id LOOP
    PERFORM FROM orders WHERE store_id = of_store AND id = of_order FOR NO KEY UPDATE;
    -- A join is avoided: a plan for small tables would run it for each row.
    WITH used AS MATERIALIZED (
      SELECT position, sum(quantity) AS units FROM (
        SELECT position, quantity FROM cancelled_units WHERE store_id = of_store AND order_id = of_order
        UNION ALL
        SELECT position, quantity FROM returned_units
        WHERE TG_TABLE_NAME = 'returned_units' AND store_id = of_store AND order_id = of_order
        UNION ALL
        SELECT position, quantity FROM shipment_items
        WHERE TG_TABLE_NAME <> 'returned_units' AND store_id = of_store AND order_id = of_order
          AND reference NOT IN (
            SELECT reference FROM shipments
            WHERE store_id = of_store AND order_id = of_order AND status = 'void')
      ) AS part GROUP BY position
    )
    SELECT min(position) INTO beyond FROM used JOIN order_lines AS line USING (position)
    WHERE line.store_id = of_store AND line.order_id = of_order AND used.units > line.quantity;
    -- @protects shipped-units
    IF beyond IS NOT NULL THEN
      RAISE EXCEPTION '% of order % exceed the ordered units of line %', TG_TABLE_NAME, of_order, beyond + 1
        USING ERRCODE = 'check_violation';
    END IF;
  END LOOP;
  RETURN NULL;
END $$;
SELECT pg_temp.for_each_table('{shipment_items,returned_units,cancelled_units}', $$
  CREATE TRIGGER %1$s_are_limited AFTER INSERT ON %1$s
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION limit_to_ordered_units()$$);
SELECT pg_temp.for_each_table('{shipment_items,returned_units,cancelled_units,order_lines}', $$
  CREATE TRIGGER %1$s_stay_limited AFTER UPDATE ON %1$s
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION limit_to_ordered_units()$$);

-- The units of a void shipment may already be in other shipments.
CREATE FUNCTION keep_void() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'shipment % is void', OLD.reference USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER shipments_stay_void BEFORE UPDATE OF status ON shipments
  FOR EACH ROW WHEN (OLD.status = 'void' AND NEW.status <> 'void') EXECUTE FUNCTION keep_void();

-- This runs at the end of the transaction, so that the sequence of its statements does not matter.
CREATE FUNCTION require_order_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME = 'orders' THEN
    IF NOT EXISTS (
      SELECT FROM order_events WHERE store_id = NEW.store_id AND order_id = NEW.id AND transaction = pg_current_xact_id()
        AND event = 'status_changed' AND to_value = CASE field
          WHEN 'status' THEN NULLIF(NEW.status, OLD.status)
          ELSE NULLIF(NEW.fulfillment_status, OLD.fulfillment_status) END
      HAVING count(DISTINCT field) = (NEW.status <> OLD.status)::int + (NEW.fulfillment_status <> OLD.fulfillment_status)::int
    ) THEN
      RAISE EXCEPTION 'order % changes its status without an event', NEW.id USING ERRCODE = 'check_violation';
    END IF;
  ELSIF NOT EXISTS (
    SELECT FROM order_events WHERE store_id = NEW.store_id AND order_id = NEW.order_id AND transaction = pg_current_xact_id()
      AND reference = NEW.reference
  -- @protects shipment-event
  ) THEN
    RAISE EXCEPTION '% of order % change without an event', TG_TABLE_NAME, NEW.order_id USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER orders_record_their_changes AFTER UPDATE OF status, fulfillment_status ON orders
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (OLD.status <> NEW.status OR OLD.fulfillment_status <> NEW.fulfillment_status)
  EXECUTE FUNCTION require_order_event();
CREATE CONSTRAINT TRIGGER shipments_record_their_changes AFTER INSERT OR UPDATE OF status ON shipments
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION require_order_event();
SELECT pg_temp.for_each_table('{payments,refunds}', $$
  CREATE CONSTRAINT TRIGGER %1$s_record_their_changes AFTER INSERT OR UPDATE OF amount ON %1$s
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION require_order_event()$$);
