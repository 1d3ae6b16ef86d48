// API_KEY=svc_live_… npx tsx examples/erp-bridge/bridge.ts <address> <folder> [seconds between rounds; 0: one round]
import { mkdir } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { RequestFailed, type SkuCopy, storeClient } from '@store-commerce/client';
import { sendChanges } from './changes-in.js';
import { placeOrders } from './orders-in.js';
import { writeNewOrders } from './orders-out.js';
import { sendStock } from './stock-in.js';
import { writeStock } from './stock-out.js';

const [address, folder, seconds = '30'] = process.argv.slice(2);
const { API_KEY } = process.env;
if (!API_KEY || !address || !folder || !/^\d+(\.\d+)?$/.test(seconds)) {
  process.stderr.write(
    'Usage: API_KEY=svc_live_… bridge.ts <address> <folder> [seconds between rounds; 0: one round]\n',
  );
  process.exit(2);
}
const client = storeClient(address, API_KEY);
const stock: SkuCopy = { skus: new Map() };

/**
 * Runs a round and returns the number of refusals. The state is in the folder and in the store, so a round may be
 * killed anywhere. A start reads the stock again.
 */
const round = async (): Promise<number> => {
  await mkdir(folder, { recursive: true });
  // Changes are sent first, so that the cursor of the stock is after what the warehouse has done.
  const changes = await sendChanges(client, folder);
  const moved = await sendStock(client, folder);
  const units = await writeStock(client, folder, stock);
  const added = await writeNewOrders(client, folder);
  const { placed, refused } = await placeOrders(client, folder, units);
  process.stdout.write(
    `stock.csv: ${units.length} SKUs; orders.csv: ${added} added; orders-in: ${placed} placed, ${refused} refused; ` +
      `changes: ${changes.done} done, ${changes.refused} refused; stock: ${moved.done} done, ${moved.refused} refused\n`,
  );
  return refused + changes.refused + moved.refused;
};

for (let isLast = Number(seconds) === 0; ; await setTimeout(Number(seconds) * 1000)) {
  try {
    const refused = await round();
    // The exit code informs a scheduler that starts single rounds.
    if (isLast && refused > 0) process.exitCode = 1;
  } catch (error) {
    const { message, cause } = error as Error;
    const words = `${message}${cause instanceof Error ? ` (${cause.message})` : ''}`;
    // Characters that a terminal interprets are replaced.
    process.stderr.write(`${words.replace(/[^\P{Cc}\n]|\p{Bidi_Control}/gu, '\uFFFD')}\n`);
    // Only an operator can replace the key. All other failures may pass.
    isLast ||= error instanceof RequestFailed && [401, 403].includes(error.status);
    if (isLast) process.exitCode = 1;
  }
  if (isLast) break;
}
