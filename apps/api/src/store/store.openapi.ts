import { ApiSingle } from '../openapi/endpoints.js';
import type { Representation, ResourceDocumentation } from '../openapi/resource.js';
import { STORE, type StoreResponse } from './store.response.js';

const Store: Representation<StoreResponse> = {
  name: 'Store',
  schema: STORE,
  example: {
    id: 1,
    name: 'Acme',
    subdomain: 'acme',
    customDomain: 'shop.acme.example',
    currency: 'USD',
    logo_url: 'https://cdn.example/acme.png',
    primary_color: '#112233',
    seo_title: 'Acme: everything',
    theme: { font: 'Inter' },
    contact: { email: 'hello@acme.example' },
    payment_settings: {
      methods: [
        { methodId: 'cod', enabled: true, isSandbox: undefined, hasCredentials: false },
        { methodId: 'offline', enabled: false, isSandbox: undefined, hasCredentials: false },
        { methodId: 'stripe', enabled: true, isSandbox: true, hasCredentials: true },
      ],
    },
    ecommerce_settings: { template_id: 'classic' },
  },
};

export const STORE_DOCUMENTATION: ResourceDocumentation = {
  tag: 'Store',
  description: 'The store itself.',
  schemas: [Store],
};

export const ApiGetStore = () =>
  ApiSingle({ operationId: 'getStore', summary: 'The profile of the store that the key belongs to', of: Store });
