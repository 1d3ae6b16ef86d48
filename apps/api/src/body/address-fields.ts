import { mapAddressFields, wholeAddress, type AddressField, type PostalAddress } from '@app/domain';
import { CountryField, TextField } from './fields.js';

/** Of a body whose class has {@link AddressFields}. */
export const AddressBody = class {} as new () => { [Name in AddressField]?: string | null };

/** Declares the fields of an address, after those of the class. */
export function AddressFields(Body: new () => object): void {
  mapAddressFields((name, { max, description }) => {
    const field = name === 'country' ? CountryField({ description }) : TextField({ max, description });
    field(Body.prototype as object, name);
  });
}

export function toAddress(body: InstanceType<typeof AddressBody>): PostalAddress {
  const address = wholeAddress(body);
  return { ...address, country: address.country.toUpperCase() };
}
