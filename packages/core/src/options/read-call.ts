import type { CallOutput } from '../contract/interrupt.ts';
import type { CallMatcher } from '../contract/permissions/call-matcher.ts';
import type { ToolCall } from '../contract/tool.ts';
import type { Files } from '../files/files.ts';
import type { ReadCall } from './covers-part.ts';

/** The parts of a call that rules consider, and the files that it works on. */
export interface CallToRead extends Pick<ToolCall, 'name' | 'input'> {
  /** The output of the tool's schema, if it differs. */
  readonly output?: CallOutput | undefined;
  readonly files: Files;
  /** Called with the failure of a matcher. */
  readonly onFailure?: (error: unknown) => void;
}

/** Reads a call with the matchers of its tool. If the schema changed the arguments, its output is read. */
export async function readCall(
  { name, input, output, files, onFailure }: CallToRead,
  matchers: readonly CallMatcher[],
): Promise<ReadCall> {
  const own = matchers.filter((matcher) => matcher.tools().includes(name));
  const subjects = own.flatMap((matcher) => matcher.subjects);
  if (output?.notJson !== undefined) return { tool: name, input: undefined, subjects, touches: undefined };
  const executed = output === undefined ? input : output.value;
  const read = { tool: name, input: executed, subjects };
  if (own.length === 0) return { ...read, touches: undefined };
  try {
    const touches = await Promise.all(
      own.map(async (matcher) => matcher.touches({ name, input: executed }, { files })),
    );
    const known = touches.flatMap((each) => each ?? []);
    return { ...read, touches: touches.includes(undefined) ? undefined : known };
  } catch (error) {
    onFailure?.(error);
    return { ...read, touches: undefined };
  }
}
