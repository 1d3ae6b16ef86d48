import { Controller, Get, Header } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Metrics } from './metrics.js';

@ApiExcludeController()
@Controller('metrics')
export class MetricsController {
  private reading: Promise<string> | null = null;

  constructor(private readonly metrics: Metrics) {}

  @Get()
  @Header('content-type', 'text/plain; version=0.0.4; charset=utf-8')
  read(): Promise<string> {
    // Costly, and nobody needs a key for it: who asks meanwhile is told the same.
    return (this.reading ??= this.metrics.registry.metrics().finally(() => (this.reading = null)));
  }
}
