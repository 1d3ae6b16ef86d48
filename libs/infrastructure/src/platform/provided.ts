import type { ClassProvider, FactoryProvider, ValueProvider } from '@nestjs/common';

/** A Nest provider without its token. It may inject every global provider of the service. */
export type Provided<T> =
  | Pick<ClassProvider<T>, 'useClass'>
  | Pick<FactoryProvider<T>, 'useFactory' | 'inject'>
  | Pick<ValueProvider<T>, 'useValue'>;
