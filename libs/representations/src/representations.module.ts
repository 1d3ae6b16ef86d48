import { RecordFormat, type ChangedResource } from '@app/application';
import type { Currency } from '@app/domain';
import { Module } from '@nestjs/common';
import { toChangeResponse } from './change.response.js';

const format = (change: ChangedResource, currency: Currency): unknown => toChangeResponse(change, currency).data;

@Module({
  providers: [{ provide: RecordFormat, useValue: { format } satisfies RecordFormat }],
  exports: [RecordFormat],
})
export class RepresentationsModule {}
