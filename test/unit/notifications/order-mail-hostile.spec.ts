import { NOTIFICATION_STAGES, type OrderRecord, type StoreProfile } from '@app/application';
import { anOrderRecord, aStoreProfile } from '../../builders/order-record.js';
import { orderMail } from '../../../libs/infrastructure/src/mail/order-mail.js';

const line = anOrderRecord().lines[0] as OrderRecord['lines'][number];
const customer = { name: 'Ada', email: 'ada@example.com', phone: '' };
const place = { address: '', city: '', zip: '', region: '', country: '' };
const contact = { email: 'hello@acme.test' };

const parcel = {
  reference: '',
  status: 'shipped',
  items: [{ line: 1, quantity: 1 }],
  carrier: '',
  trackingNumber: '',
  trackingUrl: '',
  shippedAt: new Date(),
  deliveredAt: null,
} as const;

/** Every field of a mail that contains text from outside. */
const FIELDS: [
  field: string,
  order: (text: string) => Partial<OrderRecord>,
  store: (text: string) => Partial<StoreProfile>,
][] = [
  ['customer name', (name) => ({ customer: { ...customer, name } }), () => ({})],
  ['customer phone', (phone) => ({ customer: { ...customer, phone } }), () => ({})],
  ['address', (address) => ({ shippingAddress: { ...place, address } }), () => ({})],
  ['city', (city) => ({ shippingAddress: { ...place, city } }), () => ({})],
  ['region', (region) => ({ shippingAddress: { ...place, region } }), () => ({})],
  ['zip', (zip) => ({ shippingAddress: { ...place, zip } }), () => ({})],
  ['notes', (notes) => ({ notes }), () => ({})],
  ['receipt number', (receiptNumber) => ({ receiptNumber }), () => ({})],
  ['payment method', (paymentMethod) => ({ paymentMethod }), () => ({})],
  ['product name', (name) => ({ lines: [{ ...line, name }] }), () => ({})],
  ['attribute name', (name) => ({ lines: [{ ...line, attributes: { [name]: '1' } }] }), () => ({})],
  ['attribute value', (value) => ({ lines: [{ ...line, attributes: { Size: value } }] }), () => ({})],
  ['fraud rule', (rule) => ({ fraud: { verdict: 'REVIEW', score: 50, reasons: [{ rule, score: 50 }] } }), () => ({})],
  ['carrier', (carrier) => ({ shipments: [{ ...parcel, carrier }] }), () => ({})],
  ['tracking number', (trackingNumber) => ({ shipments: [{ ...parcel, trackingNumber }] }), () => ({})],
  ['tracking URL', (trackingUrl) => ({ shipments: [{ ...parcel, trackingUrl }] }), () => ({})],
  [
    'tracking URL, as a URL',
    (text) => ({ shipments: [{ ...parcel, trackingUrl: `https://shop.test/${text}` }] }),
    () => ({}),
  ],
  ['store name', () => ({}), (name) => ({ name })],
  ['logo', () => ({}), (logoUrl) => ({ logoUrl })],
  ['logo, as a URL', () => ({}), (text) => ({ logoUrl: `https://cdn.test/${text}` })],
  ['colour', () => ({}), (text) => ({ primaryColor: `#112233${text}` })],
  ['custom domain', () => ({}), (text) => ({ customDomain: `shop.test/${text}` })],
  ['contact phone', () => ({}), (phone) => ({ contact: { ...contact, phone } })],
  ['contact address', () => ({}), (address) => ({ contact: { ...contact, address } })],
];

const ATTACKS = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "'><svg onload=alert(1)>",
  '</td></table><iframe src="https://evil.test">',
  '";background:url(https://evil.test/x);x:"',
  'javascript:alert(1)',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
];

