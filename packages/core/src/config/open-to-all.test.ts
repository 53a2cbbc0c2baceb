import { expect, it } from 'vitest';

import { makeProject } from '../../test/test-project.ts';
import { diagnose } from './diagnose.ts';

const file = 'shallot.config.yaml';

it.each([
  ['refuses a host that others reach without tokens', 'host: 0.0.0.0', ['CONFIG_INVALID']],
  ['leaves the hosts of this machine alone', 'host: 127.0.0.1', []],
  ['leaves a host with tokens alone', 'host: 0.0.0.0\n  tokens: [{ $env: TOKEN }]', []],
])('the doctor %s', async (_, serve, codes) => {
  const text = `model: offline\nserve:\n  ${serve}\n`;
  const project = makeProject({ [file]: text });
  const { errors } = await diagnose({ cwd: project.directory, env: { TOKEN: '0123456789abcdef' } });
  expect(errors.map(({ code }) => code)).toEqual(codes);
  for (const { at } of errors) expect(at).toMatchObject({ file: `${project.directory}/${file}`, line: 3 });
});
