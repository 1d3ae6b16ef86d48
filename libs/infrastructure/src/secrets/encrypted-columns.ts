/** A column with ciphertexts of the {@link DataCipher}. The primary key of its table is `store_id` and `rowKey`. */
export interface EncryptedColumn {
  readonly table: string;
  readonly column: string;
  readonly rowKey: string;
  readonly rowKeyType: 'text' | 'uuid';
  /** Returns the location of a value. A ciphertext that is moved to another row cannot be decrypted there. */
  readonly context: (storeId: number, rowKey: string) => string;
}

export const GATEWAY_CREDENTIALS: EncryptedColumn = {
  table: 'gateway_credentials',
  column: 'credentials',
  rowKey: 'method_id',
  rowKeyType: 'text',
  context: (storeId, methodId) => `gateway_credentials/${storeId}/${methodId}`,
};

export const NATIONAL_IDS: EncryptedColumn = {
  table: 'customer_secrets',
  column: 'national_id',
  rowKey: 'customer_id',
  rowKeyType: 'uuid',
  context: (storeId, customerId) => `customer_secrets/${storeId}/${customerId}/national_id`,
};

export const WEBHOOK_SECRETS: EncryptedColumn = {
  table: 'webhooks',
  column: 'secrets',
  rowKey: 'id',
  rowKeyType: 'uuid',
  context: (storeId, id) => `webhooks/${storeId}/${id}/secrets`,
};

export const WEBHOOK_HEADERS: EncryptedColumn = {
  ...WEBHOOK_SECRETS,
  column: 'headers',
  context: (storeId, id) => `webhooks/${storeId}/${id}/headers`,
};

export const ENCRYPTED_COLUMNS: readonly EncryptedColumn[] = [
  GATEWAY_CREDENTIALS,
  NATIONAL_IDS,
  WEBHOOK_SECRETS,
  WEBHOOK_HEADERS,
];
