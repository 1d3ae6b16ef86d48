import { createContext, type ComponentChildren, type JSX } from 'preact';
import { useContext, useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { faultsOf, refresh, textOf } from '../http.js';
import { useRoute } from '../route.js';
import { createStore, useStore } from '../store.js';
import { Alert, announce, Button, Copy, focusHeading, Note, RowName } from './page.js';
import { money, plainMoney, readAmount, readUnits } from './amount.js';
import { noun } from './text.js';

/** The trimmed texts of the fields by name. Boxes are included only when ticked. */
export type Values<Name extends string = string> = Readonly<Record<Name, string>>;

export const valuesOf = (form: FormData): Values =>
  Object.fromEntries([...form].map(([name, value]) => [name, typeof value === 'string' ? value.trim() : '']));

/** Describes a button that opens a dialog, and the two buttons of the dialog: one acts, the other closes it. */
export interface ConfirmDialogProps {
  readonly title: string;
  readonly label?: string;
  readonly submitLabel: string;
  readonly keep?: string;
  readonly tone?: 'primary' | 'danger' | 'quiet' | '';
  /** Why the action is impossible now. */
  readonly reason?: string | undefined;
  /** What the action does, shown above its fields. */
  readonly text?: ComponentChildren;
  readonly children?: ComponentChildren;
  /**
   * Performs the action. After a failure, the dialog stays and shows the message. @param form for fields with several
   * values.
   */
  send(this: void, values: Values, form: FormData): unknown;
  /** What is announced afterwards, unless `send` returns it. */
  readonly toast?: string;
  readonly onOpen?: () => void;
}

type DialogProps = Readonly<{ title: string; children: ComponentChildren; onClose: () => void; stays?: boolean }>;

const isFilled = (dialog: HTMLElement): boolean =>
  [...dialog.querySelectorAll<HTMLInputElement>('input:not([type=hidden]), textarea')].some((field) =>
    /checkbox|radio/.test(field.type) ? field.checked !== field.defaultChecked : field.value !== field.defaultValue,
  );

/** Stays open as long as it is rendered. @param stays whether Escape does not close it. */
export function Dialog({ title, children, onClose, stays = false }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  const [isLeaving, setLeaving] = useState(false);
  // The dialog opens before it is painted, so that it receives a key that is pressed as soon as it is visible.
  useLayoutEffect(() => {
    const element = ref.current;
    element?.showModal();
    return () => {
      element?.close();
      // The button that opened the dialog may be gone or disabled.
      if (document.activeElement === document.body || element?.contains(document.activeElement)) focusHeading();
    };
  }, []);
  const onCancel = (event: Event) => {
    const asks = !stays && ref.current !== null && isFilled(ref.current);
    if (stays || asks) event.preventDefault();
    setLeaving(asks);
  };
  // The browser lets a page refuse the first of two presses of Escape only.
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onCancel(event);
  };
  const on = { onClose, onCancel, onKeyDown, onInput: () => setLeaving(false) };
  return (
    <dialog {...{ ref, ...on }} aria-labelledby={id} closedby={stays ? 'none' : 'closerequest'}>
      <h2 id={id}>{title}</h2>
      <RowName.Provider value="">{children}</RowName.Provider>
      {isLeaving && (
        <Alert tone="wait" action={<Button text="Discard" onClick={onClose} />}>
          Discard what you entered?
        </Alert>
      )}
    </dialog>
  );
}

type Asked = Readonly<{
  owner: object;
  title: string;
  close: () => void;
  content: ComponentChildren;
  isGone?: boolean;
}>;

const asked = createStore<Asked | undefined>(undefined);

function markGone(owner: object): void {
  const now = asked.get();
  if (now?.owner === owner) asked.set({ ...now, isGone: true });
}

/**
 * The dialog of a `ConfirmDialog`. It is rendered outside of its button, because a change of the record may remove the
 * button while a person types.
 */
