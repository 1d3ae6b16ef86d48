-- A request presents a key before its store is known: the hash is the one unique key without store_id.
CREATE TABLE api_keys (
  store_id int NOT NULL REFERENCES stores,
  id uuid NOT NULL,
  key_hash bytea NOT NULL UNIQUE CHECK (octet_length(key_hash) = 32), -- SHA-256 of the whole key.
  prefix text NOT NULL,
  last_four text NOT NULL,
  mode text NOT NULL CHECK (mode IN ('live', 'test')),
  scope text NOT NULL DEFAULT 'full'
    CHECK (scope ~ '^(full|read(,orders)?(,fulfillment)?(,payments)?(,stock)?(,webhooks)?(,catalog)?(,customers)?(,sales)?)$'),
  name text NOT NULL DEFAULT '',
  status text NOT NULL DEFAULT 'ACTIVE' CHECK (status IN ('ACTIVE', 'DEACTIVATED', 'REVOKED')),
  networks cidr[] NOT NULL DEFAULT '{}', -- Networks from which the key may be used; empty = any.
  trusted boolean NOT NULL DEFAULT false, -- Whether the velocity rules leave its orders out.
  expires_at timestamptz(3),
  last_used_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  successor_id uuid, -- The key that a roll created last.
  PRIMARY KEY (store_id, id),
  FOREIGN KEY (store_id, successor_id) REFERENCES api_keys ON DELETE SET NULL (successor_id)
);
COMMENT ON TABLE api_keys IS 'API keys of stores. The key itself is not stored.';
-- Fraud analysis: asked for each order.
CREATE INDEX api_keys_trusted ON api_keys (store_id, id) WHERE trusted;

CREATE TABLE api_key_usage (
  store_id int NOT NULL,
  key_id uuid NOT NULL,
  day date NOT NULL,
  requests bigint NOT NULL, -- Requests with an accepted key, throttled ones included.
  throttled bigint NOT NULL, -- Requests that were answered 429.
  PRIMARY KEY (store_id, key_id, day),
  FOREIGN KEY (store_id, key_id) REFERENCES api_keys (store_id, id) ON DELETE CASCADE
);
COMMENT ON TABLE api_key_usage IS 'Requests by key and UTC day, summed over all processes; written about once a minute.';
-- Retention deletes the oldest days.
CREATE INDEX api_key_usage_by_day ON api_key_usage (day);
