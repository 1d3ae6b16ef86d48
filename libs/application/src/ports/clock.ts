/** The clock that dates orders: one for all processes, whose own clocks differ. */
export abstract class Clock {
  abstract now(): Promise<Date>;
}
