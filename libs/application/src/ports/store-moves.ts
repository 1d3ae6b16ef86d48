/** The steps in their order. A killed command goes on after the last one that is done. */
export const MOVE_STEPS = [
  'copying', // the copy has begun; clients notice nothing
  'copied', // every table is there, and changes follow
  'draining', // the worker begins nothing more
  'closed', // nothing may write; the copy is equal
  'opened', // the target serves the store
  'verified', // every row was compared
  'cleaned', // the replication is gone
] as const;

export type MoveStep = (typeof MOVE_STEPS)[number];

export interface MoveProgress {
  readonly step: MoveStep;
  /** A detail such as the number of copied tables. Empty at the end of a step. */
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
  /** Compared at the switch, of all tables; null when a command was killed between the switch and the comparison. */
  readonly rows: number | null;
  /** Tables whose rows differ: the copy at the source is then the evidence. */
  readonly differences: readonly string[];
  /** How long nothing could be written; null when an earlier command closed the store. */
  readonly closedMs: number | null;
}

/** A reason why a store cannot be moved, now or at all. Nothing was lost: the message says what to do. */
export class MoveRefused extends Error {}

/**
 * Moves a live store to another cluster by the logical replication of PostgreSQL. Runs in the cluster that has the store. For
 * operators, whose role is a superuser in both clusters. One move at a time in a cluster.
 */
export abstract class StoreMoves {
  /**
   * Changes nothing.
   *
   * @returns why the store cannot be moved, one text for each reason.
   * @throws MoveRefused when the databases cannot be compared; NotFound
   */
  abstract check(subdomain: string, target: string): Promise<readonly string[]>;

  /**
   * Begins the move, or goes on with the one that was interrupted.
   *
   * @throws MoveRefused, NotFound
   */
  abstract move(move: StoreMove): Promise<MoveReport>;

  /**
   * Takes back a move that has not opened the target, and deletes the copy there.
   *
   * @throws MoveRefused when the target serves the store already; NotFound
   */
  abstract abort(subdomain: string, target: string): Promise<void>;

  /**
   * Deletes what is left of a store that has moved away, and whose rows were compared.
   *
   * @returns the number of deleted rows.
   * @throws MoveRefused, NotFound
   */
  abstract forget(subdomain: string): Promise<number>;
}
