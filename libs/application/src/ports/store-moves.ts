/** The steps in sequence. After a kill, the command continues after the last completed step. */
export const MOVE_STEPS = [
  'copying', // the copy has begun; clients notice nothing
  'copied', // every table is copied, and changes follow
  'draining', // the worker starts nothing more
  'closed', // nothing may write, and the copy is identical
  'opened', // the target serves the store
  'verified', // every row was compared
  'cleaned', // the replication is removed
] as const;

export type MoveStep = (typeof MOVE_STEPS)[number];

export interface MoveProgress {
  readonly step: MoveStep;
  /** A detail such as the number of copied tables. It is empty at the end of a step. */
  readonly detail: string;
}

export interface StoreMove {
  readonly subdomain: string;
  /** A PostgreSQL URL of the other cluster. It is never shown or logged. */
  readonly target: string;
  readonly onProgress: (progress: MoveProgress) => void;
}

export interface MoveReport {
  readonly subdomain: string;
  /**
   * The number of rows in all tables compared at the switch; null when a command was killed between the switch and the
   * comparison.
   */
  readonly rows: number | null;
  /** Tables whose rows differ. The copy at the source is then kept as evidence. */
  readonly differences: readonly string[];
  /** How long nothing could be written; null when an earlier command closed the store. */
  readonly closedMs: number | null;
}

/** The store cannot be moved, now or at all. Nothing was lost: the message says what to do. */
export class MoveRefused extends Error {}

/**
 * Moves a live store to another cluster by PostgreSQL's logical replication. It runs in the source cluster, for
 * operators whose role is a superuser in both clusters. A cluster runs one move at a time.
 */
export abstract class StoreMoves {
  /**
   * Checks a move without changing anything.
   * @returns why the store cannot be moved, one text for each reason.
   * @throws MoveRefused when the databases cannot be compared; NotFound
   */
  abstract check(subdomain: string, target: string): Promise<readonly string[]>;

  /**
   * Starts the move, or resumes an interrupted one.
   * @throws MoveRefused, NotFound
   */
  abstract move(move: StoreMove): Promise<MoveReport>;

  /**
   * Reverts a move that has not opened the target, and deletes the copy there.
   * @throws MoveRefused when the target already serves the store; NotFound
   */
  abstract abort(subdomain: string, target: string): Promise<void>;

  /**
   * Deletes the remaining data of a store that has moved away, after its rows were compared.
   * @returns the number of deleted rows.
   * @throws MoveRefused, NotFound
   */
  abstract forget(subdomain: string): Promise<number>;
}
