import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Form } from '../parts/ask.js';
import { Copy } from '../parts/page.js';
import { createStore, useStore } from '../store.js';

interface Shown {
  readonly title: string;
  readonly text: string;
  readonly hint: ComponentChildren;
}

/** A secret that the service shows once. It is no part of a row, which may leave its list while the secret is shown. */
export const secret = createStore<Shown | undefined>(undefined);

export const Copied = ({ text }: { text: string }) => (
  <p class="note">
    <code class="line">{text}</code>
    <Copy text={text} />
  </p>
);

/** Only its button closes it. */
export function Secret() {
  const dialog = useRef<HTMLDialogElement>(null);
  const shown = useStore(secret);
  useEffect(() => (shown ? dialog.current?.showModal() : dialog.current?.close()), [shown]);
  return (
    <dialog ref={dialog} aria-label={shown?.title} closedby="none" onCancel={(event) => event.preventDefault()}>
      {shown && (
        <Form verb="I have stored it" onSubmit={() => secret.set(undefined)}>
          <h2>{shown.title}</h2>
          <p class="soft">It is shown once, now. Store it where only its program reads it.</p>
          <Copied text={shown.text} />
          {shown.hint}
        </Form>
      )}
    </dialog>
  );
}
