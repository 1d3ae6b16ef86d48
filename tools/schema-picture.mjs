// This module draws the tables of the catalog as a Mermaid entity-relationship diagram.

// Partitions repeat their parent, and the list of migrations is not data.
const TABLES = `
  SELECT oid::regclass::text AS name, obj_description(oid, 'pg_class') AS comment FROM pg_class
  WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
    AND relname <> 'migrations'
  ORDER BY oid`;

// A reference is optional when one of its columns may be null, and one to one when its columns are the primary key.
const REFERENCES = `
  SELECT DISTINCT conrelid::regclass::text AS from, confrelid::regclass::text AS to,
    EXISTS (SELECT FROM pg_attribute WHERE attrelid = conrelid AND attnum = ANY (conkey) AND NOT attnotnull) AS optional,
    EXISTS (SELECT FROM pg_constraint AS own
      WHERE own.conrelid = reference.conrelid AND own.contype = 'p'
        AND own.conkey @> reference.conkey AND own.conkey <@ reference.conkey) AS single,
    (SELECT string_agg(attname, ', ' ORDER BY place) FROM unnest(conkey) WITH ORDINALITY AS part (attnum, place)
      JOIN pg_attribute USING (attnum) WHERE attrelid = conrelid AND attname <> 'store_id') AS by
  FROM pg_constraint AS reference
  WHERE contype = 'f' AND connamespace = 'public'::regnamespace AND conparentid = 0
  ORDER BY 2, 1, 5`;

/**
 * @param {(sql: string) => Promise<Record<string, any>[]>} query
 * @returns {Promise<string>} the text of docs/schema.md.
 */
export async function schemaPicture(query) {
  const [tables, references] = [await query(TABLES), await query(REFERENCES)];
  const arrows = drawn(references).map(({ from, to, optional, single, by }) => {
    return `    ${to} ${optional ? '|o' : '||'}--${single ? 'o|' : 'o{'} ${from} : "${by ?? 'store_id'}"\n`;
  });
  const list = tables.map(({ name, comment }) => `- \`${name}\`: ${comment ?? ''}\n`);
  return `# Schema

\`npm run generate\` writes this page from the system catalog of PostgreSQL. A test compares them. The SQL, with the columns and the reason for each index and trigger, is in
\`libs/infrastructure/src/postgres/migrations/schema\`.

Every key of a store's table contains \`store_id\`. A line names the other columns of the foreign key. A table that refers to
another table of its store has no line to \`stores\`.

## Tables

${list.join('')}
## Diagram

\`\`\`mermaid
erDiagram
${arrows.join('')}\`\`\`
`;
}

/** Omits references to `stores` when the table also refers to another table of its store. */
function drawn(references) {
  const isReached = (table) => references.some(({ from, to }) => from === table && to !== 'stores' && to !== table);
  return references.filter(({ from, to }) => to !== 'stores' || !isReached(from));
}
