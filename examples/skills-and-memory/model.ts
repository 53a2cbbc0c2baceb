import { textOf, type AssistantPart, type JsonValue } from '@shallot/core';
import type { ChatModel, ModelRequest, ModelResponse } from '@shallot/core/model';

/**
 * A stand-in for a language model. It matches words, and does three things: a message that begins with "Remember" it
 * writes to memory; for a task that fits the description of a skill, it reads the skill and recites its steps; for
 * anything else it searches memory.
 */
const model: ChatModel = {
  id: 'offline/word-match',
  async generate(request): Promise<ModelResponse> {
    const part = nextPart(request);
    return {
      message: { role: 'assistant', content: [part] },
      finish: part.type === 'tool-call' ? 'tool-calls' : 'stop',
    };
  },
};

export default model;

function nextPart({ instructions, messages }: ModelRequest): AssistantPart {
  const lastUser = messages.findLastIndex(({ role }) => role === 'user');
  const task = messages
    .slice(lastUser, lastUser + 1)
    .map(textOf)
    .join('');
  const result = messages.slice(lastUser + 1).findLast(({ role }) => role === 'tool');
  const said = result === undefined ? undefined : textOf(result);

  const fact = /^remember:?\s+(.*)$/is.exec(task)?.[1];
  if (fact !== undefined) {
    if (said === undefined) return call('edit_memory', { path: '/AGENTS.md', new_text: `- ${fact}` });
    return answer(`Noted. ${said}`, instructions);
  }
  if (said !== undefined) return answer(linesLike(said, /^\d+\. /), instructions);
  const skill = bestSkill(task, instructions);
  if (skill !== undefined) return call('skill', { name: skill });
  return answer(remembered(task, instructions), instructions);
}

/** Returns the skill whose description shares the most words with the task, but at least two. */
function bestSkill(task: string, instructions: string): string | undefined {
  const skills = instructions.matchAll(/<name>(.*)<\/name>\s*<description>(.*)<\/description>/g);
  const [best] = [...skills]
    .map(([, name = '', description = '']) => ({
      name,
      common: inCommon(description, task),
    }))
    .toSorted((a, b) => b.common - a.common);
  return best !== undefined && best.common > 1 ? best.name : undefined;
}

/** Returns the entries of memory that share a word with the question. */
function remembered(question: string, instructions: string): string {
  const memory = /<agent_memory>\n([\s\S]*?)\n<\/agent_memory>/.exec(instructions)?.[1] ?? '';
  const entries = memory.split('\n').filter((line) => inCommon(line, question) > 0);
  return linesLike(entries.join('\n'), /^- /) || 'I do not know.';
}

/** Adds the signature that memory asks for. */
function answer(text: string, instructions: string): AssistantPart {
  const signature = /Answers end with the line "(.*)"/.exec(instructions)?.[1];
  return { type: 'text', text: signature === undefined ? text : `${text}\n${signature}` };
}

function linesLike(text: string, pattern: RegExp): string {
  return text
    .split('\n')
    .filter((line) => pattern.test(line))
    .join('\n');
}

/** Counts the words of four letters or more that two texts share. Shorter words are too common. */
function inCommon(text: string, other: string): number {
  const words = wordsOf(text);
  return wordsOf(other).filter((word) => words.includes(word)).length;
}

function wordsOf(text: string): string[] {
  return [...new Set(text.toLowerCase().match(/\p{L}{4,}/gu))];
}

function call(name: string, input: JsonValue): AssistantPart {
  // The core replaces an id that the session already has.
  return { type: 'tool-call', id: 'call', name, input };
}
