import { OrderCharges } from '@app/application';
import { NO_CHARGES } from '@app/domain';

/** The charges of a service without an extension that charges. */
export class NoCharges extends OrderCharges {
  override chargesOf = () => Promise.resolve(NO_CHARGES);
}
