import { toMessage, toMessages, type Message, type MessageInput } from '../../contract/messages.ts';
import { MessageLog } from './message-log.ts';
import { UniqueIds } from './unique-ids.ts';

/** Lists shorter than this are completed faster than they are compared. */
const long = 100;

/**
 * Recently completed long inputs, by their first message: servers that keep conversations pass the whole list again
 * with each run.
 */
const inputs = new WeakMap<object, MessageLog>();

/**
 * Completes a list of input messages. The beginning that a long list shares with an earlier input is not checked again.
 * @throws `MESSAGE_INVALID`
 */
export function completeInput(
  input: readonly MessageInput[],
  newId: () => string,
  plugin?: string,
): Message[] {
  if (input.length < long) {
    const ids = new UniqueIds(() => false, newId);
    return toMessages(input, newId, plugin).map((message) => ids.take(message));
  }
  // Copied first, so that the caller cannot change messages after they were checked.
  const given = [...input];
  const [first] = given;
  const before = isObject(first) ? inputs.get(first) : undefined;
  const known = before === undefined ? 0 : before.countShared(given);
  // The loop below completes the messages that are not known yet.
  const messages = given as Message[];
  const begun = before?.fork(known);
  const ids = new UniqueIds((id) => begun?.hasMessage(id) === true, newId);
  for (let index = known; index < given.length; index += 1) {
    messages[index] = ids.take(toMessage(given[index] as MessageInput, newId, plugin));
  }
  const log = begun ?? MessageLog.of(messages);
  if (before !== undefined) log.append(messages.slice(known));
  log.nameAs(messages);
  inputs.set(messages[0] as Message, log);
  return messages;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
