import { MAX_LISTS_OF_CUSTOMER } from '@app/domain';
import { customerOfEmail } from '../lists/customer-email.js';

/**
 * SQL for the price lists that apply to a customer, with their rank. `$1` is the store.
 *
 * @param customer the id. @param at the time. Both are expressions.
 */
export const listsOf = (customer: string, at: string) => `
  SELECT list.code, list.is_own, list.priority
  FROM (SELECT (${at} AT TIME ZONE time_zone)::date AS day FROM stores WHERE id = $1) AS store
  CROSS JOIN customers AS account
  CROSS JOIN LATERAL (
    SELECT code, true AS is_own, priority, valid_from, valid_to FROM price_lists
    WHERE store_id = $1 AND code = account.price_list
    UNION ALL
    SELECT code, false, priority, valid_from, valid_to FROM price_lists
    WHERE store_id = $1 AND account.groups <> '{}' AND customer_groups && account.groups
      AND code IS DISTINCT FROM account.price_list
  ) AS list
  /* @protects store-of-priced-customer */
  WHERE account.store_id = $1 AND account.id = ${customer}
    AND store.day BETWEEN coalesce(list.valid_from, '-infinity') AND coalesce(list.valid_to, 'infinity')
  ORDER BY list.is_own DESC, list.priority DESC, list.code COLLATE "C" LIMIT ${MAX_LISTS_OF_CUSTOMER}`;

/** SQL for the id of the customer of an order. @param id @param email expressions. */
export const customerOf = (id: string, email: string) => `coalesce(${id}::uuid, ${customerOfEmail('$1', email)})`;

/**
 * SQL for the price that `lists` have for a quantity of a unit: one row, or none if no list has a price. The list of the
 * customer comes first, then the lists of its groups by priority. At equal priority, the lower price applies.
 */
export const offerFor = (productId: string, variantKey: string, quantity: string) => `
  SELECT lists.code, line.price
  FROM lists CROSS JOIN LATERAL (
    SELECT price FROM list_prices
    WHERE store_id = $1 AND product_id = ${productId} AND variant_key = ${variantKey} AND list = lists.code
      AND from_quantity <= ${quantity}
    ORDER BY from_quantity DESC LIMIT 1
  ) AS line
  ORDER BY lists.is_own DESC, lists.priority DESC, line.price, lists.code COLLATE "C" LIMIT 1`;
