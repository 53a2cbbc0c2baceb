import type { FaultyProject, Obedience } from './faulty-project.ts';

/** A faulty project whose report says what to write, and which is healthy once that is written. */
export interface AdvisedProject extends FaultyProject {
  readonly stdin?: string;
}

/** The character that marks the place of the fault in a config; it is not part of it. */
const mark = '«';

const yaml = 'shallot.config.yaml';

type Told = Omit<AdvisedProject, 'fault' | 'files' | 'at'> & {
  readonly files?: Readonly<Record<string, string>>;
  readonly at?: string;
};

/**
 * A project with this config, in which a mark stands before the fault. It has the offline model if the config names
 * none; `shallot doctor` looks at it if no other arguments are given.
 */
export function advised(fault: string, text: string, told: Told): AdvisedProject {
  const whole = /^«?model:/m.test(text) ? text : `model: offline\n${text}`;
  const before = whole.slice(0, Math.max(whole.indexOf(mark), 0));
  const lines = before.split('\n');
  const place = `${yaml}:${lines.length}:${(lines.at(-1)?.length ?? 0) + 1}`;
  const { files, args = ['doctor'], at = whole.includes(mark) ? place : undefined, ...others } = told;
  return {
    fault,
    ...others,
    args,
    ...(at !== undefined && { at }),
    files: { ...files, [yaml]: whole.replace(mark, '') },
  };
}

/** A config, to be written by who obeys. */
export function rewritten(text: string): Obedience {
  return { files: { [yaml]: /^model:/m.test(text) ? text : `model: offline\n${text}` } };
}
