import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { JsonObject, Message } from '@shallot/core';

import type { ToolWords } from './tool-words.ts';

/** Calls a function with the path of a file that has the conversation, a line of JSON for each message. */
export async function withTranscript<T>(
  lines: readonly JsonObject[],
  use: (path: string) => Promise<T>,
): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'shallot-hook-'));
  try {
    const path = join(directory, 'transcript.jsonl');
    await writeFile(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''), { mode: 0o600 });
    return await use(path);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

interface TranscriptSetting {
  readonly sessionId: string;
  readonly cwd: string;
  readonly root: string | undefined;
  readonly words: ToolWords;
}

/** Returns messages as lines of a transcript. System messages are left out, as in the format. */
export function transcriptLines(
  messages: readonly Message[],
  { sessionId, cwd, root, words }: TranscriptSetting,
): readonly JsonObject[] {
  return messages.flatMap((message, index): JsonObject[] => {
    if (message.role === 'system') return [];
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const content =
      message.role === 'tool'
        ? [
            {
              type: 'tool_result',
              tool_use_id: message.callId,
              content: textsOf(message).map((text) => ({ type: 'text', text })),
              is_error: message.isError ?? false,
            },
          ]
        : partsOf(message, root, words);
    const before = messages[index - 1]?.id ?? null;
    return [{ parentUuid: before, uuid: message.id, type: role, message: { role, content }, sessionId, cwd }];
  });
}

function partsOf(message: Message, root: string | undefined, words: ToolWords): JsonObject[] {
  return message.content.flatMap((part): JsonObject[] => {
    if (part.type === 'text') return [{ type: 'text', text: part.text }];
    if (part.type === 'reasoning') return [{ type: 'thinking', thinking: part.text }];
    if (part.type !== 'tool-call') return [];
    const { tool_name: name, tool_input: input } = words.toForeign(part, root);
    return [{ type: 'tool_use', id: part.id, name, input }];
  });
}

function textsOf({ content }: Message): readonly string[] {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
}
