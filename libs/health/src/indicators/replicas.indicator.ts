import { ReadReplicas } from '@app/infrastructure';
import { Injectable } from '@nestjs/common';
import { HealthIndicatorService, type HealthIndicatorResult } from '@nestjs/terminus';

/** Degraded, not down, without one of the replicas: the others and the primary answer its reads. */
@Injectable()
export class ReplicasIndicator {
  constructor(
    private readonly indicators: HealthIndicatorService,
    private readonly replicas: ReadReplicas,
  ) {}

  check(): HealthIndicatorResult {
    const states = this.replicas.states;
    const usable = states.filter(({ isUpToDate }) => isUpToDate).length;
    // JSON has no NaN: an unknown lag is null.
    const lags = states.map(({ lagSeconds }) => (Number.isNaN(lagSeconds) ? null : lagSeconds));
    const data = { configured: states.length, usable, lag_seconds: lags };
    const indicator = this.indicators.check('replicas');
    if (usable === states.length) return indicator.up(data);
    return indicator.degraded({ ...data, reasons: [`Only ${usable} of ${states.length} replicas can be read`] });
  }
}
