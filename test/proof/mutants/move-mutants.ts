import { mutant, type Mutant } from './mutant.js';

export const MOVE_MUTANTS: readonly Mutant[] = [
  mutant(
    'a move does not wait for those who write',
    'move',
    /acknowledged and is lost|The rows of .+ differ|the list of \w+ has/,
    ['store-writable', 'PERFORM FROM stores WHERE id = of_store;'],
  ),
  mutant('a cluster answers for a store that has left it', 'move', /the store has left answered 200/, ['moved-store']),
  mutant('two clusters have the store', 'move', /has not completely moved away from this database/, ['one-home']),
  mutant('the worker of the target sends mails of the copy', 'move', /mail \S+ was sent by both clusters/, [
    'served-stages',
  ]),
  mutant('a store is closed while its mails are sent', 'move', /Writes in progress did not end/, ['drained-worker']),
  mutant(
    'changes without a position are left behind',
    'move',
    /The rows of .+ differ|the list of orders has|the copy of the reader/,
    ['moved-changes'],
  ),
  mutant('the target does not know the cursors of the source', 'move', /the reader was rewound/, ['moved-forks']),
  mutant('the target gives ids of the store again', 'move', /a new product was answered/, ['moved-sequences']),
  mutant('rows keep the transaction ids of the source', 'move', /a count of \d+ units left|The count was refused/, [
    'given-transactions',
    "WHERE attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = ''",
  ]),
  mutant('a store takes the id of another one', 'move', /another store with its id/, [
    'taken-store',
    "const sql = '/* moves.taken */ SELECT id, subdomain, status FROM stores WHERE $1::int IS NOT NULL AND subdomain = $2';",
  ]),
];
