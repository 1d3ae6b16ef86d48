import type { OrderRequest } from '@app/application';
import { BadRequestException, Injectable, type PipeTransform } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { CreateOrderRequest, toOrderRequest } from './create-order.request.js';

const MAX_FAULTS = 20;

/** Reads the body of a new order, or answers 400 with every fault and its path. */
@Injectable()
export class CreateOrderPipe implements PipeTransform<unknown, OrderRequest> {
  transform(body: unknown): OrderRequest {
    if (!isObject(body)) throw new BadRequestException('The request body must be a JSON object');
    // Without a customer the first thing missing is the name.
    const request = plainToInstance(CreateOrderRequest, { ...body, customer: body['customer'] ?? {} });
    const faults = validateSync(request, { stopAtFirstError: true, forbidUnknownValues: false }).flatMap((error) =>
      faultsOf(error, ''),
    );
    if (faults.length > 0) throw new BadRequestException(faults.slice(0, MAX_FAULTS).join('; '));
    return toOrderRequest(request);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `items[2].quantity must be …`: an index in brackets, a name after a dot. */
function faultsOf({ property, constraints, children }: ValidationError, parent: string): string[] {
  const step = /^\d+$/.test(property) ? `[${property}]` : `${parent && '.'}${property}`;
  const path = parent + step;
  const own = Object.values(constraints ?? {}).map((message) => `${path} ${message}`);
  return [...own, ...(children ?? []).flatMap((child) => faultsOf(child, path))];
}
