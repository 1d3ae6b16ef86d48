import { useState } from 'preact/hooks';
import { refresh } from '../http.js';
import { Field, Form, type Values } from '../parts/ask.js';
import { announce, Section } from '../parts/page.js';
import { countsOf, isRefused, Results } from '../parts/results.js';
import { count } from '../parts/text.js';
import type { PriceList } from './price-lists.js';
import { compare, write, type SheetLine } from './sheet.js';

const LINES = {
  label: 'Lines of a spreadsheet',
  placeholder: 'SKU; from quantity; price; minimum; step',
  hint: 'SKU, from quantity, price, minimum, step, separated by tabs or semicolons. An empty cell changes nothing, - removes.',
};

/** Compares pasted lines with the list, then writes those that change something. */
export function Sheet({ list: { code, currency } }: { list: PriceList }) {
  const [lines, setLines] = useState<readonly SheetLine[]>([]);
  const [done, setDone] = useState<readonly SheetLine[]>([]);
  // Lines that were compared stay visible while the person corrects them, but are not written.
  const [isStale, setStale] = useState(false);
  const changes = lines.filter(({ change }) => change);
  const compareLines = async (_: Values, form: FormData) => {
    const text = form.get('lines');
    const compared = await compare(typeof text === 'string' ? text : '', code, currency);
    setLines(compared);
    setDone([]);
    setStale(false);
  };
  // After a failure, the next click continues where it stopped.
  const writeLines = async () => {
    for (let all = done; all.length < changes.length; setDone(all))
      all = [...all, ...(await write(code, changes.slice(all.length)))];
    await refresh();
    announce('Prices written.');
  };
  const results = new Map(done.map((line) => [line.n, line]));
  const isBegun = done.length > 0;
  const known = lines.map(
    (line) => results.get(line.n) ?? (isBegun && line.change ? { ...line, result: 'pending' } : line),
  );
  const left = changes.length - done.length;
  const title = `${isBegun ? 'Result' : 'Preview'}: ${countsOf(known.map(({ result }) => result))}`;
  return (
    <Section title="Paste from a spreadsheet">
      <Form submitLabel="Preview" tone="" send={compareLines}>
        <Field {...LINES} name="lines" rows={4} required spellcheck={false} onInput={() => setStale(true)} />
      </Form>
      {lines.length > 0 && (
        <>
          <div role="status">
            <h3>{title}</h3>
          </div>
          <Results
            label="Pasted lines"
            name="SKU"
            lines={known.filter((line) => isRefused(line) || line.notes.length > 0)}
          />
        </>
      )}
      {left > 0 && !isStale && (
        <Form submitLabel={`Write ${count(left, 'line')}`} send={writeLines}>
          {isBegun && <progress max={changes.length} value={done.length} aria-label="Written lines" />}
        </Form>
      )}
    </Section>
  );
}
