import type { JSX } from 'preact';
import { api, useGet } from '../http.js';
import { Waiting } from '../parts/page.js';
import { Table, type Column } from '../parts/table.js';
import { ADVICE, refusalsOf, type Refusal } from './explain.js';

const COLUMNS: readonly Column<Refusal>[] = [
  {
    name: 'Code',
    cell: ({ code }) => (
      <a href="../docs/guide#codes" target="_blank" rel="noreferrer">
        <code>{code}</code>
      </a>
    ),
  },
  { name: 'Key', cell: ({ name }) => <bdi class="line">{name || 'without a name'}</bdi> },
  { name: 'Times', isNumber: true, cell: ({ times }) => times.toLocaleString() },
  { name: 'Last day', isNumber: true, cell: ({ last }) => last },
  { name: 'What to do', cell: ({ code }) => ADVICE[code] ?? 'The guide explains the code.' },
];

export function Requests(): JSX.Element {
  const query = { days: 7, limit: 100 };
  const use = useGet(['key-use'], () => api.GET('/v1/keys/usage', { params: { query } }));
  const refusals = refusalsOf(use.data?.data ?? []);
  return (
    <>
      <Waiting query={use} rows={6} />
      {use.data && refusals.length === 0 && <p class="empty">No request was refused in the last 7 days.</p>}
      {refusals.length > 0 && (
        <Table label="Refused requests" rows={refusals} columns={COLUMNS} keyOf={(row) => row.key + row.code} />
      )}
    </>
  );
}
