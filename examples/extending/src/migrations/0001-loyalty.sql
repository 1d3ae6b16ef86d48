-- No foreign key to the tables of the service: its migrations do not know these tables.
CREATE TABLE accounts (
  store_id int NOT NULL,
  customer_id uuid NOT NULL,
  points int NOT NULL CHECK (points >= 0),
  is_suspended boolean NOT NULL DEFAULT false,
  PRIMARY KEY (store_id, customer_id)
);
