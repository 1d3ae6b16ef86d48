import { visible } from './plain-text.js';

const LEVELS: Readonly<Record<number, string>> = {
  10: 'TRACE',
  20: 'DEBUG',
  30: 'INFO ',
  40: 'WARN ',
  50: 'ERROR',
  60: 'FATAL',
};

interface Line {
  readonly level: number;
  readonly time: string;
  readonly msg?: string;
  readonly context?: string;
  readonly error?: { readonly stack?: string };
}

export function prettyLine(json: string): string {
  const { level, time, msg = '', context, error, ...fields } = JSON.parse(json) as Line;
  const { stack, ...reported } = error ?? {};
  const values = Object.entries({ ...fields, ...reported }).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const head = [time.slice(11, 23), LEVELS[level] ?? level, context && `[${context}]`, msg, ...values];
  const text = [head.filter(Boolean).join(' '), stack].filter(Boolean).join('\n');
  return `${visible(text)}\n`;
}
