import { Table, right, type Columns } from './list.js';

type Bar = Readonly<{ name: string; value: number; text: string }>;

const HEIGHT = 40;
const COLUMNS: Columns<Bar> = {
  Of: ({ name }) => name,
  Value: right(({ text }) => text),
};

/** Bars for the eye, and the same numbers in a table. */
export function Bars({ label, bars }: { label: string; bars: readonly Bar[] }) {
  const most = Math.max(1, ...bars.map(({ value }) => value));
  const width = 100 / Math.max(1, bars.length);
  const heightOf = (value: number) => (value === 0 ? 0.6 : Math.max(1.5, (HEIGHT * value) / most));
  return (
    <figure class="bars">
      <svg viewBox={`0 0 100 ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {bars.map(({ name, value, text }, index) => (
          <rect
            key={name}
            data-last={index === bars.length - 1}
            x={index * width + width * 0.14}
            width={width * 0.72}
            y={HEIGHT - heightOf(value)}
            height={heightOf(value)}
          >
            <title>{`${name}: ${text}`}</title>
          </rect>
        ))}
      </svg>
      <figcaption>
        <span>{bars[0]?.name}</span>
        <span>{bars.at(-1)?.name}</span>
      </figcaption>
      <details>
        <summary>As a table</summary>
        <Table label={label} rows={bars} columns={COLUMNS} keyOf={({ name }) => name} />
      </details>
    </figure>
  );
}
