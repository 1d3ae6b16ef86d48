import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api, useGet, type Person } from '../http.js';
import { done } from '../parts/announce.js';
import { Ask, Check, Field, textIn } from '../parts/ask.js';
import { Choices } from '../parts/choices.js';
import { alone } from '../parts/name.js';
import { Page, Waiting } from '../parts/page.js';
import { Table, type Column } from '../parts/table.js';
import { Time, timeText } from '../parts/time.js';
import { isMe } from '../session.js';

type Role = Person['role'];

/** What each role may do besides reading. */
const ROLES: Readonly<Record<Role, string>> = {
  owner: 'everything, also keys and this page',
  manager: 'orders, money, stock, catalog, customers, webhooks',
  warehouse: 'ship, cancel, release, change stock',
  support: 'ship, cancel, release, record payments and refunds',
  developer: 'keys and webhooks',
  viewer: 'only read',
};

function AddPerson(): JSX.Element {
  return (
    <Ask
      label="Add a person…"
      title="Add a person"
      verb="Add"
      tone="primary"
      onSubmit={async (form) => {
        const body = { name: textIn(form, 'name'), email: textIn(form, 'email'), role: textIn(form, 'role') as Role };
        await api.POST('/v1/people', { body });
        await done(`${alone(body.name)} gets a mail.`);
      }}
    >
      <div class="pair">
        <Field label="Name" name="name" required maxLength={200} autoFocus />
        <Field label="E-mail" name="email" type="email" required />
      </div>
      <Choices label="Role" name="role" of={ROLES} />
      <p class="soft">The mail has no secret: the person signs in with the address.</p>
    </Ask>
  );
}

function Actions({ row }: { row: Person }): JSX.Element {
  const path = { params: { path: { id: row.id } } };
  const name = alone(row.name);
  return (
    <span class="acts">
      {row.last_sign_in_at === null && (
        <Ask
          label="Send mail again…"
          title={`Send the mail to ${name} again`}
          verb="Send"
          onSubmit={async () => {
            await api.POST('/v1/people/{id}/invite', path);
            await done(`The mail to ${name} is on its way.`);
          }}
        >
          <p class="line">{row.email}</p>
          <p class="soft">{row.invited ? 'The last mail was sent.' : 'The last mail is not sent yet.'}</p>
        </Ask>
      )}
      <Ask
        label="Change…"
        title={`Change ${name}`}
        verb="Save"
        onSubmit={async (form) => {
          const body = { name: textIn(form, 'name'), role: textIn(form, 'role') as Role };
          await api.PATCH('/v1/people/{id}', { ...path, body });
          await done(`${alone(body.name)} is changed.`);
        }}
      >
        <Field label="Name" name="name" required maxLength={200} autoFocus defaultValue={row.name} />
        <Choices label="Role" name="role" begin={row.role} of={ROLES} />
        <p class="soft">Another role holds from the next request on, also where the person is signed in.</p>
      </Ask>
      <Ask
        label="Remove…"
        title={`Remove ${name}?`}
        verb="Remove"
        tone="danger"
        onSubmit={async (form) => {
          const query = { erase_name: form.has('erase') };
          await api.DELETE('/v1/people/{id}', { params: { ...path.params, query } });
          await done(`${name} is removed.`);
        }}
      >
        <p class="soft">
          The person is signed out everywhere at once and cannot sign in. Keys that they made still work: look at them
          in Developers.
        </p>
        <Check label="Show “Erased” instead of the name in the history" name="erase" />
      </Ask>
    </span>
  );
}

/** They are read when they are opened. */
function Sessions({ id }: { id: string }): JSX.Element {
  const [enabled, open] = useState(false);
  const path = { id };
  const query = useGet(['sessions', id], () => api.GET('/v1/people/{id}/sessions', { params: { path } }), { enabled });
  return (
    <details class="more" onToggle={(event) => open(event.currentTarget.open)}>
      <summary>Sessions</summary>
      {enabled && <Waiting query={query} rows={1} />}
      {query.data?.data.length === 0 && <small>Nowhere signed in.</small>}
      <ul class="rows tight">
        {query.data?.data.map((session) => (
          <li key={session.id}>
            <span class="grow">
              {session.device || 'Unknown device'} {session.current && '(this one)'}
              <small>since {timeText(session.created_at)}</small>
            </span>
            <Ask
              label="End…"
              title={session.current ? 'Sign yourself out here?' : 'End the session?'}
              verb="End"
              tone="danger"
              onSubmit={async () => {
                const both = { id, session_id: session.id };
                await api.DELETE('/v1/people/{id}/sessions/{session_id}', { params: { path: both } });
                await done('The session has ended.');
              }}
            >
              <p>
                {session.device || 'Unknown device'}, since {timeText(session.created_at)}
              </p>
            </Ask>
          </li>
        ))}
      </ul>
    </details>
  );
}

const COLUMNS: readonly Column<Person>[] = [
  {
    name: 'Name',
    cell: ({ id, name, email }) => (
      <>
        <span class="line">
          <bdi>{name}</bdi> {isMe(id) && '(you)'}
        </span>
        <small class="line">{email}</small>
      </>
    ),
  },
  { name: 'Role', cell: ({ role }) => role },
  { name: 'Last sign-in', cell: ({ last_sign_in_at: at }) => (at ? <Time at={at} /> : 'never') },
  { name: 'Signed in', cell: ({ id }) => <Sessions id={id} /> },
  { name: 'Actions', isNumber: true, cell: (row) => <Actions row={row} /> },
];

export function Team(): JSX.Element {
  const list = useGet(['people'], () => api.GET('/v1/people', { params: { query: { limit: 100 } } }));
  return (
    <Page title="Team" actions={<AddPerson />}>
      <Waiting query={list} rows={4} />
      {list.data && <Table label="People" rows={list.data.data} columns={COLUMNS} keyOf={({ id }) => id} />}
    </Page>
  );
}
