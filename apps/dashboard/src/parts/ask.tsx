import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { refresh, textOf } from '../http.js';
import { announce } from './announce.js';
import { plainMoney, stepOf } from './text.js';

interface AskProps {
  readonly title: string;
  /** Of the button that acts. */
  readonly verb: string;
  /** Of the button that opens the dialog. */
  readonly label?: string;
  readonly tone?: 'primary' | 'danger' | 'quiet';
  /** Why it cannot be done now. */
  readonly reason?: string | undefined;
  /** What it does, above its fields. */
  readonly text?: ComponentChildren;
  readonly children?: ComponentChildren;
  /** Acts. After a failure the dialog stays and shows its text. */
  readonly send: (form: FormData) => Promise<unknown>;
  /** What is announced then, where `send` does not return it. */
  readonly said?: string;
}

const LONG_MS = 3_000;

/** A button and its dialog. Focus, Escape and the page behind it are the browser's; the content lives while it is open. */
export function Ask({ title, verb, label = `${verb}…`, tone, reason, text, children, send, said }: AskProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
  }, [isOpen]);
  const act = async (form: FormData) => {
    // Also a refusal can say that the page is out of date.
    const result = await send(form).finally(() => void refresh());
    dialog.current?.close();
    const news = said ?? result;
    if (typeof news === 'string') announce(news);
  };
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
            onSubmit={act}
            onCancel={() => dialog.current?.close()}
          >
            <h2 id={id}>{title}</h2>
            {text && <p class="soft">{text}</p>}
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
  readonly onSubmit: (form: FormData) => unknown;
  readonly onCancel?: () => void;
}

/** Fields, what went wrong, and the button that acts. After a failure the fields stay as they are. */
export function Form({ verb, tone = 'primary', children, onSubmit, onCancel }: FormProps) {
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
      await onSubmit(form);
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
  readonly hint?: string | undefined;
  /** Of a text of several lines. */
  readonly rows?: number;
};

export function Field({ label, hint, ...input }: InputProps) {
  const id = useId();
  // The attributes that fields have here are those of both.
  const Control = (input.rows ? 'textarea' : 'input') as 'input';
  return (
    <label class="field">
      <span>{label}</span>
      <Control {...input} aria-describedby={hint ? id : undefined} />
      {hint && <small id={id}>{hint}</small>}
    </label>
  );
}

export const Check = ({ label, ...input }: InputProps) => (
  <label class="tick">
    <input type="checkbox" {...input} />
    <span>{label}</span>
  </label>
);

interface AmountProps {
  readonly minor: number;
  readonly currency: string;
  readonly label?: string;
  readonly name?: string;
}

export const Amount = ({ minor, currency, label = 'Amount', name = 'amount' }: AmountProps) => (
  <Field
    label={`${label} (${currency})`}
    name={name}
    type="number"
    min={0}
    step={stepOf(currency)}
    required
    autoFocus
    defaultValue={plainMoney(minor, currency)}
  />
);

export const textIn = (form: FormData, name: string): string => {
  const value = form.get(name);
  return typeof value === 'string' ? value.trim() : '';
};

interface ChoicesProps {
  readonly label: string;
  readonly name: string;
  /** Several can be chosen, or none. */
  readonly isMany?: boolean;
  /** What is chosen at first; none where it must be chosen. */
  readonly begin?: string | readonly string[];
  /** Each word, and what it means where that is a text. */
  readonly of: Readonly<Record<string, string | number>>;
}

/** Of a few, all of them in view. */
export function Choices({ label, name, isMany = false, begin = [], of }: ChoicesProps) {
  const type = isMany ? 'checkbox' : 'radio';
  const hasHints = Object.values(of).some((hint) => typeof hint === 'string');
  return (
    <fieldset>
      <legend>{label}</legend>
      <div class={!hasHints ? 'actions' : isMany ? 'pair' : 'choices'}>
        {Object.entries(of).map(([word, hint]) => (
          <label key={word} class="tick">
            <input {...{ type, name }} value={word} required={!isMany} defaultChecked={[begin].flat().includes(word)} />
            <span>
              {word}
              {hasHints && <small>{hint}</small>}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
