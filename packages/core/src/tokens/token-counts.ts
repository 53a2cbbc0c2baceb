import type { CountTokens, TokenCounts } from '../contract/count-tokens.ts';
import { fileAsText, textOfFile } from '../contract/file-as-text.ts';
import type { AssistantPart, FilePart, Message } from '../contract/messages.ts';
import type { ChatModel } from '../contract/model.ts';
import type { Tool } from '../contract/tool.ts';
import { estimateTokens } from './estimate-tokens.ts';

/** What each provider adds to a message for its role and its borders, about. */
const tokensPerMessage = 4;
/** The same for a tool call and for a tool: names of members, brackets. */
const tokensPerCall = 8;

/**
 * What a picture costs, about, at a size that fits a screen: between the 258 to 1,500 tokens that providers document.
 * Also for whatever is given by its URL, as nothing of it is known.
 */
const tokensPerPicture = 1500;
/** Bytes of a file per token, by kind, from what providers document per second or page, at common rates of compression. */
const bytesPerToken = { audio: 500, video: 1000, other: 20 };

/** Counts with a function of the application's own, or by `estimateTokens`: what this model is sent, where it is known. */
export function tokenCounts(
  countTokens: CountTokens = estimateTokens,
  model?: Pick<ChatModel, 'takesFile'>,
): TokenCounts {
  const ofMessage = new WeakMap<Message, number>();
  const ofTool = new WeakMap<Tool, number>();
  const ofInstructions = recentOf(countTokens);

  const message = (each: Message): number => {
    let count = ofMessage.get(each);
    if (count === undefined) {
      count = countMessage(each, countTokens, model);
      // Which files it takes, a model may find out only when it is asked.
      const isSettled = model?.takesFile === undefined || each.content.every(({ type }) => type !== 'file');
      if (isSettled && Object.isFrozen(each)) ofMessage.set(each, count);
    }
    return count;
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
    messages: (messages) => messages.reduce((sum, each) => sum + message(each), 0),
    overhead: ({ instructions, tools = [], output }) =>
      (instructions === '' ? 0 : tokensPerMessage + ofInstructions(instructions)) +
      tools.reduce((sum, each) => sum + tool(each), 0) +
      (output === undefined ? 0 : countTokens(JSON.stringify(output.schema))),
  };
  return Object.freeze(counts);
}

/** For how many texts an answer is remembered. */
const maxRecent = 16;

/**
 * Remembers recent answers: instructions are long and seldom change from step to step, but a plugin further in sees others
 * than one further out, and so do runs at the same time.
 */
function recentOf(countTokens: CountTokens): CountTokens {
  const recent = new Map<string, number>();
  return (text) => {
    const count = recent.get(text) ?? countTokens(text);
    // What was asked for last is the last to be forgotten.
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
    // It is not sent: what the model had of it is in the results.
    case 'source':
      return 0;
  }
}

/** Base64 is what the file is sent in, not what it costs. */
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
