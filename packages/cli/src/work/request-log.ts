import { definePlugin, type Logger } from '@shallot/core';
import type * as Serving from '@shallot/server';

type OnRequest = NonNullable<Serving.ServerOptions['onRequest']>;

/** Writes each answered request to the agent's log, which redacts secrets, at the level `info`. */
export class RequestLog {
  #log: Logger | undefined;

  /** A plugin that takes the agent's log. */
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
