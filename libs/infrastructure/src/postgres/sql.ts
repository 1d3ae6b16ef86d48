/**
 * Runs statements on one connection. Code that writes rows depends on this interface when both requests and commands
 * use the code.
 */
export interface Sql {
  query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>;
}
