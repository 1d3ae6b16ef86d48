import { COLUMN_OF, plainHeading } from './woocommerce-headings.js';
import { wooCommerce } from './woocommerce.js';

describe('headings of a WooCommerce export', () => {
  it('have translations for every column', () => {
    const columns = new Set(COLUMN_OF.values());

    expect([columns.size, columns.has('')]).toEqual([20, false]);
  });

  it.each([
    ['Regulärer Preis', 'price'],
    ['Mis en avant\u00a0?', 'featured'],
    ['Valeur(s) de l’attribut 12 ', 'attribute12value'],
    ['属性 3 の名前', 'attribute3name'],
    ['İsim', 'name'],
    ['Kimlik', 'id'],
    ['Attribute 1 value(s)', 'attribute1value'],
    ['Meta: _x1', null],
    ['constructor', null],
  ])('%s is %p', (heading, column) => {
    expect(wooCommerce.columnOf(heading.toLowerCase())).toBe(column);
    expect(wooCommerce.columnOf(plainHeading(heading))).toBe(column);
  });
});
