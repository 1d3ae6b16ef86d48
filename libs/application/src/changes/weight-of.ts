/** About the bytes of a value as JSON, for much less than writing it. */
export function weightOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  let weight = 0;
  for (const part of Object.values(value)) weight += 16 + weightOf(part);
  return weight;
}
