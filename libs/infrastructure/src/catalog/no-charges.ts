import { OrderCharges } from '@app/application';
import { NO_CHARGES } from '@app/domain';

/** Of a service without an extension that charges. */
export class NoCharges extends OrderCharges {
  override chargesOf = () => Promise.resolve(NO_CHARGES);
}
