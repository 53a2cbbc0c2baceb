import type { ChatModel } from '@shallot/core/model';

/** A model that calls a tool once, and then answers. */
export function oneCall(name: string, input: Readonly<Record<string, string>>): ChatModel {
  return {
    id: 'bench/one-call',
    generate: async ({ messages }) =>
      messages.at(-1)?.role === 'user'
        ? {
            message: { role: 'assistant', content: [{ type: 'tool-call', id: 'c', name, input }] },
            finish: 'tool-calls',
          }
        : { message: { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] }, finish: 'stop' },
  };
}
