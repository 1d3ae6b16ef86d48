import { BadRequestException, Injectable, type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { isJsonObject } from './json-object.js';
import { ONLY_DECLARED } from './fields.js';

export const MAX_FAULTS = 20;

/**
 * Reads the body of a request into the class of the parameter, and validates it: `@Body(BodyPipe) body: CreateOrderRequest`.
 * Nest's own ValidationPipe walks through all members of a body, also of those that no field declares, which takes up to two
 * milliseconds for 3,900 of them.
 *
 * @throws BadRequestException with up to 20 faults, each with its path.
 */
@Injectable()
export class BodyPipe implements PipeTransform<unknown, object> {
  transform(body: unknown, { metatype = Object }: ArgumentMetadata): object {
    if (body === undefined) throw new BadRequestException('Request body is empty');
    if (!isJsonObject(body)) throw new BadRequestException('The request body must be a JSON object');
    const read = plainToInstance(metatype, body, ONLY_DECLARED) as object;
    const errors = validateSync(read, { stopAtFirstError: true, forbidUnknownValues: false });
    const faults = errors.flatMap((error) => faultsOf(error, error.property));
    if (faults.length > 0) throw new BadRequestException(faults.slice(0, MAX_FAULTS).join('; '));
    return read;
  }
}

/** The first fault of a value, or those of its members. */
function faultsOf({ value, constraints = {}, children = [] }: ValidationError, path: string): string[] {
  const [fault] = Object.values(constraints);
  if (fault !== undefined) return [`${path} ${fault}`];
  const nameOf = Array.isArray(value) ? (index: string) => `[${index}]` : (name: string) => `.${name}`;
  return children.flatMap((child) => faultsOf(child, path + nameOf(child.property)));
}
