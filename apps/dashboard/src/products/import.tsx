import { useState } from 'preact/hooks';
import { refresh, useRead } from '../http.js';
import { Form } from '../parts/ask.js';
import { Alert, announce, Button, download, Page, Section, QueryStatus } from '../parts/page.js';
import { countsOf, isRefused, Results } from '../parts/results.js';
import { count } from '../parts/text.js';
import { useMe } from '../session.js';
import { linesOf, preview, write, type BundleLine } from './bundle.js';

/** Decodes UTF-8: a file in another encoding would be stored with wrong letters. @returns undefined for such a file. */
function textIn(bytes: ArrayBuffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

export function ImportPage() {
  const [bundle, setBundle] = useState<readonly BundleLine[]>();
  const subdomain = useMe().data?.data.store.subdomain ?? '';
  const [refusal, refuse] = useState('');
  const take = async (file: File | undefined) => {
    if (!file) return;
    const text = textIn(await file.arrayBuffer());
    setBundle(text === undefined ? undefined : linesOf(text, subdomain));
    refuse(text === undefined ? `${file.name} is not UTF-8. Save it as UTF-8, then choose it again.` : '');
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    void take(event.dataTransfer?.files[0]);
  };
  return (
    <Page title="Import" back="Products">
      <label class="empty drop" onDragOver={(event) => event.preventDefault()} onDrop={drop}>
        <span>Drop a file of products, customers or till sales here: NDJSON, one object per line.</span>
        <input type="file" aria-label="File" onChange={(event) => void take(event.currentTarget.files?.[0])} />
      </label>
      {refusal && <Alert>{refusal}</Alert>}
      {bundle && <Import key={bundle.map(({ text }) => text.length).join()} lines={bundle} />}
    </Page>
  );
}

const FIRST = 20;
/**
 * Shows a preview of the first lines, which compares them with their rows because the service has no dry run, and
 * afterwards the result of each line.
 */
function Import({ lines }: { lines: readonly BundleLine[] }) {
  const [done, setDone] = useState<readonly BundleLine[]>([]);
  const good = lines.filter((line) => !isRefused(line));
  const first = good.slice(0, FIRST);
  const query = useRead(['preview', first.map(({ text }) => text)], async () => {
    const read: BundleLine[] = [];
    for (const line of first) read.push(await preview(line));
    return read;
  });
  // After a failure, the next click continues where it stopped: a line that was already written is unchanged.
  const run = async () => {
    for (let all = done; all.length < good.length; setDone(all))
      all = [...all, ...(await write(good.slice(all.length)))];
    await refresh();
    announce('Import finished.');
  };
  const isBegun = done.length > 0;
  const known = [...lines.filter(isRefused), ...(isBegun ? done : (query.data ?? []))].sort((a, b) => a.n - b.n);
  const refused = known.filter(isRefused);
  const shown = isBegun ? known.filter(({ notes }) => notes.length > 0) : known;
  const words = isBegun ? known.map(({ result }) => result) : lines.map(({ kind }) => `× ${kind || 'unreadable'}`);
  const title = `${isBegun ? 'Result' : 'File'}: ${countsOf(words)}`;
  const label = isBegun ? 'Refused lines and warnings' : 'Changes of the first lines';
  const save = () => download('refused.ndjson', refused.map(({ text }) => `${text}\n`).join(''));
  const button = <Button text="Download refused lines" class="small" onClick={save} />;
  return (
    <>
      <Section title={title} actions={refused.length > 0 && button}>
        {!isBegun && <QueryStatus query={query} rows={first.length} />}
        <Results label={label} lines={shown} />
      </Section>
      {done.length < good.length && (
        <Form submitLabel={`Import ${count(good.length - done.length, 'line')}`} send={run}>
          {isBegun && <progress max={good.length} value={done.length} aria-label="Imported lines" />}
        </Form>
      )}
    </>
  );
}
