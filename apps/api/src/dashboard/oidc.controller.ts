import { randomBytes } from 'node:crypto';
import {
  IdentityProvider,
  networkOf,
  Overloaded,
  ProviderFailure,
  Semaphore,
  SignInService,
  SLOT_WAIT_MS,
} from '@app/application';
import { Config, JsonLogger } from '@app/infrastructure';
import { Controller, Get, Redirect, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../route-access.js';
import { isSentByOtherOrigin } from '../access/session-cookies.js';
import { addTabCookie, readTabCookie, removeTabCookie } from '../access/tab-cookies.js';

const SECONDS_AT_PROVIDER = 600;
const SECONDS_TO_ENTER = 600;
const SIGN_IN_PAGE = './../';
/**
 * Limits concurrent requests: a provider that does not answer holds each for seconds, and they must not take capacity
 * from requests with a key.
 */
const MAX_AT_A_TIME = 16;
const MAX_OF_NETWORK = 4;

/**
 * Sends people to the identity provider and receives them afterwards. The page then signs in with the token in its
 * address.
 */
@ApiExcludeController()
@Controller('dashboard/oidc')
export class OidcController {
  private readonly redirectUri: string;
  private readonly slots = new Semaphore(() => MAX_AT_A_TIME, SLOT_WAIT_MS, MAX_OF_NETWORK);

  constructor(
    private readonly provider: IdentityProvider,
    private readonly signIns: SignInService,
    private readonly logger: JsonLogger,
    { publicUrl }: Config,
  ) {
    this.redirectUri = `${publicUrl}/dashboard/oidc/callback`;
  }

  @Public()
  @Get('start')
  @Redirect()
  start(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    return this.redirect(request, reply, async () => {
      // Otherwise, pages of other sites could give the browser cookies, and replace those of its own tabs.
      // @protects oidc-start
      if (isSentByOtherOrigin(request)) return SIGN_IN_PAGE;
      const { url, state, saved } = await this.provider.begin(this.redirectUri);
      addTabCookie(request, reply, 'oidc', state, { value: saved, seconds: SECONDS_AT_PROVIDER });
      return url;
    });
  }

  @Public()
  @Get('callback')
  @Redirect()
  callback(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    return this.redirect(request, reply, async () => {
      const currentUrl = this.redirectUri + request.url.replace(/^[^?]*/, '');
      const state = new URL(currentUrl).searchParams.get('state') ?? '';
      const saved = readTabCookie(request, 'oidc', state);
      if (saved === undefined) throw new ProviderFailure('refused', 'no_cookie');
      removeTabCookie(request, reply, 'oidc', state);
      const { email, ...identity } = await this.provider.finish(currentUrl, saved);
      const nonce = randomBytes(16).toString('base64url');
      const token = await this.signIns.makeOidcEntry(email, identity, { nonce, address: request.ip });
      addTabCookie(request, reply, 'signin', token, { value: nonce, seconds: SECONDS_TO_ENTER });
      return `./../#/enter/${token}`;
    });
  }

  private async redirect(request: FastifyRequest, reply: FastifyReply, find: () => Promise<string>) {
    reply.header('cache-control', 'no-store');
    try {
      return { url: await this.slots.run(networkOf(request.ip), find), statusCode: 302 };
    } catch (error) {
      const failure = error instanceof Overloaded ? new ProviderFailure('unavailable', 'too_many') : error;
      if (!(failure instanceof ProviderFailure)) throw error;
      const { outcome, reason } = failure;
      this.logger.write('warn', `sign-in by OIDC ${outcome}`, { request_id: request.id, outcome: reason });
      return { url: `./../#/sign-in/refused/${outcome}`, statusCode: 302 };
    }
  }
}
