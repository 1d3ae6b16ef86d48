import { rejected } from '../shared/domain-error.js';

export const TooManyInvitations = rejected(
  'too_many_records',
  (of: string, most: number) => `At most ${most} invitations can be sent ${of}`,
);

export const TooManyKeys = rejected(
  'too_many_records',
  (most: number) =>
    `The store already has ${most} keys, including revoked ones: ask the operator to run \`store-commerce keys create\``,
);

/** All cases share one text, so that trying addresses or codes reveals nothing. */
export const SignInInvalid = rejected(
  'sign_in_invalid',
  'The code or link is wrong, expired, already used or requested in another browser: try again, or request a new one',
);

export const AddressNotPrivate = rejected(
  'address_not_private',
  'This connection is not encrypted: use HTTPS, or open the address on the host itself',
);

export const EmailTaken = rejected('email_taken', 'Another person of the store has this e-mail');

export const LastOwner = rejected('last_owner', 'The store must keep an owner: make another person an owner first');
