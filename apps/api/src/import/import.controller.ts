import { Deadline, originOf, StoreImport, type ApiKeyLookup } from '@app/application';
import { toImportResult } from '@app/representations';
import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { CurrentKey } from '../access/current-store.decorator.js';
import { single } from '../envelope.js';
import { Documented } from '../openapi/documented.js';
import { NeedsScope } from '../openapi/needs-scope.js';
import { ApiImport, IMPORT_DOCUMENTATION } from './import.openapi.js';
import { readImport, refuseKinds } from './import.request.js';

const IMPORT_MS = 8_000;

@Controller('v1/import')
@Documented(IMPORT_DOCUMENTATION)
export class ImportController {
  constructor(private readonly imports: StoreImport) {}

  @Post()
  @HttpCode(200)
  @NeedsScope('catalog', 'customers', 'sales')
  @ApiImport
  async write(@CurrentKey() key: ApiKeyLookup, @Body() body: unknown) {
    const { store, mode } = key;
    const { isAtomic, lines } = readImport(body);
    refuseKinds(key, lines);
    const deadline = Deadline.in(IMPORT_MS);
    const written = await this.imports.write({
      ...{ storeId: store.id, isTest: mode === 'test', isAtomic, lines, deadline },
      origin: originOf(key),
    });
    return single(toImportResult(written));
  }
}
