import {
  CHANGE_KINDS,
  StoreRepository,
  WebhookRepository,
  WebhooksService,
  type ShownWebhook,
  type Webhook,
  type WebhookReference,
} from '@app/application';
import { NotFound, WEBHOOK_BODIES } from '@app/domain';
import { originOfRequest } from '@app/infrastructure';
import { toWebhookListItem, toWebhookResponse } from '@app/representations';
import { Option, type Command } from 'commander';
import { addCommand, chosenStores, printResult, subdomainOf } from '../command.js';
import { addYes, confirm, type YesOption } from '../confirm.js';
import { withApplication } from '../database.js';
import { changeKinds, replayStart, secretOverlapMs, subdomain, webhookBatch, webhookId } from '../option-values.js';
import { print, printWithSecret, say } from '../output.js';

const EXAMPLE = '0199a1c2-8c4f-7d55-8e20-3b7c9d1e5f60';
const DAY_MS = 86_400_000;

type CreateOptions = Pick<Webhook, 'url' | 'mode' | 'body' | 'batch'> &
  Partial<Pick<Webhook, 'kinds'>> & { readonly store: string };

export function addWebhooks(program: Command): void {
  const webhooks = addCommand(program, 'webhooks', 'send the changes of a store to a URL');

  addCreate(webhooks);
  addList(webhooks);
  addOne(webhooks, 'show', 'show a webhook with its last deliveries', (service, webhook) => service.find(webhook));
  addOne(webhooks, 'test', 'queue a test message; `show` prints its result', change('test'));
  addOne(webhooks, 'pause', 'send nothing until `resume`; the webhook keeps its position', change('pause'));
  addOne(webhooks, 'resume', 'continue immediately at the position of the webhook', change('resume'));
  addYes(addOne(webhooks, 'delete', 'delete a webhook and print it as it was', remove));

  addOne<{ from: string | Date }>(webhooks, 'replay', 'resend changes', (service, webhook, { from }) =>
    service.replayFrom(webhook, from, originOfRequest(null)),
  )
    .requiredOption('--from <P>', 'a cursor, such as that of a message, or a time in ISO 8601', replayStart)
    .addHelpText('after', `\nExample:\n  webhooks replay ${EXAMPLE} --from 2026-11-20T09:30:00Z`);
  addRotateSecret(webhooks);
}

function addCreate(webhooks: Command): void {
  const help = 'Example:\n  webhooks create --store acme --url https://erp.example.com/hooks --kinds orders,skus';
  addCommand(webhooks, 'create', 'create a webhook and print its secret, which cannot be shown again', help)
    .requiredOption('--store <S>', 'subdomain of the store', subdomain)
    .requiredOption('--url <U>', 'https URL that gets the messages')
    .option('--kinds <kinds...>', `one or more of ${CHANGE_KINDS.join(',')} (default: all)`, changeKinds)
    .addOption(
      new Option('--mode <mode>', 'the mode of the orders that it sends').choices(['live', 'test']).default('live'),
    )
    .addOption(
      new Option('--body <B>', 'thin names what changed, full sends the records')
        .choices(WEBHOOK_BODIES)
        .default('thin'),
    )
    .option('--batch <N>', 'the maximum number of changes per message', webhookBatch, 1)
    .action(({ store, kinds = CHANGE_KINDS, ...options }: CreateOptions) =>
      withApplication(
        async (app) => {
          const { id: storeId } = await app.get(StoreRepository).require(store);
          const created = await app
            .get(WebhooksService)
            .create({ storeId, kinds, name: '', ...options }, originOfRequest(null));
          printNewSecret(created, store);
        },
        { settings: ['WEBHOOK_ALLOW'] },
      ),
    );
}

function addList(webhooks: Command): void {
  addCommand(webhooks, 'list', 'list the webhooks of a store, or of all stores, oldest first')
    .option('--store <S>', 'subdomain of the store', subdomain)
    .action(({ store }: { store?: string }) =>
      printResult(async (app) => {
        const found: object[] = [];
        for (const { id, subdomain } of await chosenStores(app, store)) {
          const all = await app.get(WebhooksService).list(id, null);
          found.push(...all.map((webhook) => inStore(subdomain, toWebhookListItem(webhook))));
        }
        return found;
      }),
    );
}

function addRotateSecret(webhooks: Command): void {
  const what = 'replace the secret of a webhook and print the new one; it cannot be shown again';
  addCommand(webhooks, 'rotate-secret', what, `Example:\n  webhooks rotate-secret ${EXAMPLE} --overlap 24h`)
    .argument('<id>', 'id of the webhook', webhookId)
    .addOption(
      new Option('--overlap <D>', 'how long the old secret also signs, from 0s to 7d')
        .argParser(secretOverlapMs)
        .default(DAY_MS, '24h'),
    )
    .action((id: string, { overlap }: { overlap: number }) =>
      withWebhook(id, async ({ service, webhook, store }) => {
        const rotated = await service.rotateSecret(webhook, overlap, originOfRequest(null));
        printNewSecret(rotated, store);
      }),
    );
}

const change =
  (kind: 'test' | 'pause' | 'resume'): Act<unknown> =>
  (service, webhook) =>
    service.change(webhook, { kind }, originOfRequest(null));

const remove: Act<YesOption> = async (service, webhook, options) => {
  const { url } = await service.find(webhook);
  await confirm(`Delete the webhook to ${url}?`, options);
  return service.delete(webhook, originOfRequest(null));
};

type Act<Options> = (service: WebhooksService, webhook: WebhookReference, options: Options) => Promise<ShownWebhook>;

function addOne<Options>(webhooks: Command, verb: string, description: string, act: Act<Options>): Command {
  return addCommand(webhooks, verb, description)
    .argument('<id>', 'id of the webhook', webhookId)
    .action((id: string, options: Options) =>
      withWebhook(id, async ({ service, webhook, store }) => {
        print(inStore(store, toWebhookResponse(await act(service, webhook, options))));
      }),
    );
}

interface Found {
  readonly service: WebhooksService;
  readonly webhook: WebhookReference;
  readonly store: string;
}

function withWebhook(id: string, work: (found: Found) => Promise<void>): Promise<void> {
  return withApplication(async (app) => {
    const key = await app.get(WebhookRepository).locate(id);
    if (!key) throw new NotFound(`Webhook ${id}`);
    const webhook = { ...key, mode: null };
    await work({ service: app.get(WebhooksService), webhook, store: await subdomainOf(app, key.storeId) });
  });
}

function printNewSecret({ secret, ...webhook }: ShownWebhook & { readonly secret: string }, store: string): void {
  say('Keep the secret in a safe place: it cannot be shown again.');
  printWithSecret('secret', secret, inStore(store, toWebhookResponse(webhook)));
}

function inStore<Shown extends { readonly id: string }>(store: string, { id, ...rest }: Shown) {
  return { id, store, ...rest };
}
