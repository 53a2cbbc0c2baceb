import { setTimeout as delay } from 'node:timers/promises';

import { textOf, type AssistantPart, type JsonValue, type Message, type ToolMessage } from '@shallot/core';
import type { ChatModel, ModelContext, ModelRequest, ModelResponse } from '@shallot/core/model';
import { toolCallsOf } from '@shallot/core/plugin';

import { bestLines, wordsOf } from './matching.ts';

/** The pause after each word, so that one can see that the answer is streamed. */
const wordDelayMs = 12;
const linesInAnswer = 4;

/**
 * A stand-in for a language model, so that one can try everything else without a key or a network. It understands
 * nothing: it looks for files whose names or headings contain a word of the question, reads them (or all files, if none
 * does), and recites the lines that share the rarest words with the question. The same question always gets the same
 * answer.
 */
const offlineModel: ChatModel = {
  id: 'offline/word-match',
  async generate(request, call) {
    const parts = nextTurn(request);
    await stream(parts, call);
    const finish = parts.some(({ type }) => type === 'tool-call') ? 'tool-calls' : 'stop';
    return { message: { role: 'assistant', content: parts }, finish } satisfies ModelResponse;
  },
};

export default offlineModel;

/**
 * Returns the parts of the next turn: first a call that lists the files, then calls that read the promising ones, then
 * the answer.
 */
function nextTurn({ messages, tools = [] }: ModelRequest): AssistantPart[] {
  const lastUser = messages.findLastIndex(({ role }) => role === 'user');
  const asked = messages[lastUser];
  const question = asked === undefined ? '' : textOf(asked);
  const turn = messages.slice(lastUser + 1);
  const results = turn.filter((message) => message.role === 'tool');
  const has = (tool: string): boolean => tools.some(({ name }) => name === tool);

  const failed = results.find(({ isError }) => isError);
  if (failed) return [text(`The tool ${failed.name} did not work: ${textOf(failed)}`)];

  const listed = results.find(({ name }) => name === 'list_files');
  if (listed === undefined) {
    if (has('list_files') && has('read_file')) return [toolCall('list_files', {}, 0)];
    return [text('I only look words up in files, and nobody gave me the tools list_files and read_file.')];
  }
  const read = results.filter(({ name }) => name === 'read_file');
  if (read.length === 0) {
    const paths = pickFiles(question, filesIn(listed));
    if (paths.length > 0) return paths.map((path, index) => toolCall('read_file', { path }, index));
  }
  return [text(answer(question, new Map(read.map((result) => [pathOf(result, turn), textOf(result)]))))];
}

interface ListedFile {
  readonly path: string;
  readonly headings: readonly string[];
}

function filesIn({ data }: ToolMessage): readonly ListedFile[] {
  // `list_files` of this example returns exactly this type.
  return (data ?? []) as unknown as readonly ListedFile[];
}

function pickFiles(question: string, files: readonly ListedFile[]): string[] {
  const asked = wordsOf(question);
  const promising = files.filter(({ path, headings }) =>
    [...wordsOf(`${path} ${headings.join(' ')}`)].some((word) => asked.has(word)),
  );
  return (promising.length > 0 ? promising : files).map(({ path }) => path);
}

function answer(question: string, files: ReadonlyMap<string, string>): string {
  const found = bestLines(question, files, linesInAnswer);
  const looked = `${files.size} ${files.size === 1 ? 'file' : 'files'}`;
  if (found.length === 0) return `I found nothing: no line in ${looked} has a telling word of the question.`;
  const lines = found.map(({ path, line }) => `- ${line} (${path})`);
  return `I only match words, I do not think. What fits best in ${looked}:\n\n${lines.join('\n')}`;
}

function pathOf(result: ToolMessage, turn: readonly Message[]): string {
  const call = turn.flatMap(toolCallsOf).find(({ id }) => id === result.callId);
  const { path } = (call?.input ?? {}) as { readonly path?: string };
  return path ?? result.name;
}

function text(text: string): AssistantPart {
  return { type: 'text', text };
}

function toolCall(name: string, input: JsonValue, index: number): AssistantPart {
  // The core replaces an id that the session already has.
  return { type: 'tool-call', id: `call_${index + 1}`, name, input };
}

async function stream(
  parts: readonly AssistantPart[],
  { emit, signal, wantsChunks }: ModelContext,
): Promise<void> {
  signal.throwIfAborted();
  if (!wantsChunks) return;
  for (const [index, part] of parts.entries()) {
    if (part.type === 'tool-call') {
      await emit({
        type: 'tool-call-delta',
        index,
        id: part.id,
        name: part.name,
        text: JSON.stringify(part.input),
      });
    } else if (part.type === 'text') {
      for (const text of part.text.match(/\S+\s*/g) ?? []) {
        await delay(wordDelayMs, undefined, { signal });
        await emit({ type: 'text-delta', index, text });
      }
    }
    await emit({ type: 'part-end', index });
  }
}
