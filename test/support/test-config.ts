import { Config } from '@app/infrastructure';

/** A configuration whose files, such as a new encryption key, do not go to the developer's `.data`. */
export function testConfig(env: Readonly<Record<string, string>>): Config {
  return new Config({ DATA_DIR: process.env['TEST_DATA_DIR'], ...env });
}
