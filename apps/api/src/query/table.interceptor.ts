import type { Representation } from '@app/representations';
import {
  Injectable,
  StreamableFile,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { lastValueFrom, of as observableOf, type Observable } from 'rxjs';
import '../access/current-store.decorator.js';
import { formatOf } from './format.js';
import { ROWS, type RawQuery } from './parameters.js';
import { columnsOf } from './columns.js';
import { pagesOf, type Answer } from './pages.js';
import { Tables } from './tables.js';

export interface RowsOfRoute {
  readonly of: Representation;
  readonly lines: string | null;
}

export const Rows = Reflector.createDecorator<RowsOfRoute>();

/** Answers with all rows of a list as CSV, when the request asks for it: it calls the route for each page. */
@Injectable()
export class TableInterceptor implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly tables: Tables,
  ) {}

  async intercept(context: ExecutionContext, route: CallHandler<Answer>): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    void reply.header('vary', 'Accept');
    const rows = this.reflector.get(Rows, context.getHandler());
    const query = request.query as RawQuery;
    // An answer in JSON has no other rows, and refuses the same values.
    const lines = rows.lines !== null && ROWS.read([query[ROWS.name] ?? []].flat()) === 'lines' ? rows.lines : null;
    if (formatOf(request) === 'json') return route.handle();
    if (lines !== null) request.query = { ...query, include: [query['include'] ?? [], lines].flat() };
    const columns = columnsOf(rows.of, request.query as RawQuery, lines);
    const pages = pagesOf(request, () => lastValueFrom(route.handle()));
    const { stream, isTruncated } = await this.tables.write(reply, request.apiKey?.store.id ?? null, {
      columns,
      lines,
      pages,
    });
    if (isTruncated) void reply.header('x-truncated', 'true');
    const type = 'text/csv; charset=utf-8';
    const disposition = `attachment; filename="${fileNameOf(request.routeOptions.url ?? '')}"`;
    return observableOf(new StreamableFile(stream, { type, disposition }));
  }
}

/** Returns `orders-history.csv` for `/v1/orders/:id/history`. */
function fileNameOf(route: string): string {
  const words = route.split('/').filter((part) => part !== '' && !part.startsWith(':') && !/^v\d+$/.test(part));
  return `${words.join('-')}.csv`;
}
