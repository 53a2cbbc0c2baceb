// The entry point of `npm start`, here and in an example, and of `npm test`. Needs git, Node >= 20 and npm, and no
// installed packages: it fetches the pinned pnpm, and installs what the lockfile names unless that has been done. The
// tests get everything, and the pinned Node. An example gets what it needs to run, and the machine's own Node if that
// is new enough.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const windows = process.platform === 'win32';
const pinnedNode = join(root, 'node_modules', 'node', 'bin', windows ? 'node.exe' : 'node');
const stamps = join(root, 'node_modules', '.shallot-install');

/** @type {Record<string, (args: string[]) => Promise<void>>} */
const commands = {
  start: (args) => runExample(join(root, 'examples', 'quickstart'), args),
  // npm runs a script in the folder of its package.
  example: (args) => runExample(process.cwd(), args),
  test: (args) => runVerify(args),
};

const [name = '', ...args] = process.argv.slice(2);
const command = commands[name];
if (command === undefined)
  fail(`Usage: node scripts/bootstrap.js <${Object.keys(commands).join('|')}> […arguments]`);
if (Number.parseInt(process.versions.node, 10) < 20) {
  fail(`Node ${process.versions.node} is too old: Shallot's scripts need Node 20 or newer to start.`);
}
await command(args);

/**
 * Runs the `start.ts` of an example, and exits with its status.
 *
 * @param {string} folder
 * @param {string[]} args
 */
async function runExample(folder, args) {
  const { name } = readJson(join(folder, 'package.json'));
  if (name === undefined) fail(`${join(folder, 'package.json')} has no name.`);
  // Includes the repository's own dependencies: the packages import some of them from source, and are built with
  // others.
  const { name: own } = readJson(join(root, 'package.json'));
  await install(name, ['--prod', '--filter-prod', `${name}...`, '--filter-prod', `${own}`]);
  const node = canRun(process.versions.node) ? process.execPath : await fetchNode();
  const { status } = await run(node, ['start.ts', ...args], { cwd: folder });
  process.exit(status);
}

/** @param {string[]} args */
async function runVerify(args) {
  await install('all', []);
  if (!existsSync(pinnedNode))
    fail(`The install went through, but ${pinnedNode} is missing: its install script did not run.`);
  await runScript(root, 'verify', args);
}

/**
 * Returns true for a version that runs TypeScript, as the packages need it: ^22.18 || >=24.
 *
 * @param {string} version
 */
function canRun(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major >= 24 || (major === 22 && minor >= 18);
}

/**
 * Returns the pinned Node, and fetches it if this clone does not have it. Only the program is unpacked: installing the
 * package would take several times as much CPU time, for 2,800 headers that nobody needs.
 *
 * @returns {Promise<string>}
 */
async function fetchNode() {
  const version = pinnedVersion();
  const program = windows ? 'node.exe' : 'node';
  const cache = join(root, 'node_modules', '.cache');
  const node = join(cache, `node-${version}`, program);
  if (existsSync(node)) return offerNode(node);
  const unpacked = join(cache, `unpacking-${process.pid}`);
  mkdirSync(unpacked, { recursive: true });
  console.error(`Fetching Node ${version} (once; 50 MB)…`);
  const prefix = process.platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node';
  const name = `${prefix}-${windows ? 'win' : process.platform}-${process.arch}`;
  const packed = await run('npm', ['pack', `${name}@${version}`], { cwd: unpacked, capture: true });
  if (packed.status > 128) process.exit(packed.status);
  if (packed.status !== 0) fail(explainFailedInstall(packed.output), packed.status);
  const words = ['-xzf', `${name}-${version}.tgz`, `package/bin/${program}`];
  const { status } = await run('tar', words, { cwd: unpacked });
  if (status !== 0) fail(`Node ${version} could not be unpacked.`, status);
  mkdirSync(dirname(node), { recursive: true });
  renameSync(join(unpacked, 'package', 'bin', program), node);
  rmSync(unpacked, { recursive: true });
  return offerNode(node);
}

/**
 * Makes a Node the one that npx finds in this clone, unless an install has provided one. Returns its path.
 *
 * @param {string} node
 */
function offerNode(node) {
  const bin = join(root, 'node_modules', '.bin');
  const command = join(bin, windows ? 'node.cmd' : 'node');
  if (existsSync(command)) return node;
  mkdirSync(bin, { recursive: true });
  // A script, not a link: writing to a link would overwrite the program. If the program is gone, the script runs the
  // machine's own Node.
  const quoted = `'${node.replaceAll("'", String.raw`'\''`)}'`;
  const script = windows
    ? `@"${node}" %*\r\n`
    : `#!/bin/sh\n[ -x ${quoted} ] || { rm -f "$0"; exec node "$@"; }\nexec ${quoted} "$@"\n`;
  writeFileSync(command, script, { mode: 0o755 });
  return node;
}

