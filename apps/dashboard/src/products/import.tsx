import { useState } from 'preact/hooks';
import { api, refresh, useGet, type Schemas } from '../http.js';
import { announce } from '../parts/announce.js';
import { Form } from '../parts/ask.js';
import { Named, Table, type Column } from '../parts/list.js';
import { Badge, download, Page, Section, Waiting } from '../parts/page.js';
import { count } from '../parts/text.js';
import { useMe } from '../session.js';
import { linesOf, pieceOf, preview, type BundleLine, type Outcome } from './bundle.js';

export function ImportPage() {
  const [bundle, setBundle] = useState<readonly BundleLine[]>();
  const subdomain = useMe().data?.data.store.subdomain ?? '';
  const take = async (file: File | undefined) => file && setBundle(linesOf(await file.text(), subdomain));
  return (
    <Page title="Import" back="Products">
      <label
        class="empty drop"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          void take(event.dataTransfer?.files[0]);
        }}
      >
        <span>Drop a file of products, customers or sales of a till here: NDJSON, one object in each line.</span>
        <input type="file" aria-label="File" onChange={(event) => void take(event.currentTarget.files?.[0])} />
      </label>
      {bundle && <Import key={bundle.map(({ text }) => text.length).join()} lines={bundle} />}
    </Page>
  );
}

const FIRST = 20;
const MOST_SHOWN = 200;

/** Such as `2 created, 1 refused`. */
const countsOf = (words: readonly string[]): string =>
  [...new Set(words)].map((word) => `${words.filter((each) => each === word).length} ${word}`).join(', ');

/** The service has no dry run: the rows of the first lines are read and compared. Afterwards, what became of each line. */
function Import({ lines }: { lines: readonly BundleLine[] }) {
  const [done, setDone] = useState<readonly Outcome[]>([]);
  const good = lines.filter(({ error }) => error === '');
  const bad = lines.filter(({ error }) => error !== '').map((line) => ({ ...line, result: 'refused', notes: [] }));
  const first = good.slice(0, FIRST);
  const query = useGet(['preview', first.map(({ text }) => text)], async () => {
    const outcomes: Outcome[] = [];
    for (const line of first) outcomes.push(await preview(line));
    return { data: outcomes };
  });
  // After a failure the next click goes on where it stopped: a line that was written already is unchanged.
  const run = async () => {
    for (let all = done; all.length < good.length; setDone(all)) {
      const piece = pieceOf(good.slice(all.length));
      const body = { lines: piece.map(({ value }) => value) as Schemas['ImportLine'][] };
      const results = (await api.POST('/v1/import', { body })).data?.data.lines ?? [];
      const told = results.map(({ result, error, warning }, index) => ({
        ...(piece[index] as BundleLine),
        ...{ result, error, notes: warning ? [warning] : [] },
      }));
      all = [...all, ...told];
    }
    await refresh();
    announce('The import is finished.');
  };
  const refused = [...bad, ...done.filter(({ error }) => error !== '')];
  const warned = done.filter(({ error, notes }) => error === '' && notes.length > 0);
  const isBegun = done.length > 0;
  const shown = [...refused, ...(isBegun ? warned : (query.data ?? []))];
  const left = good.length - done.length;
  const save = () => download('refused.ndjson', refused.map(({ text }) => `${text}\n`).join(''));
  return (
    <>
      <Section
        title={
          isBegun
            ? `Result: ${countsOf([...done, ...bad].map(({ result }) => result))}`
            : `In the file: ${countsOf(lines.map(({ kind }) => `× ${kind || 'unreadable'}`))}`
        }
        actions={
          refused.length > 0 && (
            <button type="button" class="small" onClick={save}>
              Download refused lines
            </button>
          )
        }
        flush
      >
        {!isBegun && <Waiting query={query} rows={first.length} />}
        <Table
          label={isBegun ? 'Refused lines and warnings' : 'What the first lines would change'}
          rows={shown.sort((a, b) => a.n - b.n).slice(0, MOST_SHOWN)}
          columns={COLUMNS}
        />
      </Section>
      {left > 0 && (
        <Form verb={`Import ${count(left, 'line')}`} onSubmit={run}>
          {isBegun && <progress max={good.length} value={done.length} aria-label="Imported lines" />}
        </Form>
      )}
    </>
  );
}

const COLUMNS: readonly Column<Outcome>[] = [
  { name: 'What', cell: ({ n, kind, key }) => <Named name={key || 'Unreadable'} small={[`line ${n} ${kind}`]} /> },
  {
    name: 'Changes',
    cell: ({ error, notes }) =>
      [error, ...notes].map((text) => (
        <span class="detail" key={text}>
          {text}
        </span>
      )),
  },
  { name: 'Result', cell: ({ result }) => <Badge state={result} /> },
];
