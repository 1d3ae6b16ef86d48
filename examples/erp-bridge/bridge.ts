// API_KEY=svc_live_… npx tsx examples/erp-bridge/bridge.ts <address> <folder> [seconds between rounds; 0: one round]
import { mkdir } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import type { SkuCopy } from '../typescript-client/erp.js';
import { RequestFailed, storeClient } from '../typescript-client/store.js';
import { placeOrders } from './orders-in.js';
import { writeNewOrders } from './orders-out.js';
import { writeStock } from './stock-out.js';

const [address = 'http://localhost:3000', folder = '.', seconds = '30'] = process.argv.slice(2);
const client = storeClient(address, process.env['API_KEY'] ?? '');
const stock: SkuCopy = { skus: new Map() };

/** What was done is in the folder and in the store: a round may be killed anywhere. A start reads the stock again. */
async function round(): Promise<void> {
  await mkdir(folder, { recursive: true });
  const units = await writeStock(client, folder, stock);
  await writeNewOrders(client, folder);
  await placeOrders(client, folder, units);
}

for (let isLast = Number(seconds) === 0; ; await setTimeout(Number(seconds) * 1000)) {
  try {
    await round();
  } catch (error) {
    const { message, cause } = error as Error;
    process.stderr.write(`${message}${cause instanceof Error ? ` (${cause.message})` : ''}\n`);
    // An operator must replace the key. Everything else may pass.
    isLast ||= error instanceof RequestFailed && [401, 403].includes(error.status);
    if (isLast) process.exitCode = 1;
  }
  if (isLast) break;
}
