// This file starts Swagger UI. It is separate because the policy of the page allows no inline script.

const dark = matchMedia('(prefers-color-scheme: dark)');
const followScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
followScheme();
dark.addEventListener('change', followScheme);

/** Hides the key in the command of a call, because users copy it into tickets. */
const hideKey = (request) =>
  request.hasIn(['headers', 'Authorization'])
    ? request.setIn(['headers', 'Authorization'], 'Bearer <API key>')
    : request;
const commandWithoutKey = () => ({
  wrapComponents: {
    curl:
      (Curl, { React }) =>
      (props) =>
        React.createElement(Curl, { ...props, request: hideKey(props.request) }),
  },
});

/** Finds operations by path, summary and id. Swagger UI's own filter finds only groups. */
const filterOfOperations = () => ({
  fn: {
    opsFilter: (groups, phrase) => {
      const isWanted = (operation) =>
        [operation.get('path'), ...['summary', 'operationId'].map((name) => operation.getIn(['operation', name]))]
          .join(' ')
          .toLowerCase()
          .includes(phrase.toLowerCase());
      return groups
        .map((group) => group.update('operations', (operations) => operations.filter(isWanted)))
        .filter((group) => group.get('operations').size > 0);
    },
  },
});

/**
 * Gives an order that is placed here an idempotency key, a new one for each visit. Browsers have no randomUUID without
 * https.
 */
const keyOfOrder = () => ({
  statePlugins: {
    spec: {
      wrapActions: {
        updateJsonSpec: (update) => (spec) => {
          const { parameters = [] } = spec.paths?.['/v1/orders']?.post ?? {};
          const key = parameters.find(({ name }) => name === 'Idempotency-Key');
          if (key) key.example = crypto.randomUUID?.();
          return update(spec);
        },
      },
    },
  },
});

const url = new URL('../openapi.json', document.currentScript.src).href;
const onComplete = () => {
  document.querySelector('.info .title').setAttribute('aria-level', '2');
  const about = document.querySelector('.information-container');
  about.role = 'region';
  about.ariaLabel = 'About the API';
};
/** Names the selects, which Swagger UI leaves without a name, and corrects the label of the filter. */
const nameInputs = () => {
  const filter = document.querySelector('.operation-filter-input');
  if (filter) filter.placeholder = filter.ariaLabel = 'Filter operations';
  for (const select of document.querySelectorAll('select:not([aria-label])'))
    select.ariaLabel = select.closest('[data-param-name]')?.dataset.paramName ?? 'Example';
};
window.addEventListener('load', () => {
  new MutationObserver(nameInputs).observe(document.body, { childList: true, subtree: true });
  SwaggerUIBundle({
    url,
    dom_id: '#swagger-ui',
    deepLinking: true,
    filter: true,
    persistAuthorization: false,
    validatorUrl: null,
    plugins: [commandWithoutKey, filterOfOperations, keyOfOrder],
    onComplete,
  });
});
