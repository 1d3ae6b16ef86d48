import { codeOf, queries, textOf, useRead, type Order } from '../http.js';
import { money, plainMoney, readUnits } from '../parts/amount.js';
import { Seen, UnitsInput, type Values } from '../parts/ask.js';
import { Rows } from '../parts/list.js';
import { change, moneyLeft, OrderDialog, preview, type Body } from './actions.js';
import { describe, type OfOrder } from './columns.js';
import { AddLines, fieldOf, isOfLines, itemsIn, lineFaults, MAX_UNITS, useTyped } from './lines.js';

const REFUSED = 'The service refuses the marked lines.';

/** Contains only the lines that the person has changed: another person may have changed the others. */
function bodyOf({ seen = '{}', ...values }: Values): Body<'lines'> {
  const before = JSON.parse(seen) as Record<string, number>;
  const set = Object.entries(before)
    .filter(([line]) => values[`line-${line}`])
    .map(([line]) => ({ line: Number(line), quantity: readUnits(values[`line-${line}`] ?? '') }))
    .filter(({ line, quantity }) => quantity !== before[line]);
  const add = itemsIn(values);
  return { ...(set.length > 0 && { set }), ...(add.length > 0 && { add }) };
}

const isEmpty = ({ set, add }: Body<'lines'>): boolean => !set && !add;

/** The order as the change would leave it, with the fields of its added lines. */
const quoteOf = (order: Order, body: Body<'lines'>) => ({
  queryKey: ['lines', order.id, body],
  queryFn: async () => {
    const added = (body.add ?? []).map(fieldOf);
    return isEmpty(body) ? null : { ...(await preview(order, 'lines', body)), added };
  },
});

function quoteText(after: Order | null | undefined, { total_amount: now, currency }: Order): string {
  if (!after) return '';
  const total = `New total: ${money(after.total_amount, currency)} (now ${money(now, currency)}).`;
  return `${total} ${moneyLeft(after)}`;
}

/** Changes nothing until the person has seen the new price of the order. */
export function ChangeLines({ order }: OfOrder) {
  const { id, receipt_number, currency } = order;
  const send = async (values: Values) => {
    const body = bodyOf(values);
    if (isEmpty(body)) throw new Error('No lines changed.');
    const quote = quoteOf(order, body);
    try {
      const seen = queries.getQueryData<Order>(quote.queryKey);
      if (!seen) throw new Error(quoteText(await queries.fetchQuery(quote), order));
      const expected_total = Number(plainMoney(seen.total_amount, currency));
      return await change(id, 'lines', { ...body, expected_total }, `${receipt_number} updated.`);
    } catch (error) {
      const words =
        codeOf(error) === 'price_changed'
          ? quoteText(await queries.fetchQuery({ ...quote, staleTime: 0 }), order)
          : isOfLines(error) && REFUSED;
      throw words ? new Error(words, { cause: error }) : error;
    }
  };
  const title = `Edit the lines of ${receipt_number}`;
  return (
    <OrderDialog
      order={order}
      label="Edit lines…"
      {...{ title, send }}
      submitLabel="Save"
      tone="quiet"
      text="0 units remove a line."
    >
      <LinesForm order={order} />
    </OrderDialog>
  );
}

function LinesForm({ order }: OfOrder) {
  const { line_items, currency, customer } = order;
  const { ref, values } = useTyped<HTMLParagraphElement>();
  const body = bodyOf(values);
  const { queryKey, queryFn } = quoteOf(order, body);
  const { data: after, error, isPlaceholderData } = useRead(queryKey, queryFn);
  const set = body.set?.map(({ line }) => `line-${line}`) ?? [];
  const faults = lineFaults(error, { set, add: (body.add ?? []).map(fieldOf) });
  const lines = after?.line_items.slice(line_items.length) ?? [];
  const amounts = lines.map(
    ({ line_total }, index) => [after?.added[index] ?? '', money(line_total, currency)] as const,
  );
  const rows = line_items.map(({ line, name, quantity, ...unit }) => {
    const field = { name: `line-${line}`, most: MAX_UNITS, defaultValue: quantity };
    return {
      key: line,
      name,
      detail: describe(unit),
      end: [
        <UnitsInput key="units" {...field} aria-label={`Units of ${name}`} required />,
        faults[field.name] && <small key="fault" class="bad wide" children={faults[field.name]} />,
      ],
    };
  });
  const refusal = error && (isOfLines(error) ? REFUSED : textOf(error));
  return (
    <>
      <Seen text={JSON.stringify(Object.fromEntries(line_items.map(({ line, quantity }) => [line, quantity])))} />
      <Rows rows={rows} />
      <AddLines customer={customer.id ?? undefined} amounts={Object.fromEntries(amounts)} faults={faults} />
      <p ref={ref} aria-live="polite" class={refusal ? 'bad' : 'soft'} data-stale={isPlaceholderData}>
        {refusal ?? quoteText(after, order)}
      </p>
    </>
  );
}
