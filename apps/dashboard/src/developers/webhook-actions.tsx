import type { JSX } from 'preact';
import { api, refresh, textOf, type Webhook, type WebhookListItem } from '../http.js';
import { announce } from '../parts/announce.js';
import { Ask, Check, Field, textIn } from '../parts/ask.js';
import { Choices } from '../parts/choices.js';
import { numberIn } from './key-rights.js';
import { secret } from './secret.js';

type Kind = WebhookListItem['kinds'][number];
const KINDS: readonly Kind[] = ['orders', 'products', 'skus', 'customers', 'categories', 'brands', 'stock'];

function show(text = ''): void {
  const hint = (
    <p class="soft">
      The receiver verifies with it that a message is from here. <a href="../docs/webhook-receivers">How?</a>
    </p>
  );
  secret.set({ title: 'The secret of the webhook', text, hint });
}

export function NewWebhook(): JSX.Element {
  const send = async (form: FormData) => {
    const body = {
      url: textIn(form, 'url'),
      name: textIn(form, 'name'),
      kinds: form.getAll('kinds') as Kind[],
      body: textIn(form, 'body') as WebhookListItem['body'],
    };
    const { data } = await api.POST('/v1/webhooks', { body });
    show(data?.data.secret);
  };
  return (
    <Ask label="New webhook…" title="New webhook" verb="Create" tone="primary" send={send}>
      <Field label="URL" name="url" type="url" required autoFocus placeholder="https://erp.example/hooks" />
      <Field label="Name" name="name" placeholder="ERP" />
      <fieldset>
        <legend>Sends changes of</legend>
        <div class="actions">
          {KINDS.map((kind) => (
            <Check key={kind} label={kind} name="kinds" value={kind} defaultChecked={kind === 'orders'} />
          ))}
        </div>
      </fieldset>
      <Choices label="A message" name="body" begin="thin" of={BODIES} />
    </Ask>
  );
}

/** In hours. */
const OVERLAPS = { 'no time: it ends now': 0, '1 day': 24, '7 days': 168 };
const BODIES = { thin: 'It says what changed.', full: 'It has the record, with the names and addresses of customers.' };

export function WebhookActions({ hook }: { hook: Webhook }): JSX.Element {
  const path = { params: { path: { id: hook.id } } };
  const isPaused = hook.state === 'paused';
  /** A button without a question, for what harms nothing. */
  const now = (label: string, verb: 'resume' | 'test' | 'pause', said: string) => {
    const act = () => api.POST(`/v1/webhooks/{id}/${verb}`, path).then(() => said, textOf);
    return (
      <button type="button" onClick={() => void act().then(announce).then(refresh)}>
        {label}
      </button>
    );
  };
  const replay = async (form: FormData) => {
    const body = { from: new Date(textIn(form, 'from')).toISOString() };
    await api.POST('/v1/webhooks/{id}/replay', { ...path, body });
    return 'It is sent again.';
  };
  const rotate = async (form: FormData) => {
    const body = { overlap_hours: numberIn(form, 'overlap', OVERLAPS) };
    const { data } = await api.POST('/v1/webhooks/{id}/rotate-secret', { ...path, body });
    show(data?.data.secret);
  };
  const remove = async () => {
    await api.DELETE('/v1/webhooks/{id}', path);
    return 'The webhook is deleted.';
  };
  return (
    <div class="actions">
      {isPaused && now('Resume', 'resume', 'The webhook sends again.')}
      {hook.failing_since && !isPaused && now('Try now', 'resume', 'It is tried again.')}
      {now('Test', 'test', 'A message without a change is sent.')}
      {!isPaused && now('Pause', 'pause', 'It is paused.')}
      <Ask
        title="Send again what changed"
        verb="Replay"
        text="Everything whose newest change is later is sent again, with other message ids."
        send={replay}
      >
        <Field label="Since" name="from" type="datetime-local" required autoFocus hint="In the time of this browser." />
      </Ask>
      <Ask label="New secret…" title="Replace the secret" verb="Make the new secret" send={rotate}>
        <Choices label="The old secret still signs for" name="overlap" begin="1 day" of={OVERLAPS} />
      </Ask>
      <Ask
        title="Delete the webhook?"
        verb="Delete"
        tone="danger"
        text="It sends nothing more, and its place is lost. To stop it for a while, pause it."
        send={remove}
      >
        <p class="line">{hook.url}</p>
      </Ask>
    </div>
  );
}
