import { createRequire } from 'node:module';

import type Pino from 'pino';

import type { Redactor } from '../redact/redactor.ts';
import { LogLosses } from './log-losses.ts';
import { logLevels, type Logger, type LogLevel, type LogStream } from './logger.ts';
import { RedactingLogger } from './redacting-logger.ts';

export interface LoggerParts {
  readonly redactor: Redactor;
  readonly losses?: LogLosses;
  /** Default: stderr. */
  readonly stream?: LogStream | undefined;
}

/**
 * Creates the logger of an agent: the given one, or a pino logger that writes JSON lines; pino is loaded with the first
 * line. Secrets are removed, and failed writes do not throw.
 */
export function createLogger(option: Logger | LogLevel, parts: LoggerParts): Logger {
  const { redactor, losses = new LogLosses(), stream } = parts;
  if (typeof option !== 'string') {
    return new RedactingLogger({ open: () => option, isEnabled: enabledBy(option), redactor, losses });
  }
  let root: Logger | undefined;
  return new RedactingLogger({
    open: () => (root ??= loadPino(option, stream)),
    isEnabled: (level) => logLevels.indexOf(level) >= logLevels.indexOf(option),
    redactor,
    losses,
  });
}

/** A logger without `isLevelEnabled` receives everything. */
function enabledBy(logger: Logger): (level: LogLevel) => boolean {
  return (level) => logger.isLevelEnabled?.(level) !== false;
}

function loadPino(level: LogLevel, stream: LogStream | undefined): Logger {
  // Loaded by `require`, because logging is synchronous.
  const { pino } = createRequire(import.meta.url)('pino') as { pino: typeof Pino };
  return pino(
    { level, name: 'shallot' },
    stream === undefined ? stderrLines(pino) : { write: (line) => void stream.write(line) },
  );
}

/** The maximum number of characters that wait for a blocked stderr; further ones are dropped. */
const maxWaitingCharacters = 65_536;

/** Returns a stream to stderr that throws if it cannot write; pino's own destination would end the process. */
function stderrLines(pino: typeof Pino): LogStream {
  const destination = pino.destination({ dest: 2, sync: true, maxLength: maxWaitingCharacters });
  const failures: Error[] = [];
  destination.on('error', (error: Error) => failures.unshift(error));
  destination.on('drop', () => failures.push(new Error('stderr accepts no more data')));
  return {
    write(line) {
      failures.length = 0;
      destination.write(line);
      const [failed] = failures;
      if (failed !== undefined) throw failed;
    },
  };
}
