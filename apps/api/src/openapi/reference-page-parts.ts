/** On a phone, wide tables scroll inside their operation and the page keeps the width of the screen. */
export const PAGE_STYLE = `
html { box-sizing: border-box; overflow-y: scroll }
*, *:before, *:after { box-sizing: inherit }
body { margin: 0; background: #fafafa }
.swagger-ui .info { margin: 24px 0 }
.swagger-ui .info .description { max-width: 75ch }
.swagger-ui .opblock, .swagger-ui .models, .swagger-ui .info .description { overflow-x: auto }
.swagger-ui input, .swagger-ui select, .swagger-ui textarea { max-width: 100% }
@media (max-width: 640px) {
  .swagger-ui .opblock-body pre.microlight { max-width: calc(100vw - 80px) }
  .swagger-ui .opblock .opblock-summary-path { max-width: 100%; word-break: break-word }
  .swagger-ui .opblock-summary-description { display: none }
  .swagger-ui .dialog-ux .modal-ux { min-width: 0; width: calc(100vw - 20px) }
}
`;

/** A separate file: the page's policy allows no inline script. The key stays in the page's memory. */
export const PAGE_SCRIPT = `
const url = new URL('../openapi.json', document.currentScript.src).href;
window.addEventListener('load', () => {
  SwaggerUIBundle({ url, dom_id: '#swagger-ui', deepLinking: true, persistAuthorization: false, validatorUrl: null });
});
`;
