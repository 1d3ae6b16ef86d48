import type { Representation } from '@app/representations';
import { UseInterceptors } from '@nestjs/common';
import { FORMAT, ROWS } from './parameters.js';
import { addParameters } from './query.js';
import { Rows, TableInterceptor } from './table.interceptor.js';

/**
 * Lets clients read the rows of a route as CSV. The route returns one page of them as `data`, with `pagination` or a
 * `cursor` when more can follow. @param lines the field with the lines of a row, which `include` adds.
 */
export function AsTable(of: Representation, lines: string | null = null): MethodDecorator {
  return (controller, name, descriptor) => {
    addParameters(descriptor.value as object, lines === null ? [FORMAT] : [FORMAT, ROWS]);
    Rows({ of, lines })(controller, name, descriptor);
    UseInterceptors(TableInterceptor)(controller, name, descriptor);
  };
}
