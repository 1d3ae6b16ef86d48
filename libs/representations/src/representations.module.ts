import { RecordFormat, type ChangedResource } from '@app/application';
import type { Currency } from '@app/domain';
import { Injectable, Module } from '@nestjs/common';
import { toChangeResponse } from './change.response.js';

@Injectable()
class ApiRecordFormat extends RecordFormat {
  override format(change: ChangedResource, currency: Currency): unknown {
    return toChangeResponse(change, currency).data;
  }
}

@Module({
  providers: [{ provide: RecordFormat, useClass: ApiRecordFormat }],
  exports: [RecordFormat],
})
export class RepresentationsModule {}
