import { figuresOf } from './node-process.ts';

const timeoutMs = 60_000;
const report = `const { user, system } = process.cpuUsage();
process.stdout.write(JSON.stringify({ cpuMs: (user + system) / 1000, wallMs: performance.now() }) + '\\n');`;

// Counts only files: Node's built-in modules are not read from disk.
const counter = `import { registerHooks } from 'node:module';
let modules = 0;
registerHooks({
  load(url, context, nextLoad) {
    if (url.startsWith('file:')) modules += 1;
    return nextLoad(url, context);
  },
});`;

/**
 * Measures the CPU milliseconds that importing `specifier` from `cwd` adds to an empty process, and the files that it
 * loads.
 */
export async function measureImport(specifier: string, cwd: string): Promise<Record<string, number>> {
  const empty = await runScript(report, cwd);
  const loaded = await runScript(`await import(${JSON.stringify(specifier)});\n${report}`, cwd);
  const counted = await runScript(
    `${counter}\nawait import(${JSON.stringify(specifier)});\nprocess.stdout.write(JSON.stringify({ modules }) + '\\n');`,
    cwd,
  );
  return {
    cpuMs: overEmpty(loaded, empty, 'cpuMs'),
    wallMs: overEmpty(loaded, empty, 'wallMs'),
    modules: counted['modules'] ?? Number.NaN,
  };
}

function runScript(script: string, cwd: string): Promise<Record<string, number>> {
  return figuresOf(['--input-type=module', '--eval', script], { cwd, timeoutMs });
}

function overEmpty(full: Record<string, number>, empty: Record<string, number>, figure: string): number {
  return (full[figure] ?? Number.NaN) - (empty[figure] ?? Number.NaN);
}
