import { createContext, type ComponentChildren, type JSX } from 'preact';
import { useContext, useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { faultsOf, refresh, textOf } from '../http.js';
import { createStore, useStore } from '../store.js';
import { Alert, announce, Button, Copy, focusHeading, RowName } from './page.js';
import { money, plainMoney, readAmount, readUnits } from './amount.js';

/** The trimmed texts of the fields by their names: of boxes only those that are ticked. */
export type Values<Name extends string = string> = Readonly<Record<Name, string>>;

export const valuesOf = (form: FormData): Values =>
  Object.fromEntries([...form].map(([name, value]) => [name, typeof value === 'string' ? value.trim() : '']));

/** A button that opens a dialog, with its label; and in it one that acts, with a label, and one that does nothing. */
export interface ConfirmDialogProps {
  readonly title: string;
  readonly label?: string;
  readonly submitLabel: string;
  readonly keep?: string;
  readonly tone?: 'primary' | 'danger' | 'quiet' | '';
  /** Why it cannot be done now. */
  readonly reason?: string | undefined;
  /** What it does, above its fields. */
  readonly text?: ComponentChildren;
  readonly children?: ComponentChildren;
  /** Acts. After a failure the dialog stays and shows its text. @param form for fields with several values. */
  send(this: void, values: Values, form: FormData): unknown;
  /** What is announced then, where `send` does not return it. */
  readonly toast?: string;
}

type DialogProps = Readonly<{ title: string; children: ComponentChildren; onClose: () => void; stays?: boolean }>;

/** Is open as long as it is rendered. @param stays Escape does not close it. */
export function Dialog({ title, children, onClose, stays = false }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Before it is painted: a key that is pressed as soon as the dialog is seen is for the dialog.
  useLayoutEffect(() => {
    const element = ref.current;
    element?.showModal();
    return () => {
      element?.close();
      // The button that opened it may be gone, or disabled.
      if (document.activeElement === document.body || element?.contains(document.activeElement)) focusHeading();
    };
  }, []);
  const onCancel = (event: Event) => stays && event.preventDefault();
  return (
    <dialog {...{ ref, onClose, onCancel }} aria-labelledby={id} closedby={stays ? 'none' : 'closerequest'}>
      <h2 id={id}>{title}</h2>
      <RowName.Provider value="">{children}</RowName.Provider>
    </dialog>
  );
}

export function ConfirmDialog({
  title,
  label,
  tone,
  reason,
  text,
  children,
  send,
  toast,
  ...form
}: ConfirmDialogProps) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  const disabled = reason !== undefined;
  const look = { class: disabled && tone === 'primary' ? '' : tone, title: reason, disabled };
  const act = async (values: Values, fields: FormData) => {
    // Also a refusal can say that the page is out of date.
    const result = await Promise.resolve(send(values, fields)).finally(() => void refresh());
    close();
    const toastText = toast ?? result;
    if (typeof toastText === 'string') announce(toastText);
  };
  return (
    <>
      <Button text={label ?? `${form.submitLabel}…`} {...look} onClick={() => setOpen(true)} aria-haspopup="dialog" />
      {isOpen && (
        <Dialog title={title} onClose={close}>
          <Form {...form} tone={tone === 'danger' ? tone : 'primary'} send={act} onCancel={close}>
            {text && <p class="soft">{text}</p>}
            {children}
          </Form>
        </Dialog>
      )}
    </>
  );
}

export type FormProps = Pick<ConfirmDialogProps, 'submitLabel' | 'keep' | 'tone' | 'children' | 'send'> &
  Readonly<{ onCancel?: () => void }>;

/** The faults of a form by the name of their field. */
const Faults = createContext<Readonly<Record<string, string>>>({});

/** After a failure the fields stay, and those at fault say why. What cannot be undone begins at the other button: a second Enter does nothing. */
export function Form({ submitLabel, keep = 'Cancel', tone = 'primary', children, send, onCancel }: FormProps) {
  const [error, setError] = useState('');
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({});
  const [isBusy, setBusy] = useState(false);
  const element = useRef<HTMLFormElement>(null);
  // The browser does it for a dialog that opens, not for what comes into an open one.
  useEffect(() => element.current?.querySelector<HTMLElement>('[autofocus]')?.focus(), []);
  const submit = async (event: JSX.TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    setBusy(true);
    setError('');
    setFaults({});
    try {
      const form = new FormData(event.currentTarget);
      await send(valuesOf(form), form);
    } catch (failure) {
      setError(textOf(failure));
      setFaults(faultsOf(failure));
    }
    setBusy(false);
  };
  return (
    <form class="form" ref={element} onSubmit={submit}>
      <Faults.Provider value={faults}>{children}</Faults.Provider>
      {error && <Alert>{error}</Alert>}
      <div class="actions">
        {isBusy && <span role="status">Trying again…</span>}
        {onCancel && <Button text={keep} onClick={onCancel} autoFocus={tone === 'danger'} />}
        <Button text={submitLabel} type="submit" class={tone} disabled={isBusy} />
      </div>
    </form>
  );
}

/** A pause in typing after which what was typed counts. */
export const TYPING_MS = 300;

