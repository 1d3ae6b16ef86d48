import 'reflect-metadata';

// Applications of other teams import this file as `store-commerce/api`. It exports the start, and what the controllers
// of the service are built from.
export { createApp } from './create-app.js';
export { runApi } from './run-api.js';
export { CurrentKey, CurrentStore, type CurrentStoreContext } from './access/current-store.decorator.js';
export { Public, ReceivesRaw, WritesNothing } from './route-access.js';
export { NeedsScope } from './openapi/needs-scope.js';
export { list, listPage, single, type ListEnvelope, type SingleEnvelope } from './envelope.js';
export { AuthenticationError } from './errors/request-errors.js';

// These declare bodies.
export { BodyPipe } from './body/body.pipe.js';
export {
  AmountField,
  CodeField,
  CountryField,
  CurrencyField,
  DecimalField,
  EmailField,
  FlagField,
  FutureTimeField,
  HeadersField,
  IntegerField,
  IntegerOrNullField,
  IntegerUnlessField,
  LinesField,
  ListField,
  MetadataField,
  MetadataPatchField,
  MinorUnitsField,
  NameField,
  NetworksField,
  ObjectField,
  OptionalObjectField,
  OptionalWordField,
  ReferenceField,
  RequiredEmailField,
  RequiredTextField,
  RequiredWordField,
  RequiredWordsField,
  TaxRateField,
  TextField,
  TimestampField,
  WebAddressField,
  WordField,
  WordsField,
} from './body/fields.js';

// These declare queries.
export {
  booleanFilter,
  choice,
  createdFilter,
  dateFilter,
  exactFilter,
  flagFilter,
  idFilter,
  includeOf,
  integerFilter,
  metadataFilter,
  oneOfFilter,
  type Parameter,
  type RawQuery,
  searchFilter,
  SORT,
  SORT_BY_CHANGE,
  timeFilter,
  trueFilter,
  updatedFilter,
  wordFilter,
  wordsFilter,
} from './query/parameters.js';
export { listQuery, type Query, queryOf, ReadQuery, type ValuesOf } from './query/query.js';

// These build answers.
export {
  arrayOf,
  attributes,
  described,
  exampleOf,
  flag,
  freeForm,
  id,
  included,
  integer,
  majorUnits,
  metadata,
  minorUnits,
  type NamedSchema,
  number,
  object,
  oneOf,
  optional,
  orNull,
  percent,
  ref,
  type Representation,
  representation,
  type ResourceDocumentation,
  text,
  timestamp,
  uuid,
  type ValueOf,
} from '@app/representations';

// These document routes.
export { Documented } from './openapi/documented.js';
export { ApiList, ApiPath, ApiSingle, ApiWrite, type Operation, type PathParameter } from './openapi/endpoints.js';
export { ApiFailures } from './openapi/failures.js';
