/** `whole` × `part` / `of`, rounded half up; 0 of nothing. Products of amounts exceed the exact integers. */
export function partOf(whole: number, part: number, of: number): number {
  if (of <= 0) return 0;
  const [dividend, divisor] = [2n * BigInt(whole) * BigInt(part) + BigInt(of), 2n * BigInt(of)];
  return Number(dividend / divisor);
}
