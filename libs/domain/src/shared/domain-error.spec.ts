import { DomainError } from './domain-error.js';
import { NotFound } from './not-found.js';

describe('NotFound', () => {
  it('is a domain error that names the missing resource', () => {
    const error = new NotFound('Product');

    expect(error).toBeInstanceOf(DomainError);
    expect(error).toMatchObject({
      kind: 'not_found',
      code: 'not_found',
      name: 'NotFound',
      message: 'Product not found',
    });
  });
});
