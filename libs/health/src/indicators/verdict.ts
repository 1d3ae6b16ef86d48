import type { HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';

type Indicator = ReturnType<HealthIndicatorService['check']>;

/** Down with the reasons that apply; up when none does. */
export function verdict(
  indicator: Indicator,
  data: Readonly<Record<string, unknown>>,
  found: readonly (string | false)[],
): HealthIndicatorResult {
  const reasons = found.filter((reason) => reason !== false);
  return reasons.length > 0 ? indicator.down({ ...data, reasons }) : indicator.up({ ...data });
}
