import type { NestFastifyApplication } from '@nestjs/platform-fastify';

/**
 * Sets the security headers that matter to a JSON API. The documentation page overrides the policy. Nest adds the hook
 * in the constructor of its adapter: after `request-head`, before every other plugin.
 */
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
