import type { ComponentChildren } from 'preact';
import { api, queries, type Schemas } from '../http.js';
import { ConfirmDialog, Field, Seen, type Values } from '../parts/ask.js';

export type Settings = Schemas['Settings'];
export type OfSettings = Readonly<{ settings: Settings }>;

interface EditProps {
  readonly title: string;
  readonly label?: string | undefined;
  readonly submitLabel?: string;
  readonly tone?: 'quiet' | 'danger';
  /** The settings that the dialog changes. If another person has changed them since it opened, nothing changes. */
  readonly of: Partial<Settings>;
  /** Returns the settings that change. @param seen those of the dialog, as they were when it opened. */
  readonly read: (this: void, values: Values, seen: Settings) => Partial<Settings>;
  readonly children?: ComponentChildren;
}

export function Edit({
  title,
  label = `${title}…`,
  submitLabel = 'Save',
  tone = 'quiet',
  of,
  read,
  children,
}: EditProps) {
  const send = async ({ seen = '{}', ...values }: Values) => {
    const expected = JSON.parse(seen) as Settings;
    await api.PATCH('/v1/settings', { body: { ...read(values, expected), expected } });
    // The header of each page shows the name of the store, and times are those of its zone.
    await queries.invalidateQueries({ queryKey: ['/v1/key'] });
  };
  return (
    <ConfirmDialog {...{ title, label, submitLabel, tone, send }} toast="Settings saved.">
      <Seen text={JSON.stringify(of)} />
      {children}
    </ConfirmDialog>
  );
}

/** Settings without fields of their own. */
export const Other = ({ label, of }: { label: string; of: object }) =>
  Object.keys(of).length > 0 && (
    <Field label={`${label} (read only)`} rows={5} readOnly value={JSON.stringify(of, null, 2)} />
  );
