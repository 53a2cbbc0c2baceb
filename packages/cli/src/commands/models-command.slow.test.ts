import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { expect, it, onTestFinished } from 'vitest';

import { makeProject } from '../../test/project.ts';

it('Ctrl-C ends a list that does not come', async () => {
  const server = createServer(() => {});
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const model = `{ provider: openai-compatible, baseURL: "http://127.0.0.1:${port}/v1", model: qwen3 }`;
  const project = makeProject({ 'shallot.config.yaml': `model: ${model}\n` });
  const command = project.start(['models', 'openai-compatible']);
  await once(server, 'request');
  command.child.kill('SIGINT');
  expect(await command.ended).toMatchObject({ status: 130, stdout: '' });
});
