import { DEMO_STORE } from '@app/demo-store';
import { DEFAULT_DATA_DIR } from '@app/infrastructure';
import type { FirstSteps } from './demo.js';

export interface RunningInstance {
  readonly address: string;
  readonly dataDir: string;
  /** Signs in the owner of the demo store; null when there is no such person. */
  readonly signInLink: string | null;
}

export function firstWelcome(instance: RunningInstance, { liveKey, testKey, item }: FirstSteps): string {
  const { address } = instance;
  const body = JSON.stringify({ items: [item], customer: { name: 'Ada Lovelace', email: 'ada@example.com' } });
  return `
Store Commerce is running at ${address} with a demo store.

  Live key       ${liveKey}
  Test key       ${testKey}
  Documentation  ${address}/docs
${signInLine(instance)}
The keys are shown only once. To create another:
  ${newKeyCommand(instance)}

List products:
  curl '${address}/v1/products?limit=3' -H 'Authorization: Bearer ${liveKey}'

Create an order, marked as a test:
  curl '${address}/v1/orders' -H 'Authorization: Bearer ${testKey}' -H 'Content-Type: application/json' -d '${body}'
`;
}

export function welcomeBack(instance: RunningInstance): string {
  return `
Store Commerce is running at ${instance.address}

  Documentation  ${instance.address}/docs
  New API key    ${newKeyCommand(instance)}
${signInLine(instance)}`;
}

function signInLine({ signInLink }: RunningInstance): string {
  return signInLink === null ? '' : `  Sign-in link   ${signInLink}\n`;
}

/** Returns a command that works in a shell without this process's environment. */
function newKeyCommand({ dataDir }: RunningInstance): string {
  const command = `npx store-commerce keys create --store ${DEMO_STORE}`;
  if (dataDir === DEFAULT_DATA_DIR) return command;
  const word = /^[\w./-]+$/.test(dataDir) ? dataDir : `'${dataDir.replaceAll("'", `'\\''`)}'`;
  return `DATA_DIR=${word} ${command}`;
}
