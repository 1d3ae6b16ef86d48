/** A valid body of `POST /v1/orders` with one line. `more` adds or replaces fields. */
export const anOrderBody = (productId: number, quantity = 1, more: object = {}) => ({
  items: [{ product_id: productId, quantity }],
  customer: { name: 'Ada Lovelace' },
  ...more,
});
