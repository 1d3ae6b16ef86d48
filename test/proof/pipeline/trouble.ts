import { setTimeout as delay } from 'node:timers/promises';
import type { SinkBehaviour, SmtpSink } from '../../support/smtp-sink.js';
import { eventually } from '../../support/eventually.js';
import type { Random } from '../support/proof.js';
import { oneOf } from '../support/store-setup.js';
import { place, ship, type OrderKind, type Scene } from './scene.js';

const REFUSALS: readonly SinkBehaviour[] = [
  { kind: 'refuse', at: 'recipient', code: 451 },
  { kind: 'refuse', at: 'recipient', code: 530 },
  { kind: 'refuse', at: 'message', code: 451 },
  { kind: 'refuse', at: 'message', code: 550 },
];
const PLACES = ['greeting', 'message', 'delivered'] as const;
const CUTS: readonly SinkBehaviour[] = PLACES.map((at) => ({ kind: 'cut', at }));
const HANGS: readonly SinkBehaviour[] = PLACES.map((at) => ({ kind: 'hang', at }));
const FINE: readonly SinkBehaviour[] = [{ kind: 'accept' }, { kind: 'slow', at: 'message', ms: 300 }];
const MOODS = [REFUSALS, REFUSALS, CUTS, CUTS, HANGS, FINE, FINE];

export interface Troubles {
  readonly forMs: number;
  readonly orderPauseMs: number;
  /** The longest time between two kills; `null` means no kills. */
  readonly killPauseMs: number | null;
  readonly special: Readonly<Partial<Record<OrderKind, number>>>;
}

export async function makeTrouble(scene: Scene, { forMs, orderPauseMs, killPauseMs, special }: Troubles) {
  const { context, sink, crew } = scene;
  const { random } = context;
  const end = Date.now() + forMs;
  const isOver = () => Date.now() >= end;
  const kinds = Object.entries(special).flatMap(([kind, count]) => Array<OrderKind>(count).fill(kind as OrderKind));

  const client = async () => {
    while (!isOver()) {
      const order = await place(scene, kinds.pop());
      if (order.kind === 'good') await ship(scene, order);
      await delay(random(orderPauseMs));
    }
  };
  const killer = async () => {
    while (killPauseMs !== null) {
      await delay(killPauseMs / 2 + random(killPauseMs / 2));
      if (isOver()) return;
      await crew.replace(random(crew.pids.length));
    }
  };
  await Promise.all([client(), client(), killer(), changeMoods(sink, random, isOver)]);
  sink.behaviour = { kind: 'accept' };
}

async function changeMoods(sink: SmtpSink, random: Random, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    sink.behaviour = oneOf(oneOf(MOODS, random), random);
    await delay(50 + random(sink.behaviour.kind === 'hang' ? 150 : 700));
    // Cuts some of the hanging connections; the workers must time out on the others.
    if (sink.behaviour.kind === 'hang' && random(2) === 0) sink.cutAll();
  }
}

export async function killInDelivery({ sink, crew }: Scene, atLeast: number): Promise<void> {
  sink.behaviour = { kind: 'hang', at: 'message' };
  await eventually(() => {
    if (sink.waiting < atLeast) throw new Error(`Only ${sink.waiting} deliveries are under way`);
  });
  await crew.killAll();
  sink.behaviour = { kind: 'accept' };
}
