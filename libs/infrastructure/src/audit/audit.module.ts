import { AuditLog } from '@app/application';
import { Module } from '@nestjs/common';
import { PostgresAuditLog } from './postgres-audit-log.js';

@Module({ providers: [{ provide: AuditLog, useClass: PostgresAuditLog }], exports: [AuditLog] })
export class AuditModule {}