const TAG = /<\/?([a-z0-9]+)((?:\s+[a-z-]+="[^"<>]*")*)\s*>/g;
const TAGS = 'html,head,meta,title,body,div,h1,h2,p,br,img,strong,span,table,tr,td,a'.split(',');
const ATTRIBUTES =
  'lang,charset,name,content,style,src,alt,height,role,width,cellspacing,cellpadding,colspan,href'.split(',');

/** The parts of the HTML that are not from the template: tags, attributes, styles and addresses. */
function foreignParts(html: string): string[] {
  const foreign: string[] = [];
  const rest = html.replace(/<!doctype html>/, '').replace(TAG, (_tag, name: string, attributes: string) => {
    if (!TAGS.includes(name)) foreign.push(name);
    for (const [, attribute = '', value = ''] of attributes.matchAll(/([a-z-]+)="([^"]*)"/g)) {
      if (!ATTRIBUTES.includes(attribute)) foreign.push(attribute);
      if (attribute === 'style' && /url|&|;;|[^\w\s:;#%,./-]/.test(value)) foreign.push(value);
      if (['src', 'href'].includes(attribute) && !/^https:\/\/(cdn|shop)\./.test(value)) foreign.push(value);
    }
    return '';
  });
  if (/[<>"']/.test(rest)) foreign.push(rest);
  return foreign;
}

describe.each(NOTIFICATION_STAGES)('%s', (stage) => {
  const render = (order: Partial<OrderRecord>, store: Partial<StoreProfile>) => {
    const refunds = [{ reference: '', amount: 1, at: new Date() }];
    const mail = orderMail(stage, anOrderRecord({ shipments: [parcel], refunds, ...order }), aStoreProfile(store));
    if (!mail) throw new Error('no mail');
    return mail;
  };

  it('detects parts that are not from the template', () => {
    for (const attack of ATTACKS.slice(0, 4)) expect(foreignParts(`<p>${attack}</p>`)).not.toEqual([]);
    expect(foreignParts(`<p style="${ATTACKS[4]}">`)).not.toEqual([]);
  });

  it.each(FIELDS)('shows markup in the %s as text', (_field, order, store) => {
    for (const attack of ATTACKS) expect(foreignParts(render(order(attack), store(attack)).html)).toEqual([]);
  });

  it.each(FIELDS)('keeps a line break in the %s out of the headers', (_field, order, store) => {
    for (const end of ['\r\n', '\n', '\r', '\u0085', '\u2028', '\u2029', '\0', '\v', '\f', '\u202e']) {
      const attack = `x${end}Bcc: evil@example.com${end}${end}body`;
      const { to, replyTo, sentAs, subject } = render(order(attack), store(attack));
      const headers = [to.name, to.address, replyTo?.name, replyTo?.address, sentAs, subject].join('|');
      expect(headers).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\u202e]/u);
      expect([to.address, replyTo?.address].sort()).toEqual(['ada@example.com', 'hello@acme.test']);
    }
  });

  it.each(FIELDS)('keeps the %s within its line of the text', (_field, order, store) => {
    const { text } = render(order('x\nTotal:    $0.01'), store('x\nTotal:    $0.01'));

    expect(text.split('-- \n')[0]).not.toMatch(/^Total: +\$0\.01/m);
  });
});

describe('the branding of a mail', () => {
  const html = (store: Partial<StoreProfile>) =>
    orderMail('notify-customer', anOrderRecord(), aStoreProfile(store))?.html ?? '';

  it('contains the logo, the colour and the domain of the store', () => {
    expect(html({})).toMatch(/<img src="https:\/\/cdn\.acme\.test\/logo\.png"/);
    expect(html({})).toContain('border-top:6px solid #112233');
    expect(html({})).toContain('<a href="https://shop.acme.test"');
  });

  it.each([
    '',
    'logo.png',
    'javascript:alert(1)',
    'data:image/png;base64,AA',
    'file:///etc/passwd',
    'https://u:p@x.test/',
  ])('shows no logo from %j', (logoUrl) => {
    expect(html({ logoUrl })).not.toContain('<img');
  });

  it.each(['', 'red', '#12', '#11223344', 'url(x)'])('does not use %j as a colour', (primaryColor) => {
    expect(html({ primaryColor })).toContain('border-top:6px solid #444444');
  });

  it.each(['', 'localhost', 'shop test', '127.0.0.1', 'a@b.test', 'shop.test:80'])('links no %j', (customDomain) => {
    expect(html({ customDomain })).not.toContain('<a ');
  });

  it('uses the subdomain for a store without a name', () => {
    const bare = { name: ' ', logoUrl: '', primaryColor: '', customDomain: '', contact: null };

    expect(html(bare)).toContain('<h1 style="margin:8px 0 16px;font-size:20px">acme</h1>');
  });
});
