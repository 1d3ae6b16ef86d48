/** Runs statements on one connection. What writes rows for a request and for a command takes it. */
export interface Sql {
  query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>;
}
