import type { Rig } from '../rig.js';
import { shuffled } from '../store-setup.js';
import { KILL_POINTS, type KillPoint } from './kill-points.js';
import { Victim } from './victim.js';

/** The point at which the service dies; absent for a random moment. */
interface Death {
  readonly point: KillPoint | null;
}

/** Two at a time: one is killed while the other starts. */
const LANES = 2;
/** Random time from ready to death, sometimes long enough to warm up. */
const LONGEST_LIFE_MS = 600;

export interface ServiceKills {
  readonly deaths: number;
  /** The slowest start after a kill. */
  readonly slowestStartMs: number;
}

/** Repeatedly kills services with kill -9: at each point as often as given, and at random moments, in random order. */
export async function killServices(
  victims: readonly Victim[],
  random: (below: number) => number,
  { perPoint, atRandom }: { readonly perPoint: number; readonly atRandom: number },
): Promise<ServiceKills> {
  const planned: Death[] = [
    ...KILL_POINTS.flatMap((point) => Array.from({ length: perPoint }, () => ({ point }))),
    ...Array.from({ length: atRandom }, () => ({ point: null })),
  ];
  const deaths = shuffled(planned, random);
  const starts: number[] = [];
  const suffer = async (victim: Victim, lane: number) => {
    for (const { point } of deaths.filter((_, n) => n % victims.length === lane)) {
      if (point) await victim.dieAt(point, point.delivered ?? random(2) === 0);
      else await victim.dieAfter(random(LONGEST_LIFE_MS));
      starts.push(await victim.riseAgain());
    }
  };
  await Promise.all(victims.map(suffer));
  return { deaths: starts.length, slowestStartMs: Math.max(0, ...starts) };
}

/** Each service dies once and stays dead: first at the two points around the commit, then at random points. */
export async function killOnce(victims: readonly Victim[], random: (below: number) => number): Promise<ServiceKills> {
  const [delivered, update, ...others] = [...KILL_POINTS].reverse();
  const points = [delivered, update, ...shuffled(others, random)].filter((point) => point !== undefined);
  await Promise.all(
    victims.map((victim, n) => {
      const point = points[n % points.length] as KillPoint;
      return victim.dieAt(point, point.delivered ?? random(2) === 0);
    }),
  );
  return { deaths: victims.length, slowestStartMs: 0 };
}

export function startVictims(rig: Rig, count = LANES): Promise<Victim[]> {
  return Promise.all(Array.from({ length: count }, () => Victim.start(rig)));
}
