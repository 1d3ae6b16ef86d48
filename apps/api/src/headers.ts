/**
 * Reads `Accept` or `Accept-Encoding` (RFC 9110, 12.4.2): values in lower case, without parameters. A weight of 0 excludes a value.
 * Each character is read once: a header has up to 16 kB, and its reader needs no key.
 */
export function weightsOf(header = ''): ReadonlyMap<string, number> {
  return new Map(
    header.split(',').map((each) => {
      const [value = '', ...parameters] = each.split(';').map((part) => part.trim().toLowerCase());
      const weight = parameters.find((parameter) => parameter.startsWith('q='));
      return [value, weight ? parseFloat(weight.slice('q='.length)) : 1];
    }),
  );
}
