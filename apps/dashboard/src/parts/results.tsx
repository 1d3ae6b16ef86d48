import { useState } from 'preact/hooks';
import { Named, Table, type Columns } from './list.js';
import { Badge, Button } from './page.js';
import { count, Lines } from './text.js';

/** A line of a file or of a pasted table, with its result or its expected result. */
export interface ResultLine {
  /** The line number, from 1. */
  readonly n: number;
  /** The key of its row. */
  readonly key: string;
  readonly kind?: string;
  readonly result: string;
  /** What the line changes, or why it is refused. */
  readonly notes: readonly string[];
}

const PAGE_LINES = 200;

export const isRefused = ({ result }: ResultLine): boolean => result === 'refused';

/** Counts each word, as in `2 created, 1 refused`. */
export const countsOf = (words: readonly string[]): string =>
  [...new Set(words)].map((word) => `${words.filter((each) => each === word).length} ${word}`).join(', ');

const columnsOf = (name: string): Columns<ResultLine> => ({
  [name]: ({ n, kind, key }) => (
    <Named name={key || 'Unreadable'} small={[[`line ${n}`, kind].filter(Boolean).join(' ')]} />
  ),
  Changes: ({ notes }) => <Lines of={notes} />,
  Result: ({ result }) => <Badge state={result} />,
});

type ResultsProps = Readonly<{ label: string; lines: readonly ResultLine[]; name?: string }>;

/** Shows refused lines before the others, in steps of `PAGE_LINES`. */
export function Results({ label, lines, name = 'Record' }: ResultsProps) {
  const [shown, show] = useState(PAGE_LINES);
  const rows = [...lines.filter(isRefused), ...lines.filter((line) => !isRefused(line))];
  const left = rows.length - shown;
  return (
    <>
      {rows.length > 0 && (
        <Table label={label} rows={rows.slice(0, shown)} columns={columnsOf(name)} keyOf={({ n }) => String(n)} />
      )}
      {left > 0 && (
        <Button
          text={`Show ${count(Math.min(left, PAGE_LINES), 'more line')} of ${left.toLocaleString()}`}
          onClick={() => show(shown + PAGE_LINES)}
        />
      )}
    </>
  );
}
