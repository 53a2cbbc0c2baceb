import { describeValue } from '../base/describe-value.ts';
import { ShallotError } from '../base/errors.ts';
import { reasonOf } from '../base/thrown.ts';
import type { CountTokens, TokenCounts } from '../contract/count-tokens.ts';
import type { ChatModel } from '../contract/model.ts';
import type { Tool } from '../contract/tool.ts';
import { tokensPerCall, tokensPerMessage } from './count-message.ts';
import { estimateTokens } from './estimate-tokens.ts';
import { MessageTokens } from './message-tokens.ts';

/** Returns token counts for a model, by the application's function or by `estimateTokens`. */
export function tokenCounts(own?: CountTokens, model?: Pick<ChatModel, 'takesFile'>): TokenCounts {
  const countTokens = own === undefined ? estimateTokens : checked(own);
  const messages = new MessageTokens(countTokens, model);
  const ofTool = new WeakMap<Tool, number>();
  const ofInstructions = recentOf(countTokens);

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
    message: messages.count,
    messages: messages.sum,
    prepare: messages.prepare,
    overhead: ({ instructions, tools = [], output }) =>
      (instructions === '' ? 0 : tokensPerMessage + ofInstructions(instructions)) +
      tools.reduce((total, each) => total + tool(each), 0) +
      (output === undefined ? 0 : countTokens(JSON.stringify(output.schema))),
  };
  return Object.freeze(counts);
}

/**
 * Returns the application's function, which may throw or return anything, with checks that then throw `OPTION_INVALID`.
 */
function checked(countTokens: CountTokens): CountTokens {
  const refusal = (what: string, cause?: unknown): ShallotError =>
    new ShallotError('OPTION_INVALID', {
      message: `countTokens ${what}. It must return the number of tokens of any string.`,
      ...(cause === undefined ? {} : { cause }),
    });
  return (text) => {
    let count: unknown;
    try {
      count = countTokens(text);
    } catch (error) {
      throw refusal(`threw for a string of ${text.length} characters: ${reasonOf(error)}`, error);
    }
    if (typeof count === 'number' && count >= 0 && count < Infinity) return count;
    throw refusal(`returned ${describeValue(count)} for a string of ${text.length} characters`);
  };
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
