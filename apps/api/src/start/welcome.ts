import type { FirstSteps } from './demo.js';

/** What a first start says: the keys, which are shown this once, and two requests to try them with. */
export function firstWelcome(address: string, subdomain: string, { liveKey, testKey, item }: FirstSteps): string {
  const body = JSON.stringify({ items: [item], customer: { name: 'Ada Lovelace', email: 'ada@example.com' } });
  return `
Store Commerce is running at ${address} with a demo store.

  Live key       ${liveKey}
  Test key       ${testKey}
  Documentation  ${address}/docs

The keys are not shown again. To make another:
  ${newKeyCommand(subdomain)}

List products:
  curl '${address}/v1/products?limit=3' -H 'Authorization: Bearer ${liveKey}'

Create an order, marked as a test:
  curl '${address}/v1/orders' -H 'Authorization: Bearer ${testKey}' -H 'Content-Type: application/json' -d '${body}'
`;
}

/** What every other start says. */
export function welcomeBack(address: string, subdomain: string): string {
  return `
Store Commerce is running at ${address}

  Documentation  ${address}/docs
  A new API key  ${newKeyCommand(subdomain)}
`;
}

function newKeyCommand(subdomain: string): string {
  return `npm run --silent cli -- keys create --store ${subdomain}`;
}
