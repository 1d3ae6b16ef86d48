import { Note, Page } from '../parts/page.js';
import { to, useRoute } from '../route.js';
import { can } from '../session.js';
import { Keys, NewKey } from './keys.js';
import { Requests } from './requests.js';
import { Secret } from './secret.js';
import { EditWebhook, Webhooks } from './webhooks.js';

const TABS = [
  { path: '/developers', name: 'Keys', needs: 'keys', content: Keys, action: NewKey },
  { path: '/developers/webhooks', name: 'Webhooks', needs: 'webhooks', content: Webhooks, action: EditWebhook },
  { path: '/developers/requests', name: 'Requests', needs: 'keys', content: Requests, action: () => null },
] as const;

export function Developers() {
  const { path } = useRoute();
  const tabs = TABS.filter(({ needs }) => can(needs));
  const tab = tabs.find((each) => each.path === path) ?? tabs[0];
  return (
    <Page title="Developers" actions={tab && <tab.action />}>
      <nav class="views" aria-label="Developers">
        {tabs.map((each) => (
          <a key={each.path} href={to(each.path)} aria-current={each === tab ? 'page' : undefined}>
            {each.name}
          </a>
        ))}
        <a href="../docs" target="_blank" rel="noreferrer">
          API reference ↗
        </a>
      </nav>
      {tab ? <tab.content /> : <Note tone="wait">Your role does not include keys and webhooks.</Note>}
      <Secret />
    </Page>
  );
}
