import { DEFAULT_DATA_DIR } from '@app/infrastructure';
import type { FirstSteps } from './demo.js';

/** Where the service is, and which store it serves. */
export interface Place {
  readonly address: string;
  readonly subdomain: string;
  readonly dataDir: string;
}

/** What a first start says: the keys, which are shown this once, and two requests to try them with. */
export function firstWelcome(place: Place, { liveKey, testKey, item }: FirstSteps): string {
  const { address } = place;
  const body = JSON.stringify({ items: [item], customer: { name: 'Ada Lovelace', email: 'ada@example.com' } });
  return `
Store Commerce is running at ${address} with a demo store.

  Live key       ${liveKey}
  Test key       ${testKey}
  Documentation  ${address}/docs

The keys are not shown again. To make another:
  ${newKeyCommand(place)}

List products:
  curl '${address}/v1/products?limit=3' -H 'Authorization: Bearer ${liveKey}'

Create an order, marked as a test:
  curl '${address}/v1/orders' -H 'Authorization: Bearer ${testKey}' -H 'Content-Type: application/json' -d '${body}'
`;
}

/** What every other start says. */
export function welcomeBack(place: Place): string {
  return `
Store Commerce is running at ${place.address}

  Documentation  ${place.address}/docs
  A new API key  ${newKeyCommand(place)}
`;
}

/** For a shell that knows nothing of the environment this process was started with. */
function newKeyCommand({ subdomain, dataDir }: Place): string {
  const command = `npm run --silent cli -- keys create --store ${subdomain}`;
  if (dataDir === DEFAULT_DATA_DIR) return command;
  const word = /^[\w./-]+$/.test(dataDir) ? dataDir : `'${dataDir.replaceAll("'", `'\\''`)}'`;
  return `DATA_DIR=${word} ${command}`;
}
