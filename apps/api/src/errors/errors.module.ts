import { Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { ApiExceptionFilter } from './api-exception.filter.js';
import { FailureReports } from './failure-reports.js';

@Module({
  providers: [FailureReports, { provide: APP_FILTER, useClass: ApiExceptionFilter }],
})
export class ErrorsModule {}
