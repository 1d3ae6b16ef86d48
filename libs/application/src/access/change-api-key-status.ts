import { NotFound } from '@app/domain';
import { Injectable } from '@nestjs/common';
import {
  ApiKeyNotActive,
  ApiKeyRepository,
  type ApiKeyRecord,
  type ApiKeyStatus,
} from '../ports/api-key.repository.js';

@Injectable()
export class ChangeApiKeyStatus {
  constructor(private readonly apiKeys: ApiKeyRepository) {}

  async execute(id: string, status: ApiKeyStatus): Promise<ApiKeyRecord> {
    const record = await this.apiKeys.setStatus(id, status);
    if (record) return record;
    if (!(await this.apiKeys.find(id))) throw new NotFound(`API key ${id}`);
    throw new ApiKeyNotActive('The key is revoked, which is final');
  }
}
