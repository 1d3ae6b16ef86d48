import { mapAddressFields, wholeAddress, type AddressField, type PostalAddress } from '@app/domain';
import { CountryField, TextField } from './fields.js';

/** The base class of a body whose class is decorated with {@link AddressFields}. */
export const AddressBody = class {} as new () => { [Name in AddressField]?: string | null };

/** Declares the fields of an address, after those of the class. */
export function AddressFields(Body: new () => object): void {
  mapAddressFields((name, { max, description }) => {
    const field = name === 'country' ? CountryField({ description }) : TextField({ max, description });
    field(Body.prototype as object, name);
  });
}

type Texts<Body> = { readonly [Name in keyof Body]?: string | null };

/** Returns the texts that a body contains; null becomes `''`. */
export function givenTexts<Body>(body: Texts<Body>): Partial<Record<keyof Body, string>> {
  const given = Object.entries<string | null | undefined>(body).filter(([, text]) => text !== undefined);
  return Object.fromEntries(given.map(([name, text]) => [name, text ?? ''])) as Partial<Record<keyof Body, string>>;
}

export function toAddressPatch(body: Texts<PostalAddress>): Partial<PostalAddress> {
  const given = givenTexts<PostalAddress>(body);
  return { ...given, ...(given.country && { country: given.country.toUpperCase() }) };
}

export function toAddress(body: Texts<PostalAddress>): PostalAddress {
  return wholeAddress(toAddressPatch(body));
}
