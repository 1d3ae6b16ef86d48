import {
  CUSTOMER_LIMITS,
  MAX_PAYMENT_TERMS_DAYS,
  wholeContact,
  type AccountAddress,
  type CustomerContact,
  type CustomerPatch,
  type MetadataPatch,
} from '@app/domain';
import { ApiSchema } from '@nestjs/swagger';
import { AddressBody, AddressFields, givenTexts, toAddress } from '../body/address-fields.js';
import * as is from '../body/fields.js';

export class EraseCustomerRequest {
  @is.FlagField({ default: false, description: 'Erase even if orders are open.' })
  force?: boolean | null;
}

@AddressFields
export class AccountAddressRequest extends AddressBody {
  @is.TextField({ max: CUSTOMER_LIMITS.label, description: 'What the address is for, such as `Warehouse`.' })
  label?: string | null;
}

export class CustomerContactRequest {
  @is.TextField({ max: CUSTOMER_LIMITS.contact.name, description: 'Display name.' })
  name?: string | null;

  @is.EmailField({ description: 'An order with this e-mail is an order of the customer.' })
  email?: string | null;

  @is.TextField({ max: CUSTOMER_LIMITS.contact.phone, description: 'As dialled.' })
  phone?: string | null;

  @is.TextField({ max: CUSTOMER_LIMITS.contact.role, description: 'What the person does, such as `buyer`.' })
  role?: string | null;
}

@ApiSchema({ description: 'An absent field stays. Null removes what the field has.' })
export class ChangeCustomerRequest {
  @is.TextField({ max: CUSTOMER_LIMITS.company, description: 'Name of the company.' })
  company?: string | null;

  @is.TextField({ max: CUSTOMER_LIMITS.vatId, description: 'VAT number. Its form is not checked.' })
  vat_id?: string | null;

  @is.ReferencesField({ max: CUSTOMER_LIMITS.groups, description: 'All its groups, which price lists name.' })
  groups?: string[] | null;

  @is.ReferenceField({ description: "The code of the customer's price list." })
  price_list?: string | null;

  @is.IntegerOrNullField({
    min: 0,
    max: MAX_PAYMENT_TERMS_DAYS,
    description: 'In how many days its new orders are to be paid.',
  })
  payment_terms_days?: number | null;

  @is.ListField(AccountAddressRequest, {
    min: 0,
    max: CUSTOMER_LIMITS.addresses,
    isOptional: true,
    description: 'All its addresses, in their order.',
  })
  addresses?: AccountAddressRequest[] | null;

  @is.ListField(CustomerContactRequest, {
    min: 0,
    max: CUSTOMER_LIMITS.contacts,
    isOptional: true,
    description: 'All its contacts, in their order.',
  })
  contacts?: CustomerContactRequest[] | null;

  @is.MetadataPatchField({ description: 'Keys to set. Null removes a key, an absent key stays.' })
  metadata?: MetadataPatch | null;
}

export function toCustomerPatch(body: ChangeCustomerRequest): CustomerPatch {
  const { company, vat_id, groups, price_list, payment_terms_days, addresses, contacts, metadata } = body;
  return {
    ...(company !== undefined && { company: company ?? '' }),
    ...(vat_id !== undefined && { vatId: vat_id ?? '' }),
    ...(groups !== undefined && { groups: groups ?? [] }),
    ...(price_list !== undefined && { priceList: price_list }),
    ...(payment_terms_days !== undefined && { paymentTermsDays: payment_terms_days }),
    ...(addresses !== undefined && { addresses: (addresses ?? []).map(toAccountAddress) }),
    ...(contacts !== undefined && { contacts: (contacts ?? []).map(toContact) }),
    ...(metadata && { metadata }),
  };
}

function toAccountAddress({ label, ...address }: AccountAddressRequest): AccountAddress {
  return { label: label ?? '', ...toAddress(address) };
}

function toContact(contact: CustomerContactRequest): CustomerContact {
  return wholeContact(givenTexts<CustomerContact>(contact));
}
