import * as is from '../body/fields.js';

export class EraseCustomerRequest {
  @is.FlagField({ default: false, description: 'Erase although orders are open.' })
  force?: boolean | null;
}
