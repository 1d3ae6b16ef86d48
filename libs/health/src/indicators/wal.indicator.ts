import { Config } from '@app/infrastructure';
import { Injectable } from '@nestjs/common';
import { HealthIndicatorService, type HealthIndicatorResult } from '@nestjs/terminus';
import { Readiness } from '../readiness.js';
import { verdict } from './verdict.js';

const MIB = 2 ** 20;

/** Down when a replication slot keeps so much WAL that the disk may fill, or has lost WAL that its standby needs. */
@Injectable()
export class WalIndicator {
  constructor(
    private readonly indicators: HealthIndicatorService,
    private readonly readiness: Readiness,
    private readonly config: Config,
  ) {}

  check(): HealthIndicatorResult {
    const { slots } = this.readiness.told;
    const { retainedWalMib: most } = this.config.healthLimits;
    const retained = slots && Math.max(0, ...slots.map(({ retainedBytes }) => retainedBytes));
    const data = { slots: slots?.length ?? null, retained_bytes: retained };
    const reasons = (slots ?? []).flatMap(({ name, walStatus, retainedBytes }) => [
      (walStatus === 'unreserved' || walStatus === 'lost') && `The WAL of replication slot ${name} is ${walStatus}`,
      retainedBytes > most * MIB &&
        `Replication slot ${name} retains ${Math.floor(retainedBytes / MIB)} MiB of WAL: more than ${most} MiB (WAL_MAX_RETAINED_MIB)`,
    ]);
    return verdict(this.indicators.check('wal'), data, reasons);
  }
}
