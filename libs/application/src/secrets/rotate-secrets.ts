import { Injectable } from '@nestjs/common';
import { EncryptedSecrets, type KeyUse } from '../ports/encrypted-secrets.js';

export interface RotationReport {
  readonly rotated: number;
  /** Values that no configured key decrypts. They are unchanged. */
  readonly unreadable: number;
  readonly examples: readonly string[];
  /** Values still under an older key, because other transactions locked or wrote them during every pass. */
  readonly left: number;
  readonly keys: readonly KeyUse[];
}

const EXAMPLES = 20;
/** A pass skips locked values, and misses values that an import writes after the pass has read past them. */
const PASSES = 5;
const PAUSE_MS = 500;

/** Running an interrupted rotation again resumes it. */
@Injectable()
export class RotateSecrets {
  constructor(private readonly secrets: EncryptedSecrets) {}

  async due(): Promise<number> {
    return dueOf(await this.secrets.keyUses());
  }

  /** @param onProgress receives the number of values re-encrypted so far. */
  async execute(onProgress: (rotated: number) => void = () => undefined): Promise<RotationReport> {
    let rotated = 0;
    for (let pass = 1; ; pass++) {
      const unreadable: string[] = [];
      for await (const batch of this.secrets.reencrypt()) {
        rotated += batch.rotated;
        unreadable.push(...batch.unreadable);
        onProgress(rotated);
      }
      const keys = await this.secrets.keyUses();
      const left = Math.max(0, dueOf(keys) - unreadable.length);
      if (left === 0 || pass === PASSES) {
        return { rotated, unreadable: unreadable.length, examples: unreadable.slice(0, EXAMPLES), left, keys };
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}

function dueOf(keys: readonly KeyUse[]): number {
  return keys.filter(({ position }) => position !== 1).reduce((sum, { values }) => sum + values, 0);
}
