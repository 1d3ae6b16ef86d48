/** A request that arrived while its concurrency limit was full. */
export class Overloaded extends Error {
  constructor() {
    super('Too many requests at a time: try again shortly');
  }
}
