import * as timeLimits from './time-limits.js';

const {
  ANALYSIS_MS,
  CLIENT_TIMEOUT_MS,
  CONNECTION_MS,
  KEY_LOOK_UP_MS,
  KEY_STATEMENT_MS,
  LOCK_TIMEOUT_MS,
  LOST_COMMIT_LOOK_UP_MS,
  ORDER_DEADLINE_MS,
  QUERY_TIMEOUT_MS,
  READ_ANSWER_MS,
  SLOT_WAIT_MS,
  SILENT_SERVER_MS,
  STATEMENT_TIMEOUT_MS,
  TRANSACTION_MS,
} = timeLimits;

describe('The time limits', () => {
  it.each([
    ['the analysis ends before the order', ANALYSIS_MS, ORDER_DEADLINE_MS],
    ['the wait for a lock ends before the order', LOCK_TIMEOUT_MS, ORDER_DEADLINE_MS],
    ['the wait for a connection ends before the order', CONNECTION_MS, ORDER_DEADLINE_MS],
    ['an order ends before the answer of a read', ORDER_DEADLINE_MS, READ_ANSWER_MS],
    ['a read is answered before the client times out', READ_ANSWER_MS, CLIENT_TIMEOUT_MS],
    ['the look-up of a key ends before the answer', KEY_LOOK_UP_MS, READ_ANSWER_MS],
    ['the statement of a look-up ends before the look-up', KEY_STATEMENT_MS, KEY_LOOK_UP_MS],
    ['a search leaves its queue before the answer', SLOT_WAIT_MS, READ_ANSWER_MS],
    ['the server ends a statement before the service closes the connection', STATEMENT_TIMEOUT_MS, QUERY_TIMEOUT_MS],
    ['a transaction without a deadline has time for a lock', LOCK_TIMEOUT_MS, TRANSACTION_MS],
  ])('%s', (_, inner, outer) => {
    expect(inner).toBeLessThan(outer);
  });

  it('answer an order 100 ms before the client timeout when COMMIT has no answer', () => {
    expect(ORDER_DEADLINE_MS + SILENT_SERVER_MS + LOST_COMMIT_LOOK_UP_MS).toBeLessThanOrEqual(CLIENT_TIMEOUT_MS - 100);
  });
});
