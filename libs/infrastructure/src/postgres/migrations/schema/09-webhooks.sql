CREATE TABLE webhooks (
  store_id int NOT NULL REFERENCES stores,
  id uuid NOT NULL,
  mode text NOT NULL CHECK (mode IN ('live', 'test')),
  url text NOT NULL,
  host text NOT NULL, -- The host of the URL: a worker serves few webhooks of a store at one host concurrently.
  kinds change_kind[] NOT NULL CHECK (cardinality(kinds) > 0),
  body text NOT NULL CHECK (body IN ('thin', 'full')),
  batch int NOT NULL CHECK (batch BETWEEN 1 AND 100),
  name text NOT NULL DEFAULT '',
  header_names text[] NOT NULL DEFAULT '{}', -- The names of the fixed headers.
  headers bytea, -- Encrypted JSON with the fixed headers by name.
  -- Encrypted JSON with the secrets that sign, newest first, each with the time until which it does.
  secrets bytea NOT NULL,
  state text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'paused')),
  reason text CHECK (reason IN ('requested', 'gone', 'failing', 'cursor_expired')),
  branch uuid NOT NULL,
  -- Everything up to this position is delivered. With branch and base, it is a place of the feed.
  position bigint NOT NULL,
  base bigint NOT NULL,
  replays int NOT NULL DEFAULT 0,
  test_due boolean NOT NULL DEFAULT false,
  failures int NOT NULL DEFAULT 0,
  failing_since timestamptz(3),
  due_at timestamptz(3) NOT NULL DEFAULT now(), -- The time from which the next attempt at changes may begin.
  attempts bigint NOT NULL DEFAULT 0, -- Counts all rows that webhook_deliveries has ever had.
  -- Counts the changes by clients and operators: an attempt that began before such a change writes nothing.
  epoch int NOT NULL DEFAULT 0,
  holder uuid, -- The claim of the worker that serves the webhook until held_until.
  held_until timestamptz(3) NOT NULL DEFAULT '-infinity',
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (store_id, id),
  CHECK ((state = 'paused') = (reason IS NOT NULL))
);
COMMENT ON TABLE webhooks IS 'Readers of the feed whose place is kept here, and to whom the worker sends what changes.';

CREATE TABLE webhook_deliveries (
  store_id int NOT NULL,
  webhook_id uuid NOT NULL,
  slot int NOT NULL,
  message_id text NOT NULL, -- The `webhook-id` of the message.
  type text NOT NULL,
  at timestamptz(3) NOT NULL,
  phase text NOT NULL,
  status int,
  duration_ms int NOT NULL,
  answer text NOT NULL, -- The first 4 kB of the receiver's answer; when there is none, a text that says what failed.
  PRIMARY KEY (store_id, webhook_id, slot),
  FOREIGN KEY (store_id, webhook_id) REFERENCES webhooks ON DELETE CASCADE
);
COMMENT ON TABLE webhook_deliveries IS 'The last attempts of each webhook. A new one takes the place of the oldest.';
