import { textOf, type AssistantPart } from '@shallot/core';
import { modelError, type ChatModel, type ModelRequest, type ModelResponse } from '@shallot/core/model';
import { estimateTokens } from '@shallot/core/plugin';

import { chapter, outline } from './chapter.ts';

const contextTokens = 6000;

/**
 * A stand-in for a language model with a small context. It writes the chapters that it is asked for, knows only what is
 * in its request, and refuses a request that is too long, as a provider would.
 */
const model: ChatModel = {
  id: 'offline/novelist',
  limits: { contextTokens },
  async generate(request): Promise<ModelResponse> {
    const input = sizeOf(request);
    if (input > contextTokens) {
      throw modelError('MODEL_CONTEXT_OVERFLOW', {
        message: `The request has ${input} tokens, and the context of this model ${contextTokens}.`,
      });
    }
    const content = answerTo(request);
    const output = estimateTokens(JSON.stringify(content));
    return {
      message: { role: 'assistant', content },
      finish: content.some(({ type }) => type === 'tool-call') ? 'tool-calls' : 'stop',
      usage: { input, output, total: input + output },
    };
  },
};

export default model;

function answerTo({ messages, tools }: ModelRequest): AssistantPart[] {
  const last = messages.at(-1);
  if (last === undefined) return say('What shall I do?');
  const asked = textOf(last);
  // A request without tools is one for a summary.
  if (tools === undefined) return say(summaryOf(asked));
  if (last.role === 'tool') return say(`Done: ${asked}. In short: ${outline(messages.length)}`);
  const number = /Write chapter (\d+)/.exec(asked)?.[1];
  if (number === undefined) return say(recall(messages.map((message) => textOf(message)).join('\n')));
  const input = { path: `/chapter-${number.padStart(2, '0')}.md`, content: chapter(Number(number)) };
  return [{ type: 'tool-call', id: `chapter-${number}`, name: 'write_file', input }];
}

function say(text: string): AssistantPart[] {
  return [{ type: 'text', text }];
}

/** Returns the summary of a conversation: the facts to remember, and the files written. */
function summaryOf(conversation: string): string {
  const facts = new Set(conversation.match(/Remember that [^.]+\./g));
  const files = new Set(conversation.match(/\/chapter-\d+\.md/g));
  return `${[...facts].join('\n')}\nWritten so far: ${[...files].join(', ')}.`;
}

function recall(everything: string): string {
  const name = /the dog is called (\w+)/.exec(everything)?.[1];
  return name === undefined ? 'I do not remember any dog.' : `The dog is called ${name}.`;
}

function sizeOf({ instructions, messages, tools = [] }: ModelRequest): number {
  const schemas = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  const contents = messages.map(({ role, content }) => ({ role, content }));
  return estimateTokens(`${instructions}\n${JSON.stringify(schemas)}\n${JSON.stringify(contents)}`);
}
