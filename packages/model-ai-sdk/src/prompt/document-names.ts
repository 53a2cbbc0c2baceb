import type { PromptMessage } from '../sdk/language-model.ts';

interface NamedPart {
  readonly type: string;
  readonly mediaType?: string;
  readonly filename?: string;
  readonly output?: { readonly type: string; readonly value?: unknown };
}

/**
 * Renames the documents of a prompt as Bedrock requires: plain characters, single blanks, and no name twice. Its package
 * only removes the extension and other characters.
 */
export function withDocumentNames(prompt: readonly PromptMessage[]): PromptMessage[] {
  const taken = new Set<string>();
  const renamed = (part: NamedPart): NamedPart => {
    if (part.output?.type === 'content')
      return { ...part, output: { ...part.output, value: renamedAll(part.output.value) } };
    return isDocument(part) ? { ...part, filename: freeName(part.filename, taken) } : part;
  };
  const renamedAll = (content: unknown): unknown =>
    Array.isArray(content) && content.some(mayHaveDocument) ? content.map(renamed) : content;
  return prompt.map((message) => ({ ...message, content: renamedAll(message.content) }) as PromptMessage);
}

export function isDocument({ type, mediaType = '' }: NamedPart): boolean {
  return type.startsWith('file') && !/^(?:image|video)\//i.test(mediaType);
}

function mayHaveDocument(part: NamedPart): boolean {
  return isDocument(part) || part.output?.type === 'content';
}

function freeName(filename = '', taken: Set<string>): string {
  const plain = filename
    .replace(/\.[^.]*$/, '')
    .replaceAll(/[^a-zA-Z0-9\s()[\]-]/g, '-')
    .replaceAll(/\s+/g, ' ')
    .slice(0, 190)
    .trim();
  const name = plain === '' ? 'document' : plain;
  let free = name;
  // Bedrock ignores case.
  for (let number = 2; taken.has(free.toLowerCase()); number += 1) free = `${name} (${number})`;
  taken.add(free.toLowerCase());
  return free;
}
