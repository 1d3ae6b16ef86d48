import type { Work } from './works.js';

const PAGES = Array.from({ length: 20 }, (_, index) => index + 1);

export const LIST_SKUS: Work = {
  name: 'W9',
  title: 'GET /v1/skus?limit=50, pages 1–20',
  connections: 32,
  requests: () => ({ kind: 'reads', paths: PAGES.map((page) => `/v1/skus?limit=50&page=${page}`) }),
  goal: { ratio: 1 },
};
