import * as is from '../body/fields.js';

export class EraseCustomerRequest {
  @is.FlagField({ default: false, description: 'Erase even if orders are open.' })
  force?: boolean | null;
}
