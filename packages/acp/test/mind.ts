import { textOf } from '@shallot/core';
import type { ModelRequest } from '@shallot/core/model';
import { scriptedModel, type ScriptedStep } from '@shallot/testing';

/** Creates a model whose answer depends on the conversation alone, so that another process can continue a run. */
export const newMind = () =>
  scriptedModel(
    Array.from({ length: 500 }, () => answerTo),
    { contextTokens: 100_000 },
  );

function answerTo({ messages }: ModelRequest): ScriptedStep {
  const last = messages.at(-1);
  if (last === undefined || last.role !== 'user') return { text: 'All done.' };
  const write = (name: string) => ({
    name: 'write_file',
    args: { path: `/${messages.length}-${name}.txt`, content: name },
  });
  const asked = textOf(last);
  if (asked.includes('write')) return { text: 'I write.', toolCalls: [write('a')] };
  if (asked.includes('two')) return { toolCalls: [write('a'), write('b')] };
  if (asked.includes('plan'))
    return {
      toolCalls: [{ name: 'write_todos', args: { todos: [{ content: asked, status: 'in_progress' }] } }],
    };
  if (asked.includes('draft')) return { chunks: ['Good ', 'mor', { type: 'restart' }, 'Hello ', 'again.'] };
  if (asked.includes('fail')) return { error: new Error('the model is ill') };
  return { reasoning: 'A greeting.', text: 'Hello there, this is an answer of some words.' };
}
