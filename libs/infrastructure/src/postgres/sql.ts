/** Runs statements on one connection. Code that writes rows for both requests and commands depends on it. */
export interface Sql {
  query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>;
}
