import { textOf, type AssistantMessage } from '@shallot/core';
import type { ChatModel, ModelResponse } from '@shallot/core/model';

/** A stand-in for a language model: it always makes the same two calls, and then reports their results. */
const model: ChatModel = {
  id: 'offline/tidy',
  async generate({ messages }): Promise<ModelResponse> {
    const results = messages.flatMap((message) => (message.role === 'tool' ? [`- ${textOf(message)}`] : []));
    if (results.length > 0)
      return answer([{ type: 'text', text: `That is what I did:\n${results.join('\n')}` }]);
    return answer([
      { type: 'text', text: 'I shall write a list of what is here, and throw the letters away.' },
      {
        type: 'tool-call',
        id: 'list',
        name: 'write_file',
        input: { path: '/list.txt', content: 'letters\nbils\n' },
      },
      { type: 'tool-call', id: 'letters', name: 'delete_file', input: { path: '/letters.txt' } },
    ]);
  },
};

export default model;

function answer(content: AssistantMessage['content']): ModelResponse {
  const isDone = content.every(({ type }) => type === 'text');
  return { message: { role: 'assistant', content }, finish: isDone ? 'stop' : 'tool-calls' };
}
