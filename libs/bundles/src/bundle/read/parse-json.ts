import { Fault } from '../check/faults.js';

/** @throws Fault when the text is not JSON. */
export function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    // The parser's own message quotes the line, which may hold personal data.
    const position = /position (\d+)/.exec((error as Error).message)?.[1];
    throw new Fault(
      'the line',
      `is not valid JSON${position === undefined ? '' : ` (character ${Number(position) + 1})`}`,
    );
  }
}
