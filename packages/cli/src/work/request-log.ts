import { definePlugin, type Logger } from '@shallot/core';
import type * as Serving from '@shallot/server';

type OnRequest = NonNullable<Serving.ServerOptions['onRequest']>;

/** Writes each request that was answered to the log of the agent, at the level `info`: secrets are removed there. */
export class RequestLog {
  #log: Logger | undefined;

  /** Takes the log of the agent. */
  readonly plugin = definePlugin({
    name: 'serve',
    setup: ({ log }) => {
      this.#log = log;
    },
  })();

  readonly onRequest: OnRequest = (line) => {
    const { method, route = 'an unknown path', status, durationMs } = line;
    this.#log?.info(line, `${method} ${route} was answered with ${status} after ${durationMs} ms.`);
  };
}
