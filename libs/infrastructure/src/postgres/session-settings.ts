/**
 * For each new connection that reads or writes rows, whatever the server, the database or the role has: the formats of
 * values, because the driver parses only ISO times, and the isolation of single statements. Without JIT: to compile a
 * statement takes longer than to run any of these. They are statements, because PgBouncer refuses startup parameters; it
 * keeps `DateStyle` and `TimeZone` for each client.
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
