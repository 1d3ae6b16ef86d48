import type { ChangeOrigin } from '@app/application';

export const BY_OPERATOR: ChangeOrigin = { actor: { type: 'operator', id: '', name: 'root' }, address: null };
