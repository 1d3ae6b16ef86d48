interface Exception {
  /** Names of statements. Each name occurs in one place in the source. */
  readonly statements: readonly string[];
  readonly reason: string;
  readonly tables: readonly string[] | 'all';
}

/** Statements of the service. No value of a request selects the rows of another store in them. */
export const EXCEPTIONS: readonly Exception[] = [
  {
    statements: ['keys.look_up'],
    reason: 'The unique hash of a key identifies its store.',
    tables: ['api_keys', 'stores', 'people'],
  },
  {
    statements: ['sign_ins.candidates'],
    reason: 'A verified e-mail address, or an account of the identity provider, names the people of all stores.',
    tables: ['people', 'stores'],
  },
  {
    statements: ['sign_ins.drop_mails', 'sign_ins.claim_mails'],
    reason: 'The worker finds for a mail the stores of the person who has its address.',
    tables: ['people', 'stores'],
  },
  {
    statements: ['import.record'],
    reason: "The operator's import is recorded in each store that its lines name.",
    tables: ['stores'],
  },
  {
    statements: ['sign_ins.record_failure'],
    reason: 'A failed sign-in is recorded in each store of the person who has its address.',
    tables: ['people', 'stores', 'audit_events'],
  },
  {
    statements: ['sessions.end'],
    reason: 'The unique hash of a session identifies its store.',
    tables: ['api_keys'],
  },
  {
    statements: ['keys.locate'],
    reason: "The operator's commands name a key by its id only.",
    tables: ['api_keys'],
  },
  {
    statements: [
      'stores.list',
      'stores.find',
      'stores.insert',
      'stores.set_status',
      'store_ids.next',
      'import.stores.ids',
      'import.stores.find',
      'import.stores.owners',
      'import.stores.assert_writable',
      'import.lock_stores',
      'import.stores.currencies',
      'import.stores.lock',
      'import.stores.update',
      'import.stores.insert',
      'import.stores.free_ids',
      'import.stores.draw_ids',
    ],
    reason: "The operator's commands are about the stores themselves.",
    tables: ['stores'],
  },
  {
    statements: ['orders.locate'],
    reason: "The operator's command finds an order in all stores by its id or receipt number.",
    tables: ['stores', 'orders'],
  },
  {
    statements: ['webhooks.locate'],
    reason: "The operator's commands name a webhook by its id only.",
    tables: ['webhooks'],
  },
  {
    statements: ['webhooks.find_due', 'webhooks.claim'],
    reason: 'The worker claims the due webhooks of all stores. Each has its store.',
    tables: ['webhooks', 'stores', 'changes', 'change_forks'],
  },
  {
    statements: ['orders.held', 'orders.held_reasons', 'orders.held_by_reason'],
    reason:
      "The operator's commands list and release orders under review in all stores. The worker screens them again.",
    tables: ['order_stages', 'stores', 'orders'],
  },
  {
    statements: ['orders.pipeline_lag', 'orders.dead_letters', 'webhooks.paused', 'webhooks.lag', 'changes.lag'],
    reason: 'The metrics count stages, waiting changes and webhooks of all stores and return only numbers.',
    tables: ['order_stages', 'stores', 'change_log', 'webhooks', 'changes'],
  },
  {
    statements: ['stock.verify'],
    reason: "The operator's command compares the stock of all stores or of one.",
    tables: ['stock', 'stock_movements', 'stores', 'products', 'product_variants', 'bins', 'warehouses'],
  },
  {
    statements: ['stages.claim'],
    reason: 'The worker claims the due stages of all stores. Each claim contains its store.',
    tables: ['order_stages', 'stores'],
  },
  {
    statements: ['notices.claim'],
    reason: 'The worker claims the due notices of all stores. Each has its store.',
    tables: ['merchant_notices'],
  },
  {
    statements: ['invitations.claim'],
    reason: 'The worker claims the due mails to the people of all stores. Each has its store.',
    tables: ['people'],
  },
  {
    statements: ['changes.waiting_stores'],
    reason: 'The worker numbers the changes of all stores. The statement returns only ids of stores.',
    tables: ['stores', 'change_log', 'shared_changes'],
  },
  {
    statements: ['tallies.waiting_stores'],
    reason: 'The worker folds the tallies of all stores. The statement returns only ids of stores.',
    tables: ['stores', 'list_tally_changes'],
  },
  {
    statements: ['retention.changes'],
    reason: 'The worker removes old tombstones that it has found in one store.',
    tables: ['changes'],
  },
  {
    statements: ['retention.waiting_stores'],
    reason: 'The worker removes old tombstones of all stores. The statement returns only ids of stores.',
    tables: ['stores', 'changes'],
  },
  {
    statements: [
      ...['retention.idempotency_keys', 'retention.fraud_assessments', 'retention.api_key_usage'],
      ...['retention.feed_snapshots', 'retention.api_key_refusals', 'retention.api_keys'],
      ...['retention.find.idempotency_keys', 'retention.find.fraud_assessments', 'retention.find.api_key_usage'],
      ...['retention.find.feed_snapshots', 'retention.find.api_key_refusals', 'retention.find.api_keys'],
      ...['retention.merchant_notices', 'retention.find.merchant_notices'],
      ...['retention.audit_events', 'retention.find.audit_events'],
    ],
    reason: 'The worker removes expired rows of all stores.',
    tables: [
      ...['idempotency_keys', 'fraud_assessments', 'orders', 'api_key_usage', 'api_key_refusals', 'feed_snapshots'],
      ...['api_keys', 'audit_events', 'merchant_notices', 'stores'],
    ],
  },
  {
    statements: ['secrets.due', 'secrets.count'],
    reason: "The operator's command encrypts the secrets of all stores with the newest key. A value stays in its row.",
    tables: ['gateway_credentials', 'customer_secrets', 'webhooks'],
  },
  {
    statements: ['secrets.sample'],
    reason: 'A starting process looks up which encryption keys it needs. The statement returns only their ids.',
    tables: ['gateway_credentials', 'customer_secrets', 'webhooks'],
  },
];
