import { Clock } from '@app/application';

export class SystemClock extends Clock {
  override now(): Date {
    return new Date();
  }
}
