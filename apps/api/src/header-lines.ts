/** Counts header lines with a lower-case name. Node joins or drops repeated headers; the raw headers keep them. */
export function linesNamed(name: string, rawHeaders: readonly string[]): number {
  let count = 0;
  for (let n = 0; n < rawHeaders.length; n += 2) {
    const given = rawHeaders[n];
    if (given?.length === name.length && given.toLowerCase() === name) count++;
  }
  return count;
}
