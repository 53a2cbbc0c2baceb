// `npm start` and `npm test` come through here. Needs git, Node >= 20 and npm, nothing installed: it brings the
// pinned pnpm, installs what the lockfile names if that has not been done yet, then hands over to the pinned Node.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const windows = process.platform === 'win32';
const pinnedNode = join(root, 'node_modules', 'node', 'bin', windows ? 'node.exe' : 'node');
const stampFile = join(root, 'node_modules', '.shallot-install');

/** @type {Record<string, (args: string[]) => Promise<void>>} */
const commands = {
  start: (args) => runScript(join(root, 'examples', 'quickstart'), 'start', args),
  test: (args) => runScript(root, 'verify', args),
};

const [name = '', ...args] = process.argv.slice(2);
const command = commands[name];
if (command === undefined)
  fail(`Usage: node scripts/bootstrap.js <${Object.keys(commands).join('|')}> […arguments]`);
if (Number.parseInt(process.versions.node, 10) < 20) {
  fail(`Node ${process.versions.node} is too old: Shallot's scripts need Node 20 or newer to start.`);
}
await install();
await command(args);

/** Installs unless the last install was made from the same lockfile and manifests, on the same kind of machine. */
async function install() {
  const stamp = installStamp();
  if (existsSync(pinnedNode) && existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;

  const { packageManager } = readJson(join(root, 'package.json'));
  console.error(
    `Installing dependencies with ${packageManager} (once; about 450 MB on disk, usually under a minute)…`,
  );
  const started = Date.now();
  const install = ['-y', packageManager, 'install', '--frozen-lockfile', '--reporter=append-only'];
  const { status, output } = await run('npx', install, { capture: true });
  if (status > 128) process.exit(status);
  if (status !== 0) fail(explainFailedInstall(output), status);
  if (!existsSync(pinnedNode))
    fail(`The install went through, but ${pinnedNode} is missing: its install script did not run.`);
  writeFileSync(stampFile, stamp);
  console.error(`Installed in ${Math.round((Date.now() - started) / 1000)} s.\n`);
}

function installStamp() {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}\n`);
  const manifests = ['packages', 'examples'].flatMap((folder) =>
    readdirSync(join(root, folder), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => join(folder, entry.name, 'package.json'))
      .sort(),
  );
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'package.json', ...manifests]) {
    const path = join(root, file);
    if (existsSync(path)) hash.update(`${file}\n`).update(readFileSync(path)).update('\n');
  }
  return hash.digest('hex');
}

/** @param {string} output */
function explainFailedInstall(output) {
  /** @type {[RegExp, string][]} */
  const reasons = [
    [
      /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|error sending request|dns error|fetch failed/i,
      'The package registry could not be reached. The first install needs it: check the connection, a proxy (HTTPS_PROXY), and `npm config get registry`.',
    ],
    [
      /OUTDATED_LOCKFILE|frozen-lockfile/i,
      'pnpm-lock.yaml does not fit a package.json. After a change of dependencies run `npx pnpm install` and commit the lockfile.',
    ],
    [/ENOSPC/, 'The disk is full.'],
    [
      /EACCES|EPERM/,
      'A file or folder may not be written: check who owns node_modules and the npm cache (`npm config get cache`).',
    ],
    [
      /E404|404 Not Found/i,
      'The registry does not have a package that the lockfile names: check `npm config get registry`.',
    ],
  ];
  const reason = reasons.find(([pattern]) => pattern.test(output));
  return `\nThe install failed. ${reason ? reason[1] : 'The lines above say why.'}`;
}

/**
 * Runs a package's script without a shell, so that the arguments arrive exactly as they were typed.
 *
 * @param {string} folder
 * @param {string} script
 * @param {string[]} args
 */
async function runScript(folder, script, args) {
  const manifest = join(folder, 'package.json');
  const line = existsSync(manifest) ? readJson(manifest).scripts?.[script] : undefined;
  if (line === undefined) fail(`${manifest} has no script "${script}".`);
  const [program, ...words] = line.split(' ');
  if (program !== 'node')
    fail(`${manifest}: the script "${script}" must start with "node ", received: ${line}`);
  const { status } = await run(pinnedNode, [...words, ...args], { cwd: folder });
  process.exit(status);
}

/**
 * Runs a program to its end. With `capture`, what it prints is shown on stderr and given back.
 *
 * @param {string} program
 * @param {string[]} args
 * @param {{ cwd?: string, capture?: boolean }} options
 * @returns {Promise<{ status: number, output: string }>}
 */
function run(program, args, { cwd = root, capture = false } = {}) {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd,
      stdio: capture ? ['ignore', 'pipe', 'pipe'] : 'inherit',
      shell: windows && program === 'npx',
      env: {
        ...process.env,
        // `npm --silent` would make npx silent as well, also about why it failed. A pnpm that npx has is not asked for again.
        ...(capture ? { npm_config_loglevel: 'error', npm_config_prefer_offline: 'true' } : {}),
        SHALLOT_MACHINE_NODE: process.execPath,
        // Half of what a short process does is compiling: the tests start hundreds of them.
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(root, 'node_modules', '.cache', 'node'),
        PATH: [join(cwd, 'node_modules', '.bin'), join(root, 'node_modules', '.bin'), process.env.PATH].join(
          delimiter,
        ),
      },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
        output = (output + text).slice(-20_000);
        process.stderr.write(text);
      });
    }
    const stopForwarding = forwardSignals(child);
    child.on('error', (error) => {
      fail(
        `${program} could not be started: ${error.message}. ${program === 'npx' ? 'It comes with npm: is npm installed?' : ''}`,
      );
    });
    child.on('close', (code, signal) => {
      stopForwarding();
      resolve({ status: code ?? 128 + (signal ? constants.signals[signal] : 0), output });
    });
  });
}

/**
 * A terminal sends Ctrl-C to the child itself; everywhere else the signal comes to this process alone and is passed on.
 *
 * @param {import('node:child_process').ChildProcess} child
 */
function forwardSignals(child) {
  const onTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  /** @type {NodeJS.Signals[]} */
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  const stops = signals.map((signal) => {
    const listener = () => {
      if (signal !== 'SIGINT' || !onTerminal) child.kill(signal);
    };
    process.on(signal, listener);
    return () => process.off(signal, listener);
  });
  return () => {
    for (const stop of stops) stop();
  };
}

/**
 * @param {string} path
 * @returns {{ packageManager: string, scripts?: Record<string, string> }}
 */
function readJson(path) {
  return /** @type {{ packageManager: string }} */ (JSON.parse(readFileSync(path, 'utf8')));
}

/**
 * @param {string} message
 * @returns {never}
 */
function fail(message, status = 1) {
  console.error(message);
  process.exit(status);
}
