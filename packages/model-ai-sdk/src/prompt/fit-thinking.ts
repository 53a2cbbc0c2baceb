import type { CallOptions, PartOf, PromptMessage } from '../sdk/language-model.ts';
import { isJsonObject } from '../sdk/metadata.ts';

type Options = NonNullable<CallOptions['providerOptions']>;
type AskedThinking = Pick<CallOptions, 'prompt' | 'providerOptions' | 'toolChoice'>;

/** The settings that enable thinking with a budget for Anthropic's models, by the name that the package reads. */
const settings: Readonly<Record<string, string>> = {
  anthropic: 'thinking',
  bedrock: 'reasoningConfig',
  amazonBedrock: 'reasoningConfig',
};

/**
 * Returns the changes that a call with thinking enabled needs so that the model accepts it, and the reason; undefined
 * if no change is needed. The model requires that a turn in progress began with a thought, and that no tool call is
 * forced.
 */
export function fitThinking(
  call: AskedThinking,
): (Partial<AskedThinking> & { readonly why: string }) | undefined {
  const on = Object.entries(settings).filter(([name, key]) => {
    const setting = call.providerOptions?.[name]?.[key];
    return isJsonObject(setting) && setting['type'] === 'enabled';
  });
  if (on.length === 0) return undefined;
  const { type: choice } = call.toolChoice ?? {};
  const { start, hasResults } = lastTurn(call.prompt);
  const isUnderWay = hasResults && !startsWithThought(call.prompt[start]);
  if (!isUnderWay && choice !== 'required' && choice !== 'tool') return undefined;
  return {
    providerOptions: turnedOff(call.providerOptions, on),
    // Without thinking, the turn may not contain thoughts.
    prompt: call.prompt.map((message, index) => (index < start ? message : withoutThoughts(message))),
    why: isUnderWay
      ? 'This turn began without a thought of this model, so it goes on without thinking.'
      : 'A call of a tool is forced, which this model does not do while thinking, so it does not think in this step.',
  };
}

/**
 * Returns the last turn of the assistant. User text right after results belongs to the same message, and starts no new
 * turn.
 */
function lastTurn(prompt: CallOptions['prompt']): { readonly start: number; readonly hasResults: boolean } {
  let start = 0;
  let hasResults = false;
  for (const [index, { role }] of prompt.entries()) {
    if (role === 'tool') hasResults = true;
    else if (role === 'assistant') hasResults = false;
    else if (role === 'user' && !hasResults) start = index + 1;
  }
  return { start, hasResults };
}

function startsWithThought(message: PromptMessage | undefined): boolean {
  if (message?.role !== 'assistant') return true;
  const [first] = message.content as readonly PartOf<'assistant'>[];
  return first?.type === 'reasoning' && first.providerOptions !== undefined;
}

function turnedOff(given: Options | undefined, on: readonly (readonly [string, string])[]): Options {
  const changed = on.map(([name, key]) => [name, { ...given?.[name], [key]: { type: 'disabled' } }] as const);
  return { ...given, ...Object.fromEntries(changed) };
}

function withoutThoughts(message: PromptMessage): PromptMessage {
  if (message.role !== 'assistant') return message;
  const content = (message.content as readonly PartOf<'assistant'>[]).filter(
    ({ type }) => type !== 'reasoning',
  );
  return { ...message, content } as PromptMessage;
}
