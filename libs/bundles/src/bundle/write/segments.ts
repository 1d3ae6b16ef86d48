import { naturalKeys, type EmailKey } from '../check/line-keys.js';
import type { Numbered } from './batch.js';

/**
 * Cuts a batch before each line that repeats the natural key of an earlier one. The rows of a segment can then be
 * written in any order, with the same outcome as line after line.
 */
export function segmentsOf(lines: readonly Numbered[], emailKey: EmailKey): Numbered[][] {
  const segments: Numbered[][] = [];
  let segment: Numbered[] = [];
  let seen = new Set<string>();
  for (const each of lines) {
    const keys = naturalKeys(each.line, emailKey);
    if (keys.some((key) => seen.has(key))) {
      segments.push(segment);
      segment = [];
      seen = new Set();
    }
    segment.push(each);
    for (const key of keys) seen.add(key);
  }
  if (segment.length > 0) segments.push(segment);
  return segments;
}
