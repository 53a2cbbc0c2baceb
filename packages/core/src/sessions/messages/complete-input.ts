import { toMessage, toMessages, type Message, type MessageInput } from '../../contract/messages.ts';
import { MessageLog } from './message-log.ts';

/** Shorter lists are checked in no time. */
const long = 100;

/** Long inputs as they were completed last, by their first message: a server that keeps conversations passes them back with more at their end. */
const inputs = new WeakMap<object, MessageLog>();

/**
 * Brings a list of messages into the form of messages. What a long list has in common with an earlier one that began with the
 * same message is known: it is compared, and not looked at. @throws `MESSAGE_INVALID`
 */
export function completeInput(
  input: readonly MessageInput[],
  newId: () => string,
  plugin?: string,
): Message[] {
  if (input.length < long) return toMessages(input, newId, plugin);
  // A copy first: what is looked at is what is kept.
  const given = [...input];
  const [first] = given;
  const before = isObject(first) ? inputs.get(first) : undefined;
  const known = before === undefined ? 0 : before.countShared(given);
  // Those that are known are messages; the others become such.
  const messages = given as Message[];
  for (let index = known; index < given.length; index += 1) {
    messages[index] = toMessage(given[index] as MessageInput, newId, plugin);
  }
  const log = before === undefined ? MessageLog.of(messages) : before.fork(known);
  if (before !== undefined) log.append(messages.slice(known));
  log.nameAs(messages);
  inputs.set(messages[0] as Message, log);
  return messages;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
