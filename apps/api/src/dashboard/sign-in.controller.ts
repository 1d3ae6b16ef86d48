import { SignInService, type SignInCandidate } from '@app/application';
import { AddressNotPrivate } from '@app/domain';
import { Config, JsonLogger } from '@app/infrastructure';
import { Body, Controller, Delete, Get, Header, HttpCode, NotFoundException, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../route-access.js';
import {
  isPrivate,
  readCookie,
  readSession,
  requireOwnPage,
  setCookie,
  setSession,
} from '../access/session-cookies.js';
import { readTabCookie, removeTabCookie } from '../access/tab-cookies.js';
import { StrictBodyPipe } from '../body/body.pipe.js';
import { single } from '../envelope.js';
import { TooManyRequests } from '../errors/request-errors.js';
import { deviceOf } from './device.js';
import * as request from './sign-in.request.js';

/**
 * The cookie that identifies the browser that requested a code. A sign-in at an identity provider has its own cookie.
 */
const NONCE_COOKIE = 'signin';
const NONCE_SECONDS = 600;
const MODES = ['live', 'test'] as const;

/** Serves the sign-in of the dashboard, which is not part of the merchants' API. GET requests accept no secret. */
@ApiExcludeController()
@Controller('dashboard')
export class SignInController {
  private hasWarned = false;

  constructor(
    private readonly signIns: SignInService,
    private readonly config: Config,
    private readonly logger: JsonLogger,
  ) {}

  @Get('sign-in')
  @Public()
  @Header('cache-control', 'no-store')
  ways(@Req() from: FastifyRequest) {
    this.warnOfProxy(from);
    const { mailedCodes, oidc } = this.config;
    return single({ private: isPrivate(from), code: mailedCodes, oidc: oidc !== null });
  }

  /** Answers the same for every address. */
  @Post('sign-in/code')
  @HttpCode(200)
  @Public()
  async requestCode(
    @Req() from: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Body(StrictBodyPipe) { email }: request.RequestCodeRequest,
  ) {
    admit(from, reply);
    // @protects closed-codes
    if (!this.config.mailedCodes) throw new NotFoundException('Sign in with the identity provider');
    const { nonce, retryAfterSeconds } = await this.signIns.requestCode(email, from.ip);
    if (nonce === null) {
      throw new TooManyRequests(retryAfterSeconds, 'codes');
    }
    setCookie(from, reply, NONCE_COOKIE, nonce, { seconds: NONCE_SECONDS, sameSite: 'lax' });
    return single({});
  }

  @Post('sign-in/link')
  @HttpCode(200)
  @Public()
  async lookAtLink(
    @Req() from: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Body(StrictBodyPipe) { link }: request.InspectLinkRequest,
  ) {
    admit(from, reply);
    const candidates = await this.signIns.look(link, { address: from.ip, nonce: readTabCookie(from, 'signin', link) });
    return single({ person: { name: candidates[0]?.name }, stores: candidates.map(storeOf) });
  }

  @Post('session')
  @HttpCode(200)
  @Public()
  async enter(
    @Req() from: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Body(StrictBodyPipe) body: request.SignInRequest,
  ) {
    admit(from, reply);
    const { link } = body;
    const browser = {
      address: from.ip,
      nonce: link ? readTabCookie(from, 'signin', link) : readCookie(from, NONCE_COOKIE),
      device: deviceOf(from.headers['user-agent']),
      sessions: sessionsOf(from),
    };
    const entered = await this.signIns.enter(request.toProof(body), browser, body.store ?? undefined);
    if (!('person' in entered)) return single({ stores: entered.map(storeOf) });
    const { person, secrets } = entered;
    for (const mode of MODES) setSession(from, reply, mode, secrets[mode]);
    if (link) removeTabCookie(from, reply, 'signin', link);
    else setCookie(from, reply, NONCE_COOKIE, '', { seconds: 0, sameSite: 'lax' });
    const { name, email, role, expiresAt } = person;
    return single({ person: { name, email, role }, store: storeOf(entered), expires_at: expiresAt.toISOString() });
  }

  @Delete('session')
  @Public()
  async signOut(@Req() from: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    admit(from, reply);
    await this.signIns.signOut({ address: from.ip, sessions: sessionsOf(from) });
    for (const mode of MODES) setSession(from, reply, mode, '');
    return single({});
  }

  /** Warns once: behind a proxy whose headers are not trusted, every request seems to use plain http. */
  private warnOfProxy(from: FastifyRequest): void {
    const isIgnored = this.config.trustProxy === false && from.headers['x-forwarded-proto'] === 'https';
    if (!isIgnored || isPrivate(from) || this.hasWarned) return;
    this.hasWarned = true;
    const what = 'X-Forwarded-Proto: https is not trusted, so people cannot sign in: set TRUST_PROXY';
    this.logger.write('warn', what, {});
  }
}

/** @throws AddressNotPrivate, and AuthenticationError for a page of another site. */
function admit(from: FastifyRequest, reply: FastifyReply): void {
  reply.header('cache-control', 'no-store');
  if (!isPrivate(from)) throw new AddressNotPrivate();
  requireOwnPage(from);
}

const sessionsOf = (from: FastifyRequest): string[] => MODES.flatMap((mode) => readSession(from, mode) ?? []);

const storeOf = ({ store: { subdomain, name } }: Pick<SignInCandidate, 'store'>) => ({ subdomain, name });