/** Tells what the fields of the form around it would do, again after each change of them. */
export function Outcome({ of }: { of: (values: Values) => Promise<string> }) {
  const ref = useRef<HTMLParagraphElement>(null);
  const [text, show] = useState('');
  useEffect(() => {
    const form = ref.current?.closest('form');
    if (!form) return;
    let pause: ReturnType<typeof setTimeout>;
    let last = 0;
    const tell = async () => {
      const asked = ++last;
      const answer = await of(valuesOf(new FormData(form))).catch(textOf);
      if (asked === last) show(answer);
    };
    const tellSoon = () => {
      clearTimeout(pause);
      pause = setTimeout(() => void tell(), TYPING_MS);
    };
    void tell();
    form.addEventListener('input', tellSoon);
    return () => {
      clearTimeout(pause);
      form.removeEventListener('input', tellSoon);
    };
  }, [of]);
  return <p ref={ref} role="status" class="soft" children={text} />;
}

type InputProps = Omit<JSX.InputHTMLAttributes<HTMLInputElement>, 'label'> & {
  readonly label: string;
  readonly hint?: ComponentChildren;
  /** Makes the field a text of so many lines. */
  readonly rows?: number;
};

export function Field({ label, hint, ...input }: InputProps) {
  const id = useId();
  const faults = useContext(Faults);
  const fault = typeof input.name === 'string' ? faults[input.name] : undefined;
  const note = fault ?? hint;
  // The attributes that fields have here are those of both.
  const Control = (input.rows ? 'textarea' : 'input') as 'input';
  return (
    <label class="field">
      <span>{label}</span>
      <Control {...input} aria-invalid={fault !== undefined} aria-describedby={note ? id : undefined} />
      {note && (
        <small id={id} class={fault && 'bad'}>
          {note}
        </small>
      )}
    </label>
  );
}

export const Check = ({ label, ...input }: InputProps) => (
  <label class="tick">
    <input type="checkbox" {...input} />
    <span>{label}</span>
  </label>
);

/** What the text of a field means, or why it means nothing. */
function meaningOf(text: string, read: (text: string) => string) {
  try {
    return { meaning: text && read(text), refusal: '' };
  } catch (error) {
    return { meaning: '', refusal: textOf(error) };
  }
}

type TypedProps = Omit<InputProps, 'defaultValue'> & {
  readonly begin?: string;
  readonly read: (text: string) => string;
};

/** A text that a program would read in several ways, unlike `type=number`, which drops what it does not know. */
function Typed({ begin = '', read, hint = '', ...input }: TypedProps) {
  const [text, setText] = useState(begin);
  const { meaning, refusal } = meaningOf(text, read);
  const onInput = ({ currentTarget: field }: JSX.TargetedInputEvent<HTMLInputElement>) => {
    setText(field.value);
    field.setCustomValidity(meaningOf(field.value, read).refusal);
  };
  const below = refusal ? <span class="bad">{refusal}</span> : meaning || hint;
  return <Field {...input} {...{ onInput, hint: below, defaultValue: begin }} autoComplete="off" />;
}

type AmountProps = Readonly<{ currency: string; minor?: number; label?: string; name?: string }>;

/** @param minor what it begins with. Without it the field is empty, and may stay so. */
export function Amount({ minor, currency, label = 'Amount', name = 'amount' }: AmountProps) {
  const read = (text: string) => `This is ${money(readAmount(text, currency), currency)}.`;
  const isGiven = minor !== undefined;
  const field = { label: `${label} (${currency})`, name, begin: isGiven ? plainMoney(minor, currency) : '', read };
  return <Typed {...field} inputMode="decimal" required={isGiven} autoFocus={isGiven} />;
}

/** A whole number. @param hint below it, as long as it is one. */
export function Units(field: Omit<TypedProps, 'read'>) {
  const read = (text: string) => {
    readUnits(text);
    return '';
  };
  return <Typed {...field} read={read} required />;
}

/** Fits into a row: the browser says what is wrong. */
export function UnitsInput({ most, ...input }: JSX.InputHTMLAttributes<HTMLInputElement> & { most: number }) {
  const read = (text: string) => {
    const units = text ? readUnits(text) : 0;
    if (units < 0 || units > most) throw new Error(`Type 0 to ${most}.`);
    return '';
  };
  const onInput = ({ currentTarget: field }: JSX.TargetedInputEvent<HTMLInputElement>) => {
    field.setCustomValidity(meaningOf(field.value, read).refusal);
    field.reportValidity();
  };
  return <input {...input} {...{ onInput }} class="units n" inputMode="numeric" autoComplete="off" />;
}

interface ChoicesProps {
  readonly label: string;
  readonly name: string;
  /** Several can be chosen, or none. */
  readonly isMany?: boolean;
  /** What is chosen at first; none where it must be chosen. */
  readonly begin?: string | readonly string[] | undefined;
  /** Each word, and what it means where that is a text. */
  readonly of: Readonly<Record<string, string | number>>;
}

/** Shows all of a few choices at once. */
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

/** A secret that the service shows once. It is no part of a row, which may leave its list while the secret is shown. */
export const secret = createStore<Readonly<{ title: string; text: string; hint: ComponentChildren }> | undefined>(
  undefined,
);

export const Copied = ({ text, name }: { text: string; name: string }) => (
  <p class="note">
    <code class="line">{text}</code>
    <Copy {...{ text, name }} />
  </p>
);

export function Secret() {
  const shown = useStore(secret);
  const close = () => secret.set(undefined);
  if (!shown) return null;
  return (
    <Dialog title={shown.title} onClose={close} stays>
      <Form submitLabel="I have stored it" send={close}>
        <p class="soft">It is shown once, now. Store it where only its program reads it.</p>
        <Copied text={shown.text} name="the secret" />
        {shown.hint}
      </Form>
    </Dialog>
  );
}
