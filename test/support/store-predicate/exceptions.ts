/** A statement that may touch rows of stores without naming one. */
export interface Exception {
  /** Names of statements; each is in one place of the source. */
  readonly statements: readonly string[];
  readonly reason: string;
  /** The tables that it may touch so, and no other. */
  readonly tables: readonly string[] | 'all';
}

/** Statements of the service. Nothing here is reached by what a request says. */
export const EXCEPTIONS: readonly Exception[] = [
  {
    statements: ['keys.look_up'],
    reason: 'A key is looked up by its unique hash: it is what tells the store.',
    tables: ['api_keys', 'stores'],
  },
  {
    statements: ['keys.set_status'],
    reason: "The operator's command names a key by its id alone.",
    tables: ['api_keys'],
  },
  {
    statements: [
      'stores.list',
      'stores.find',
      'stores.insert',
      'stores.set_status',
      'import.stores.ids',
      'import.stores.find',
      'import.stores.owners',
      'import.stores.currencies',
      'import.stores.lock',
      'import.stores.update',
      'import.stores.insert',
      'catalog.store.find',
    ],
    reason: "The operator's commands are about the stores themselves.",
    tables: ['stores'],
  },
  {
    statements: ['orders.locate'],
    reason: "The operator's command finds an order by its id or receipt, in whichever store it is.",
    tables: ['stores', 'orders'],
  },
  {
    statements: ['orders.held'],
    reason:
      "The operator's commands list and release orders under review, of all stores unless one is named; the worker screens them again.",
    tables: ['order_stages', 'stores', 'orders'],
  },
  {
    statements: ['health.pipeline'],
    reason: 'The health check counts the stages of all stores; only numbers leave it.',
    tables: ['order_stages'],
  },
  {
    statements: ['stock.verify'],
    reason: "The operator's command compares the stock of all stores, unless one is named.",
    tables: ['stock', 'stock_movements', 'stores', 'products', 'product_variants', 'bins', 'warehouses'],
  },
  {
    statements: ['stages.relay'],
    reason: 'The worker queues the waiting stages of all stores; each job carries its store.',
    tables: ['order_stages'],
  },
  {
    statements: ['queue.give_up'],
    reason: 'The worker gives up what was begun by a worker that is gone, in the store that the job names.',
    tables: ['order_stages'],
  },
  {
    statements: ['retention.idempotency_keys', 'retention.fraud_assessments', 'retention.api_key_usage'],
    reason: 'The worker removes what has expired, of all stores.',
    tables: ['idempotency_keys', 'fraud_assessments', 'api_key_usage'],
  },
  {
    statements: ['secrets.due', 'secrets.count'],
    reason: "The operator's command encrypts the secrets of all stores under the newest key; a value stays in its row.",
    tables: ['gateway_credentials', 'customer_secrets'],
  },
  {
    statements: ['secrets.sample'],
    reason:
      'A process that starts looks which encryption keys it would need; only what identifies them leaves the database.',
    tables: ['gateway_credentials', 'customer_secrets'],
  },
  {
    statements: ['backup.copy', 'restore.copy'],
    reason: "The operator's commands copy the whole database.",
    tables: 'all',
  },
  {
    statements: ['restore.is_empty'],
    reason: 'It looks whether any table has a row.',
    tables: 'all',
  },
  {
    statements: ['restore.queue_again'],
    reason: 'It queues the pending stages of all stores again.',
    tables: ['order_stages'],
  },
];
