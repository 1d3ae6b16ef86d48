/** The primary's positions of the last hour, one for each probe. */
const KEPT = 1_800;

/** When the primary was at which position of the WAL, to express the lag of a replica in seconds. */
export class PositionHistory {
  private readonly samples: { readonly position: bigint; readonly at: number }[] = [];

  /** @param position of the primary, as PostgreSQL prints it: `16/B374D848`. */
  note(position: string, at = performance.now()): void {
    this.samples.push({ position: toBigInt(position), at });
    if (this.samples.length > KEPT) this.samples.shift();
  }

  /** Forgets the positions of a former primary: those of the next one cannot be compared with them. */
  clear(): void {
    this.samples.length = 0;
  }

  /**
   * Seconds since the primary was at the first sampled position that the replica has not replayed; 0 when it has replayed
   * all. At most an hour.
   */
  lagOf(replayed: string, now = performance.now()): number {
    const position = toBigInt(replayed);
    const missing = this.samples.find((sample) => sample.position > position);
    return missing ? (now - missing.at) / 1_000 : 0;
  }
}

function toBigInt(position: string): bigint {
  const [high = '0', low = '0'] = position.split('/');
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
}
