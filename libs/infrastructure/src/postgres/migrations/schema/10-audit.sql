CREATE TABLE audit_events (
  store_id int NOT NULL REFERENCES stores,
  id uuid NOT NULL,
  at timestamptz(3) NOT NULL DEFAULT now(),
  -- The actor, in the form of order_events.
  actor_type text NOT NULL,
  actor_id text NOT NULL,
  actor_name text NOT NULL,
  address text, -- The address of the client. Null for commands and for the service itself.
  action text NOT NULL,
  subject_kind text NOT NULL,
  subject_id text NOT NULL, -- An id or a code; empty when the subject has none.
  subject_name text NOT NULL,
  changes jsonb NOT NULL, -- The values before and after, by field, without secrets.
  PRIMARY KEY (store_id, at, id)
);
COMMENT ON TABLE audit_events IS 'Who changed access, prices, settings and personal data, and when. Kept for 400 days.';
-- The list with its filters.
CREATE INDEX audit_events_actor ON audit_events (store_id, coalesce(nullif(actor_id, ''), actor_type), at, id);
CREATE INDEX audit_events_action ON audit_events (store_id, action, at, id);
CREATE INDEX audit_events_subject ON audit_events (store_id, subject_id, at, id);
-- Retention deletes the oldest entries. A B-tree would have the sequence of the list, and tempt the planner to read the
-- entries of all stores.
CREATE INDEX audit_events_by_age ON audit_events USING brin (at) WITH (autosummarize = on);
