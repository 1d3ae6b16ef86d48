/** The text of docs/schema.md, drawn from the catalog that `query` asks. */
export function schemaPicture(query: (sql: string) => Promise<Record<string, unknown>[]>): Promise<string>;