export function OpenDialog() {
  const now = useStore(asked);
  const { path } = useRoute();
  useEffect(() => () => asked.set(undefined), [path]);
  if (!now) return null;
  return (
    <Dialog title={now.title} onClose={now.close}>
      {now.isGone && <Note tone="wait">The page no longer offers this, because the record has changed.</Note>}
      {now.content}
    </Dialog>
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
  onOpen,
  ...form
}: ConfirmDialogProps) {
  const [isOpen, setOpen] = useState(false);
  const owner = useRef({}).current;
  const open = () => {
    onOpen?.();
    setOpen(true);
  };
  const close = () => {
    setOpen(false);
    if (asked.get()?.owner === owner) asked.set(undefined);
  };
  const disabled = reason !== undefined;
  const look = { class: disabled && tone === 'primary' ? '' : tone, title: reason, disabled };
  const act = async (values: Values, fields: FormData) => {
    // A refusal can also mean that the page is out of date.
    const result = await Promise.resolve(send(values, fields)).finally(() => void refresh());
    close();
    const toastText = toast ?? result;
    if (typeof toastText === 'string') announce(toastText);
  };
  useLayoutEffect(() => {
    if (!isOpen) return;
    const content = (
      <Form {...form} tone={tone === 'danger' ? tone : 'primary'} send={act} onCancel={close}>
        {text && <p class="soft">{text}</p>}
        {children}
      </Form>
    );
    asked.set({ owner, title, close, content });
  });
  useLayoutEffect(() => () => markGone(owner), [owner]);
  return <Button text={label ?? `${form.submitLabel}…`} {...look} onClick={open} aria-haspopup="dialog" />;
}

export type FormProps = Pick<ConfirmDialogProps, 'submitLabel' | 'keep' | 'tone' | 'children' | 'send'> &
  Readonly<{ onCancel?: () => void }>;

/** The faults of a form by field name. */
const Faults = createContext<Readonly<Record<string, string>>>({});

/**
 * After a failure, the fields stay, and those at fault show why. An action that cannot be undone starts with the focus
 * on the other button, so that a second Enter does nothing.
 */
export function Form({ submitLabel, keep = 'Cancel', tone = 'primary', children, send, onCancel }: FormProps) {
  const [error, setError] = useState('');
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({});
  const [isBusy, setBusy] = useState(false);
  const element = useRef<HTMLFormElement>(null);
  // The browser does this for a dialog that opens, but not for content that is added to an open one.
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
      const found = faultsOf(failure);
      const names = Object.keys(found);
      const hasField = (name: string) => element.current?.querySelector(`.field [name="${CSS.escape(name)}"]`);
      const isShown = names.length > 0 && names.every(hasField);
      setError(isShown ? `Correct the marked ${noun(names.length, 'field')}.` : textOf(failure));
      setFaults(found);
    }
    setBusy(false);
  };
  return (
    <form class="form" ref={element} onSubmit={submit}>
      <Faults.Provider value={faults}>{children}</Faults.Provider>
      <div class="base">
        {error && <Alert>{error}</Alert>}
        <div class="actions">
          {isBusy && <span role="status">Trying again…</span>}
          {onCancel && <Button text={keep} onClick={onCancel} autoFocus={tone === 'danger'} />}
          <Button text={submitLabel} type="submit" class={tone} disabled={isBusy} />
        </div>
      </div>
    </form>
  );
}

/** After a pause of this length in typing, the typed text applies. */
export const TYPING_MS = 300;

/** Shows what the fields of the surrounding form would do, updated after each change. */
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
  /** Turns the field into a text area with this many lines. */
  readonly rows?: number;
};

