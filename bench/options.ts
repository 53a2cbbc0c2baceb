import { parseArgs } from 'node:util';

import type { Effort } from './measures/samples.ts';

export interface Options {
  readonly rounds: number;
  readonly effort: Effort;
  readonly quick: boolean;
  /** The ids of the cases, or prefixes of them; empty for all. */
  readonly cases: readonly string[];
  /** The names of the subjects; empty for all. */
  readonly subjects: readonly string[];
  readonly json: string | undefined;
  /** True if the processes are profiled, which slows them down. */
  readonly profile: boolean;
}

export const usage = `Usage: pnpm bench:peers [--quick] [--rounds N] [--case ID]… [--subject NAME]… [--json FILE] [--profile]

  --quick         one short round, without the slow cases
  --rounds N      rounds in which all subjects take their turn (default 3)
  --case ID       only this case, or those whose id begins so; may be repeated
  --subject NAME  only this subject; may be repeated
  --json FILE     writes the figures of every round
  --profile       shows in which functions the time was spent; the figures are then too high
  --list          lists cases and subjects`;

const thorough: Effort = Object.freeze({ warmupMs: 2500, sampleMs: 20, samples: 15 });
/** Takes so long that the start of the process is only a small part of the profile. */
const profiled: Effort = Object.freeze({ warmupMs: 1000, sampleMs: 30, samples: 61 });
const quick: Effort = Object.freeze({ warmupMs: 150, sampleMs: 10, samples: 7 });

/** Reads the command line. @throws `TypeError` for an unknown argument */
export function readOptions(args: readonly string[]): Options | 'help' | 'list' {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      case: { type: 'string', multiple: true, default: [] },
      subject: { type: 'string', multiple: true, default: [] },
      json: { type: 'string' },
      profile: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return 'help';
  if (values.list) return 'list';
  const rounds =
    values.rounds === undefined ? (values.quick || values.profile ? 1 : 3) : Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) {
    throw new TypeError(`--rounds is ${values.rounds}: give a whole number from 1`);
  }
  return {
    rounds,
    effort: values.profile ? profiled : values.quick ? quick : thorough,
    quick: values.quick,
    cases: values.case,
    subjects: values.subject,
    json: values.json,
    profile: values.profile,
  };
}
