// Checks the documents: TypeScript and JavaScript fences compile against the workspace's sources, YAML and JSON fences
// parse, and relative links lead to a file and a heading that exist. A YAML fence that begins with
// `# shallot.config.yaml` must be a valid config. A fence `text output` must show what the source fence before it prints.
//
// A fence that begins with a comment like `// plugins/audit.ts` becomes that file, and later fences of the document can
// import it; so does a fence `json package.json`. Code that a fence needs but should not show goes into a comment
// directly before it: `<!-- given: … -->`.
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

import { parseAllDocuments } from 'yaml';

import { parseConfigText } from '../packages/core/src/config/load-config.ts';
import { readMarkdown, type Fence, type MarkdownDocument } from './markdown.ts';
import { runToEnd } from './run-to-end.ts';
import { root, workspacePackages } from './workspace.ts';

const workFolder = join(root, '.docs-check');
const documentGlobs = ['README.md', 'ARCHITECTURE.md', 'docs/**/*.md', '{packages,examples}/*/README.md'];

/** The place that a line of a generated file comes from. */
interface Origin {
  readonly document: string;
  /** The number to add to a line of the file to get the line of the document. */
  readonly offset: number;
}

/** The output that a document shows for a fence. */
interface ShownOutput {
  readonly file: string;
  readonly document: string;
  readonly line: number;
  readonly text: string;
}

const problems: string[] = [];
const shownOutputs: ShownOutput[] = [];
const origins = new Map<string, Origin>();
const documents = new Map<string, MarkdownDocument>(
  documentGlobs
    .flatMap((pattern) => globSync(pattern, { cwd: root }).toSorted())
    .map((path) => [path, readMarkdown(readFileSync(join(root, path), 'utf8'))]),
);

const languages: Readonly<Record<string, (fence: Fence, document: string) => void | Promise<void>>> = {
  ts: collectSource,
  js: collectSource,
  yaml: checkYaml,
  json: checkJson,
  text: collectOutput,
  console: acceptAsShown,
  sh: acceptAsShown,
};

rmSync(workFolder, { recursive: true, force: true });
for (const [path, document] of documents) {
  for (const fence of document.fences) await checkFence(fence, path);
  checkLinks(path, document);
}
if (origins.size > 0) await compileSources();
if (problems.length === 0) await compareOutputs();

if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exitCode = 1;
} else {
  const all = [...documents.values()];
  const fences = all.flatMap((document) => document.fences).length;
  const links = all.flatMap((document) => document.links).length;
  const sources = `${origins.size} compiled, ${shownOutputs.length} run`;
  console.log(`${documents.size} documents, ${fences} fences (${sources}), ${links} links`);
}

async function checkFence(fence: Fence, document: string): Promise<void> {
  const check = languages[fence.language];
  const at = `${document}:${fence.line - 1}`;
  if (!check) {
    const known = Object.keys(languages).join(', ');
    problems.push(`${at} - a fence must name its language, one of ${known}; received "${fence.info}"`);
  } else if (/\bignore\b/.test(fence.info) && check !== acceptAsShown && check !== collectOutput) {
    problems.push(
      `${at} - a ${fence.language} fence may not be ignored: make it compile, or show it as text`,
    );
  } else {
    await check(fence, document);
  }
}

function acceptAsShown(): void {
  // Terminal commands and their output, which cannot be checked here.
}

async function checkYaml({ code, line }: Fence, document: string): Promise<void> {
  const before = problems.length;
  for (const { errors } of parseAllDocuments(code, { prettyErrors: false })) {
    for (const { message, pos } of errors) {
      const linesBefore = code.slice(0, pos[0]).split('\n').length - 1;
      problems.push(`${document}:${line + linesBefore} - ${message}`);
    }
  }
  if (problems.length > before || !code.startsWith('# shallot.config.yaml')) return;
  try {
    await parseConfigText(code, 'shallot.config.yaml');
  } catch (error) {
    problems.push(`${document}:${line} - ${String(error)}`);
  }
}

function checkJson({ info, code, line }: Fence, document: string): void {
  try {
    JSON.parse(code);
  } catch (error) {
    problems.push(`${document}:${line} - ${String(error)}`);
    return;
  }
  // A package's sources import their package.json.
  if (info === 'json package.json') writeFileSync(freeName(document, 'package.json'), code);
}

