import { isOddEmail } from '../lists/search-terms.js';
import { trimmed } from '../postgres/trimmed.js';

/**
 * SQL for whether the order `item` has the given e-mail, in any letter case. `email_key` does not represent unusual
 * e-mails (search-terms.ts); a separate condition finds these.
 * @param email an SQL expression.
 */
export function hasCustomerEmail(email: string): string {
  const isSame = `item.customer_email <> '' AND lower(item.customer_email) = lower(${email})`;
  return `${isSame} AND (item.email_key = email_key(${email}) OR ${isOddEmail('item.customer_email')})`;
}

/**
 * SQL for whether an order belongs to a person: the order has the e-mail, or is linked to the customer `customerId`.
 * Each of the three conditions has an index, so a search reads only the orders of the person and the orders with an
 * unusual e-mail.
 * @param order the alias of the order's row. @param email, customerId SQL expressions; the id may be null.
 */
export function isOrderOf(order: string, email: string, customerId: string): string {
  const isSame = `lower(${trimmed(`${order}.customer_email`)}) = lower(${email})`;
  return `(${order}.customer_email <> '' AND ${order}.email_key = email_key(${email}) AND ${isSame}
    OR ${isOddEmail(`${order}.customer_email`)} AND ${isSame} OR ${order}.customer_id = ${customerId})`;
}
