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

/** Counts header lines with a lower-case name. Node joins or drops repeated headers; the raw headers keep them. */
export function linesNamed(name: string, rawHeaders: readonly string[]): number {
  let count = 0;
  for (let n = 0; n < rawHeaders.length; n += 2) {
    const given = rawHeaders[n];
    if (given?.length === name.length && given.toLowerCase() === name) count++;
  }
  return count;
}
