-- The people of a store. `email` is in lower case.
CREATE TABLE people (
  store_id int NOT NULL REFERENCES stores,
  id uuid NOT NULL,
  email text NOT NULL,
  name text NOT NULL,
  role text NOT NULL CHECK (role IN ('owner', 'manager', 'warehouse', 'support', 'developer', 'viewer')),
  -- The account that signed in first at the identity provider; no other account signs in as the person.
  oidc_issuer text,
  oidc_subject text,
  invite_due boolean NOT NULL DEFAULT true, -- Whether the invitation mail is still to be sent.
  invite_attempts smallint NOT NULL DEFAULT 0,
  invitations smallint NOT NULL DEFAULT 1, -- How often the mail was requested, for its limit.
  -- The count of requested mails for the whole store, and the start of its hour.
  hour_of_invitations timestamptz(3),
  invitations_in_hour smallint NOT NULL DEFAULT 0,
  invite_at timestamptz(3) NOT NULL DEFAULT now(), -- The time of the next attempt to send the mail.
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  last_sign_in_at timestamptz(3),
  PRIMARY KEY (store_id, id),
  UNIQUE (store_id, email),
  UNIQUE (oidc_issuer, oidc_subject, store_id),
  CHECK ((oidc_issuer IS NULL) = (oidc_subject IS NULL))
);
COMMENT ON TABLE people IS 'Who may sign in to a store, and their role.';
-- A sign-in looks for the person in all stores.
CREATE INDEX people_email ON people (email);
CREATE INDEX people_invite_due ON people (store_id, invite_at) WHERE invite_due;

-- A request presents a key before its store is known: the hash is the one unique key without store_id.
CREATE TABLE api_keys (
  store_id int NOT NULL REFERENCES stores,
  id uuid NOT NULL,
  key_hash bytea NOT NULL UNIQUE CHECK (octet_length(key_hash) = 32), -- SHA-256 of the whole key.
  prefix text NOT NULL,
  last_four text NOT NULL,
  mode text NOT NULL CHECK (mode IN ('live', 'test')),
  scope text NOT NULL DEFAULT 'full'
    CHECK (scope ~ '^(full|read(,orders)?(,fulfillment)?(,payments)?(,stock)?(,webhooks)?(,catalog)?(,customers)?(,sales)?(,pricing)?(,keys)?(,settings)?(,team)?)$'),
  name text NOT NULL DEFAULT '',
  status text NOT NULL DEFAULT 'ACTIVE' CHECK (status IN ('ACTIVE', 'DEACTIVATED', 'REVOKED')),
  networks cidr[] NOT NULL DEFAULT '{}', -- Networks that may use the key; empty means any.
  trusted boolean NOT NULL DEFAULT false, -- Whether the velocity rules ignore orders of the key.
  expires_at timestamptz(3),
  last_used_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  successor_id uuid, -- The key that the last roll created.
  person_id uuid, -- The person of a session. Null for the key of a machine.
  device text NOT NULL DEFAULT '', -- The browser and the operating system of a session.
  -- The actor that made the key, in the form of order_events.
  created_by jsonb NOT NULL DEFAULT '{"type": "operator", "id": "", "name": ""}',
  changed_by jsonb, -- The actor that last rolled the key or changed its status, in the same form.
  changed_at timestamptz(3),
  PRIMARY KEY (store_id, id),
  FOREIGN KEY (store_id, successor_id) REFERENCES api_keys ON DELETE SET NULL (successor_id),
  FOREIGN KEY (store_id, person_id) REFERENCES people ON DELETE CASCADE,
  CHECK (person_id IS NOT NULL OR scope NOT LIKE '%,team') -- Only people may manage people.
);
COMMENT ON TABLE api_keys IS 'API keys of stores. The key itself is not stored.';
-- The fraud analysis reads it for each order.
CREATE INDEX api_keys_trusted ON api_keys (store_id, id) WHERE trusted;

CREATE INDEX api_keys_of_people ON api_keys (store_id, person_id, created_at) WHERE person_id IS NOT NULL;
-- The foreign key uses it to find the keys whose successor is deleted.
CREATE INDEX api_keys_rolled ON api_keys (store_id, successor_id) WHERE successor_id IS NOT NULL;
-- Retention deletes ended sessions.
CREATE INDEX api_keys_ended_sessions ON api_keys (expires_at) WHERE person_id IS NOT NULL;

CREATE TABLE api_key_usage (
  store_id int NOT NULL,
  key_id uuid NOT NULL,
  day date NOT NULL,
  requests bigint NOT NULL, -- Counts requests with an accepted key, including throttled ones; 0 where all were refused.
  throttled bigint NOT NULL, -- Counts requests that were answered with 429.
  PRIMARY KEY (store_id, key_id, day),
  FOREIGN KEY (store_id, key_id) REFERENCES api_keys (store_id, id) ON DELETE CASCADE
);
COMMENT ON TABLE api_key_usage IS 'Requests by key and UTC day, summed over all processes; written about once a minute.';
-- Retention deletes the oldest days.
CREATE INDEX api_key_usage_by_day ON api_key_usage (day);

CREATE TABLE api_key_refusals (
  store_id int NOT NULL,
  key_id uuid NOT NULL,
  day date NOT NULL,
  code text NOT NULL, -- The X-Error-Code of the answers.
  requests bigint NOT NULL,
  PRIMARY KEY (store_id, key_id, day, code),
  FOREIGN KEY (store_id, key_id) REFERENCES api_keys (store_id, id) ON DELETE CASCADE
);
COMMENT ON TABLE api_key_refusals IS 'Refused requests by key, UTC day and error code, written with api_key_usage.';
CREATE INDEX api_key_refusals_by_day ON api_key_refusals (day);

-- There is no store_id: an address may belong to people of several stores, or to no person.
CREATE TABLE sign_ins (
  id uuid PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('code', 'link', 'oidc')),
  email text NOT NULL, -- In lower case.
  oidc_issuer text,
  oidc_subject text,
  -- SHA-256 of the cookie of the browser that asked; null for a link.
  nonce_hash bytea UNIQUE CHECK (octet_length(nonce_hash) = 32),
  -- SHA-256 of nonce and code, or of the token.
  secret_hash bytea NOT NULL UNIQUE CHECK (octet_length(secret_hash) = 32),
  mail_code bytea, -- The encrypted code, until its mail is sent.
  mail_attempts smallint NOT NULL DEFAULT 0,
  mail_due_at timestamptz(3),
  network text, -- The network of the request, for its limit; null for a link.
  attempts smallint NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL,
  used_at timestamptz(3)
);
COMMENT ON TABLE sign_ins IS 'Codes and links with which people sign in, for a day.';
-- Retention deletes the oldest sign-ins.
CREATE INDEX sign_ins_by_age ON sign_ins (created_at);
CREATE INDEX sign_ins_email ON sign_ins (email, created_at);
CREATE INDEX sign_ins_network ON sign_ins (network, created_at);
CREATE INDEX sign_ins_mail_due ON sign_ins (mail_due_at) WHERE mail_code IS NOT NULL;
