/** Reads `Accept` or `Accept-Encoding` (RFC 9110, 12.4.2): values in lower case. A weight of 0 excludes a value. */
export function weightsOf(header = ''): ReadonlyMap<string, number> {
  return new Map(
    header.split(',').map((each) => {
      const [value = '', weight = '1'] = each
        .trim()
        .toLowerCase()
        .split(/\s*;\s*q=/);
      return [value, parseFloat(weight)];
    }),
  );
}
