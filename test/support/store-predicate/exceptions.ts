/** A statement that may touch rows of stores without naming one. */
export interface Exception {
  readonly name: string;
  readonly reason: string;
  readonly statement: RegExp;
  /** The tables that it may touch so, and no other. */
  readonly tables: readonly string[] | 'all';
}

/** Statements of the service. Nothing here is reached by what a request says. */
export const EXCEPTIONS: readonly Exception[] = [
  {
    name: 'key look-up',
    reason: 'A key is looked up by its unique hash: it is what tells the store.',
    statement: /FROM api_keys key JOIN stores store ON store\.id = key\.store_id\s+WHERE key\.key_hash = ANY\(\$1\)/,
    tables: ['api_keys', 'stores'],
  },
  {
    name: 'keys revoke, deactivate, activate',
    reason: "The operator's command names a key by its id alone.",
    statement: /^UPDATE api_keys SET status = \$2 WHERE id = \$1 AND/,
    tables: ['api_keys'],
  },
  {
    name: 'stores list, create and import',
    reason: "The operator's commands are about the stores themselves.",
    statement:
      /^(SELECT|INSERT INTO|UPDATE|WITH changed AS \( UPDATE)\b[^()]*"?stores"?|FROM stores WHERE subdomain = ANY|JOIN stores AS o ON/,
    tables: ['stores'],
  },
  {
    name: 'orders retry-pipeline',
    reason: "The operator's command finds an order by its id or receipt, in whichever store it is.",
    statement: /^SELECT stores\.id AS "storeId", stores\.subdomain, orders\.id AS "orderId" FROM stores JOIN orders/,
    tables: ['stores', 'orders'],
  },
  {
    name: 'held orders',
    reason:
      "The operator's commands list and release orders under review, of all stores unless one is named; the worker screens them again.",
    statement: /^SELECT stages_held\.\*, orders\.receipt_number AS "receiptNumber"/,
    tables: ['order_stages', 'stores', 'orders'],
  },
  {
    name: 'number of held orders',
    reason: 'The health check counts the held stages of all stores; only numbers leave it.',
    statement: /^WITH RECURSIVE held AS/,
    tables: ['order_stages'],
  },
  {
    name: 'stock verify',
    reason: "The operator's command compares the stock of all stores, unless one is named.",
    statement:
      /^WITH ledger AS \( SELECT store_id, product_id, variant_key, bin_id, sum\(quantity\) AS quantity FROM stock_movements/,
    tables: ['stock', 'stock_movements', 'stores', 'products', 'product_variants', 'bins', 'warehouses'],
  },
  {
    name: 'relay of stages',
    reason: 'The worker queues the waiting stages of all stores; each job carries its store.',
    statement: /^WITH waiting AS \( SELECT store_id, order_id, stage FROM order_stages/,
    tables: ['order_stages'],
  },
  {
    name: 'stages of lost workers',
    reason: 'The worker gives up what was begun by a worker that is gone, in the store that the job names.',
    statement: /^WITH failed AS \( SELECT id, key IS NOT NULL AS is_current/,
    tables: ['order_stages'],
  },
  {
    name: 'retention',
    reason: 'The worker removes what has expired, of all stores.',
    statement: /^DELETE FROM (idempotency_keys|fraud_assessments|api_key_usage) WHERE ctid = ANY/,
    tables: ['idempotency_keys', 'fraud_assessments', 'api_key_usage'],
  },
  {
    name: 'state of the pipeline',
    reason: 'The health check counts the stages of all stores; only numbers leave it.',
    statement: /^SET LOCAL statement_timeout = 500; SET LOCAL enable_seqscan = off; SELECT \(SELECT coalesce\(/,
    tables: ['order_stages'],
  },
  {
    name: 'secrets rotate',
    reason: "The operator's command encrypts the secrets of all stores under the newest key; a value stays in its row.",
    statement:
      /^SELECT (store_id, \w+ AS row_key, \w+ AS value FROM|encode\(substring\(\w+ FROM 1 FOR 4\), 'hex'\) AS key)/,
    tables: ['gateway_credentials', 'customer_secrets'],
  },
  {
    name: 'keys in use, at the start',
    reason:
      'A process that starts looks which encryption keys it would need; only what identifies them leaves the database.',
    statement: /^SELECT DISTINCT encode\(substring\(\w+ FROM 1 FOR 4\), 'hex'\) AS key FROM \(SELECT/,
    tables: ['gateway_credentials', 'customer_secrets'],
  },
  {
    name: 'backup and restore',
    reason: "The operator's commands copy the whole database.",
    statement: /^COPY "\w+" \([^)]+\) (TO STDOUT$|FROM STDIN )/,
    tables: 'all',
  },
  {
    name: 'restore, before it begins',
    reason: 'It looks whether any table has a row.',
    statement: /^SELECT FROM "\w+" LIMIT 1$/,
    tables: 'all',
  },
  {
    name: 'restore, when it is done',
    reason: 'It queues the pending stages of all stores again.',
    statement: /^UPDATE order_stages SET queued = false WHERE state = 'pending'$/,
    tables: ['order_stages'],
  },
];
