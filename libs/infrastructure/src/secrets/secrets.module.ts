import { EncryptedSecrets } from '@app/application';
import { Module } from '@nestjs/common';
import { PostgresEncryptedSecrets } from './postgres-encrypted-secrets.js';

@Module({
  providers: [{ provide: EncryptedSecrets, useClass: PostgresEncryptedSecrets }],
  exports: [EncryptedSecrets],
})
export class SecretsModule {}