export function Field({ label, hint, ...input }: InputProps) {
  const id = useId();
  const faults = useContext(Faults);
  const fault = typeof input.name === 'string' ? faults[input.name] : undefined;
  const note = fault ?? hint;
  // The attributes that fields use here exist on both elements.
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

/** Describes what the text of a field means, or why it is invalid. */
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

/**
 * A field for a text that a program could read in several ways. Unlike `type=number`, it does not drop what it does not
 * understand.
 */
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

type AmountProps = Readonly<{ currency: string; minor?: number; label?: string; name?: string; least?: number }>;

/** @param minor the initial amount. When absent, the field is empty, and may stay so. @param least in minor units. */
export function Amount({ minor, currency, label = 'Amount', name = 'amount', least = 0 }: AmountProps) {
  const read = (text: string) => {
    const given = readAmount(text, currency);
    if (given < least) throw new Error(`Enter at least ${money(least, currency)}.`);
    return `This is ${money(given, currency)}.`;
  };
  const isGiven = minor !== undefined;
  const field = { label: `${label} (${currency})`, name, begin: isGiven ? plainMoney(minor, currency) : '', read };
  return <Typed {...field} inputMode="decimal" required={isGiven} autoFocus={isGiven} />;
}

/** A field for a whole number. @param hint is shown below while the number is valid. */
export function Units({ required = true, ...field }: Omit<TypedProps, 'read'>) {
  const read = (text: string) => {
    readUnits(text);
    return '';
  };
  return <Typed {...field} read={read} required={required} inputMode="numeric" />;
}

/** Remembers what the person saw when the dialog opened, even if it changes while the dialog is open. */
export function Seen({ name = 'seen', text }: { name?: string; text: string }) {
  const [seen] = useState(text);
  return <input type="hidden" name={name} value={seen} />;
}

type ExpectedProps = Readonly<{
  value: string;
  noun: string;
  say: (value: string) => string;
  children?: ComponentChildren;
}>;

/** Holds the value that the person saw. The person must see a new value before the change applies to it. */
export function Expected({ value, noun, say, children }: ExpectedProps) {
  const [seen, see] = useState(value);
  const isSame = seen === value;
  const button = <Button text="Acknowledge" onClick={() => see(value)} />;
  const hidden = <input type="hidden" name="expected" value={seen} />;
  if (isSame && !children) return hidden;
  return (
    <Note tone={isSame ? 'quiet' : 'wait'} action={!isSame && button}>
      {hidden}
      {isSame ? children : `The ${noun} changed from ${say(seen)} to ${say(value)}.`}
    </Note>
  );
}

/** Returns the fields that differ from those in `seen`: the others may have been changed by another person. */
export function changesOf({ seen = '{}', ...values }: Values): Values {
  const before = JSON.parse(seen) as Values;
  return Object.fromEntries(Object.entries(values).filter(([name, text]) => before[name]?.trim() !== text));
}

/** Reads a text with one word per line. @param split words of a line, where a line may have several. */
export const wordsIn = (text: string, split = (line: string): string[] => [line]): string[] => {
  const words = text.split('\n').flatMap((line) => split(line.trim()));
  return [...new Set(words.map((word) => word.trim()).filter(Boolean))];
};

/** A compact field for a table row: the browser reports what is wrong. */
export function UnitsInput({ most, ...input }: JSX.InputHTMLAttributes<HTMLInputElement> & { most: number }) {
  const read = (text: string) => {
    const units = text ? readUnits(text) : 0;
    if (units < 0 || units > most) throw new Error(`Enter 0 to ${most}.`);
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
  /** Whether several, or none, can be chosen. */
  readonly isMany?: boolean;
  /** The initial choice; absent when a choice is required. */
  readonly begin?: string | readonly string[] | undefined;
  /** Each word, with its meaning where that is a text. */
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

/**
 * A secret that the service shows once. It is stored outside its row, which may leave its list while the secret is
 * shown.
 */
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
        <p class="soft">This secret is shown only once. Store it where only the integration can read it.</p>
        <Copied text={shown.text} name="the secret" />
        {shown.hint}
      </Form>
    </Dialog>
  );
}
