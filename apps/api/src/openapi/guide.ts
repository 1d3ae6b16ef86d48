import { ERROR_CODE_TABLE } from './failures.js';

/** What a newcomer has to know before the first request. Markdown. */
export const GUIDE = `
A store's orders, products, customers, categories, brands and profile, and one write that places an order.

### Authentication
Every request under \`/v1\` carries \`Authorization: Bearer <API key>\`. A key belongs to exactly one store: all that is
read is the store's own, and ids of other stores are answered with 404. A key that is missing, malformed or unknown is
answered with 401; one that is deactivated, revoked or expired, or whose store is inactive, with 403. Both have the body
\`{ "error": "…" }\`. Within 30 days of its expiry a key is answered with \`X-Key-Expires-At\`.

### Test keys
\`svc_test_…\` keys behave exactly like \`svc_live_…\` keys, stock and mail included; responses tell which it was by
\`X-Traffic-Mode\`. Lists show the orders of both, and do not tell them apart: \`is_test\` is a member of the full order,
\`GET /v1/orders/{id}\`. Read it before an order is booked.

### Paging and filters
Lists answer \`{ success, data, pagination: { total, page, limit } }\`. \`limit\` is 50 unless given and at most 100,
\`page\` counts from 1; out-of-range values are clamped, never rejected. The last page is ceil(total / limit), and a page
past it is empty. A filter value that nothing has gives an empty list; \`featured\` and \`in_stock\` filter when they are
\`true\` (or \`1\`), and with any other value, \`false\` too, do not. A parameter that does not exist is ignored and
named in \`X-Ignored-Parameters\`; with \`Prefer: handling=strict\` it is answered with 400.

### Reading everything
Orders, products and customers come newest first, so every one that is added moves the others down: the same row can be at
the end of one page and at the beginning of the next. Read from page 1 to the last and leave out the ids you have. With a
filter by \`status\` or \`fulfillment_status\`, an order that leaves it moves the others up, and one can be missed: read
without, and look at the status.

To poll, read from page 1 until the orders are a minute older than the newest of the last time, and leave out the ids you
have: an order is dated a moment before it can be seen. Orders keep their place when their status changes, and imported
ones have the date they were placed at. Poll lists every 30 seconds or less often. There is no rate limit, but a runaway
loop is throttled with 429 until it slows down.

### Money
An integer is in minor units (\`amount\`, \`total_amount\`, \`total_spent\`, \`unit_price\`, \`line_total\`): 1099 is
10.99 USD. A decimal is in major units (\`price\`, \`subtotal\`, \`total\`): 10.99. How many decimals there are is up to
the currency: two for most, none for JPY, three for KWD.

### Fields
No member is ever left out, but for \`isSandbox\` on payment methods without a gateway. A text without a value is \`""\`,
not null. Timestamps are ISO 8601, UTC. The \`id\` of a product is a string; \`product_id\` and the ids of categories,
brands and stores are integers.

### Errors
\`{ "success": false, "error": "…" }\`, with a text fit for a log or a display. The answer to a faulty request body names
all faults, each with its path: \`items[2].quantity must be an integer from 1 to 999\`. Every response has an
\`X-Request-Id\`: quote it in a report of a problem.

Every error response has an \`X-Error-Code\`. Decide by this code, not by the text. A code keeps its meaning under
\`/v1\`. Codes may be added: handle an unknown code by its status.

${ERROR_CODE_TABLE}

### Retries and idempotency
Repeat after 409, 429 and any 5xx, and when no answer came: with exponential backoff, and not before \`Retry-After\`. A
proxy before the service may answer 502 or 504, and not in JSON; the request may have been done all the same. Reads can
always be repeated, orders only with an \`Idempotency-Key\`; without one, a repeated request is another order.

Send the key with every order: however often it is repeated, one order is placed, and later attempts get the first
answer, byte for byte, with \`Idempotent-Replayed: true\`. Only a placed order uses its key up: after a refusal (400, 422) the
same key may come with a corrected order. Keys are kept for 24 hours at least.
`.trim();
