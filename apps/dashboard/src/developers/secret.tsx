import type { ComponentChildren } from 'preact';
import { Dialog, Form } from '../parts/ask.js';
import { Copy } from '../parts/page.js';
import { createStore, useStore } from '../store.js';

type Shown = Readonly<{ title: string; text: string; hint: ComponentChildren }>;

/** A secret that the service shows once. It is no part of a row, which may leave its list while the secret is shown. */
export const secret = createStore<Shown | undefined>(undefined);

export const Copied = ({ text }: { text: string }) => (
  <p class="note">
    <code class="line">{text}</code>
    <Copy text={text} />
  </p>
);

export function Secret() {
  const shown = useStore(secret);
  const close = () => secret.set(undefined);
  if (!shown) return null;
  return (
    <Dialog title={shown.title} onClose={close} stays>
      <Form verb="I have stored it" send={close}>
        <p class="soft">It is shown once, now. Store it where only its program reads it.</p>
        <Copied text={shown.text} />
        {shown.hint}
      </Form>
    </Dialog>
  );
}
