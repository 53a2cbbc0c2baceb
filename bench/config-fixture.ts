import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { publishedFolder } from './published-packages.ts';

const model = `export default {
  id: 'bench/scripted',
  async generate() {
    return {
      message: { role: 'assistant', content: [{ type: 'text', text: 'As far as you like.' }] },
      usage: { input: 10, output: 5, total: 15 },
      finish: 'stop',
    };
  },
};
`;

/** The source of a program that asks the same model the same question without a framework. */
const byHand = `import model from './model.js';
const content = [{ type: 'text', text: process.argv.slice(2).join(' ') }];
const messages = [{ role: 'user', content }];
const { message } = await model.generate({ instructions: 'Count.', messages });
console.log(message.content.map((part) => part.text).join(''));
`;

/** A project in a temporary folder, with the path of a program that does the same without a framework. */
export interface ConfigFixture {
  readonly folder: string;
  readonly byHand: string;
  remove(): void;
}

/** Creates a project with a YAML config that lists plugins by name. */
export function createConfigFixture(plugins: readonly string[]): ConfigFixture {
  const folder = mkdtempSync(join(tmpdir(), 'shallot-bench-config-'));

  const dependencies = Object.fromEntries(plugins.map((name) => [`@shallot/plugin-${name}`, '*']));
  writeJson(join(folder, 'package.json'), { name: 'bench', private: true, type: 'module', dependencies });
  writeFileSync(join(folder, 'model.js'), model);
  writeFileSync(join(folder, 'by-hand.js'), byHand);
  const lines = [
    'model: ./model.js',
    'instructions: Count.',
    'plugins:',
    ...plugins.map((name) => `  - ${name}`),
  ];
  writeFileSync(join(folder, 'shallot.config.yaml'), `${lines.join('\n')}\n`);

  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(dirname(publishedFolder('@shallot/core')), join(folder, 'node_modules', '@shallot'), 'dir');

  return {
    folder,
    byHand: join(folder, 'by-hand.js'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function writeJson(path: string, value: unknown): void {
  writeFileSync(path, `${JSON.stringify(value, undefined, 2)}\n`);
}
