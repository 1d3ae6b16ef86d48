import { ChangeOrder } from '@app/application';
import type { LineQuantity, Shipment, ShipmentPatch, Tracking } from '@app/domain';
import { Option, type Command } from 'commander';
import { byOperator } from '../by-operator.js';
import { CommandFailed, EXIT } from '../failures.js';
import { externalReference, lineQuantity, oneLine, webAddress } from '../option-values.js';
import { addOrderCommand, printChanged, withOrder, type StoreOption } from '../order-command.js';

type TrackingOptions = StoreOption & Partial<Tracking>;

interface ShipOptions extends TrackingOptions {
  readonly reference: string;
  readonly line?: readonly LineQuantity[];
  readonly picking?: boolean;
  readonly notify: boolean;
}

interface ShipmentOptions extends TrackingOptions {
  readonly status?: ShipmentPatch['status'];
}

export function addShipments(orders: Command): void {
  const ship = addOrderCommand(orders, 'ship', 'add a shipment of all that is left, or of some lines')
    .requiredOption('--reference <R>', 'your number of the shipment, unique in the order', externalReference)
    .option('--line <N:Q...>', 'a line and its units, such as 1:2', lineQuantity)
    .option('--picking', 'only claim the units; `orders shipment … --status shipped` ships them')
    .option('--no-notify', 'send the customer no mail about this shipment');
  addTracking(ship)
    .addHelpText(
      'after',
      `
The same command again changes nothing. The status of the order follows from its shipments.

Example:
  orders ship WEB-261120-7K3M9Q --reference SHIP-1 --line 1:2 --carrier DHL --tracking-number 0034043416`,
    )
    .action((id: string, { store, reference, line, picking, notify, ...tracking }: ShipOptions) =>
      withOrder(id, store, async (app, order) => {
        const { carrier = '', trackingNumber = '', trackingUrl = '' } = tracking;
        const changed = await app.get(ChangeOrder).ship(byOperator(order), {
          ...{ reference, items: line ?? null, carrier, trackingNumber, trackingUrl },
          ...{ status: picking ? 'picking' : 'shipped', shippedAt: null, notify },
        });
        printChanged(order, changed, { shipment: shipmentOf(changed.order, reference) });
      }),
    );

  const shipment = addOrderCommand(orders, 'shipment', 'set the status or the tracking of a shipment')
    .argument('<reference>', 'your number of the shipment', externalReference)
    .addOption(new Option('--status <S>', 'new status').choices(['shipped', 'delivered', 'void']));
  addTracking(shipment)
    .addHelpText(
      'after',
      `
A void shipment gives its units back to the order. Options that are absent change nothing, and '' clears a text.

Example:
  orders shipment WEB-261120-7K3M9Q SHIP-1 --status delivered`,
    )
    .action((id: string, reference: string, { store, ...patch }: ShipmentOptions) => {
      if (Object.keys(patch).length === 0) throw new CommandFailed('Give --status or the tracking.', EXIT.usage);
      return withOrder(id, store, async (app, order) => {
        const change = { ...patch, at: null };
        const changed = await app.get(ChangeOrder).changeShipment(byOperator(order), reference, change);
        printChanged(order, changed, { shipment: shipmentOf(changed.order, reference) });
      });
    });
}

function addTracking(command: Command): Command {
  return command
    .option('--carrier <C>', 'name of the carrier', oneLine(100))
    .option('--tracking-number <T>', 'number of the parcel', oneLine(200))
    .option('--tracking-url <U>', 'where the customer follows the parcel', webAddress);
}

function shipmentOf({ shipments }: { readonly shipments: readonly Shipment[] }, reference: string) {
  const shipment = shipments.find((candidate) => candidate.reference === reference);
  return shipment && { reference, status: shipment.status, items: shipment.items };
}
