import { BadRequestException, Injectable, ValidationPipe, type ArgumentMetadata } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { InvalidFields, MAX_FAULTS, shortName, type Fault } from '../errors/invalid-fields.js';
import { isJsonObject, ONLY_DECLARED } from './fields.js';

/** @throws InvalidFields */
@Injectable()
export class BodyPipe extends ValidationPipe {
  constructor() {
    super({
      transform: true,
      transformOptions: ONLY_DECLARED,
      stopAtFirstError: true,
      forbidUnknownValues: false,
      validationError: { value: true },
      exceptionFactory: (errors) => new InvalidFields(errors.flatMap((error) => faultsOf(error, error.property))),
    });
  }

  override async transform(body: unknown, metadata: ArgumentMetadata): Promise<object> {
    if (body === undefined) throw new BadRequestException('Request body is empty');
    if (!isJsonObject(body)) throw new BadRequestException('The request body must be a JSON object');
    return (await super.transform(body, metadata)) as object;
  }
}

/**
 * Refuses fields that the class does not declare. It is for bodies in which an absent field has a meaning: a misnamed
 * `lines` instead of `items` would ship everything. The body may be absent.
 */
@Injectable()
export class StrictBodyPipe extends BodyPipe {
  override async transform(body: unknown, metadata: ArgumentMetadata): Promise<object> {
    const sent = body === undefined ? {} : body;
    // Nest removes `__proto__` from what it reads, but here it is an undeclared field like any other.
    const read = await super.transform(structuredClone(sent), metadata);
    const unknown = unknownFields(sent as object, read, '', shortName);
    if (unknown.length > 0) throw new InvalidFields(unknown.map(unknownField));
    return read;
  }
}

export const unknownField = (path: string): Fault => ({ path, message: 'is not a field of this request' });

/**
 * Reads a line of a request that refuses its lines one by one, like {@link StrictBodyPipe} reads a body.
 * @returns the line without faults, or up to 20 faults, whose paths are relative to the line.
 */
export function readLine<Line extends object>(
  Type: new () => Line,
  value: unknown,
): { readonly line: Line; readonly faults: readonly Fault[] } {
  const line = plainToInstance(Type, isJsonObject(value) ? structuredClone(value) : {}, ONLY_DECLARED);
  if (!isJsonObject(value)) return { line, faults: [{ path: '', message: 'must be an object' }] };
  const found = validateSync(line, {
    stopAtFirstError: true,
    forbidUnknownValues: false,
    validationError: { value: true },
  });
  const faults = found.flatMap((error) => faultsOf(error, `.${error.property}`));
  if (faults.length > 0) return { line, faults };
  const unknown = unknownFields(value, line, '.', shortName).slice(0, MAX_FAULTS);
  return { line, faults: unknown.map(unknownField) };
}

function faultsOf({ value, constraints = {}, children = [] }: ValidationError, path: string): Fault[] {
  const [message] = Object.values(constraints);
  if (message !== undefined) return [{ path, message }];
  const nameOf = Array.isArray(value) ? (index: string) => `[${index}]` : (name: string) => `.${name}`;
  return children.flatMap((child) => faultsOf(child, path + nameOf(child.property)));
}

/**
 * Returns the paths of the members that a class does not declare. The class transformer sets every declared field, even
 * an absent one. An object that was not read into a class has no unknown members.
 */
export function unknownFields(sent: object, read: object, path: string, encode = (name: string) => name): string[] {
  if (Object.getPrototypeOf(read) === Object.prototype) return [];
  const fields = new Map(Object.entries(read));
  return Object.entries(sent).flatMap(([name, value]: [string, unknown]) => {
    if (!fields.has(name)) return [`${path}${encode(name)}`];
    const known: unknown = fields.get(name);
    if (isJsonObject(value) && isJsonObject(known)) return unknownFields(value, known, `${path}${name}.`, encode);
    if (!Array.isArray(value) || !Array.isArray(known)) return [];
    return value.flatMap((entry: unknown, index) => {
      const item: unknown = known[index];
      if (!isJsonObject(entry) || !isJsonObject(item)) return [];
      return unknownFields(entry, item, `${path}${name}[${index}].`, encode);
    });
  });
}
