import type { CountTokens, TokenCounts } from '../contract/count-tokens.ts';
import { fileAsText, textOfFile } from '../contract/file-as-text.ts';
import type { AssistantPart, FilePart, Message } from '../contract/messages.ts';
import type { ChatModel } from '../contract/model.ts';
import type { Tool } from '../contract/tool.ts';
import { estimateTokens } from './estimate-tokens.ts';

/** The approximate tokens that providers add per message for its role and delimiters. */
const tokensPerMessage = 4;
/** The approximate tokens that providers add per tool call and per tool for member names and brackets. */
const tokensPerCall = 8;

/**
 * The approximate tokens of a screen-sized image: providers document 258 to 1,500. Also used for files given by URL.
 */
const tokensPerPicture = 1500;
/**
 * The characters that one call of `messages` passes to the counting function at most: some 10 ms by `estimateTokens`. The
 * first turn of a long stored session would otherwise stand still for a second for each 20 MB.
 */
const maxCounted = 100_000;

/** Bytes per token by kind of file, derived from documented tokens per second or page at common compression rates. */
const bytesPerToken = { audio: 500, video: 1000, other: 20 };

/** Returns token counts for a model, by the application's function or by `estimateTokens`. */
export function tokenCounts(
  countTokens: CountTokens = estimateTokens,
  model?: Pick<ChatModel, 'takesFile'>,
): TokenCounts {
  const ofMessage = new WeakMap<Message, number>();
  /** The counts of messages that were estimated by their length. */
  const byLength = new WeakMap<Message, number>();
  const ofTool = new WeakMap<Tool, number>();
  const ofInstructions = recentOf(countTokens);

  // A model may learn only during a call which files it accepts.
  const isFinal = (each: Message): boolean =>
    Object.isFrozen(each) &&
    (model?.takesFile === undefined || each.content.every(({ type }) => type !== 'file'));
  const message = (each: Message): number => {
    let count = ofMessage.get(each);
    if (count === undefined) {
      count = countMessage(each, countTokens, model);
      if (isFinal(each)) ofMessage.set(each, count);
    }
    return count;
  };
  const length = (each: Message): number => countMessage(each, (text) => text.length, model);
  const sum = (messages: readonly Message[]): number => {
    const unknown = messages.filter((each) => !ofMessage.has(each) && !byLength.has(each));
    if (isMore(unknown, length, maxCounted)) estimateMost(unknown);
    return messages.reduce((total, each) => total + (byLength.get(each) ?? message(each)), 0);
  };
  /** Counts messages at even distances, and estimates those between them by their length. */
  const estimateMost = (messages: readonly Message[]): void => {
    let [tokens, characters, counted] = [0, 0, 0];
    for (const [index, each] of messages.entries()) {
      if (counted * messages.length <= maxCounted * index) {
        const size = length(each);
        counted += size;
        // The last ten or so say most about the messages that follow.
        tokens = tokens * 0.9 + message(each);
        characters = characters * 0.9 + size;
      } else if (isFinal(each)) {
        const perCharacter = tokens / characters;
        byLength.set(each, Math.ceil(countMessage(each, (text) => text.length * perCharacter, model)));
      }
    }
  };
  const tool = (each: Tool): number => {
    let count = ofTool.get(each);
    if (count === undefined) {
      const { name, description, inputSchema } = each;
      count = tokensPerCall + countTokens(`${name}\n${description}\n${JSON.stringify(inputSchema)}`);
      ofTool.set(each, count);
    }
    return count;
  };
  const counts: TokenCounts = {
    text: countTokens,
    message,
    messages: sum,
    overhead: ({ instructions, tools = [], output }) =>
      (instructions === '' ? 0 : tokensPerMessage + ofInstructions(instructions)) +
      tools.reduce((total, each) => total + tool(each), 0) +
      (output === undefined ? 0 : countTokens(JSON.stringify(output.schema))),
  };
  return Object.freeze(counts);
}

/** The number of cached counts. */
const maxRecent = 16;

/** Caches recent counts: instructions are long and rarely change, but differ between layers and concurrent runs. */
function recentOf(countTokens: CountTokens): CountTokens {
  const recent = new Map<string, number>();
  return (text) => {
    const count = recent.get(text) ?? countTokens(text);
    // Moves the entry to the end, so that the least recently used one is dropped.
    recent.delete(text);
    recent.set(text, count);
    const [oldest] = recent.keys();
    if (recent.size > maxRecent && oldest !== undefined) recent.delete(oldest);
    return count;
  };
}

function countMessage(
  { role, content }: Message,
  countTokens: CountTokens,
  model: Pick<ChatModel, 'takesFile'> | undefined,
): number {
  let count = tokensPerMessage;
  for (const part of content) {
    const isSent = part.type !== 'file' || role === 'system' || (model?.takesFile?.(part, role) ?? true);
    count += isSent ? countPart(part, countTokens) : countTokens(fileAsText(part));
  }
  return count;
}

/** Returns true if the sizes of messages add up to more than `most`. */
function isMore(messages: readonly Message[], size: (message: Message) => number, most: number): boolean {
  let total = 0;
  return messages.some((each) => (total += size(each)) > most);
}

function countPart(part: AssistantPart, countTokens: CountTokens): number {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return countTokens(part.text);
    case 'tool-call':
      return tokensPerCall + countTokens(`${part.name} ${part.raw ?? JSON.stringify(part.input)}`);
    case 'file':
      return countFile(part, countTokens);
    case 'provider-call':
      return tokensPerCall + countTokens(`${part.name} ${JSON.stringify(part.input)}`);
    case 'provider-result':
      return tokensPerCall + countTokens(JSON.stringify(part.result));
    // Sources are not sent: their content is in the results.
    case 'source':
      return 0;
  }
}

/** Estimates the tokens of a file by its decoded size. */
function countFile(file: FilePart, countTokens: CountTokens): number {
  const { mediaType, data } = file;
  const kind = mediaType.split('/', 1)[0]?.toLowerCase();
  if (kind === 'image' || data === undefined) return tokensPerPicture;
  const text = textOfFile(file);
  if (text !== undefined) return countTokens(text);
  const bytes = Math.ceil(data.length * 0.75);
  const perToken = kind === 'audio' || kind === 'video' ? bytesPerToken[kind] : bytesPerToken.other;
  return Math.ceil(bytes / perToken);
}
