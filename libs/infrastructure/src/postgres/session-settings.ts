import type pg from 'pg';

/**
 * The settings of each new connection that reads or writes rows, whatever the server, the database or the role has: the
 * formats of values, because the driver parses only ISO times, and the isolation of single statements. JIT is off: to
 * compile a statement takes longer than to run any of these. The settings are statements, because PgBouncer refuses
 * startup parameters; it keeps `DateStyle` and `TimeZone` for each client.
 */
export const SESSION_SETTINGS = `
  SET DateStyle = 'ISO, YMD';
  SET IntervalStyle = 'postgres';
  SET TimeZone = 'UTC';
  SET extra_float_digits = 1;
  SET bytea_output = 'hex';
  SET default_transaction_isolation = 'read committed';
  SET jit = off;
`;

/**
 * An option that the types of pg's pool lack: the settings of each new connection, and a listener. The pool listens for
 * errors of idle connections, a caller for those of the connection it uses. Between the two a connection still reads,
 * possibly the server's shutdown message, and an error event without a listener would end the process. With one, the next
 * query on that connection fails.
 */
export function onConnect(settings = '') {
  return {
    onConnect: (client: pg.ClientBase) => {
      client.on('error', () => undefined);
      return client.query(SESSION_SETTINGS + settings);
    },
  };
}

/** An option that the types of pg's pool lack, too: a statement is sent without waiting for the answers of earlier ones. */
export const PIPELINE = { pipeline: true };
