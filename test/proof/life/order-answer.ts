export interface OrderAnswer {
  readonly id: string;
  readonly status: string;
  readonly fulfillment_status: string;
  readonly total_amount: number;
  readonly line_items: readonly {
    readonly line: number;
    readonly quantity: number;
    readonly shipped_quantity: number;
  }[];
  readonly shipments: readonly ShipmentAnswer[];
  readonly payments: readonly MoneyAnswer[];
  readonly refunds: readonly MoneyAnswer[];
  readonly pipeline: readonly { readonly stage: string; readonly reference: string }[];
}

export interface Units {
  readonly line: number;
  readonly quantity: number;
}

interface ShipmentAnswer {
  readonly reference: string;
  readonly status: string;
  readonly items: readonly Units[];
  readonly carrier: string;
}

export interface MoneyAnswer {
  readonly reference: string;
  readonly amount: number;
}

export function excessOf({ line_items, shipments, payments, refunds }: OrderAnswer): string[] {
  const violations = line_items.flatMap(({ line, quantity, shipped_quantity: told }) => {
    const claimed = unitsOf(line, shipments.filter(isActive));
    const shipped = unitsOf(line, shipments.filter(hasLeft));
    return [
      ...(Math.max(claimed, told) > quantity
        ? [`line ${line} has ${quantity} units, ${claimed} in shipments, ${told} shipped`]
        : []),
      ...(told === shipped ? [] : [`line ${line} tells ${told} shipped units, its shipments have ${shipped}`]),
    ];
  });
  const [paid, refunded] = [sumOf(payments), sumOf(refunds)];
  if (refunded > paid) violations.push(`${refunded} was refunded of ${paid}`);
  return violations;
}

export function isActive({ status }: Pick<ShipmentAnswer, 'status'>): boolean {
  return status !== 'void';
}

export function hasLeft({ status }: Pick<ShipmentAnswer, 'status'>): boolean {
  return status === 'shipped' || status === 'delivered';
}

export function unitsOf(line: number, shipments: readonly Pick<ShipmentAnswer, 'items'>[]): number {
  return shipments
    .flatMap(({ items }) => items)
    .filter((item) => item.line === line)
    .reduce((sum, { quantity }) => sum + quantity, 0);
}

export function contentOf(items: readonly Units[]): string {
  const lines = [...new Set(items.map(({ line }) => line))].sort((a, b) => a - b);
  return lines.map((line) => `${line}×${unitsOf(line, [{ items }])}`).join(' ');
}

function sumOf(records: readonly MoneyAnswer[]): number {
  return records.reduce((sum, { amount }) => sum + amount, 0);
}
