/** What a newcomer has to know before the first request. Markdown. */
export const GUIDE = `
A store's orders, products, customers, categories, brands and profile, and one write that places an order.

### Authentication
Every request under \`/v1\` carries \`Authorization: Bearer <API key>\`. A key belongs to exactly one store: all that is
read is the store's own, and ids of other stores are answered with 404. A key that is missing, malformed or unknown is
answered with 401; one that is deactivated, revoked or expired, or whose store is inactive, with 403. Both have the body
\`{ "error": "…" }\`. Within 30 days of its expiry a key is answered with \`X-Key-Expires-At\`.

### Test keys
\`svc_test_…\` keys behave exactly like \`svc_live_…\` keys, stock included. Their orders carry \`is_test: true\`, and
responses tell by \`X-Traffic-Mode\`.

### Paging and filters
Lists answer \`{ success, data, pagination: { total, page, limit } }\`. \`limit\` is 50 unless given and at most 100,
\`page\` counts from 1; out-of-range values are clamped, never rejected. The last page is ceil(total / limit), and a page
past it is empty. A filter value that nothing has gives an empty list. A parameter that does not exist is ignored and
named in \`X-Ignored-Parameters\`; with \`Prefer: handling=strict\` it is answered with 400.

### Money
An integer is in minor units (\`amount\`, \`total_amount\`, \`total_spent\`, \`unit_price\`, \`line_total\`): 1099 is
10.99 USD. A decimal is in major units (\`price\`, \`subtotal\`, \`total\`): 10.99. How many decimals there are is up to
the currency: two for most, none for JPY, three for KWD.

### Fields
No member is ever left out, but for \`isSandbox\` on payment methods without a gateway. A text without a value is \`""\`,
not null. Timestamps are ISO 8601, UTC. The \`id\` of a product is a string; \`product_id\` and the ids of categories,
brands and stores are integers.

### Errors
\`{ "success": false, "error": "…" }\`, with a text fit for a log or a display. All faults of a request body are told at
once, each with its path: \`items[2].quantity must be an integer from 1 to 999\`. Every response has an
\`X-Request-Id\`: quote it when something went wrong.

### Retries and idempotency
Repeat after 429, 500 and 503 with exponential backoff, and not before \`Retry-After\` seconds. Send an
\`Idempotency-Key\` with every order: however often it is repeated, one order is placed, and later attempts get the first
answer with \`Idempotent-Replayed: true\`. 409 means that the first attempt is still being processed, and 422 that the key
was used with a different request. Without a key, a repeated request is another order.

### Polling
Poll lists of orders every 30 seconds or less often. There is no rate limit, but a runaway loop is throttled with 429
until it slows down.
`.trim();
