import { useState } from 'preact/hooks';
import { allOf, api, get, useRead, type Schemas } from '../http.js';
import { ConfirmDialog, Check, Choices, Field, type Values } from '../parts/ask.js';
import { List, Named, Rows, right, type Columns } from '../parts/list.js';
import { Page, RowActions, QueryStatus } from '../parts/page.js';
import { isolateBidi, Time, timeText } from '../parts/text.js';
import { isMe } from '../session.js';

type Person = Schemas['Person'];

/** What each role may do besides reading. */
const ROLES: Readonly<Record<Person['role'], string>> = {
  owner: 'everything, including keys and this page',
  manager: 'orders, money, stock, catalog, customers, webhooks, settings',
  warehouse: 'ship, cancel, release, change stock',
  support: 'ship, cancel, release, record payments and refunds',
  developer: 'keys and webhooks',
  viewer: 'read only',
};

function AddPerson() {
  const send = async (body: Values<'name' | 'email'> & Pick<Person, 'role'>) => {
    await api.POST('/v1/people', { body });
    return `${isolateBidi(body.name)} added. Invitation queued.`;
  };
  return (
    <ConfirmDialog label="Add person…" title="Add person" submitLabel="Add" tone="primary" send={send}>
      <div class="pair">
        <Field label="Name" name="name" required maxLength={200} autoFocus />
        <Field label="Email" name="email" type="email" required />
      </div>
      <Choices label="Role" name="role" of={ROLES} />
      <p class="soft">The invitation contains no secret: the person signs in with this email address.</p>
    </ConfirmDialog>
  );
}

function Actions({ row }: { row: Person }) {
  const path = { id: row.id };
  const name = isolateBidi(row.name);
  const invite = () => api.POST('/v1/people/{id}/invite', { params: { path } });
  const invited = `Invitation to ${name} queued.`;
  const change = async (body: Pick<Person, 'name' | 'role'>) => {
    await api.PATCH('/v1/people/{id}', { params: { path }, body });
    return `${isolateBidi(body.name)} saved.`;
  };
  const remove = ({ erase }: Values<'erase'>) =>
    api.DELETE('/v1/people/{id}', { params: { path, query: { erase_name: !!erase } } });
  return (
    <RowActions of={name}>
      {row.last_sign_in_at === null && (
        <ConfirmDialog
          label="Resend invitation…"
          title={`Resend the invitation to ${name}`}
          submitLabel="Resend"
          send={invite}
          toast={invited}
        >
          <p class="soft">
            {row.invited ? 'The last invitation was sent.' : 'The last invitation has not been sent yet.'}
          </p>
          <p class="line">{row.email}</p>
        </ConfirmDialog>
      )}
      <ConfirmDialog label="Edit…" title={`Edit ${name}`} submitLabel="Save" send={change}>
        <Field label="Name" name="name" required maxLength={200} autoFocus defaultValue={row.name} />
        <Choices label="Role" name="role" begin={row.role} of={ROLES} />
        <p class="soft">A new role takes effect with the next request, in open sessions too.</p>
      </ConfirmDialog>
      <ConfirmDialog
        title={`Remove ${name}?`}
        submitLabel="Remove"
        tone="danger"
        send={remove}
        toast={`${name} removed.`}
      >
        <p class="soft">
          The person is signed out everywhere immediately and cannot sign in. Keys that they created still work: review
          them under Developers.
        </p>
        <Check label="Show “Erased” instead of the name in the history" name="erase" />
      </ConfirmDialog>
    </RowActions>
  );
}

function Sessions({ id }: Person) {
  const path = { id };
  const query = useRead(['/v1/people/{id}/sessions', id], () =>
    allOf((page) => get('/v1/people/{id}/sessions', { path, query: page })),
  );
  const rows = query.data?.data.map((session) => {
    const device = session.device || 'Unknown device';
    const since = `since ${timeText(session.created_at)}`;
    const params = { path: { id, session_id: session.id } };
    const send = () => api.DELETE('/v1/people/{id}/sessions/{session_id}', { params });
    const title = session.current ? 'Sign out of this session?' : 'End session?';
    const words = { title, text: `${device}, ${since}`, toast: 'Session ended.' };
    const end = <ConfirmDialog {...words} submitLabel="End" tone="danger" send={send} />;
    return { key: session.id, name: session.current ? `${device} (this session)` : device, detail: since, end };
  });
  return (
    <>
      <QueryStatus query={query} rows={1} />
      {rows?.length === 0 && <small>No sessions.</small>}
      <Rows rows={rows ?? []} />
    </>
  );
}

/** Loads the sessions when they are opened. */
function SignedIn({ row }: { row: Person }) {
  const [isOpen, open] = useState(false);
  return (
    <details onToggle={(event) => open(event.currentTarget.open)}>
      <summary aria-label={`Sessions of ${isolateBidi(row.name)}`}>Sessions</summary>
      {isOpen && <Sessions {...row} />}
    </details>
  );
}

const COLUMNS: Columns<Person> = {
  Name: ({ id, name, email }) => <Named name={[<bdi key="name">{name}</bdi>, isMe(id) && ' (you)']} small={[email]} />,
  Role: ({ role }) => role,
  'Last sign-in': ({ last_sign_in_at: at }) => (at ? <Time at={at} /> : 'never'),
  Sessions: (row) => <SignedIn row={row} />,
  Actions: right((row) => <Actions row={row} />),
};

export function Team() {
  const list = useRead(['/v1/people'], () => allOf((query) => get('/v1/people', { query })));
  return (
    <Page title="Team" actions={<AddPerson />}>
      <List label="People" query={list} columns={COLUMNS} empty="No people." />
    </Page>
  );
}
