import dns from 'node:dns/promises';
import { syncBuiltinESMExports } from 'node:module';

// This file is preloaded into a process: its resolvers ask the server in TEST_DNS.
dns.Resolver = class extends dns.Resolver {
  constructor(options) {
    super(options);
    this.setServers([process.env.TEST_DNS]);
  }
};
syncBuiltinESMExports();
