import type { NewPerson, PersonChange } from '@app/application';
import { ROLES, type Role } from '@app/domain';
import * as is from '../body/fields.js';

const DESCRIPTION = { name: 'Display name.', role: 'Role of the person.' };

export class AddPersonRequest {
  @is.RequiredEmailField({ description: 'Address for sign-in codes. Letter case does not matter.' })
  email!: string;

  @is.NameField({ isRequired: true, description: DESCRIPTION.name })
  name!: string;

  @is.RequiredWordField({ words: ROLES, description: DESCRIPTION.role })
  role!: Role;
}

export class ChangePersonRequest {
  @is.NameField({ description: DESCRIPTION.name })
  name?: string | null;

  @is.OptionalWordField({ words: ROLES, description: DESCRIPTION.role })
  role?: Role | null;
}

export function toNewPerson({ email, name, role }: AddPersonRequest): Omit<NewPerson, 'storeId' | 'id'> {
  return { email, name: name.trim(), role };
}

/** Null does not change a field: a person always has a name and a role. */
export function toPersonChange({ name, role }: ChangePersonRequest): PersonChange {
  return { ...(name && { name: name.trim() }), ...(role && { role }) };
}
