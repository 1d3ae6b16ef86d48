import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api, mode, type StoreKey } from '../http.js';
import { Ask, Check, Field, textIn } from '../parts/ask.js';
import { Choices } from '../parts/choices.js';
import { count } from '../parts/money.js';
import { alone } from '../parts/name.js';
import { timeText } from '../parts/time.js';
import { can } from '../session.js';
import { EXPIRIES, expiryIn, numberIn, OVERLAPS, scopeIn, TASKS, type Task } from './key-rights.js';
import { Copied, secret } from './secret.js';

/** The choice of what a key may do, which has no preset. A tick is the choice of tasks. */
function May(): JSX.Element {
  const [may, choose] = useState('');
  const [tasks, setTasks] = useState<readonly Task[]>([]);
  const toggle = (task: Task) => {
    setTasks(tasks.includes(task) ? tasks.filter((each) => each !== task) : [...tasks, task]);
    choose('tasks');
  };
  const radio = (value: string, word: string) => (
    <label class="tick">
      <input type="radio" name="may" value={value} required checked={may === value} onChange={() => choose(value)} />
      <span>{word}</span>
    </label>
  );
  return (
    <fieldset class="choices">
      <legend>May</legend>
      {radio('read', 'only read')}
      {radio('tasks', 'read, and')}
      <div class="pair">
        {(Object.keys(TASKS) as Task[]).filter(can).map((task) => (
          <Check
            key={task}
            label={TASKS[task]}
            name="tasks"
            value={task}
            checked={may === 'tasks' && tasks.includes(task)}
            onChange={() => toggle(task)}
          />
        ))}
      </div>
      {can('team') && radio('full', 'everything but keys, also what later versions add')}
    </fieldset>
  );
}

function show(key = ''): void {
  const trial = `curl ${new URL('../v1/key', document.baseURI).href} -H "Authorization: Bearer ${key}"`;
  secret.set({ title: 'The new key', text: key, hint: ['To try it:', <Copied key="curl" text={trial} />] });
}

export function NewKey(): JSX.Element {
  const send = async (form: FormData) => {
    const body = {
      name: textIn(form, 'name'),
      mode: textIn(form, 'mode') as typeof mode,
      scope: scopeIn(form),
      expires_at: expiryIn(form),
      networks: textIn(form, 'networks').match(/[^\s,]+/g),
    };
    const { data } = await api.POST('/v1/keys', { body });
    show(data?.data.key);
  };
  return (
    <Ask label="New key…" title="New key" verb="Create" tone="primary" send={send}>
      <Field label="Name" name="name" required maxLength={200} autoFocus placeholder="ERP bridge" />
      <Choices label="Mode" name="mode" begin={mode} of={{ live: 1, test: 2 }} />
      <May />
      <Field
        label="From"
        name="networks"
        placeholder="anywhere"
        hint="Networks that it is used from, such as 192.0.2.0/24."
      />
      <Choices label="Expires" name="expiry" begin="90 days" of={EXPIRIES} />
    </Ask>
  );
}

export function KeyActions({ row }: { row: StoreKey }): JSX.Element {
  const path = { params: { path: { id: row.id } } };
  const name = alone(row.name);
  const isOff = row.status === 'DEACTIVATED';
  const use = row.last_used_at
    ? `It was last used on ${timeText(row.last_used_at)} and made ${count(row.requests_7_days, 'request')} this week.`
    : 'It was never used.';
  const roll = async (form: FormData) => {
    const body = { overlap_hours: numberIn(form, 'overlap', OVERLAPS), expires_at: expiryIn(form) };
    const { data } = await api.POST('/v1/keys/{id}/roll', { ...path, body });
    show(data?.data.key);
  };
  const change = async (verb: 'activate' | 'deactivate' | 'revoke', said: string) => {
    await api.POST(`/v1/keys/{id}/${verb}`, path);
    return `${name} ${said}.`;
  };
  return (
    <span class="acts">
      <Ask
        label="Roll…"
        title={`Roll ${name}`}
        verb="Make the new key"
        reason={row.successor_id ? 'It is rolled: use its successor.' : isOff ? 'Activate it first.' : undefined}
        text={`A new key with the same name, rights and networks. ${use}`}
        send={roll}
      >
        <Choices label="The old key still works for" name="overlap" begin="7 days" of={OVERLAPS} />
        <Choices label="The new key expires" name="expiry" begin="90 days" of={EXPIRIES} />
      </Ask>
      <Ask
        title={`${isOff ? 'Activate' : 'Deactivate'} ${name}?`}
        verb={isOff ? 'Activate' : 'Deactivate'}
        text={isOff ? 'It works again at once.' : `${use} It is refused until you activate it.`}
        send={() => (isOff ? change('activate', 'works again') : change('deactivate', 'is refused'))}
      />
      <Ask
        title={`Revoke ${name}?`}
        verb="Revoke"
        tone="danger"
        text={`${use} It stops at once, for good.`}
        send={() => change('revoke', 'is revoked')}
      />
    </span>
  );
}
