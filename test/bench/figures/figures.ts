import type { Options } from '../support/options.js';
import type { Scene } from '../support/scene.js';
import { measureColdStarts, type ColdStarts } from './cold-start.js';
import { measureImport, type ImportRate } from './import-rate.js';
import { measureInstall, type InstallSize } from './install-size.js';
import { soak, type MemoryUnderLoad, type Soak } from './memory.js';

/** Figures in addition to the works; `null` when not requested or not measurable. */
export interface Figures {
  readonly memory: MemoryUnderLoad | null;
  /** Milliseconds, in an idle service. For the delay under load, see the works. */
  readonly idleLoopDelayP99: number | null;
  readonly soak: Soak | null;
  readonly starts: ColdStarts | null;
  readonly import: ImportRate | null;
  readonly install: InstallSize | null;
}

const SOAK_SECONDS = 600;
const STARTS = 3;
const IMPORTED_ORDERS = 1_000_000;
const IMPORTED_ORDERS_QUICK = 20_000;

/** Measures everything outside the works. */
export async function measureFigures(
  scene: Scene,
  { quick, all, withImport, seed }: Options,
  onProgress: (text: string) => void,
): Promise<Omit<Figures, 'memory' | 'idleLoopDelayP99'>> {
  const step = <T>(what: string, isWanted: boolean, measure: () => Promise<T>): Promise<T | null> => {
    if (isWanted) onProgress(what);
    return isWanted ? measure() : Promise.resolve(null);
  };
  return {
    starts: await step('cold starts', all, () => measureColdStarts(scene.production, quick ? 1 : STARTS)),
    soak: await step('ten minutes of mixed load', all && !quick, () => soak(scene, SOAK_SECONDS, seed)),
    import: await step('import', withImport, () =>
      measureImport(scene, quick ? IMPORTED_ORDERS_QUICK : IMPORTED_ORDERS, seed),
    ),
    install: await step('production install', all && !quick, measureInstall),
  };
}
