import type { OrderRequest } from '@app/application';
import { MAX_LINES } from '@app/domain';
import { BadRequestException, Injectable, type PipeTransform } from '@nestjs/common';
import { validateSync, type ValidationError } from 'class-validator';
import { readFields } from './body-field.js';
import { CreateOrderRequest, OrderItemRequest, toOrderRequest } from './create-order.request.js';
import { isJsonObject } from './json-object.js';

const MAX_FAULTS = 20;

/** Validates the body of a new order. @throws BadRequestException with up to 20 faults, each with its path. */
@Injectable()
export class CreateOrderPipe implements PipeTransform<unknown, OrderRequest> {
  transform(body: unknown): OrderRequest {
    if (!isJsonObject(body)) throw new BadRequestException('The request body must be a JSON object');
    const request = readFields(CreateOrderRequest, body);
    const faults = [...faultsOfItems(request.items), ...faultsIn(request, '')];
    if (faults.length > 0) throw new BadRequestException(faults.slice(0, MAX_FAULTS).join('; '));
    return toOrderRequest(request);
  }
}

/** Validates each item on its own, so that an entry that is not an object does not hide the faults of the others. */
function faultsOfItems(items: unknown): string[] {
  if (!Array.isArray(items) || items.length > MAX_LINES) return [];
  return items.flatMap((item, index) =>
    item instanceof OrderItemRequest ? faultsIn(item, `items[${index}]`) : [`items[${index}] must be an object`],
  );
}

function faultsIn(object: object, path: string): string[] {
  const errors = validateSync(object, { stopAtFirstError: true, forbidUnknownValues: false });
  return errors.flatMap((error) => faultsOf(error, path));
}

function faultsOf({ property, constraints, children }: ValidationError, parent: string): string[] {
  const path = parent === '' ? property : `${parent}.${property}`;
  const own = Object.values(constraints ?? {}).map((message) => `${path} ${message}`);
  return [...own, ...(children ?? []).flatMap((child) => faultsOf(child, path))];
}
