import type { PlainCommand } from '../line/plain-line.ts';
import { fitsReader, type Arguments, type Reader } from './reader.ts';

/** Matches the names of scripts of a package that check or build it. */
const script =
  /^(?:tests?|lint|checks?|type-?check|types|tsc|build|compile|coverage|unit|e2e|(?:format|fmt|prettier)[:-]check)(?:[:.-][\w:.-]*)?$/;

/**
 * Returns a check for `run SCRIPT`, or for one of the scripts that need no `run`. The words after them go to the
 * script.
 */
const runs =
  (direct: RegExp) =>
  ({ operands }: Arguments): boolean => {
    const [first, second] = operands.map(({ text, isOpen }) => (isOpen ? '' : text));
    return direct.test(first ?? '') || (/^run(?:-script)?$/.test(first ?? '') && script.test(second ?? ''));
  };

const managers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['npm', { short: 'sw:', long: 'silent workspace= workspaces if-present', check: runs(/^(?:t|tst|test)$/) }],
  ['pnpm', { short: 'rsF:', long: 'silent recursive filter= if-present stream', check: runs(script) }],
  ['yarn', { short: 's', long: 'silent', check: runs(script) }],
  ['bun', { long: 'silent bail[=] timeout= coverage', check: runs(/^test$/) }],
]);

const paths = { short: 'qvsVhx', long: 'help version verbose quiet silent' };

/** Programs that execute or read the code of a project, with the options that they may get. */
const runners: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  [
    'tsc',
    {
      short: 'p:bv',
      long: 'noEmit project= build pretty strict skipLibCheck incremental listFiles help version',
    },
  ],
  [
    'vitest',
    {
      short: 't:ur',
      long: 'run reporter= testNamePattern= coverage project= bail[=] no-coverage silent passWithNoTests help version',
    },
  ],
  [
    'jest',
    {
      short: 't:iuw:',
      long: 'testNamePattern= coverage runInBand silent verbose bail[=] ci passWithNoTests help version',
    },
  ],
  ['mocha', { short: 'g:b', long: 'grep= bail help version' }],
  ['eslint', { long: 'ext= quiet max-warnings= cache no-cache format= help version' }],
  [
    'oxlint',
    { short: 'D:A:W:', long: 'deny= allow= warn= quiet type-aware max-warnings= format= help version' },
  ],
  [
    'prettier',
    {
      short: 'cl',
      long: 'check list-different help version',
      check: hasOption(/^(?:-c|-l|--check|--list-different|--version)$/),
    },
  ],
  ['biome', { long: 'max-diagnostics= help version', check: starts(/^(?:check|lint|ci)$/) }],
  [
    'pytest',
    {
      short: 'qvsxlk:m:n:',
      long: 'quiet verbose exitfirst maxfail= lf ff tb= co collect-only durations= no-header help version',
    },
  ],
  ['ruff', { long: 'quiet statistics output-format= help version', check: starts(/^check$/) }],
  ['mypy', { long: 'strict ignore-missing-imports help version' }],
  [
    'cargo',
    {
      short: 'qvp:j:r',
      long: 'quiet verbose workspace all all-targets all-features lib bins tests release package= features= no-default-features no-run no-fail-fast message-format= locked offline test= help version',
      check: starts(/^(?:test|t|check|c|build|b|clippy)$/),
    },
  ],
  [
    'make',
    {
      short: 'sknj:',
      long: 'silent keep-going dry-run',
      check: ({ operands }) => operands.every(({ text }) => script.test(text)),
    },
  ],
  ['ctest', { ...paths, short: 'VR:j:', long: 'verbose output-on-failure' }],
]);

/** Options of `go` have one dash. */
const goOptions =
  /^-(?:v|race|short|cover|count(?:=\d+)?|run(?:=.*)?|bench(?:=.*)?|timeout(?:=\w+)?|failfast|json)$/;

/** Returns true if a command checks or builds a project: it executes what the files of the project say. */
export function isTesting([program, ...args]: PlainCommand): boolean {
  if (program === undefined || program.isOpen) return false;
  const [first, ...rest] = args;
  const name = program.text;
  if (name === 'npx' || name === 'bunx') return isRunner(args);
  if (/^(?:pnpm|yarn|npm)$/.test(name) && first?.text === 'exec')
    return isRunner(rest[0]?.text === '--' ? rest.slice(1) : rest);
  if (/^python3?$/.test(name))
    return first?.text === '-m' && isRunner(rest) && /^(?:pytest|mypy|ruff)$/.test(rest[0]?.text ?? '');
  if (name === 'node')
    return (
      first?.text === '--test' &&
      fitsReader({ long: 'test test-reporter= test-name-pattern= test-only watch-none' }, args)
    );
  if (name === 'go')
    return (
      /^(?:test|vet|build)$/.test(first?.text ?? '') &&
      rest.every(({ text }) => !text.startsWith('-') || goOptions.test(text))
    );
  const manager = managers.get(name);
  if (manager === undefined) return isRunner([program, ...args]);
  const end = args.findIndex(({ text }) => text === '--');
  return fitsReader(manager, end === -1 ? args : args.slice(0, end));
}

function isRunner([program, ...args]: PlainCommand): boolean {
  const reader = program === undefined || program.isOpen ? undefined : runners.get(program.text);
  return reader !== undefined && fitsReader(reader, args);
}

function hasOption(needed: RegExp) {
  return ({ options }: Arguments): boolean => options.some(({ name }) => needed.test(name));
}

function starts(needed: RegExp) {
  return ({ operands: [first], options }: Arguments): boolean =>
    first === undefined
      ? options.some(({ name }) => name === '--version')
      : !first.isOpen && needed.test(first.text);
}
