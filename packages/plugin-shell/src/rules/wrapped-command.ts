import type { PlainCommand } from '../line/plain-line.ts';
import { readArguments, type Reader } from '../presets/reader.ts';

/** Programs that execute a command unchanged, with their options and the number of operands that stand before it. */
const wrappers: ReadonlyMap<string, { readonly reader: Reader; readonly operands: number }> = new Map([
  ['nice', { reader: { short: 'n:0123456789', long: 'adjustment=', maxOperands: 0 }, operands: 0 }],
  ['nohup', { reader: { maxOperands: 0 }, operands: 0 }],
  ['time', { reader: { short: 'p', maxOperands: 0 }, operands: 0 }],
  [
    'timeout',
    {
      reader: {
        short: 'k:s:v',
        long: 'foreground kill-after= preserve-status signal= verbose',
        maxOperands: 0,
      },
      operands: 1,
    },
  ],
]);

/**
 * Returns the command that `timeout 60`, `nice`, `nohup` or `time` executes; the command itself if it has none of
 * these.
 */
export function wrappedCommand(command: PlainCommand): PlainCommand {
  let inner = command;
  for (;;) {
    const [program, ...args] = inner;
    const wrapper = program?.isOpen === false ? wrappers.get(program.text) : undefined;
    const operands = wrapper && readArguments(wrapper.reader, args)?.operands;
    if (wrapper === undefined || operands === undefined || operands.length <= wrapper.operands) return inner;
    if (operands.slice(0, wrapper.operands + 1).some(({ isOpen }) => isOpen)) return inner;
    inner = operands.slice(wrapper.operands);
  }
}
