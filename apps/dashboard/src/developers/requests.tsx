import { api, useGet } from '../http.js';
import { List, type Column } from '../parts/list.js';
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

async function read() {
  const { data } = await api.GET('/v1/keys/usage', { params: { query: { days: 7, limit: 100 } } });
  return { data: data && { ...data, data: refusalsOf(data.data) } };
}

export const Requests = () => (
  <List
    label="Refused requests"
    query={useGet(['key-use'], read)}
    columns={COLUMNS}
    empty="No request was refused in the last 7 days."
  />
);
