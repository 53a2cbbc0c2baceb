import type { ScriptedToolCall } from '@shallot/testing';
import { describe, expect, it } from 'vitest';

import { approve, bench, del, requestOf, started } from '../test/approvals.ts';
import type { HitlOptions } from './index.ts';

describe('what is shown', () => {
  async function shown(
    call: ScriptedToolCall,
    options: HitlOptions = {},
    prepare?: { readonly path: string; readonly text: string },
  ) {
    const subject = bench([call], options);
    if (prepare !== undefined) await subject.files.write(prepare.path, prepare.text);
    const result = await (await subject.agent()).run('Go');
    return requestOf(result.interrupts[0]);
  }

  it('has the full arguments, however long', async () => {
    const content = Array.from({ length: 3000 }, (_, line) => `line ${line}`).join('\n');
    const request = await shown({ name: 'write_file', args: { path: '/a', content } });
    expect(request.arguments).toBe(`path: "/a"\ncontent: \n${content.replaceAll(/^/gm, '  | ')}`);
  });

  it('makes hidden and bidirectional characters visible', async () => {
    const request = await shown({
      name: 'delete_file',
      args: { path: '/a\u202Etxt\u2066\u200B\u0000\u001B[2J\u00AD\uFEFF\u{E0041}\u00A0/b c' },
    });
    expect(request.arguments).toBe(
      String.raw`path: "/a⟨U+202E⟩txt⟨U+2066⟩⟨U+200B⟩\u0000\u001b[2J⟨U+00AD⟩⟨U+FEFF⟩⟨U+E0041⟩⟨U+00A0⟩/b c"`,
    );
  });

  it('has a diff against the file as it is', async () => {
    const request = await shown(
      { name: 'write_file', args: { path: 'a.txt', content: 'one\ntwo\u202E\n' } },
      {},
      { path: '/a.txt', text: 'one\n2\n' },
    );
    expect(request.diff).toMatchInlineSnapshot(`
      "--- /a.txt
      +++ /a.txt
      @@ -1,2 +1,2 @@
       one
      -2
      +two⟨U+202E⟩
      "
    `);
  });

  it('has a diff of a new file', async () => {
    const request = await shown({ name: 'write_file', args: { path: '/new.txt', content: 'one\n' } });
    expect(request.diff).toContain('--- /dev/null');
  });

  it('shows what the policy says of the call, once, with hidden characters made visible', async () => {
    let described = 0;
    const describe = (): string => `Deletes for good\u202E (${(described += 1)})`;
    const { live, ids, first, done } = await started([del('/a')], { tools: { delete_file: { describe } } });
    expect(requestOf(first.interrupts[0]).description).toBe('Deletes for good⟨U+202E⟩ (1)');
    await live.resume('s', { [ids[0] ?? '']: approve });
    expect(done).toHaveLength(1);
  });
});
