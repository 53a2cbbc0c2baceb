import { describe, expect, it, vi } from 'vitest';

import { env, prepared, read } from '../../test/add.ts';
import { publishMail } from '../../test/mail.ts';

// Package managers start slowly on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

describe('the entry that a package proposes', () => {
  it('is written when its plugin is trusted, and the agent starts with it', async () => {
    const { registry, project, add } = await prepared();
    publishMail(registry);
    expect(await add('mail', '--trust', 'mail')).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(
        /shallot.config.yaml {2}\+ \{ use: mail, options: \{ url: https:\/\/a.example, tags: \[ x, y \] \} \}\n.*The agent starts\.\n$/s,
      ) as string,
    });
    expect(read(project, 'shallot.config.yaml')).toBe(
      '# An agent.\nmodel: ./model.mjs\nplugins:\n  - use: mail\n    options:\n      url: https://a.example\n      tags: [x, y]\n',
    );
    expect(await project.run(['doctor'], { env })).toMatchObject({ status: 0 });
  });

  it('of a stranger is not written when nobody is asked; all stays, and the last lines say what to write', async () => {
    const { registry, project, add } = await prepared();
    publishMail(registry);
    const { status, stderr } = await add('mail', '--yes');
    expect(status).toBe(2);
    expect(stderr).toContain('mail proposes an entry, which was not written');
    expect(stderr).toContain('  - { use: mail, options: { url: https://a.example, tags: [ x, y ] } }\n');
    expect(stderr).toMatch(
      /The agent does not start yet; .*\nerror PLUGIN_OPTIONS \[mail\] shallot.config.yaml:4:/s,
    );
    expect(read(project, 'shallot.config.yaml')).toBe(
      '# An agent.\nmodel: ./model.mjs\nplugins:\n  - mail\n',
    );
    expect(JSON.parse(read(project, 'package.json'))).toMatchObject({
      dependencies: { 'shallot-plugin-mail': '^1.0.0' },
    });
  });
});

describe('shallot add starts the agent', () => {
  it('with the offline model where a key is missing', async () => {
    const { registry, project, add } = await prepared();
    publishMail(registry);
    project.write({
      'shallot.config.yaml': 'model: ./model.mjs\n',
      'model.mjs': `import { ShallotError } from '@shallot/core';
        throw new ShallotError('MODEL_AUTH', { message: 'Set MAIL_MODEL_KEY.' });`,
    });
    const { status, stdout, stderr } = await add('mail', '--trust', 'mail');
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: expect.stringContaining('The agent starts, with the offline model for now.') as string,
    });
    expect(stderr).toContain('Set MAIL_MODEL_KEY.');
  });

  it('and says which variable to export', async () => {
    const { project, add } = await prepared();
    project.write({ 'shallot.config.yaml': 'model: ./model.mjs\nname: { $env: NAME_OF_AGENT }\n' });
    const { status, stderr } = await add('tickets');
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringMatching(/error CONFIG_ENV .*NAME_OF_AGENT/) as string,
    });
    project.write({ '.env': 'NAME_OF_AGENT=x\n' });
    expect(await project.run(['doctor'], { env })).toMatchObject({ status: 0 });
  });
});
