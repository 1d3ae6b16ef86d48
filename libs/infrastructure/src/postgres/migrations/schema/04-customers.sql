-- Searches find e-mails by their key. The fraud analysis uses it to find orders with the same e-mail.
CREATE FUNCTION email_key(email text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN reverse(split_part(lower(email COLLATE "C"), '@', 1)) || '@' || split_part(lower(email COLLATE "C"), '@', 2);
COMMENT ON FUNCTION email_key IS 'The local part from its end, then the domain, in lower case.';

CREATE FUNCTION texts_of(parts jsonb, field text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN (SELECT coalesce(string_agg(chr(9001) || (part ->> field), '' ORDER BY position), '')
    FROM jsonb_array_elements(parts) WITH ORDINALITY AS each (part, position));
COMMENT ON FUNCTION texts_of IS 'A field of each object of an array, with a separator before each.';

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
  company text NOT NULL DEFAULT '',
  vat_id text NOT NULL DEFAULT '',
  groups text[] NOT NULL DEFAULT '{}', -- Price lists name groups.
  price_list text, -- The customer's own list, which applies before those of its groups. Null means none.
  addresses jsonb NOT NULL DEFAULT '[]', -- Objects with a label and the fields of an order's address.
  contacts jsonb NOT NULL DEFAULT '[]', -- Persons of a company: objects with name, email, phone and role.
  metadata jsonb NOT NULL DEFAULT '{}', -- Custom fields of the store: texts by key.
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  last_login timestamptz(3),
  -- No e-mail of a contact has a quote, a bracket, a comma or a blank. Phones are digits only.
  search_text text GENERATED ALWAYS AS (lower(normalize(email) || chr(9001) || normalize(name)
    || chr(9001) || normalize(company) || chr(9001) || normalize(vat_id)
    || normalize(translate(jsonb_path_query_array(contacts, '$[*].email')::text, '"[], ', chr(9001)))
    || normalize(texts_of(addresses, 'address'))
    || regexp_replace(chr(9001) || phone || texts_of(contacts, 'phone'), '[^0-9' || chr(9001) || ']', '', 'g'))) STORED,
  -- Whether searches for an e-mail read search_text: no key represents an e-mail, or another text has an @. A column has
  -- statistics, from which the planner knows how few they are.
  has_odd_text boolean GENERATED ALWAYS AS (email ~ '[^!-~]|@.*@' OR (name || company || vat_id || texts_of(addresses, 'address')) LIKE '%@%'
    OR jsonb_path_query_array(contacts, '$[*].email')::text ~ '[^ -~]') STORED,
  PRIMARY KEY (store_id, id),
  FOREIGN KEY (store_id, price_list) REFERENCES price_lists (store_id, code)
);
COMMENT ON TABLE customers IS 'Customers of a store, without their secrets.';
CREATE UNIQUE INDEX customers_by_email ON customers (store_id, lower(email)) WHERE email <> '';
-- These indexes serve the customer list, newest first: all, by status, by search.
CREATE INDEX customers_newest ON customers (store_id, created_at DESC, id DESC);
CREATE INDEX customers_by_status ON customers (store_id, lower(status), created_at DESC, id DESC);
CREATE INDEX customers_search ON customers USING gin (store_id, search_text gin_trgm_ops) WITH (gin_pending_list_limit = 64);
-- These indexes serve searches for an e-mail, like those of orders.
CREATE INDEX customers_by_email_key ON customers (store_id, (email_key(email) COLLATE "C")) WHERE email <> '';
CREATE INDEX customers_by_odd_email ON customers (store_id, created_at) WHERE has_odd_text;
-- The customers of a price list, and with a VAT id.
CREATE INDEX customers_by_price_list ON customers (store_id, price_list) WHERE price_list IS NOT NULL;
CREATE INDEX customers_by_vat_id ON customers (store_id, lower(vat_id)) WHERE vat_id <> '';

CREATE TABLE customer_contacts (
  store_id int NOT NULL,
  email text NOT NULL, -- In lower case.
  customer_id uuid NOT NULL,
  PRIMARY KEY (store_id, email, customer_id),
  FOREIGN KEY (store_id, customer_id) REFERENCES customers ON DELETE CASCADE
);
COMMENT ON TABLE customer_contacts IS 'Customers by the e-mails of their contacts: an order with such an e-mail is an order of the company.';
CREATE INDEX customer_contacts_by_customer ON customer_contacts (store_id, customer_id);
CREATE INDEX customer_contacts_by_email_key ON customer_contacts (store_id, (email_key(email) COLLATE "C"));

CREATE TABLE customer_groups (
  store_id int NOT NULL,
  name text NOT NULL,
  customer_id uuid NOT NULL,
  PRIMARY KEY (store_id, name, customer_id),
  FOREIGN KEY (store_id, customer_id) REFERENCES customers ON DELETE CASCADE
);
COMMENT ON TABLE customer_groups IS 'Customers by their groups.';
CREATE INDEX customer_groups_by_customer ON customer_groups (store_id, customer_id);

-- The tables are indexes of what customers have. A list of columns costs a payment, which changes total_spent, nothing.
CREATE FUNCTION index_customer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF (NEW.contacts, NEW.groups) IS NOT DISTINCT FROM (OLD.contacts, OLD.groups) THEN
      RETURN NULL;
    END IF;
    DELETE FROM customer_contacts WHERE store_id = NEW.store_id AND customer_id = NEW.id;
    DELETE FROM customer_groups WHERE store_id = NEW.store_id AND customer_id = NEW.id;
  END IF;
  INSERT INTO customer_contacts (store_id, email, customer_id)
  SELECT DISTINCT NEW.store_id, lower(contact ->> 'email'), NEW.id
  FROM jsonb_array_elements(NEW.contacts) AS contact WHERE contact ->> 'email' <> '';
  INSERT INTO customer_groups (store_id, name, customer_id)
  SELECT DISTINCT NEW.store_id, name, NEW.id FROM unnest(NEW.groups) AS name;
  RETURN NULL;
END $$;
CREATE TRIGGER customers_are_indexed AFTER INSERT OR UPDATE OF contacts, groups ON customers
  FOR EACH ROW EXECUTE FUNCTION index_customer();

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
