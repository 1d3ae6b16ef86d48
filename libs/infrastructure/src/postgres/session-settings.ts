import type pg from 'pg';

/**
 * The settings of each new connection that reads or writes rows, which override those of the server, the database and
 * the role. They set the formats of values, because the driver parses only ISO times, and the isolation of single
 * statements. JIT is off: compiling a statement takes longer than running any of these. The settings are statements,
 * because PgBouncer refuses startup parameters; it keeps `DateStyle` and `TimeZone` for each client.
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
 * A pool option that is missing in the types of pg: it applies the settings to each new connection and adds a listener.
 * The pool listens for errors of idle connections, a caller for those of the connection it uses. Between the two, a
 * connection still reads, possibly the server's shutdown message, and an error event without a listener would end the
 * process. With a listener, the next query on that connection fails instead.
 */
export function onConnect(settings = '') {
  return {
    onConnect: (client: pg.ClientBase) => {
      client.on('error', () => undefined);
      return client.query(SESSION_SETTINGS + settings);
    },
  };
}

/**
 * Another pool option that is missing in the types of pg: a statement is sent without waiting for the answers of
 * earlier ones.
 */
export const PIPELINE = { pipeline: true };
