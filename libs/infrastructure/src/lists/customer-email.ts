/**
 * SQL for whether a customer has the given e-mail, in any letter case. It compares with PostgreSQL's lower(), as the
 * unique index of customers does. JavaScript's lower case differs for some letters. A customer without an e-mail never
 * matches.
 * @param customer the alias of the customer's row. @param email an SQL expression.
 */
export function hasEmail(customer: string, email: string): string {
  return `lower(${customer}.email) = lower(${email}) AND ${customer}.email <> ''`;
}

/**
 * SQL for the id of the customer to whose account an order with the e-mail belongs: the customer with this e-mail, or
 * else the only customer with a contact who has it. Null if no customer matches, or if several have such a contact.
 * @param store @param email SQL expressions.
 */
export function customerOfEmail(store: string, email: string): string {
  return `coalesce(
    (SELECT account.id FROM customers AS account WHERE account.store_id = ${store} AND ${hasEmail('account', email)}),
    (SELECT CASE WHEN count(*) = 1 THEN (array_agg(contact.customer_id))[1] END
    FROM (
      SELECT customer_id FROM customer_contacts WHERE store_id = ${store} AND email = lower(${email}) LIMIT 2
    ) AS contact))`;
}
