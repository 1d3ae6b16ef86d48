import type { Spread } from '../measure.js';
import type { Table } from '../report.js';

/** A figure of the rounds, and the one that it is to be compared with. */
export interface WebhookRow {
  readonly title: string;
  readonly unit: string;
  readonly service: Spread;
  readonly reference: Spread | null;
  /** `null`: there is none. */
  readonly goal: { readonly atLeast: number } | { readonly atMost: number } | null;
}

export function webhookTable(rows: readonly WebhookRow[]): Table {
  return [
    ['measured', 'service (min–max)', 'reference (min–max)', 'goal'],
    ...rows.map(({ title, unit, service, reference, goal }) => [
      title,
      textOf(service, unit),
      reference ? textOf(reference, unit) : '–',
      goal ? verdict(service.median, unit, goal) : '–',
    ]),
  ];
}

function textOf({ median, min, max }: Spread, unit: string): string {
  return `${short(median)} ${unit} (${short(min)}–${short(max)})`;
}

function verdict(found: number, unit: string, goal: NonNullable<WebhookRow['goal']>): string {
  const [sign, limit, missing] =
    'atLeast' in goal ? ['≥', goal.atLeast, goal.atLeast - found] : ['≤', goal.atMost, found - goal.atMost];
  return `${sign} ${limit} ${unit}: ${missing > 0 ? `missed by ${short(missing)}` : 'met'}`;
}

function short(value: number): string {
  return value.toFixed(value < 10 ? 2 : 0);
}