/** Returns the version of the pinned Node. */
function pinnedVersion() {
  const [, version] =
    /^nodeVersion: (\S+)$/m.exec(readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8')) ?? [];
  if (version === undefined) fail('pnpm-workspace.yaml has no nodeVersion.');
  return version;
}

/**
 * Installs unless that was done with the same lockfile and manifests on the same kind of machine. The selection `all`
 * includes what any example needs.
 *
 * @param {string} what
 * @param {string[]} selection
 */
async function install(what, selection) {
  const stamp = installStamp();
  if (['all', what].some((each) => isStamped(each, stamp))) return;
  // If everything is installed, installs everything again: a selection would remove the rest.
  if (selection.length > 0 && existsSync(pinnedNode)) return install('all', []);
  const { packageManager = '' } = readJson(join(root, 'package.json'));
  const size = selection.length === 0 ? 'about 450 MB on disk, usually under a minute' : 'some seconds';
  console.error(`Installing dependencies with ${packageManager} (once; ${size})…`);
  const started = Date.now();
  // For an example the lockfile may change, because its user may have added a dependency. The tests use what is
  // committed.
  const frozen =
    selection.length === 0 ? ['--frozen-lockfile'] : ['--no-frozen-lockfile', '--prefer-frozen-lockfile'];
  // Trusted, because checking this repository's own lockfile would load 240 MB about the releases of each package.
  const how = ['install', ...frozen, '--trust-lockfile', '--config.update-notifier=false'];
  const words = ['-y', tarballOf(packageManager), ...how, '--reporter=append-only', ...selection];
  const { status, output } = await run('npx', words, { capture: true });
  if (status > 128) process.exit(status);
  if (status !== 0) fail(explainFailedInstall(output), status);
  // Installing one selection may have removed the packages of another.
  rmSync(stamps, { recursive: true, force: true });
  mkdirSync(stamps, { recursive: true });
  writeFileSync(join(stamps, what), stamp);
  console.error(`Installed in ${Math.round((Date.now() - started) / 1000)} s.\n`);
}

/**
 * Returns the URL of a package version's tarball. Given a name, npm would first load everything that the registry knows
 * about it, which is 10 MB for pnpm.
 *
 * @param {string} named
 */
function tarballOf(named) {
  const [name, version] = named.split('@');
  // npm sets this variable if its registry is not the default one.
  const registry = (process.env.npm_config_registry ?? 'https://registry.npmjs.org').replace(/\/$/, '');
  return `${registry}/${name}/-/${name}-${version}.tgz`;
}

/**
 * @param {string} what
 * @param {string} stamp
 */
function isStamped(what, stamp) {
  const file = join(stamps, what);
  return existsSync(file) && readFileSync(file, 'utf8') === stamp;
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
 * Runs a package's script without a shell, so that the arguments arrive exactly as they were typed. Exits with its
 * status.
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
 * Runs a program to its end. With `capture`, its output is shown on stderr and returned.
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
      shell: windows && ['npm', 'npx'].includes(program),
      env: {
        ...process.env,
        // npm must not look for a newer version of itself, which loads 3 MB. With `capture`, npx reports why it failed
        // even under `npm --silent`, and a pnpm that it has cached is not requested again.
        npm_config_update_notifier: 'false',
        ...(capture
          ? {
              npm_config_loglevel: 'error',
              npm_config_prefer_offline: 'true',
              npm_config_confirm_modules_purge: 'false',
            }
          : {}),
        SHALLOT_MACHINE_NODE: process.execPath,
        // Short processes spend half of their time compiling, and the tests start hundreds of them.
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
        `${program} could not be started: ${error.message}. ${program.startsWith('np') ? 'Is npm installed?' : ''}`,
      );
    });
    child.on('close', (code, signal) => {
      stopForwarding();
      resolve({ status: code ?? 128 + (signal ? constants.signals[signal] : 0), output });
    });
  });
}

/**
 * Passes signals on to the child. On a terminal, Ctrl-C reaches the child directly; everywhere else only this process
 * gets the signal. Returns a function that ends this.
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
 * @returns {{ name?: string, packageManager?: string, scripts?: Record<string, string> }}
 */
function readJson(path) {
  return /** @type {{ name?: string, packageManager?: string, scripts?: Record<string, string> }} */ (
    JSON.parse(readFileSync(path, 'utf8'))
  );
}

/**
 * @param {string} message
 * @returns {never}
 */
function fail(message, status = 1) {
  console.error(message);
  process.exit(status);
}
