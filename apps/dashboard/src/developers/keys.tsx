import type { JSX } from 'preact';
import { api, useGet, type StoreKey } from '../http.js';
import { Badge } from '../parts/badge.js';
import { count } from '../parts/money.js';
import { Waiting } from '../parts/page.js';
import { PAGE_SIZE, Pages, Table, type Column } from '../parts/table.js';
import { Time } from '../parts/time.js';
import { useRoute } from '../route.js';
import { KeyActions } from './key-actions.js';
import { isOver, mayOf } from './key-rights.js';

const COLUMNS: readonly Column<StoreKey>[] = [
  {
    name: 'Name',
    cell: ({ name, created_by }) => (
      <>
        <span class="line">
          <bdi>{name || 'without a name'}</bdi>
        </span>
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
const ACTIONS: Column<StoreKey> = { name: 'Actions', isNumber: true, cell: (row) => <KeyActions row={row} /> };

export function Keys(): JSX.Element {
  const route = useRoute();
  const query = { limit: PAGE_SIZE, page: Number(route.query.page ?? 1) };
  const list = useGet(['keys', query], () => api.GET('/v1/keys', { params: { query } }), { keep: true });
  const rows = list.data?.data ?? [];
  const working = rows.filter((row) => !isOver(row));
  const over = rows.filter(isOver);
  return (
    <>
      <Waiting query={list} rows={6} />
      {list.data && working.length === 0 && (
        <p class="empty">No key works. A program of yours, such as an ERP, needs one.</p>
      )}
      {working.length > 0 && (
        <Table label="Keys" rows={working} columns={[...COLUMNS, ACTIONS]} keyOf={({ id }) => id} />
      )}
      {over.length > 0 && (
        <details class="more foot">
          <summary>{count(over.length, 'key')} revoked or expired</summary>
          <Table label="Keys that are over" rows={over} columns={COLUMNS} keyOf={({ id }) => id} />
        </details>
      )}
      {list.data && list.data.pagination.total > PAGE_SIZE && (
        <Pages route={route} total={list.data.pagination.total} noun="key" />
      )}
    </>
  );
}
