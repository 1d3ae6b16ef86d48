/**
 * The number of header lines with a name. Node joins or drops repeated headers; the raw headers keep them.
 *
 * @param name in lower case.
 * @param rawHeaders names and values in turn.
 */
export function linesNamed(name: string, rawHeaders: readonly string[]): number {
  let count = 0;
  for (let n = 0; n < rawHeaders.length; n += 2) {
    const given = rawHeaders[n];
    if (given?.length === name.length && given.toLowerCase() === name) count++;
  }
  return count;
}
