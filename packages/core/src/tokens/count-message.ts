import type { CountTokens } from '../contract/count-tokens.ts';
import { fileAsText, textOfFile } from '../contract/file-as-text.ts';
import type { AssistantPart, FilePart, Message } from '../contract/messages.ts';
import type { ChatModel } from '../contract/model.ts';

/** The approximate tokens that providers add per message for its role and delimiters. */
export const tokensPerMessage = 4;
/** The approximate tokens that providers add per tool call and per tool for member names and brackets. */
export const tokensPerCall = 8;

/**
 * The approximate tokens of a screen-sized image: providers document 258 to 1,500. Also used for files given by URL.
 */
const tokensPerPicture = 1500;

/** Bytes per token by kind of file, derived from documented tokens per second or page at common compression rates. */
const bytesPerToken = { audio: 500, video: 1000, other: 20 };

/** Returns the tokens of a message. Files that the model does not accept are sent as text. */
export function countMessage(
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
    // Sources are not sent: their content is in the results.
    case 'source':
      return 0;
  }
}

/**
 * Estimates the tokens of a file: of a text file by its text, of an image, or a file given by URL, at a fixed number,
 * of others by the decoded size.
 */
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
