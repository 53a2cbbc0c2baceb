const debug = ['--debug', 'print stacks and causes of errors; also SHALLOT_DEBUG=1'] as const;
const json = ['--json', 'print JSON'] as const;
const session = ['-s, --session <id>', 'the session to continue, or to start under this id'] as const;
const mode = ['--mode <mode>', 'what is executed without a question: read-only, ask or edits'] as const;
const timeout = [
  '--timeout <seconds>',
  'how long each call of the package manager may take; default: 120',
] as const;
const dryRun = ['--dry-run', 'show what would be written, and write nothing'] as const;
const askNothing = ['-y, --yes', 'ask nothing'] as const;

/** The flags of commands that use a config file. */
const config = [
  ['-c, --config <path>', 'the config file; default: the nearest one in the working directory or above'],
  debug,
] as const;
/** The flags of commands that run an agent. */
const traced = [
  ...config,
  ['-q, --quiet', 'no progress on stderr; warnings, errors and questions remain'],
  ['--reasoning', "show the model's reasoning on stderr; default: only on a terminal"],
  ['--no-reasoning', "hide the model's reasoning"],
  ['--trace [file]', 'record the run in a file for shallot trace; default: .shallot/traces/…'],
  ['--trace-content', 'the same, including messages, arguments and results'],
] as const;
/** The flags of commands that execute a single run. */
const conducted = [
  ...traced,
  ['--no-ask', 'never ask, even on a terminal: stop with the open questions'],
  ['--json', 'print every event as a line of JSON to stdout; never ask'],
] as const;
/** The flags of commands that change a project's packages and config. */
const changing = [
  ...config,
  ['-y, --yes', 'make the change without a question'],
  ['--dry-run', 'show the change, and do not make it'],
  timeout,
] as const;
const question = ['<id>', "the question's id, or a prefix of it"] as const;

/** The flags and arguments shared by several commands. */
export const sharedFlags = {
  askNothing,
  changing,
  conducted,
  config,
  debug,
  dryRun,
  json,
  mode,
  question,
  session,
  timeout,
  traced,
} as const;
