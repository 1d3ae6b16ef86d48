-- Searches find e-mails by their key. The fraud analysis uses it to find orders with the same e-mail.
CREATE FUNCTION email_key(email text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN reverse(split_part(lower(email COLLATE "C"), '@', 1)) || '@' || split_part(lower(email COLLATE "C"), '@', 2);
COMMENT ON FUNCTION email_key IS 'The local part from its end, then the domain, in lower case.';

CREATE TABLE customers (
  store_id int NOT NULL REFERENCES stores,
  id uuid NOT NULL,
  name text NOT NULL DEFAULT '',
  email text NOT NULL DEFAULT '',
  phone text NOT NULL DEFAULT '',
  status text NOT NULL DEFAULT 'Active',
  email_verified boolean NOT NULL DEFAULT false,
  loyalty_points int NOT NULL DEFAULT 0,
  -- The sum in minor units of the store's currency. Each payment and refund of an order changes it.
  total_spent bigint NOT NULL DEFAULT 0,
  tags text[] NOT NULL DEFAULT '{}',
  city text NOT NULL DEFAULT '',
  -- The payment terms of new orders. Null means none.
  payment_terms_days int CHECK (payment_terms_days BETWEEN 0 AND 365),
  metadata jsonb NOT NULL DEFAULT '{}', -- Custom fields of the store: texts by key.
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  last_login timestamptz(3),
  search_text text GENERATED ALWAYS AS (lower(normalize(email) || chr(9001) || normalize(name))) STORED,
  PRIMARY KEY (store_id, id)
);
COMMENT ON TABLE customers IS 'Customers of a store, without their secrets.';
CREATE UNIQUE INDEX customers_by_email ON customers (store_id, lower(email)) WHERE email <> '';
-- These indexes serve the customer list, newest first: all, by status, by search.
CREATE INDEX customers_newest ON customers (store_id, created_at DESC, id DESC);
CREATE INDEX customers_by_status ON customers (store_id, lower(status), created_at DESC, id DESC);
CREATE INDEX customers_search ON customers USING gin (store_id, search_text gin_trgm_ops) WITH (gin_pending_list_limit = 64);
-- These indexes serve searches for an e-mail, like those of orders.
CREATE INDEX customers_by_email_key ON customers (store_id, (email_key(email) COLLATE "C")) WHERE email <> '';
CREATE INDEX customers_by_odd_email ON customers (store_id, created_at)
  WHERE email ~ '[^!-~]|@.*@' OR search_text LIKE '%' || chr(9001) || '%@%';

CREATE TABLE customer_secrets (
  store_id int NOT NULL,
  customer_id uuid NOT NULL,
  password_hash text,
  verification_token text,
  national_id bytea, -- A text that the application encrypts (AES-256-GCM).
  PRIMARY KEY (store_id, customer_id),
  FOREIGN KEY (store_id, customer_id) REFERENCES customers ON DELETE CASCADE
);
COMMENT ON TABLE customer_secrets IS 'Secrets of customers, apart from the customer: no query of the API names this table.';
