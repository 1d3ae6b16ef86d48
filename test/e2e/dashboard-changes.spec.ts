import { readFileSync } from 'node:fs';
import { anOrderBody } from '../builders/order-body.js';
import { dashboardScene, describeInBrowser, type DashboardScene } from '../support/dashboard-scene.js';
import { eventually } from '../support/eventually.js';

const dollars = (amount: number): string => `$${amount.toFixed(2)}`;

describeInBrowser('what people change in the dashboard', () => {
  let scene: DashboardScene;

  const sql = (text: string, ...values: unknown[]) => scene.api.database.query(text, values);
  const placeOrder = (name: string) =>
    scene.api.place(anOrderBody(scene.product, 2, { customer: { name, email: 'ada@example.com' } }));

  const paidOf = async (receipt: string) => {
    const { body } = await scene.api.get(`/v1/orders/${receipt}`);
    return (JSON.parse(body) as { data: { amount_paid: number } }).data.amount_paid;
  };

  beforeAll(async () => (scene = await dashboardScene()));
  afterAll(() => scene?.stop());

  it('shows the words of a refusal in the dialog, and keeps what was typed', async () => {
    const { receipt_number } = await placeOrder('Alan Kay');
    const { page, open } = await scene.desk('manager');
    await open(`#/orders/${receipt_number}`);
    await page.getByRole('button', { name: 'Ship…' }).click();
    await page.getByLabel('Tracking number').fill('0034');

    const hold = await scene.api.post(`/v1/orders/${receipt_number}/hold`, { reason: 'The address is odd' });
    expect(hold.statusCode).toBe(200);
    await page.getByRole('button', { name: 'Ship', exact: true }).click();

    expect(await page.getByRole('alert').textContent()).toMatch(/review/);
    expect(await page.getByLabel('Tracking number').inputValue()).toBe('0034');
    await page.context().close();
  });

  it('gives up the rest, but not by a second Enter, and offers then nothing that would be refused', async () => {
    const { receipt_number } = await placeOrder('Hedy Lamarr');
    const shipment = { reference: 'SHIP-1', items: [{ line: 1, quantity: 1 }] };
    expect((await scene.api.post(`/v1/orders/${receipt_number}/shipments`, shipment)).statusCode).toBe(201);
    const { page, open } = await scene.desk('manager');
    await open(`#/orders/${receipt_number}`);
    const giveUp = page.getByRole('button', { name: 'Cancel remaining units…' });
    await giveUp.press('Enter');
    await page.locator('dialog :focus').press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await giveUp.press('Enter');
    await page.getByRole('button', { name: 'Cancel units', exact: true }).press('Enter');
    await page.getByText('1 unit cancelled.').waitFor();

    await giveUp.waitFor({ state: 'detached' });
    const money = await page.getByRole('region', { name: 'Payment' }).locator('dt').allTextContents();
    expect(money).toEqual(['Total', 'Credited', 'Owed', 'Paid', 'Outstanding']);
    expect(await page.getByRole('button', { name: /^(Ship|Hold)…/ }).count()).toBe(0);
    await page.locator('h1:focus').waitFor();
    await page.context().close();
  });

  it('offers what is left to refund, and says on no other page what was recorded', async () => {
    const { receipt_number, total } = await placeOrder('Mary Shelley');
    const payment = { reference: 'PAY-1', amount: Math.round(total * 100), currency: 'USD' };
    expect((await scene.api.post(`/v1/orders/${receipt_number}/payments`, payment)).statusCode).toBe(201);
    const { page, open } = await scene.desk('manager');
    await open(`#/orders/${receipt_number}`);
    const refund = page.getByRole('button', { name: 'Record refund…' });
    const amount = page.getByRole('textbox', { name: 'Amount' });
    await refund.click();
    await amount.fill('1.00');
    await page.getByRole('button', { name: 'Record refund', exact: true }).click();
    await page.getByText(/Refund of \S+ recorded/).waitFor();

    await refund.click();
    expect(Number(await amount.inputValue())).toBeCloseTo(total - 1);
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Stock', exact: true }).click();
    await page.getByRole('heading', { name: 'Stock' }).waitFor();
    // The limit is shorter than the time after which the message disappears by itself.
    await page.getByText(/Refund of \S+ recorded/).waitFor({ state: 'detached', timeout: 2_000 });
    await page.context().close();
  });

  it('says why an order is held, and promises no confirmation that was sent before', async () => {
    const { receipt_number } = await placeOrder('Joan Clarke');
    const { page, open } = await scene.desk('manager');
    await open(`#/orders/${receipt_number}`);
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('listitem').filter({ hasText: 'Confirmation' }).getByText('sent', { exact: true }).waitFor();
    await scene.api.post(`/v1/orders/${receipt_number}/hold`, { reason: 'The address is odd' });
    await page.getByText('Under review: The address is odd.').waitFor();
    expect(await page.locator('.head .primary').allTextContents()).toEqual(['Release…']);
    await page.getByRole('button', { name: 'Release…' }).click();

    expect(await page.getByRole('dialog').textContent()).toMatch(/1 orderThe order can ship\./);
    await page.context().close();
  });

  it('corrects who is billed after the parcel has left, and shows it', async () => {
    const { receipt_number } = await placeOrder('Grace Hopper');
    const shipment = { reference: 'SHIP-1', notify: false };
    expect((await scene.api.post(`/v1/orders/${receipt_number}/shipments`, shipment)).statusCode).toBe(201);
    const { page, open } = await scene.desk('manager');
    await open(`#/orders/${receipt_number}`);
    expect(await page.getByRole('button', { name: 'Edit contact…' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Edit billing…' }).click();
    await page.getByLabel('Company').fill('Hopper Ltd');
    await page.getByLabel('VAT ID').fill('GB123');
    await page.getByRole('button', { name: 'Save' }).click();

    await page.getByText('VAT ID GB123').waitFor();
    const { data } = (await scene.api.get(`/v1/orders/${receipt_number}`)).json<{
      data: { billing_address: object; shipping_address: { company: string } };
    }>();
    expect(data.billing_address).toMatchObject({ company: 'Hopper Ltd', vat_id: 'GB123' });
    expect(data.shipping_address.company).toBe('');
    await page.context().close();
  });

  it('says what became of a mail, what to do about it, and that an order has none', async () => {
    const { store } = scene.api;
    const order_id = await store.order({ receipt_number: 'WEB-2', fulfillment_status: 'CONFIRMED' });
    await store.orderLine(order_id);
    const { page, open } = await scene.desk('support');
    await open('#/orders/WEB-2');
    await page.getByText('No emails.').waitFor();
    const failure = { state: 'dead', outcome: 'undeliverable', attempts: 1, last_error: 'SMTP_554' };
    await store.row('order_stages', { order_id, stage: 'notify-customer', ...failure });
    await page.reload();

    const mail = page.getByRole('listitem').filter({ hasText: 'Confirmation' });
    expect(await mail.textContent()).toMatch(
      /Undeliverable: the recipient address is at fault · code 554 · 1 attempt · .+“Edit contact…”/,
    );
    await page.context().close();
  });

  it('marks a list as out of date as soon as another one is asked for', async () => {
    const { page, open } = await scene.desk('viewer');
    await open('#/customers');
    await page.route('**/v1/customers?search=*', (route) => setTimeout(() => void route.continue(), 1_000));
    await page.getByLabel('Search', { exact: true }).fill('nowhere');
    await page.keyboard.press('Enter');

    await page.locator('[aria-busy=true] table').waitFor();
    await page.getByText('No matching customers.').waitFor();
    expect(await page.locator('[aria-busy=true]').count()).toBe(0);
    await page.context().close();
  });

  it('searches what is typed without Enter, while the caret stays where it is', async () => {
    await placeOrder('Radia Perlman');
    const { page, open } = await scene.desk('viewer');
    await open('#/orders');
    const search = page.getByLabel('Search', { exact: true });
    await search.pressSequentially('Radia Perman');
    await page.getByText('No orders.').waitFor();
    await search.press('ArrowLeft');
    await search.press('ArrowLeft');
    await search.press('ArrowLeft');
    await page.keyboard.type('l');

    await page.getByText('1 order', { exact: true }).waitFor();
    expect(await search.inputValue()).toBe('Radia Perlman');
    await search.press('Enter');
    await page.locator('[data-row] a:focus').waitFor();
    await page.getByRole('link', { name: 'To ship' }).click();
    await page.locator('.views [aria-current]', { hasText: 'To ship' }).waitFor();
    expect(await search.inputValue()).toBe('');
    await page.context().close();
  });

  it('announces an order that comes, and shows it when asked', async () => {
    const { page, open } = await scene.desk('viewer');
    await open('#/orders');
    await page.getByText('Live', { exact: true }).waitFor();

    const { receipt_number } = await placeOrder('Barbara Liskov');
    await page.getByRole('button', { name: 'Show 1 new order' }).click();

    await page.getByRole('link', { name: receipt_number }).waitFor();
    await page.context().close();
  });

  it('prints a slip of each chosen order, on a page of its own, and then the list again', async () => {
    const { page, open, trouble } = await scene.desk('warehouse');
    const placed = [await placeOrder('Frances Allen'), await placeOrder('Jean Bartik')];
    await open('#/orders');
    const printed = async () => {
      const pages = (await page.pdf()).toString('latin1').match(/\/Type \/Page\b/g);
      await page.emulateMedia({ media: 'print' });
      const names = await page.getByRole('main').innerText();
      await page.emulateMedia({ media: null });
      return { pages: pages?.length, names };
    };
    for (const { receipt_number } of placed) await page.getByLabel(`Select ${receipt_number}`).check();
    await page.evaluate('window.prints = 0; window.print = () => window.prints++');
    await page.getByRole('button', { name: 'Print…' }).click();
    await page.getByRole('button', { name: 'Print', exact: true }).click();
    await eventually(async () => expect(await page.evaluate('window.prints')).toBe(1));

    const { pages, names } = await printed();
    expect(pages).toBe(2);
    for (const text of ['Frances Allen', 'Jean Bartik', ...placed.map((order) => order.receipt_number)])
      expect(names).toContain(text);
    expect(names).not.toContain('Print…');
    await page.getByRole('button', { name: 'Clear selection' }).click();
    expect((await printed()).names).toContain('To ship');
    expect(trouble).toEqual([]);
    await page.context().close();
  });

  it('does not set a stock that has changed since the person saw it', async () => {
    const product_id = await scene.api.store.product({ name: 'Stove', sku: 'STOVE-7', stock: 20 });
    const { page, open } = await scene.desk('warehouse');
    await open('#/stock?search=STOVE-7');
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Set…' }).click();
    await page.getByLabel('Available units').fill('19');
    await scene.api.place(anOrderBody(product_id));
    await page.getByText('The stock changed from 20 to 19.').waitFor();
    await page.getByRole('button', { name: 'Set', exact: true }).click();
    expect(await page.getByRole('alert').textContent()).toMatch(/20/);

    await page.getByRole('button', { name: 'Acknowledge' }).click();
    await page.getByRole('button', { name: 'Set', exact: true }).click();

    await page.getByText('Stock of STOVE-7 updated.').waitFor();
    await page.context().close();
  });

  it('opens, from what needs attention, the orders whose mail failed, and all SKUs without stock', async () => {
    const { store } = scene.api;
    const order_id = await store.order({ receipt_number: 'WEB-1' });
    await store.row('order_stages', { order_id, stage: 'notify-refund', state: 'dead', outcome: 'failed' });
    await store.product({ name: 'Kite', sku: 'KITE-7', stock: [] });
    await store.product({ name: 'Kite line', sku: 'LINE-7', stock: [0, 0] });
    const { page, open, settled, faults } = await scene.desk('warehouse');
    await open('#/');
    await page.getByRole('link', { name: 'View: 1 failed email' }).press('Enter');
    await page.locator('.views [aria-current]', { hasText: 'Failed emails' }).waitFor();
    await settled();
    await page.getByRole('link', { name: 'WEB-1' }).waitFor();
    expect(await page.getByRole('row').count()).toBe(2);
    expect(await faults()).toEqual([]);

    await open('#/');
    const link = page.getByRole('link', { name: /out of stock/ });
    const [units] = /\d+/.exec((await link.getAttribute('aria-label')) ?? '') ?? [];
    await link.press('Enter');
    await page.getByText(`of ${units} SKUs`).waitFor();
    expect(await faults()).toEqual([]);
    await page.getByLabel('Search', { exact: true }).fill('kite');
    await page.keyboard.press('Enter');
    await page.getByText('2 SKUs', { exact: true }).waitFor();
    const shown = await page.getByRole('row', { name: /Kite/ }).getByRole('button', { name: 'Set…' }).count();
    expect([await page.getByRole('row', { name: /KITE-7/ }).count(), shown]).toEqual([1, 2]);
    await page.context().close();
  });

  it('reads an amount with a comma, says what it reads, and refuses one that means two amounts', async () => {
    const { receipt_number } = await placeOrder('Annie Easley');
    const { page, open, faults } = await scene.desk('manager');
    await open(`#/orders/${receipt_number}`);
    await page.getByRole('button', { name: 'Record payment…' }).click();
    const amount = page.getByRole('textbox', { name: 'Amount' });
    await amount.fill('');
    await amount.pressSequentially('1,234');
    await page.getByText('“1,234” is ambiguous').waitFor();
    expect(await faults()).toEqual([]);
    await page.keyboard.press('Enter');
    expect(await paidOf(receipt_number)).toBe(0);

    await amount.fill('');
    await amount.pressSequentially('12,50');
    await page.getByText('This is $12.50.').waitFor();
    await page.getByRole('button', { name: 'Record payment', exact: true }).click();
    await page.getByText('Payment of $12.50 recorded.').waitFor();
    expect(await paidOf(receipt_number)).toBe(1250);
    await page.getByRole('button', { name: 'Record refund…' }).click();
    await amount.fill('');
    await amount.pressSequentially('2,5');
    await page.getByRole('button', { name: 'Record refund', exact: true }).click();
    await page.getByText('Refund of $2.50 recorded.').waitFor();
    await page.context().close();
  });

  it('refuses, for a number of units, a text that is no whole number', async () => {
    const product = await scene.api.store.product({ name: 'Peg', sku: 'PEG-7', stock: 20 });
    const { page, open } = await scene.desk('warehouse');
    await open('#/stock?search=PEG-7');
    await page.getByRole('button', { name: 'Adjust…' }).click();
    const units = page.getByRole('textbox', { name: 'Units' });
    for (const text of ['1,5', '1.000', '1e2']) {
      await units.fill('');
      await units.pressSequentially(text);
      await page.keyboard.press('Enter');
      await page.getByText(`“${text}” is not a whole number`).waitFor();
    }
    await units.fill('-3');
    await page.keyboard.press('Enter');
    await page.getByText('Stock of PEG-7 updated.').waitFor();
    expect(await scene.api.store.onHand(product)).toBe(17);
    await page.context().close();
  });

  it('takes a whole SKU for itself, and asks where its end may be units', async () => {
    const { store } = scene.api;
    const skus = ['LAMP 60', 'A,5', 'A;5', 'BULB', 'BULB 60', 'CORD'];
    const products: number[] = [];
    for (const sku of skus) products.push(await store.product({ name: `Part ${sku}`, sku, stock: 100 }));
    const { page, open, faults } = await scene.desk('warehouse');
    await open('#/stock');
    await page.getByRole('button', { name: 'Receive…' }).click();
    await page.getByLabel('SKUs and units').fill('LAMP 60\nA,5\nA;5 2\nBULB 60\nCORD 3');
    await page.getByRole('button', { name: 'Receive', exact: true }).click();
    const question = page.getByRole('group', { name: 'BULB 60' });
    await question.waitFor();
    expect(await Promise.all(products.map((id) => store.onHand(id)))).toEqual([100, 100, 100, 100, 100, 100]);
    expect(await faults()).toEqual([]);
    await question.getByLabel('60 × BULB', { exact: true }).check();
    await page.getByRole('button', { name: 'Receive', exact: true }).click();
    await page.getByText('5 SKUs received.').waitFor();

    expect(await Promise.all(products.map((id) => store.onHand(id)))).toEqual([101, 101, 102, 160, 100, 103]);
    await page.context().close();
  });

  it('receives goods, and enters a count of them', async () => {
    await scene.api.store.product({ name: 'Rope', sku: 'ROPE-7', stock: 1 });
    const { page, open } = await scene.desk('warehouse');
    await open('#/stock?search=ROPE-7');
    await page.getByText('Live', { exact: true }).waitFor();
    for (const [button, verb, lines, after] of [
      ['Receive…', 'Receive', 'ROPE-7\nROPE-7 3', '5'],
      ['Count…', 'Record count', 'ROPE-7;4', '4'],
    ] as const) {
      await page.getByRole('button', { name: button }).click();
      await page.getByLabel('SKUs and units').fill(lines);
      await page.getByRole('button', { name: verb, exact: true }).click();
      await page.getByRole('cell', { name: after, exact: true }).waitFor();
    }
    await page.context().close();
  });

  it('changes a price and the name of a product by the keyboard', async () => {
    const id = await scene.api.store.product({ name: 'Lamp', price: 1000 });
    const { page, open, trouble } = await scene.desk('manager');
    await open(`#/products/${id}`);
    await page.getByRole('button', { name: 'Set price…' }).press('Enter');
    await page.getByLabel('Price (USD)').waitFor();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('12,5');
    await page.keyboard.press('Enter');
    await page.getByText('$12.50', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Edit…' }).press('Enter');
    await page.getByLabel('Name').waitFor();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('Lantern');
    await page.keyboard.press('Enter');

    await page.getByRole('heading', { name: 'Lantern' }).waitFor();
    expect(trouble).toEqual([]);
    await page.context().close();
  });

  it('imports a file, shows before what it changes, and gives the refused lines back', async () => {
    await scene.api.store.product({ name: 'Kettle', slug: 'kettle', price: 1000 });
    const { page, open, trouble } = await scene.desk('manager');
    await open('#/products/import');
    const lines = [
      { kind: 'product', slug: 'kettle', price: '11.00', store: scene.api.store.subdomain },
      { kind: 'product', slug: 'cup', name: 'Cup', price: '3.00' },
      { kind: 'product', slug: 'bowl', price: '3.00' },
    ].map((line) => JSON.stringify(line));
    const buffer = Buffer.from([...lines, 'no JSON'].join('\n'));
    await page.getByLabel('File').setInputFiles({ name: 'shop.ndjson', mimeType: 'text/plain', buffer });
    await page.getByText('price: 10 → 11.00').waitFor();
    await page.getByRole('button', { name: 'Import 3 lines' }).click();
    await page.getByText('Result: 1 updated, 1 created, 2 refused').waitFor();

    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download refused lines' }).click(),
    ]);
    expect(readFileSync(await file.path(), 'utf8')).toBe(`${lines[2]}\nno JSON\n`);
    expect(trouble).toEqual([]);
    await page.context().close();
  });

  it('refuses a file that is not UTF-8, and shows nothing of it', async () => {
    const { page, open, faults } = await scene.desk('manager');
    await open('#/products/import');
    const line = `${JSON.stringify({ kind: 'product', slug: 'door', name: 'Tür', price: '3.00' })}\n`;
    const give = (buffer: Buffer) =>
      page.getByLabel('File').setInputFiles({ name: 'shop.ndjson', mimeType: 'text/plain', buffer });
    await give(Buffer.from(line, 'latin1'));
    await page.getByText('shop.ndjson is not UTF-8').waitFor();
    expect(await page.getByRole('button', { name: /^Import/ }).count()).toBe(0);
    expect(await faults()).toEqual([]);

    await give(Buffer.from(`\uFEFF${line}`));
    await page.getByRole('button', { name: 'Import 1 line' }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.context().close();
  });

  it('promises, before a cancellation, what will be due back without what was refunded', async () => {
    const { receipt_number, total } = await placeOrder('Karen Jones');
    const post = async (what: string, body: object) =>
      expect((await scene.api.post(`/v1/orders/${receipt_number}/${what}`, body)).statusCode).toBe(201);
    await post('payments', { reference: 'PAY-1', amount: Math.round(total * 100), currency: 'USD' });
    await post('refunds', { reference: 'REF-1', amount: 3000 });
    const { page, open } = await scene.desk('manager');
    await open(`#/orders/${receipt_number}`);
    await page.getByRole('button', { name: 'Cancel order…' }).click();
    await page.getByText(`A refund of ${dollars(total - 30)} will be due.`).waitFor();
    await page.getByLabel('Cancellation fee').fill('12,50');
    await page.getByText(`A refund of ${dollars(total - 42.5)} will be due.`).waitFor();
    await page.getByRole('button', { name: 'Cancel order', exact: true }).click();

    await page.getByText(`Refund ${dollars(total - 42.5)} through`).waitFor();
    await page.getByRole('region', { name: 'Payment' }).getByText('Cancellation fee').waitFor();
    await page.context().close();
  });

  it('shows, before lines change, what the order then costs, and changes them for no other total', async () => {
    const product_id = await scene.api.store.product({ name: 'Mug', sku: 'MUG-7', price: 1000, stock: 50 });
    await scene.api.store.product({ name: 'Saucer', sku: 'SAUCER-7', price: 400, stock: 50 });
    const { receipt_number } = await scene.api.place(anOrderBody(product_id));
    const { page, open, faults } = await scene.desk('manager');
    await open(`#/orders/${receipt_number}`);
    await page.getByRole('region', { name: 'Lines' }).getByRole('button', { name: 'Edit lines…' }).click();
    expect(await faults()).toEqual([]);
    const change = page.getByRole('button', { name: 'Save', exact: true });
    await page.getByLabel('Units of Mug').fill('3');
    await page.getByText('New total: $30.00 (now $10.00). $30.00 will be outstanding.').waitFor();
    const find = page.getByLabel('Add a product');
    await find.fill('NONE-7');
    await page.getByText('0 rows', { exact: true }).waitFor();
    await find.fill('saucer-7');
    await page.getByRole('button', { name: 'Add: Saucer' }).click();
    await page.getByText('New total: $34.00').waitFor();
    await scene.api.database.query(`UPDATE products SET price = 500 WHERE sku = 'SAUCER-7'`);
    await change.click();
    expect(await page.getByRole('alert').textContent()).toMatch(/35/);

    await page.getByLabel('Units of Mug').fill('2');
    await page.getByText('New total: $25.00').waitFor();
    await change.click();

    await page.getByText(`${receipt_number} updated.`).waitFor();
    await page.getByRole('region', { name: 'Payment' }).getByText('$25.00').first().waitFor();
    await page.context().close();
  });

  it('says what a refund credits before it is recorded', async () => {
    const { receipt_number, total } = await placeOrder('Betty Holberton');
    const payment = { reference: 'PAY-1', amount: Math.round(total * 100), currency: 'USD' };
    expect((await scene.api.post(`/v1/orders/${receipt_number}/payments`, payment)).statusCode).toBe(201);
    const { page, open } = await scene.desk('manager');
    await open(`#/orders/${receipt_number}`);
    await page.getByRole('button', { name: 'Record refund…' }).click();
    await page.getByRole('textbox', { name: 'Amount' }).fill('5');
    await page.getByRole('radio', { name: 'goodwill' }).check();
    await page.getByText('This credits $5.00. Nothing will be outstanding.').waitFor();
    await page.getByRole('radio', { name: 'chargeback' }).check();

    await page.getByText('This credits $0.00. $5.00 will be outstanding.').waitFor();
    await page.context().close();
  });

  it('says to the picker, on the page and on the slip, that the address was corrected', async () => {
    const { receipt_number } = await placeOrder('Gladys West');
    const shipment = { reference: 'SHIP-1', status: 'picking' };
    expect((await scene.api.post(`/v1/orders/${receipt_number}/shipments`, shipment)).statusCode).toBe(201);
    const { page, open, faults } = await scene.desk('warehouse');
    let isChanged = false;
    await page.route(/\/v1\/orders\/[^/?]+$/, async (route) => {
      const response = await route.fetch();
      const { data, ...answer } = (await response.json()) as { data: { shipments: object[] } };
      const shipments = data.shipments.map((each) => ({ ...each, address_changed: isChanged }));
      await route.fulfill({ response, json: { ...answer, data: { ...data, shipments } } });
    });
    await open(`#/orders/${receipt_number}`);
    const warning = page.getByText('The address or contact was corrected after picking for SHIP-1 began.');
    expect(await warning.count()).toBe(0);

    isChanged = true;
    await page.reload();
    await warning.first().waitFor();
    expect(await faults()).toEqual([]);
    const printed = async () => {
      await page.emulateMedia({ media: 'print' });
      const text = await page.getByRole('main').innerText();
      await page.emulateMedia({ media: null });
      return text;
    };
    expect(await printed()).toContain('was corrected after picking for SHIP-1 began');
    await page.evaluate('window.print = () => {}');
    await page.getByRole('button', { name: 'Print…' }).click();
    await page.getByRole('button', { name: 'Print', exact: true }).click();
    await page.locator('.slip').waitFor({ state: 'attached' });
    expect(await printed()).toMatch(/Packing slip[^]+was corrected after picking for SHIP-1 began/);
    await page.context().close();
  });

  it('changes the company of a customer, its addresses and its contacts', async () => {
    const id = await scene.api.store.customer({ name: 'Konrad Zuse', email: 'konrad@example.com' });
    const { page, open, faults, trouble } = await scene.desk('manager');
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
    const fill = async (fields: Record<string, string>) => {
      const dialog = page.getByRole('dialog');
      for (const [label, text] of Object.entries(fields)) await dialog.getByLabel(label).fill(text);
      expect(await faults()).toEqual([]);
      await press('Save');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    };
    await open(`#/customers/${id}`);
    await press('Edit company…');
    await fill({ Company: 'Zuse KG', 'VAT ID': 'DE811', Groups: 'b2b\neu\nb2b', 'Payment terms (days)': '14' });
    await press('Add address…');
    await fill({ Label: 'Plant', Street: 'Wettiner Weg 1', City: 'Hünfeld', Country: 'de' });
    await press('Add contact…');
    await fill({ Name: 'Buyer', Email: 'buyer@zuse.example' });
    await press('Add contact…');
    await fill({ Name: 'Seller', Email: 'seller@zuse.example' });
    await press('Edit…: Buyer');
    await fill({ Role: 'head of purchase' });
    await press('Remove…: Seller');
    await press('Remove');
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    const { data } = (await scene.api.get(`/v1/customers/${id}`)).json<{ data: object }>();
    expect(data).toMatchObject({
      ...{ company: 'Zuse KG', vat_id: 'DE811', groups: ['b2b', 'eu'], price_list: null, payment_terms_days: 14 },
      addresses: [{ label: 'Plant', address: 'Wettiner Weg 1', city: 'Hünfeld', country: 'DE' }],
      contacts: [{ name: 'Buyer', email: 'buyer@zuse.example', phone: '', role: 'head of purchase' }],
    });
    const text = await page.getByRole('main').innerText();
    for (const part of ['Zuse KG', 'b2b, eu', '14 days', 'Hünfeld', 'head of purchase']) {
      expect(text).toContain(part);
    }
    await open('#/customers?search=buyer@zuse');
    await page.getByRole('cell', { name: 'Zuse KG' }).waitFor();
    expect([await faults(), trouble]).toEqual([[], []]);
    await page.context().close();
  });

  it('offers no change of a customer to a person who may not make it', async () => {
    const contacts = JSON.stringify([{ name: 'Buyer' }]);
    const id = await scene.api.store.customer({ name: 'Konrad Zuse', contacts });
    const { page, open } = await scene.desk('support');

    await open(`#/customers/${id}`);

    expect(await page.getByRole('main').innerText()).toContain('Buyer');
    expect(
      await page
        .getByRole('main')
        .getByRole('button', { name: /Add|Edit|Remove/ })
        .count(),
    ).toBe(0);
    await page.context().close();
  });

  it('gives the data of a customer to an owner, and erases them', async () => {
    const id = await scene.api.store.customer({ name: 'Edsger Dijkstra', email: 'edsger@example.com' });
    const { page, open, trouble } = await scene.desk('owner');
    await open(`#/customers/${id}`);
    await page.getByRole('button', { name: 'Export…' }).click();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ]);
    expect(readFileSync(await file.path(), 'utf8')).toContain('edsger@example.com');
    await page.getByRole('button', { name: 'Erase…' }).click();
    await page.getByRole('button', { name: 'Erase permanently' }).click();

    await page.getByRole('heading', { name: 'Erased', exact: true }).waitFor();
    await page.locator('.badge', { hasText: 'erased' }).waitFor();
    expect(trouble).toEqual([]);
    await page.context().close();
  });

  it('shows refused requests, and what to do about them', async () => {
    await sql(
      `WITH erp AS (UPDATE api_keys SET name = 'ERP bridge' WHERE person_id IS NULL AND store_id = $1 RETURNING store_id, id),
         used AS (INSERT INTO api_key_usage SELECT store_id, id, now(), 41, 0 FROM erp ON CONFLICT DO NOTHING)
       INSERT INTO api_key_refusals SELECT store_id, id, now(), 'insufficient_scope', 41 FROM erp`,
      scene.api.store.id,
    );
    const desk = await scene.desk('developer');
    await desk.open('#/developers/requests');

    const row = desk.page.getByRole('row', { name: /insufficient_scope ERP bridge 41/ });
    expect(await row.textContent()).toContain('The key lacks a scope. Create a key that has it.');
    await desk.page.context().close();
  });

  it('rolls a key, whose successor lives as long as it did', async () => {
    const { page, open } = await scene.desk('owner');
    await sql(
      `UPDATE api_keys SET name = 'Till', expires_at = created_at + interval '40 days'
       WHERE person_id IS NULL AND store_id = $1`,
      scene.api.store.id,
    );
    await open('#/developers');
    const row = page.getByRole('row', { name: /Till/ });
    await row.getByRole('button', { name: 'Roll…' }).click();
    await page.getByRole('button', { name: 'Create new key' }).click();
    await page.getByRole('button', { name: 'I have stored it' }).click();

    await page.getByRole('row', { name: /Till/ }).nth(1).waitFor();
    const [successor] = await sql(
      `SELECT round(extract(epoch FROM expires_at - created_at) / 86400)::int AS days FROM api_keys
       WHERE name = 'Till' ORDER BY created_at DESC LIMIT 1`,
    );
    expect(successor).toEqual({ days: 40 });
    await page.context().close();
  });

  it('changes a webhook, which keeps its headers until it has another URL or they are removed', async () => {
    const { body } = await scene.api.post('/v1/webhooks', { name: 'ERP', url: 'https://erp.example.com/hooks' });
    const { id } = (JSON.parse(body) as { data: { id: string } }).data;
    const { page, open, trouble } = await scene.desk('manager');
    await open('#/developers/webhooks');
    const change = async (fill: () => Promise<void>) => {
      await page.reload();
      await page.getByRole('button', { name: 'Edit…' }).click();
      await fill();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      return (JSON.parse((await scene.api.get(`/v1/webhooks/${id}`)).body) as { data: object }).data;
    };
    const giveHeaders = () => page.getByLabel(/^Custom headers/).fill('Authorization: Bearer 1:2\nX-Tenant: 7');
    const all = await change(async () => {
      await page.getByLabel('stock', { exact: true }).uncheck();
      await page.getByLabel(/^full/).check();
      await page.getByLabel('Maximum changes per message').fill('20');
      await giveHeaders();
    });
    expect(all).toMatchObject({ body: 'full', batch: 20, header_names: ['Authorization', 'X-Tenant'] });
    expect(all).toMatchObject({
      kinds: ['orders', 'products', 'skus', 'customers', 'categories', 'brands', 'price_lists'],
    });

    const named = await change(() => page.getByLabel('Name', { exact: true }).fill('The ERP'));
    expect(named).toEqual({ ...all, name: 'The ERP', lag_seconds: expect.any(Number) as number });
    const moved = await change(() => page.getByLabel('URL', { exact: true }).fill('https://erp.example.com/new'));
    expect(moved).toMatchObject({ url: 'https://erp.example.com/new', batch: 20, header_names: [] });
    await change(giveHeaders);
    const bare = await change(() => page.getByLabel('Remove Authorization, X-Tenant').check());
    expect(bare).toMatchObject({ header_names: [] });
    expect(trouble).toEqual([]);
    await page.context().close();
  });

  it('asks for a fresh sign-in over the filled form, which is then sent', async () => {
    const desk = await scene.desk('owner');
    const { page } = desk;
    await sql(`UPDATE api_keys SET created_at = now() - interval '2 hours' WHERE person_id IS NOT NULL`);
    await desk.open('#/team');
    await page.getByRole('button', { name: 'Add person…' }).press('Enter');
    await page.locator('dialog input:focus').waitFor();
    await page.keyboard.type('Grace Hopper');
    await page.getByLabel('Email').fill('grace@example.com');
    await page.getByLabel('viewer').press('Space');
    await page.getByRole('button', { name: 'Add', exact: true }).press('Enter');

    await page.getByRole('heading', { name: 'Sign in again' }).waitFor();
    expect(await desk.faults()).toEqual([]);
    const email = await page.locator('[autocomplete=username]').inputValue();
    await page.getByRole('button', { name: 'Email me a code' }).press('Enter');
    await page.getByLabel('Code').fill(await scene.mailedCode(email));
    await page.keyboard.press('Enter');
    await page.getByText('Signed in again.').waitFor();
    await page.getByRole('button', { name: 'Add', exact: true }).press('Enter');
    await page.getByRole('row', { name: /Grace Hopper/ }).waitFor();
    await page.context().close();
  });

  it('shows where a person is signed in, and why the last owner stays', async () => {
    const desk = await scene.desk('owner');
    const { page } = desk;
    await sql(
      `UPDATE people SET role = 'viewer' WHERE id <>
       (SELECT person_id FROM api_keys WHERE person_id IS NOT NULL AND mode = 'live' ORDER BY created_at DESC LIMIT 1)`,
    );
    await desk.open('#/team');
    const row = page.getByRole('row', { name: /\(you\)/ });
    await row.getByText('Sessions').press('Enter');
    await row.getByText('(this session)').waitFor();
    await row.getByRole('button', { name: 'Remove…' }).press('Enter');
    await page.getByRole('button', { name: 'Remove', exact: true }).press('Enter');

    expect(await page.getByRole('alert').textContent()).toMatch(/owner/);
    await page.context().close();
  });

  it('offers in test mode only changes of what test mode separates', async () => {
    await scene.api.store.product({ name: 'Anvil', sku: 'ANVIL-7', stock: 5 });
    const { page, open } = await scene.desk('owner');
    await page.addInitScript(`sessionStorage.setItem('dashboard-mode', 'test')`);
    for (const address of ['stock?search=ANVIL-7', 'products', 'customers', 'prices', 'products/import', 'team']) {
      await open(`#/${address}`);
      await page.getByText('are live, and cannot be changed here').waitFor();
      const changes = page.getByRole('main').locator('button:not(:text-is("Download")), [type=file]');
      expect([address, await changes.count()]).toEqual([address, 0]);
    }
    await open('#/developers');
    await page.getByRole('button', { name: 'New webhook…' }).waitFor();
    await page.context().close();
  });

  it('keeps an open dialog while another person ships the order, says so, and asks before it discards', async () => {
    const { receipt_number } = await placeOrder('Evelyn Boyd');
    const { page, open, faults } = await scene.desk('warehouse');
    await open(`#/orders/${receipt_number}`);
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Ship…' }).click();
    const tracking = page.getByLabel('Tracking number');
    await tracking.fill('0034');
    await scene.api.post(`/v1/orders/${receipt_number}/shipments`, { reference: 'SHIP-1' });

    await page.getByText(/shipments: none → SHIP-1 shipped/).waitFor();
    await page.getByText('The page no longer offers this, because the record has changed.').waitFor();
    expect(await tracking.inputValue()).toBe('0034');
    expect(await faults()).toEqual([]);
    for (let presses = 1; presses <= 3; presses++) await tracking.press('Escape');
    await page.getByText('Discard what you entered?').waitFor();
    expect(await faults()).toEqual([]);
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.locator('h1:focus').waitFor();
    await page.context().close();
  });

  it('shows the price that another person has set, and then changes it', async () => {
    const id = await scene.api.store.product({ name: 'Bell', price: 1000 });
    const { page, open } = await scene.desk('manager');
    await open(`#/products/${id}`);
    await page.getByRole('button', { name: 'Set price…' }).click();
    await page.getByLabel('Price (USD)').fill('12');
    await sql('UPDATE products SET price = 900 WHERE id = $1', id);
    const set = page.getByRole('button', { name: 'Set price', exact: true });
    await set.click();
    await page.getByText('The price changed from $10.00 to $9.00.').waitFor();
    expect(await page.getByRole('alert').textContent()).toBe('Nothing was changed: The price is 9.00, not 10.00');

    await page.getByRole('button', { name: 'Acknowledge' }).click();
    await set.click();
    await page.getByText('Price of Bell set to $12.00.').waitFor();
    await page.context().close();
  });

  it('proposes the amount of the returned units, and refuses with names and amounts of the page', async () => {
    const flute = await scene.api.store.product({ name: 'Flute', price: 1000, stock: 50 });
    const { receipt_number } = await scene.api.place(anOrderBody(flute, 3));
    const post = async (what: string, body: object) =>
      expect((await scene.api.post(`/v1/orders/${receipt_number}/${what}`, body)).statusCode).toBe(201);
    const { page, open } = await scene.desk('manager');
    await open(`#/orders/${receipt_number}`);
    const amount = page.getByRole('textbox', { name: 'Amount' });
    const pay = page.getByRole('button', { name: 'Record payment', exact: true });
    await page.getByRole('button', { name: 'Record payment…' }).click();
    await amount.fill('0');
    await page.getByText('Enter at least $0.01.').waitFor();
    await amount.fill('400');
    await pay.click();
    expect(await page.getByRole('alert').textContent()).toBe(
      'The paid amount $400.00 is not accepted: the open amount is $30.00',
    );
    await amount.fill('30');
    await pay.click();
    await page.getByText('Payment of $30.00 recorded.').waitFor();
    await post('shipments', { reference: 'SHIP-1' });

    await page.reload();
    await page.getByRole('button', { name: 'Record refund…' }).click();
    await page.getByLabel('Units of Flute').fill('2');
    await page.getByText('This credits $20.00.').waitFor();
    expect(await amount.inputValue()).toBe('20.00');
    await page.getByLabel('Units of Flute').fill('1');
    await page.getByText('This credits $10.00.').waitFor();
    await post('refunds', { reference: 'REF-9', amount: 2500, lines: [{ line: 1, quantity: 3 }] });
    await amount.fill('5');
    await page.getByRole('button', { name: 'Record refund', exact: true }).click();
    expect(await page.getByRole('alert').textContent()).toMatch(/^\u2068Flute\u2069 has 0 units left to refund/);
    await page.context().close();
  });

  it('receives each SKU into its own bin, and keeps the refused lines with their reasons', async () => {
    const { store } = scene.api;
    const cord = await store.product({ name: 'Cord', sku: 'CORD-8', stock: 1 });
    await store.product({ name: 'Hook', sku: 'HOOK-8', stock: 1 });
    const { page, open, faults } = await scene.desk('warehouse');
    await open('#/stock?search=CORD-8');
    const { data } = (await scene.api.get('/v1/stock?sku=CORD-8')).json<{
      data: { warehouse: string; bin: string }[];
    }>();
    const place = `${data[0]?.warehouse}/${data[0]?.bin}`;
    await page.getByRole('button', { name: 'Receive…' }).click();
    await page.getByLabel('Delivery number').fill('GR-8');
    const lines = page.getByLabel('SKUs and units');
    await lines.fill('CORD-8 3\nNONE-8 2\nHOOK-8 4');
    const bin = page.getByLabel('Bin of CORD-8 3');
    await bin.fill('MAIN/NOWHERE');
    const isBin = () => bin.evaluate((field) => (field as unknown as { checkValidity(): boolean }).checkValidity());
    expect(await isBin()).toBe(false);
    await bin.fill(place);
    expect(await faults()).toEqual([]);
    const receive = page.getByRole('button', { name: 'Receive', exact: true });
    await receive.click();
    await page.getByText('2 SKUs received. 1 line refused').waitFor();
    expect(await lines.inputValue()).toBe('NONE-8 2');
    await page
      .getByRole('listitem')
      .getByText(/no product or variant with the SKU NONE-8/)
      .waitFor();
    await lines.fill('CORD-8 2');
    await receive.click();
    await page.getByText('1 SKU received.').waitFor();

    expect(await store.onHand(cord)).toBe(6);
    const [{ numbers } = {}] = await sql(
      `SELECT array_agg(DISTINCT reference ORDER BY reference) AS numbers FROM stock_movements WHERE reference LIKE 'GR-8%'`,
    );
    expect(numbers).toEqual(['GR-8', 'GR-8-2']);
    await page.context().close();
  });

  it('claims no use of a key and no delivery of a webhook that it does not know', async () => {
    const { secret } = await scene.api.store.session('owner');
    const headers = { host: 'localhost', 'x-dashboard': 'live', cookie: `store-live=${secret}` };
    await scene.api.inject({ method: 'POST', url: '/v1/keys', headers, payload: { name: 'Fresh', scope: ['orders'] } });
    const { body } = await scene.api.post('/v1/webhooks', { name: 'Quiet', url: 'https://erp.example.com/quiet' });
    const { id } = (JSON.parse(body) as { data: { id: string } }).data;
    const { page, open } = await scene.desk('owner');
    await open('#/developers');
    await page.getByRole('row', { name: /Fresh/ }).getByRole('button', { name: 'Revoke…' }).click();
    await page.getByText('No use is recorded. Requests appear here up to a minute later.').waitFor();
    await page.keyboard.press('Escape');

    await open('#/developers/webhooks');
    const hook = page.getByRole('region', { name: 'Quiet', exact: true });
    await hook.getByText('no message sent yet').waitFor();
    await sql(
      `INSERT INTO webhook_deliveries SELECT store_id, id, 1, 'msg_1', 'webhook.test', now(), 'connect', NULL, 19, 'ECONNREFUSED'
       FROM webhooks WHERE id = $1`,
      id,
    );
    await hook.getByText('last message failed').waitFor();
    await hook.getByText('Nothing listens at this host and port.').waitFor();
    await page.context().close();
  });

  it('corrects the tracking, voids a shipment and takes a mistyped payment back', async () => {
    const { receipt_number } = await placeOrder('Ruth Teitelbaum');
    const post = async (what: string, body: object) =>
      expect((await scene.api.post(`/v1/orders/${receipt_number}/${what}`, body)).statusCode).toBe(201);
    await post('shipments', { reference: 'SHIP-1', tracking_number: '0043' });
    await post('payments', { reference: 'PAY-1', amount: 5000, currency: 'USD', partial: true });
    const { page, open } = await scene.desk('manager');
    await open(`#/orders/${receipt_number}`);
    await page.getByRole('button', { name: /^Edit tracking…/ }).click();
    await page.getByLabel('Tracking number').fill('0034');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Tracking saved.').waitFor();
    await page.getByText('Tracking changed').waitFor();
    await page.getByRole('button', { name: /^Void…/ }).click();
    await page.getByRole('button', { name: 'Void', exact: true }).click();
    await page.getByText('SHIP-1 voided.').waitFor();
    await page.getByText('Shipment void').waitFor();
    await page.getByRole('button', { name: 'Reverse…' }).click();
    await page.getByRole('button', { name: 'Reverse', exact: true }).click();
    await page.getByText('Payment reversed.').waitFor();
    await page.getByRole('button', { name: 'Reverse…' }).waitFor({ state: 'detached' });

    const { data } = (await scene.api.get(`/v1/orders/${receipt_number}`)).json<{
      data: { shipments: object[]; amount_open: number; total_amount: number };
    }>();
    expect(data.shipments).toMatchObject([{ status: 'void', tracking_number: '0034' }]);
    expect(data.amount_open).toBe(data.total_amount);
    await page.context().close();
  });
});
