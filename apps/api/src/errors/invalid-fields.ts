import { BadRequestException } from '@nestjs/common';

/** What is wrong with one field of a request. */
export interface Fault {
  /** A path such as `items[2].quantity`, or the name of a query parameter. */
  readonly path: string;
  readonly message: string;
}

export const MAX_FAULTS = 20;
const MAX_NAME_LENGTH = 64;

/** A request with invalid fields. Only the first 20 faults are kept. */
export class InvalidFields extends BadRequestException {
  readonly faults: readonly Fault[];

  constructor(faults: readonly Fault[], text?: string) {
    const named = faults.slice(0, MAX_FAULTS);
    super(text ?? named.map(({ path, message }) => `${path} ${message}`).join('; '));
    this.faults = named;
  }
}

/** @param text begins with the path of the field, which contains no blank. */
export function invalidField(text: string): InvalidFields {
  const end = text.indexOf(' ');
  return new InvalidFields([{ path: text.slice(0, end), message: text.slice(end + 1) }]);
}

/** Shortens a name that a client has chosen. */
export function shortName(name: string): string {
  return [...name.toWellFormed()].slice(0, MAX_NAME_LENGTH).join('');
}
