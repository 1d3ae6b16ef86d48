import { Config, ConfigError, JsonLogger, logProcessOutput, visible } from '@app/infrastructure';

export interface ServiceProcess {
  readonly config: Config;
  readonly logger: JsonLogger;
  readonly die: (error: unknown) => never;
}

/**
 * Runs a process. An uncaught error ends it with exit code 1: its state is unknown, and the supervisor starts a new
 * one. A failed start prints one line and ends it with 2 for an error of the configuration, with 1 for any other.
 * @param start resolves once the process serves.
 */
export function runProcess(
  start: (process: ServiceProcess) => Promise<void>,
  explain: (error: Error) => string = ({ message }) => message,
): void {
  boot(start).catch((error: Error) => {
    const isConfig = error instanceof ConfigError;
    process.stderr.write(`${visible(isConfig ? error.message : explain(error))}\n`);
    process.exit(isConfig ? 2 : 1);
  });
}

async function boot(start: (process: ServiceProcess) => Promise<void>): Promise<void> {
  const config = new Config(process.env);
  const logger = new JsonLogger(config.logLevel);
  logProcessOutput(logger);
  const die = (error: unknown): never => {
    logger.fatal('An error was not caught anywhere', error, 'Process');
    process.exit(1);
  };
  process.on('uncaughtException', die);
  process.on('unhandledRejection', die);
  await start({ config, logger, die });
}
