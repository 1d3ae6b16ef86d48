// npx tsx examples/quick-start.ts <address> <API key> <product id>
import { randomUUID } from 'node:crypto';
import { allOrders, placeOrder, RequestFailed, storeClient } from '@store-commerce/client';

const [address = 'http://localhost:3000', apiKey = '', productId = '1'] = process.argv.slice(2);
// A reader such as `head` may close the pipe early.
process.stdout.on('error', () => process.exit());

const client = storeClient(address, apiKey);
const items = [{ product_id: Number(productId), quantity: 1 }];

try {
  const placed = await placeOrder(client, { items, customer: { name: 'Ada Lovelace' } }, randomUUID());
  process.stdout.write(`placed ${placed.receipt_number}: ${placed.total}\n`);

  for await (const order of allOrders(client)) {
    if (order.status !== 'PENDING') continue;
    process.stdout.write(`${order.receipt_number} ${order.total_amount} minor units of ${order.currency}\n`);
  }
} catch (error) {
  // `fetch` throws a TypeError when no connection answers; its cause names the reason.
  const cause = error instanceof TypeError ? (error.cause as NodeJS.ErrnoException | undefined) : undefined;
  if (!(error instanceof RequestFailed) && !cause) throw error;
  const line = cause ? `no answer from ${address} (${cause.code ?? cause.message})` : (error as Error).message;
  process.stderr.write(`${line}\n`);
  process.exitCode = 1;
}
