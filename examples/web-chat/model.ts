import { textOf } from '@shallot/core';
import type { ChatModel, ModelResponse } from '@shallot/core/model';

/** A stand-in for a language model: it calls the tool to buy whatever was asked for, and then reports the result. */
const model: ChatModel = {
  id: 'offline/garden',
  async generate({ messages }): Promise<ModelResponse> {
    const last = messages.at(-1);
    const text = last === undefined ? '' : textOf(last);
    if (last?.role !== 'user')
      return {
        message: { role: 'assistant', content: [{ type: 'text', text: `It is settled: ${text}` }] },
        finish: 'stop',
      };
    return {
      message: {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I look after it. May I buy this?' },
          { type: 'tool-call', id: `buy-${messages.length}`, name: 'buy', input: { what: text } },
        ],
      },
      finish: 'tool-calls',
    };
  },
};

export default model;
