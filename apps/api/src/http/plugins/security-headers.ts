import type { NestFastifyApplication } from '@nestjs/platform-fastify';

/** The documentation pages override the policy. Nest adds the hook after `request-head`, before every other plugin. */
export function addSecurityHeaders(app: NestFastifyApplication): void {
  app.useSecurityHeaders({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: "'none'", frameAncestors: "'none'" },
    },
    crossOriginOpenerPolicy: false,
    originAgentCluster: false,
    strictTransportSecurity: false, // the proxy that terminates TLS sets it
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xFrameOptions: false, // frame-ancestors covers it
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
  });
}
