/** A body of lines that are not read yet: one that is no JSON is refused alone. */
export class Ndjson {
  constructor(readonly text: string) {}
}
