import { parseSync } from 'libpg-query';
import { nameOf } from './read-statements.js';

/** Statements that write rows of a store in a transaction that does not check whether this cluster owns the store. */
const EXCEPTIONS: ReadonlyMap<string, string> = new Map([['stores.insert', 'A new store is at home.']]);

const ASKS = /\b(is_writable|is_processed|assert_writable)\s*\(/;

/** Follows the transactions of the service, and finds writes that a move of the store would not notice. */
export class HomeCheck {
  /** Whether the transaction of each session has checked. */
  private readonly sessions = new Map<string, boolean>();
  private readonly written = new Map<string, boolean>();
  readonly faults = new Set<string>();

  constructor(private readonly tables: ReadonlySet<string>) {}

  /** @param session the session that sent the statement. Its statements arrive in sequence. */
  read(session: string, sql: string): void {
    const hasAsked = this.sessions.get(session);
    if (/\bBEGIN\b|\bSTART TRANSACTION\b/.test(sql)) this.sessions.set(session, ASKS.test(sql));
    else if (/^\s*(COMMIT|ROLLBACK)(?! TO)\b/.test(sql)) this.sessions.delete(session);
    else if (ASKS.test(sql)) {
      if (hasAsked === false) this.sessions.set(session, true);
    } else if (!hasAsked && !EXCEPTIONS.has(nameOf(sql) ?? '') && this.writes(sql)) {
      this.faults.add(`a write that a move of the store does not wait for: ${sql.trim().replace(/\s+/g, ' ')}`);
    }
  }

  private writes(sql: string): boolean {
    const known = this.written.get(sql);
    if (known !== undefined) return known;
    const found = /\b(INSERT|UPDATE|DELETE)\b/.test(sql) && writesTo(parseSync(sql), this.tables);
    this.written.set(sql, found);
    return found;
  }
}

function writesTo(node: unknown, tables: ReadonlySet<string>): boolean {
  if (typeof node !== 'object' || node === null) return false;
  return Object.entries(node).some(([name, child]) => {
    const { relation } = (child ?? {}) as { relation?: { relname?: string } };
    const isWrite = name === 'InsertStmt' || name === 'UpdateStmt' || name === 'DeleteStmt';
    return (isWrite && tables.has(relation?.relname ?? '')) || writesTo(child, tables);
  });
}
