/** The API maps each kind to an HTTP status. */
export type FailureKind =
  | 'invalid' // the request itself is wrong; repeating it cannot succeed
  | 'forbidden' // the key may not do this, however the request is repeated
  | 'not_found' // absent, or belongs to another store
  | 'rejected' // well-formed, but the store's current state refuses it
  | 'conflict'; // the same request is still in progress

/** An expected failure. Its message is shown to API clients, so it names no internals. */
export abstract class DomainError extends Error {
  abstract readonly kind: FailureKind;
  /** Identifies the error to clients, metrics and logs: snake_case, unique, and stable while the text may change. */
  abstract readonly code: string;
  /** How many bytes were read before the refusal, when that may be much more than its message. */
  readBytes = 0;

  constructor(message: string) {
    super(message);
    this.name = new.target.name;
  }
}

/** @param text the message, or a function that makes it from the constructor arguments. */
export function domainError<Args extends readonly unknown[] = []>(
  kind: FailureKind,
  code: string,
  text: string | ((...args: Args) => string),
) {
  const made = class extends DomainError {
    static readonly code = code;
    readonly kind = kind;
    readonly code = code;

    constructor(...args: Args) {
      super(typeof text === 'string' ? text : text(...args));
    }
  };
  // Tests and logs name the class.
  return Object.defineProperty(made, 'name', { value: code });
}

/** The store's current state refuses the request. */
export function rejected<Args extends readonly unknown[] = []>(
  code: string,
  text: string | ((...args: Args) => string),
) {
  return domainError('rejected', code, text);
}

/** What is wrong with a line of a request. */
export interface LineFault {
  /** The place of the line in the request, such as `lines[0]`; `''` where the request has no such line. */
  readonly path: string;
  readonly message: string;
}

export function refusedLines(code: string) {
  const refused = rejected(code, (faults: readonly LineFault[]) => {
    const texts = faults.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
    return `Nothing was changed: ${texts.join('; ')}`;
  });
  return class extends refused {
    constructor(readonly faults: readonly LineFault[]) {
      super(faults);
    }
  };
}
