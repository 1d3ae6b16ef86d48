import { BadRequestException, Injectable, ValidationPipe, type ArgumentMetadata } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import { isJsonObject, ONLY_DECLARED } from './fields.js';

const MAX_FAULTS = 20;

/** @throws BadRequestException with up to 20 faults, each with its path. */
@Injectable()
export class BodyPipe extends ValidationPipe {
  constructor() {
    super({
      transform: true,
      transformOptions: ONLY_DECLARED,
      stopAtFirstError: true,
      forbidUnknownValues: false,
      validationError: { value: true },
      exceptionFactory: (errors) => refusalOf(errors.flatMap((error) => faultsOf(error, error.property))),
    });
  }

  override async transform(body: unknown, metadata: ArgumentMetadata): Promise<object> {
    if (body === undefined) throw new BadRequestException('Request body is empty');
    if (!isJsonObject(body)) throw new BadRequestException('The request body must be a JSON object');
    return (await super.transform(body, metadata)) as object;
  }
}

/**
 * Refuses fields that the class does not declare, for bodies in which an absent field has a meaning: `lines` in the place
 * of `items` would ship everything. The body may be absent.
 */
@Injectable()
export class StrictBodyPipe extends BodyPipe {
  override async transform(body: unknown, metadata: ArgumentMetadata): Promise<object> {
    const sent = body === undefined ? {} : body;
    // Nest removes `__proto__` from what it reads: it is a field like any other here.
    const read = await super.transform(structuredClone(sent), metadata);
    const unknown = unknownFields(sent as object, read, '');
    if (unknown.length > 0) throw refusalOf(unknown.map((path) => `${path} is not a field of this request`));
    return read;
  }
}

export const refusalOf = (faults: readonly string[]) => new BadRequestException(faults.slice(0, MAX_FAULTS).join('; '));

function faultsOf({ value, constraints = {}, children = [] }: ValidationError, path: string): string[] {
  const [fault] = Object.values(constraints);
  if (fault !== undefined) return [`${path} ${fault}`];
  const nameOf = Array.isArray(value) ? (index: string) => `[${index}]` : (name: string) => `.${name}`;
  return children.flatMap((child) => faultsOf(child, path + nameOf(child.property)));
}

/**
 * The paths of the members that a class does not declare: the class transformer sets every declared field, also an absent
 * one. An object that was not read into a class has no unknown members.
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
