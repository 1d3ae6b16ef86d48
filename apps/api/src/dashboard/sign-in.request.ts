import type { SignInProof } from '@app/application';
import { MAX_EMAIL_ADDRESS } from '@app/domain';
import { BadRequestException } from '@nestjs/common';
import * as is from '../body/fields.js';

/** The maximum length of a token, and of a code including spaces that a person types. */
const MAX_SECRET = 64;

export class RequestCodeRequest {
  @is.RequiredTextField({
    max: MAX_EMAIL_ADDRESS,
    description: 'The e-mail address. The code is sent if the address belongs to a person.',
  })
  email!: string;
}

export class InspectLinkRequest {
  @is.RequiredTextField({ max: MAX_SECRET, description: 'The token of the link.' })
  link!: string;
}

export class SignInRequest {
  @is.TextField({ max: MAX_SECRET, description: 'The mailed code.' })
  code?: string | null;

  @is.TextField({ max: MAX_SECRET, description: 'Instead of `code`: the token of a link.' })
  link?: string | null;

  @is.TextField({ max: 63, description: 'Subdomain of the store, for a person of several stores.' })
  store?: string | null;
}

export function toProof({ code, link }: SignInRequest): SignInProof {
  if (code && !link) return { code };
  if (link && !code) return { link };
  throw new BadRequestException('the body must have either code or link');
}
