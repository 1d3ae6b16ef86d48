import { ValidateBy, type ValidationOptions } from 'class-validator';

const constraint = (
  name: string,
  validate: (value: unknown) => boolean,
  message: string,
  options?: ValidationOptions,
) => ValidateBy({ name, validator: { validate, defaultMessage: () => message } }, options);

/** A JSON integer within the range: no numeric text, no fraction, no null. */
export const IsIntegerFrom = (min: number, max: number): PropertyDecorator =>
  constraint(
    'isIntegerFrom',
    (value) => Number.isInteger(value) && Number(value) >= min && Number(value) <= max,
    `must be an integer from ${min} to ${max}`,
  );

/** Text that can be stored and given back as it is. `max` counts code points. */
export const IsText = (max: number): PropertyDecorator =>
  constraint(
    'isText',
    (value) => typeof value === 'string' && isStorable(value) && [...value].length <= max,
    `must be text of at most ${max} characters, without NUL or lone surrogates`,
  );

/** Not absent, not null, and not blank text. */
export const IsPresent = (): PropertyDecorator =>
  constraint(
    'isPresent',
    (value) => value !== undefined && value !== null && !(typeof value === 'string' && value.trim() === ''),
    'is required',
  );

/** Empty, or one `@` with something on both sides and no white space. What lies behind the address is not our business. */
export const IsEmailAddress = (max: number): PropertyDecorator =>
  constraint(
    'isEmailAddress',
    (value) =>
      value === '' ||
      (typeof value === 'string' && isStorable(value) && [...value].length <= max && /^[^\s@]+@[^\s@]+$/.test(value)),
    `must be an e-mail address of at most ${max} characters`,
  );

/** One of the words, in any letter case. A ligature is no letter of them, although its capitals are. */
export const IsOneOf = (words: readonly string[], message: string): PropertyDecorator =>
  constraint(
    'isOneOf',
    (value) =>
      typeof value === 'string' && words.some((word) => word === value.toUpperCase() && word.length === value.length),
    message,
  );

function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
