import { setTimeout as delay } from 'node:timers/promises';
import type { Act } from './acts.js';
import { inTime, place, untilDelivered, type Scene } from './scene.js';

/** The database stops while the workers are busy. They resume without a restart when it is back. */
export async function takeTheDatabaseAway(scene: Scene, forMs: number): Promise<Act> {
  const { crew, proxy, sink } = scene;
  const before = crew.pids.join();
  sink.behaviour = { kind: 'slow', at: 'message', ms: 100 };
  const client = async (end: number) => {
    while (Date.now() < end) {
      await place(scene);
      await delay(100);
    }
  };
  const clients = client(Date.now() + forMs + 1_000);
  await delay(1_000);
  proxy.cut();
  await delay(forMs);
  proxy.restore();
  const back = Date.now();
  await clients;
  sink.behaviour = { kind: 'accept' };
  const last = await place(scene);
  const violations = await inTime(() => {
    if (!sink.mails.some(({ to }) => to.includes(last.email))) throw new Error('The workers do not resume');
  }, 30_000);
  const working = ((Date.now() - back) / 1_000).toFixed(1);
  violations.push(...(await untilDelivered(scene, 120_000)));
  const settled = Math.round((Date.now() - back) / 1_000);
  if (crew.pids.join() !== before) violations.push('workers were restarted');
  return {
    figures: `${forMs / 1_000} s without a database: at work again after ${working} s, all done after ${settled} s`,
    violations,
  };
}

/** Every connection of the workers freezes in the middle of deliveries; new ones work. */
export async function freezeOpenConnections(scene: Scene): Promise<Act> {
  const { crew, proxy, sink } = scene;
  const before = crew.pids.join();
  sink.behaviour = { kind: 'slow', at: 'message', ms: 100 };
  await Promise.all([place(scene), place(scene)]);
  const from = Date.now();
  proxy.freezeOpenConnections();
  sink.behaviour = { kind: 'accept' };
  const last = await place(scene);
  const violations = await inTime(() => {
    if (!sink.mails.some(({ to }) => to.includes(last.email))) throw new Error('The workers hang on dead connections');
  }, 60_000);
  const to = Date.now();
  violations.push(...(await untilDelivered(scene, 120_000)));
  proxy.restore();
  if (crew.pids.join() !== before) violations.push('workers were restarted');
  const working = ((to - from) / 1_000).toFixed(1);
  return { figures: `open connections frozen: at work on new ones after ${working} s`, violations };
}

/** SIGTERM in the middle of deliveries: the worker finishes them and exits cleanly. */
export async function dismissInDelivery(scene: Scene, answerMs: number, orders: number): Promise<Act> {
  const { crew, sink, clock } = scene;
  const size = crew.pids.length;
  const underWay = Math.min(2 * orders, 2 * size);
  sink.behaviour = { kind: 'slow', at: 'message', ms: answerMs };
  await Promise.all(Array.from({ length: orders }, () => place(scene)));
  const violations = await inTime(() => {
    if (sink.waiting < underWay) throw new Error(`Only ${sink.waiting} deliveries are under way`);
  });
  const taken = sink.mails.length;
  const start = Date.now();
  const endings = await crew.dismissAll();
  const seconds = ((Date.now() - start) / 1_000).toFixed(1);
  const finished = sink.mails.length - taken;
  violations.push(...endings.filter((end) => end !== 0).map((end) => `SIGTERM ended a worker with ${end}`));
  const claimed = await clock.claimed();
  violations.push(...claimed.map((claim) => `a worker that exited cleanly still holds ${claim}`));
  if (finished < underWay) violations.push(`${finished} of ${underWay} deliveries under way were finished`);

  sink.behaviour = { kind: 'accept' };
  // Other workers take the stages that had not begun.
  if ((await untilDelivered(scene, 0)).length > 0) {
    await crew.hire(size);
    violations.push(...(await untilDelivered(scene, 30_000)));
  }
  return { figures: `${finished} deliveries finished after SIGTERM, exit 0 in ${seconds} s`, violations };
}
