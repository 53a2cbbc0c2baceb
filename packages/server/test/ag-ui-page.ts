import {
  HttpAgent,
  type BaseEvent,
  type Interrupt,
  type Message,
  type RunAgentParameters,
} from '@ag-ui/client';

import type { AgentServer } from '../src/create-server.ts';
import { listen } from '../src/listen.ts';

/** A page that uses AG-UI's own client over loopback. That client checks the order of all events. */
export class AgUiPage {
  readonly agent: HttpAgent;
  /** The events of the last run. */
  events: BaseEvent[] = [];
  #count = 0;

  constructor(url: string, threadId = 'a', headers: Record<string, string> = {}) {
    this.agent = new HttpAgent({ url: `${url}/ag-ui`, threadId, headers });
  }

  /** Serves until the test ends, and opens a page. */
  static async open(
    server: AgentServer,
    onFinished: (close: () => Promise<void>) => void,
  ): Promise<{ readonly page: AgUiPage; readonly url: string }> {
    const listening = await listen(server, { port: 0 });
    onFinished(() => listening.close());
    return { page: new AgUiPage(listening.url), url: listening.url };
  }

  get messages(): readonly Message[] {
    return this.agent.messages;
  }

  get open(): readonly Interrupt[] {
    return this.agent.pendingInterrupts;
  }

  /** Sends a user message, and reads the run. */
  async send(content: string, parameters: RunAgentParameters = {}): Promise<void> {
    this.#count += 1;
    this.agent.addMessage({ id: `u${this.#count}`, role: 'user', content });
    await this.run(parameters);
  }

  /** Sends the client's current messages, and reads the run. */
  async run(parameters: RunAgentParameters = {}): Promise<void> {
    this.events = [];
    await this.agent.runAgent(parameters, { onEvent: ({ event }) => void this.events.push(event) });
  }

  /** The types of the last run's events, with adjacent repetitions removed. */
  get types(): readonly string[] {
    return this.events.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1]);
  }
}
