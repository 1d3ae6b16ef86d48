/** A request that came while as many were at work as can be. */
export class Overloaded extends Error {
  constructor() {
    super('Too many requests at a time: try again shortly');
  }
}
