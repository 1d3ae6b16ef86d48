import type { JSX } from 'preact';
import { api, useGet, type StoreKey } from '../http.js';
import { Badge } from '../parts/badge.js';
import { List } from '../parts/list.js';
import { count } from '../parts/money.js';
import { PAGE_SIZE, Table, type Column } from '../parts/table.js';
import { Time } from '../parts/time.js';
import { useRoute } from '../route.js';
import { KeyActions } from './key-actions.js';
import { isOver, mayOf } from './key-rights.js';

const COLUMNS: readonly Column<StoreKey>[] = [
  {
    name: 'Name',
    cell: ({ name, created_by }) => (
      <>
        <bdi class="line">{name || 'without a name'}</bdi>
        {created_by.name && (
          <small class="line">
            by <bdi>{created_by.name}</bdi>
          </small>
        )}
      </>
    ),
  },
  {
    name: 'Key',
    cell: ({ mode, last_four, status }) => (
      <>
        <code>…{last_four}</code> <Badge state={mode} tone={mode === 'test' ? 'wait' : 'quiet'} />
        {status === 'DEACTIVATED' && <Badge state="off" tone="bad" />}
      </>
    ),
  },
  { name: 'May', cell: mayOf },
  { name: 'From', cell: ({ networks }) => networks.join(', ') || 'anywhere' },
  {
    name: 'Last used',
    isNumber: true,
    cell: ({ last_used_at }) => (last_used_at ? <Time at={last_used_at} /> : 'never'),
  },
  {
    name: '7 days',
    isNumber: true,
    cell: ({ requests_7_days, refused_7_days }) => (
      <>
        {requests_7_days.toLocaleString()}
        {refused_7_days > 0 && <small class="bad">{refused_7_days.toLocaleString()} refused</small>}
      </>
    ),
  },
  { name: 'Expires', isNumber: true, cell: ({ expires_at }) => (expires_at ? <Time at={expires_at} /> : 'never') },
];
const ACTIONS: Column<StoreKey> = { name: 'Actions', cell: (row) => <KeyActions row={row} /> };

export function Keys(): JSX.Element {
  const query = { limit: PAGE_SIZE, page: Number(useRoute().query.page ?? 1) };
  const list = useGet(['keys', query], () => api.GET('/v1/keys', { params: { query } }), { keep: true });
  const over = list.data?.data.filter(isOver) ?? [];
  const keyOf = ({ id }: StoreKey) => id;
  return (
    <>
      <List
        label="Keys"
        query={list}
        rows={list.data?.data.filter((row) => !isOver(row))}
        columns={[...COLUMNS, ACTIONS]}
        keyOf={keyOf}
        empty="No key works. A program of yours, such as an ERP, needs one."
        all={{}}
      />
      {over.length > 0 && (
        <details class="more foot">
          <summary>{count(over.length, 'key')} revoked or expired</summary>
          <Table label="Keys that are over" rows={over} columns={COLUMNS} keyOf={keyOf} />
        </details>
      )}
    </>
  );
}
