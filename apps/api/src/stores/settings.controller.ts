import { originOf, StoreSettings, type ApiKeyLookup } from '@app/application';
import { Body, Controller, Get, Patch } from '@nestjs/common';
import { CurrentKey, CurrentStore, type CurrentStoreContext } from '../access/current-store.decorator.js';
import { single } from '../envelope.js';
import { Documented } from '../openapi/documented.js';
import { NeedsScope } from '../openapi/needs-scope.js';
import { ApiChangeSettings, ApiGetSettings, SETTINGS_DOCUMENTATION } from './settings.openapi.js';
import { readSettingsChange } from './settings.request.js';

@Controller('v1/settings')
@Documented(SETTINGS_DOCUMENTATION)
export class SettingsController {
  constructor(private readonly settings: StoreSettings) {}

  @Get()
  @NeedsScope('settings')
  @ApiGetSettings
  async retrieve(@CurrentStore() store: CurrentStoreContext) {
    return single(await this.settings.find(store.id));
  }

  @Patch()
  @NeedsScope('settings')
  @ApiChangeSettings
  async change(@CurrentKey() key: ApiKeyLookup, @Body() body: unknown) {
    const change = { ...readSettingsChange(body), origin: originOf(key) };
    return single(await this.settings.change(key.store.id, change));
  }
}
