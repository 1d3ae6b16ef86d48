/** Returns the text of docs/schema.md, drawn from the catalog that `query` reads. */
export function schemaPicture(query: (sql: string) => Promise<Record<string, unknown>[]>): Promise<string>;