function collectOutput({ info, code, line }: Fence, document: string): void {
  if (!/\boutput\b/.test(info)) return;
  const [file] = [...origins].findLast(([, origin]) => origin.document === document) ?? [];
  if (file === undefined) problems.push(`${document}:${line} - an output needs a source fence before it`);
  else shownOutputs.push({ file: join(root, file), document, line, text: code });
}

function collectSource({ code, given, language, line }: Fence, document: string): void {
  const name = /^\/\/ (\S+\.[jt]s)\s*$/m.exec(code.split('\n', 1)[0] ?? '')?.[1];
  const file = freeName(document, name ?? `fence-${line}.${language}`);
  mkdirSync(dirname(file), { recursive: true });
  const prelude = given === '' ? [] : given.split('\n');
  const isModule = /^\s*(import|export)\b/m.test(`${given}\n${code}`);
  writeFileSync(file, [...prelude, code, ...(isModule ? [] : ['export {};\n'])].join('\n'));
  origins.set(relative(root, file), { document, offset: line - 1 - prelude.length });
}

/**
 * Returns a path for a file. If the document already has a file of that name, it shows another version, so this starts
 * a new folder, which later fences share.
 */
function freeName(document: string, name: string): string {
  const folder = join(workFolder, document.replaceAll('/', '--'));
  let version = 1;
  while (existsSync(join(folder, String(version + 1)))) version++;
  const file = join(folder, String(version), name);
  return existsSync(file) ? join(folder, String(version + 1), name) : file;
}

async function compileSources(): Promise<void> {
  linkPackages();
  writeFileSync(join(workFolder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  writeFileSync(
    join(workFolder, 'tsconfig.json'),
    JSON.stringify({
      extends: '../tsconfig.json',
      include: ['**/*', '../packages/*/src/*.d.ts'],
      exclude: ['node_modules'],
    }),
  );
  const { status, stdout } = await runToEnd('tsc', ['--project', workFolder, '--pretty', 'false']);
  if (status === 0) return;
  problems.push(...stdout.trim().split('\n').map(atItsDocument));
}

async function compareOutputs(): Promise<void> {
  if (shownOutputs.length === 0) return;
  const files = shownOutputs.map(({ file }) => file);
  const options = { timeoutMs: 60_000 };
  const { status, stdout, output } = await runToEnd('node', ['scripts/print-fences.ts', ...files], options);
  if (status !== 0) {
    problems.push(`The fences with an output could not be run:\n${output}`);
    return;
  }
  const printed = JSON.parse(stdout) as Readonly<Record<string, string>>;
  for (const { file, document, line, text } of shownOutputs) {
    if (printed[file] === text) continue;
    problems.push(`${document}:${line} - the fence before this prints something else:\n${printed[file]}`);
  }
}

/** Lets documents import whatever a workspace package may import. */
function linkPackages(): void {
  const targets = new Map<string, string>();
  for (const { folder, manifest } of workspacePackages()) {
    for (const name of Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })) {
      targets.set(name, join(folder, 'node_modules', name));
    }
  }
  for (const { folder, manifest } of workspacePackages()) targets.set(manifest.name, folder);
  for (const [name, target] of targets) {
    const link = join(workFolder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(target, link, 'dir');
  }
}

function atItsDocument(message: string): string {
  const match = /^(?<file>[^(]+)\((?<line>\d+),(?<column>\d+)\): (?<text>.*)$/.exec(message);
  const origin = origins.get(match?.groups?.file ?? '');
  if (!match?.groups || !origin) return message;
  const line = Number(match.groups.line) + origin.offset;
  return `${origin.document}:${line}:${match.groups.column} - ${match.groups.text}`;
}

function checkLinks(path: string, { links }: MarkdownDocument): void {
  for (const { target, line } of links) {
    if (/^[a-z][a-z0-9+.-]*:/i.test(target)) continue;
    const [file = '', anchor] = decodeURI(target).split('#');
    const absolute = file === '' ? join(root, path) : resolve(root, dirname(path), file);
    if (!existsSync(absolute)) {
      problems.push(`${path}:${line} - ${target} leads nowhere: there is no ${relative(root, absolute)}`);
    } else if (anchor !== undefined && absolute.endsWith('.md') && !anchorsOf(absolute).has(anchor)) {
      problems.push(`${path}:${line} - ${target} leads nowhere: no heading makes the anchor #${anchor}`);
    }
  }
}

function anchorsOf(path: string): ReadonlySet<string> {
  const known = documents.get(relative(root, path));
  return (known ?? readMarkdown(readFileSync(path, 'utf8'))).anchors;
}
