import { publicFile } from '../http/serve-from-memory.js';

/** Colours with the contrast that WCAG AA asks for, and room on phones. */
export const REFERENCE_STYLE = publicFile(
  `
.swagger-ui .servers, .swagger-ui .servers-title { display: none }
html:not(.dark-mode) .swagger-ui {
  .info .url, .info a, .info a .url { color: #0b5cad }
  .json-schema-2020-12-expand-deep-button, .parameter__in, table.headers .header-example { color: #3b4151 }
  .opblock.opblock-get .opblock-summary-method { background: #0b5cad }
  .opblock.opblock-post .opblock-summary-method { background: #14713d }
  .opblock.opblock-patch .opblock-summary-method { background: #0a6a5f }
  .opblock.opblock-delete .opblock-summary-method { background: #b3261e }
  .btn.authorize, .btn.authorize span { border-color: #14713d; color: #14713d }
  .btn.cancel, .parameter__name.required span, .parameter__name.required::after { border-color: #b3261e; color: #b3261e }
  .btn.execute { border-color: #0b5cad; background: #0b5cad }
  .download-contents { background: #3b4151 }
  .renderedMarkdown code { color: #7b0fd8 }
  .response-control-media-type__accept-message { color: #14713d }
  .json-schema-2020-12__constraint--string { background: #7a5c00; color: #fff }
  .info .title small, .info .title small.version-stamp { background: #3b4151 }
}
html.dark-mode .swagger-ui :is(.examples-select__section-label, .header-col) { color: #e4e6e6 }
html.dark-mode .swagger-ui .opblock .opblock-section-header .btn.cancel { border-color: #ff9d94; color: #ff9d94 }
/* Numbers, whose colour is inline. */
.swagger-ui .microlight span[style="color: rgb(211, 99, 99);"] { color: #f0a0a0 !important }
.swagger-ui .info { margin: 16px 0 }
.swagger-ui .opblock, .swagger-ui .models, .swagger-ui .info .description { overflow-x: auto }
.swagger-ui input, .swagger-ui select, .swagger-ui textarea { max-width: 100% }
@media (max-width: 640px) {
  .swagger-ui .opblock-body pre.microlight { max-width: calc(100vw - 80px) }
  .swagger-ui .opblock .opblock-summary-path { max-width: 100%; word-break: break-word }
  .swagger-ui .responses-table > thead { display: none }
  .swagger-ui .responses-table > tbody > tr, .swagger-ui .responses-table > tbody > tr > td { display: block; width: auto }
  .swagger-ui .responses-table .response-col_links { display: none }
  .swagger-ui .responses-table table.headers :is(th, td) { padding: 2px 4px; font: 12px/1.3 system-ui, sans-serif }
  .swagger-ui table.headers .renderedMarkdown p { margin: 0; font: inherit }
  .swagger-ui .dialog-ux .modal-ux { min-width: 0; width: calc(100vw - 20px) }
}
`,
  'text/css; charset=utf-8',
);
