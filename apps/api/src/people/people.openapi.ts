import { CHANGED_MAKER, CommitOutcomeUnknown, ExceedsMaker } from '@app/application';
import { EmailTaken, LastOwner, NotFound, TooManyInvitations, TooManyRows } from '@app/domain';
import { Person, PersonSession, type Representation, type ResourceDocumentation } from '@app/representations';
import { applyDecorators } from '@nestjs/common';
import { ApiList, ApiParameters, ApiPath, ApiWrite } from '../openapi/endpoints.js';
import { ApiFailures } from '../openapi/failures.js';
import { AddPersonRequest, ChangePersonRequest } from './people.request.js';
import { invalidField } from '../errors/invalid-fields.js';

export const PEOPLE_DOCUMENTATION: ResourceDocumentation = {
  tag: 'People',
  description: 'People who can sign in to the store. Only sessions of owners can read and change them, not API keys.',
  schemas: [Person, PersonSession],
};

const PERSON = { name: 'id', description: 'UUID of the person.', example: Person.example.id };
const SESSION = { name: 'session_id', description: 'UUID of the session.', example: PersonSession.example.id };

export const ApiListPeople = ApiList({
  operationId: 'listPeople',
  summary: 'The people of the store',
  description: 'Oldest first.',
  of: Person,
});

export const ApiListSessions = applyDecorators(
  ApiPath(PERSON),
  ApiList({
    operationId: 'listPersonSessions',
    summary: 'Where a person is signed in',
    description: 'Newest first. A sign-in has one session for live and test.',
    of: PersonSession,
  }),
  ApiFailures(new NotFound('Person')),
);

const TOO_MANY_MAILS = new TooManyInvitations('to one person', 10);

/** The failures of every change. The caller may have lost access in the meantime. */
const OF_CHANGE = [new ExceedsMaker(CHANGED_MAKER), new CommitOutcomeUnknown(null)];

/** @param answer what the returned row shows. */
const ApiChange = (
  operation: Omit<Parameters<typeof ApiWrite>[0], 'of' | 'answer'>,
  answer: string,
  of: Representation = Person,
) =>
  applyDecorators(
    ApiPath(PERSON),
    ApiWrite({
      ...operation,
      of,
      answer: { status: 200, description: answer },
      failures: [...(operation.failures ?? []), new NotFound('Person'), ...OF_CHANGE],
    }),
  );

export const ApiAddPerson = ApiWrite({
  operationId: 'addPerson',
  summary: 'Add a person',
  description: 'Sends an invitation without a code. The person signs in with their address.',
  of: Person,
  body: { type: AddPersonRequest, example: { email: 'ada@example.com', name: 'Ada Lovelace', role: 'owner' } },
  answer: { status: 201, description: 'The person.' },
  failures: [invalidField('email is required'), new EmailTaken(), TOO_MANY_MAILS, ...OF_CHANGE],
});

export const ApiChangePerson = ApiChange(
  {
    operationId: 'changePerson',
    summary: 'Change the name or the role of a person',
    description: 'Absent fields keep their values. A new role takes effect with the next request of each session.',
    body: { type: ChangePersonRequest, example: { role: 'manager' } },
    failures: [
      invalidField('role must be one of owner, manager, warehouse, support, developer, viewer'),
      new LastOwner(),
    ],
  },
  'The person after the change.',
);

export const ApiRemovePerson = applyDecorators(
  ApiParameters,
  ApiChange(
    {
      operationId: 'removePerson',
      summary: 'Remove a person',
      description:
        'Their sessions end with the next request. The history of orders, stock and keys keeps their name, unless it is erased.',
      failures: [
        invalidField('erase_name must be true or false'),
        new LastOwner(),
        new TooManyRows('history entries with the name', 10_000, 'people remove --erase-name'),
      ],
    },
    'The person as it was.',
  ),
);

export const ApiInvitePerson = ApiChange(
  {
    operationId: 'invitePerson',
    summary: 'Resend the invitation',
    description: 'It contains no code. An invitation that is still being retried starts again at its first attempt.',
    failures: [TOO_MANY_MAILS],
  },
  'The person. `invited` is true once the mail is sent.',
);

export const ApiEndSession = applyDecorators(
  ApiPath(SESSION),
  ApiChange(
    { operationId: 'endPersonSession', summary: 'Sign a person out', failures: [new NotFound('Session')] },
    'The session as it was. It is refused from the next request on, live and test.',
    PersonSession,
  ),
);
