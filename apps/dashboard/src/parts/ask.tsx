import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { keyedHeader, textOf } from '../http.js';

type Header = ReturnType<typeof keyedHeader>;

interface AskProps {
  /** Of the button that opens it. */
  readonly label: string;
  readonly title: string;
  /** Of the button that acts; a verb. */
  readonly verb: string;
  readonly tone?: 'primary' | 'danger' | 'quiet';
  /** Why it cannot be done now. */
  readonly reason?: string | undefined;
  readonly children?: ComponentChildren;
  /** @param header the `Idempotency-Key` for a body. The dialog closes when it resolves, and shows the text of a failure. */
  readonly onSubmit: (form: FormData, header: Header) => Promise<unknown>;
}

const LONG_MS = 3_000;

/** A button and its dialog. Focus, Escape and the page behind it are the browser's; the content lives while it is open. */
export function Ask({ label, title, verb, tone, reason, children, onSubmit }: AskProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
  }, [isOpen]);
  return (
    <>
      <button
        type="button"
        class={tone}
        disabled={reason !== undefined}
        title={reason}
        onClick={() => setOpen(true)}
        aria-haspopup="dialog"
      >
        {label}
      </button>
      {isOpen && (
        <dialog ref={dialog} aria-labelledby={id} onClose={() => setOpen(false)}>
          <Form
            verb={verb}
            tone={tone === 'danger' ? 'danger' : 'primary'}
            onSubmit={async (form, header) => {
              await onSubmit(form, header);
              dialog.current?.close();
            }}
            onCancel={() => dialog.current?.close()}
          >
            <h2 id={id}>{title}</h2>
            {children}
          </Form>
        </dialog>
      )}
    </>
  );
}

interface FormProps {
  readonly verb: string;
  readonly tone?: 'primary' | 'danger' | '';
  readonly children?: ComponentChildren;
  readonly onSubmit: (form: FormData, header: Header) => Promise<unknown>;
  readonly onCancel?: () => void;
}

/** Fields, what went wrong, and the button that acts. After a failure the fields stay as they are. */
export function Form({ verb, tone = 'primary', children, onSubmit, onCancel }: FormProps): JSX.Element {
  const [header] = useState(keyedHeader);
  const [error, setError] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [isLong, setLong] = useState(false);
  const element = useRef<HTMLFormElement>(null);
  // The browser does it for a dialog that opens, not for what comes into an open one.
  useEffect(() => element.current?.querySelector<HTMLElement>('[autofocus]')?.focus(), []);
  const submit = async (event: JSX.TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const long = setTimeout(() => setLong(true), LONG_MS);
    setBusy(true);
    setError('');
    try {
      await onSubmit(form, header);
    } catch (failure) {
      setError(textOf(failure));
    } finally {
      clearTimeout(long);
      setBusy(false);
      setLong(false);
    }
  };
  return (
    <form class="form" ref={element} onSubmit={submit}>
      {children}
      {error && (
        <p class="note" data-tone="bad" role="alert">
          {error}
        </p>
      )}
      <div class="actions">
        {isLong && <span role="status">Trying again…</span>}
        {onCancel && (
          <button type="button" onClick={onCancel}>
            Cancel
          </button>
        )}
        <button class={tone} disabled={isBusy}>
          {verb}
        </button>
      </div>
    </form>
  );
}

type InputProps = Omit<JSX.InputHTMLAttributes<HTMLInputElement>, 'label'> & {
  readonly label: string;
  readonly hint?: string;
};

export function Field({ label, hint, ...input }: InputProps): JSX.Element {
  const id = useId();
  return (
    <label class="field">
      <span>{label}</span>
      <input {...input} aria-describedby={hint ? id : undefined} />
      {hint && <small id={id}>{hint}</small>}
    </label>
  );
}

export function Check({ label, ...input }: InputProps): JSX.Element {
  return (
    <label class="tick">
      <input type="checkbox" {...input} />
      <span>{label}</span>
    </label>
  );
}

/** A field of a form as text. */
export const textIn = (form: FormData, name: string): string => {
  const value = form.get(name);
  return typeof value === 'string' ? value.trim() : '';
};
