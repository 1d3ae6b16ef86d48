import type { ClassProvider, FactoryProvider, ValueProvider } from '@nestjs/common';

/** A provider of Nest, without its token. It may inject every global provider of the service. */
export type Provided<T> =
  | Pick<ClassProvider<T>, 'useClass'>
  | Pick<FactoryProvider<T>, 'useFactory' | 'inject'>
  | Pick<ValueProvider<T>, 'useValue'>;
