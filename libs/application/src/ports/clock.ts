/** The clock that dates orders. All processes share it, because their own clocks differ. */
export abstract class Clock {
  abstract now(): Promise<Date>;
}
