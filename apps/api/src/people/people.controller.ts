import { PeopleService, type ApiKeyLookup, type Person, type PersonKey } from '@app/application';
import { JsonLogger } from '@app/infrastructure';
import { toPersonResponse, toPersonSession } from '@app/representations';
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { StrictBodyPipe } from '../body/body.pipe.js';
import { listPage, single } from '../envelope.js';
import { Documented } from '../openapi/documented.js';
import { NeedsRecentSignIn, NeedsScope } from '../openapi/needs-scope.js';
import { booleanFilter } from '../query/parameters.js';
import { listQuery, queryOf, ReadQuery, type ValuesOf } from '../query/query.js';
import { CurrentKey, CurrentStore, type CurrentStoreContext } from '../access/current-store.decorator.js';
import { logAccess } from '../access/log-access.js';
import * as docs from './people.openapi.js';
import { AddPersonRequest, ChangePersonRequest, toNewPerson, toPersonChange } from './people.request.js';

const LIST = listQuery({});
const REMOVAL = queryOf<{ erasesName: boolean | undefined }>({
  erasesName: booleanFilter('erase_name', 'the history shows `Erased`', 'it keeps the name, as without the parameter'),
});

@Controller('v1/people')
@Documented(docs.PEOPLE_DOCUMENTATION)
export class PeopleController {
  constructor(
    private readonly people: PeopleService,
    private readonly logger: JsonLogger,
  ) {}

  @Get()
  @NeedsScope('team')
  @docs.ApiListPeople
  async list(@CurrentStore() store: CurrentStoreContext, @ReadQuery(LIST) { page }: ValuesOf<typeof LIST>) {
    const people = await this.people.list(store.id);
    return listPage(people.map(toPersonResponse), page);
  }

  @Post()
  @NeedsRecentSignIn('team')
  @docs.ApiAddPerson
  async add(@CurrentKey() asker: ApiKeyLookup, @Body(StrictBodyPipe) body: AddPersonRequest) {
    const added = await this.people.add({ storeId: asker.store.id, ...toNewPerson(body) }, asker);
    return this.done('added', added, asker);
  }

  @Patch(':id')
  @NeedsRecentSignIn('team')
  @docs.ApiChangePerson
  async change(
    @CurrentKey() asker: ApiKeyLookup,
    @Param('id') id: string,
    @Body(StrictBodyPipe) body: ChangePersonRequest,
  ) {
    return this.done('changed', await this.people.change(keyOf(asker.store, id), toPersonChange(body), asker), asker);
  }

  @Delete(':id')
  @NeedsRecentSignIn('team')
  @docs.ApiRemovePerson
  async remove(
    @CurrentKey() asker: ApiKeyLookup,
    @Param('id') id: string,
    @ReadQuery(REMOVAL) { erasesName = false }: ValuesOf<typeof REMOVAL>,
  ) {
    return this.done('removed', await this.people.remove(keyOf(asker.store, id), erasesName, asker), asker);
  }

  @Post(':id/invite')
  @HttpCode(200)
  @NeedsRecentSignIn('team')
  @docs.ApiInvitePerson
  async invite(@CurrentKey() asker: ApiKeyLookup, @Param('id') id: string) {
    return single(toPersonResponse(await this.people.invite(keyOf(asker.store, id), asker)));
  }

  @Get(':id/sessions')
  @NeedsScope('team')
  @docs.ApiListSessions
  async sessions(
    @CurrentKey() key: ApiKeyLookup,
    @Param('id') id: string,
    @ReadQuery(LIST) { page }: ValuesOf<typeof LIST>,
  ) {
    const sessions = await this.people.sessions(keyOf(key.store, id));
    const rows = sessions.map((session) => toPersonSession(session, key.id));
    return listPage(rows, page);
  }

  @Delete(':id/sessions/:session_id')
  @NeedsRecentSignIn('team')
  @docs.ApiEndSession
  async endSession(@CurrentKey() key: ApiKeyLookup, @Param('id') id: string, @Param('session_id') sessionId: string) {
    const ended = await this.people.endSession(keyOf(key.store, id), sessionId, key);
    logAccess(this.logger, 'Session ended', key, { person_id: id.toLowerCase(), session_id: ended.id });
    return single(toPersonSession(ended, key.id));
  }

  private done(what: string, person: Person, asker: ApiKeyLookup) {
    logAccess(this.logger, `Person ${what}`, asker, { person_id: person.id });
    return single(toPersonResponse(person));
  }
}

const keyOf = (store: CurrentStoreContext, id: string): PersonKey => ({ storeId: store.id, id });
