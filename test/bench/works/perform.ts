import type { Scene } from '../support/scene.js';
import { settle } from '../stores/seed-store.js';
import { seededRandom } from '../../support/seeded-random.js';
import { assertBalanced, readBooks } from './books.js';
import { compare } from './compare.js';
import { play, type Plan } from './rounds.js';
import { summarize, type WorkResult } from './summary.js';
import type { Work } from './works.js';

/**
 * Compares the answers of all sides, measures them in turn, and checks the totals when orders were placed.
 *
 * @throws Error when an answer is wrong or missing: then there is nothing to measure.
 */
export async function perform(scene: Scene, work: Work, plan: Plan, seed: number): Promise<WorkResult> {
  const { database, shop, twin, references } = scene;
  if (work.env) await forgetOldMails(scene);
  const { url, pid } = await scene.service(work.env);
  const placesOrders = work.requests(shop).kind === 'orders';
  const theirs = { shop: placesOrders ? twin : shop };
  const sides = {
    service: { url, pid, schema: 'public', shop },
    bare: { ...references.bare, ...theirs },
    sameSchema: { ...references.sameSchema, ...theirs },
  };
  await compare({ work, sides, random: seededRandom(seed) }, database);

  const before = placesOrders ? await readBooks(database, shop) : null;
  const rounds = await play(scene, work, sides, plan, seed).catch((cause: unknown) => {
    throw new Error(`${work.name} did not complete. ${scene.lastWords}`, { cause });
  });
  if (before) {
    const mostUnderWay = work.connections * (plan.rounds + 1);
    assertBalanced(before, await readBooks(database, shop), rounds.serviceAnswered, mostUnderWay);
  }
  return summarize(work, rounds);
}

/** Removes unsent mails of earlier orders: they are not the work of a worker that starts now. */
async function forgetOldMails({ database }: Scene): Promise<void> {
  await database.query(`UPDATE order_stages SET state = 'done' WHERE state = 'pending'`);
  await settle(database);
}
