import { IntegerField } from 'store-commerce/api';

export class SetPointsRequest {
  @IntegerField({ min: 0, max: 1_000_000, description: 'The points that the customer can spend from now on.' })
  points!: number;
}
