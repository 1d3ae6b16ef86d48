import { ERROR_CODE_TABLE } from './failures.js';

/** The introduction of the API document, in Markdown. */
export const GUIDE = `
A store's orders, products, SKUs, customers, categories, brands and profile, and one write that places an order.

### Authentication
Every request under \`/v1\` sends \`Authorization: Bearer <API key>\`. A key opens one store; ids of other stores return
404. A key that is missing, malformed or unknown returns 401. A key that is deactivated, revoked or expired, or whose store
is inactive, returns 403. Both have the body \`{ "error": "…" }\`. From 30 days before a key expires, answers carry
\`X-Key-Expires-At\`.

### Test keys
\`svc_test_…\` keys behave exactly like \`svc_live_…\` keys, stock and mail included. \`X-Traffic-Mode\` names the mode.
Lists contain orders of both modes and do not distinguish them. \`is_test\` is a field of the full order,
\`GET /v1/orders/{id}\`. Read it before you book an order.

### Paging and filters
Lists return \`{ success, data, pagination: { total, page, limit } }\`. \`limit\` is 50 by default and at most 100, and
\`page\` starts at 1. Values out of range are clamped, never rejected. The last page is ceil(total / limit); a later page
is empty. A filter value that no row has returns an empty list. Only
more than 100 values of \`sku\` return 400. \`featured\` and \`in_stock\` filter when they are
\`true\` or \`1\`; any other value, including \`false\`, does not filter. An unknown parameter is ignored and named in
\`X-Ignored-Parameters\`; with \`Prefer: handling=strict\` it returns 400.

### Reading everything
Orders, products and customers are sorted newest first. A row that is added while you read moves the others down, so the
same row can be at the end of one page and at the start of the next. Read from page 1 to the last page and skip ids you
already have. Do not filter by \`status\` or \`fulfillment_status\` while you do: an order that leaves the filter moves the
others up, and you can miss one. Read without the filter and check the status.

To poll, read from page 1 until the orders are a minute older than the newest order of the last poll, and skip ids you
already have: an order is dated a moment before it becomes visible. Orders keep their place when their status changes, and
imported orders have the date they were placed. Poll lists every 30 seconds or less often. There is no rate limit, but a
runaway loop gets 429 until it slows down.

### Money
An integer is in minor units (\`amount\`, \`total_amount\`, \`total_spent\`, \`unit_price\`, \`line_total\`): 1099 is
10.99 USD. A decimal is in major units (\`price\`, \`subtotal\`, \`total\`): 10.99. The currency defines the number of
decimals: two for most, none for JPY, three for KWD.

### Fields
Every field is always present, except \`isSandbox\` on payment methods without a gateway. A text without a value is
\`""\`, not null. Timestamps are ISO 8601 in UTC. The \`id\` of a product is a string; \`product_id\` and the ids of
categories, brands and stores are integers.

### Errors
\`{ "success": false, "error": "…" }\`, with a text fit for a log or a display. The answer to a faulty request body names
all faults, each with its path: \`items[2].quantity must be an integer from 1 to 999\`. Every response has an
\`X-Request-Id\`: quote it in a report of a problem.

Every error response has an \`X-Error-Code\`. Decide by this code, not by the text. A code keeps its meaning under
\`/v1\`. Codes may be added: handle an unknown code by its status.

${ERROR_CODE_TABLE}

### Retries and idempotency
Repeat a request after 409, 429, any 5xx or no answer, with exponential backoff and not before \`Retry-After\`. A proxy in
front of the service may return 502 or 504, and not in JSON; the service may have processed the request. Repeat reads
freely, and orders only with an \`Idempotency-Key\`: without one, a repeated request is another order.

Send the key with every order. However often you repeat it, one order is placed, and later attempts return the first
answer, byte for byte, with \`Idempotent-Replayed: true\`. Only a placed order uses its key up: after a refusal (400, 422),
you can send a corrected order with the same key. Keys are kept for at least 24 hours.
`.trim();
