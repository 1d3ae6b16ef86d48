/**
 * SQL for whether a customer has an e-mail, in any letter case. It compares as the unique index of customers: lower() of
 * PostgreSQL, whose letters differ from JavaScript's. A customer without an e-mail matches none.
 *
 * @param customer the alias of the customer's row. @param email an expression.
 */
export function hasEmail(customer: string, email: string): string {
  return `lower(${customer}.email) = lower(${email}) AND ${customer}.email <> ''`;
}

/**
 * SQL for the id of the customer whose account an order with the e-mail is: the customer who has it, or else the only one with
 * a contact who has it. Null where there is none, and where several have such a contact.
 *
 * @param store @param email expressions.
 */
export function customerOfEmail(store: string, email: string): string {
  return `coalesce(
    (SELECT account.id FROM customers AS account WHERE account.store_id = ${store} AND ${hasEmail('account', email)}),
    (SELECT CASE WHEN count(*) = 1 THEN (array_agg(contact.customer_id))[1] END
    FROM (
      SELECT customer_id FROM customer_contacts WHERE store_id = ${store} AND email = lower(${email}) LIMIT 2
    ) AS contact))`;
}
