import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import { draftOf, emptyDraft } from '../keyboard/draft.ts';
import { fileHistory, type History } from './history.ts';

const redact = (text: string): string => text.replaceAll('wax-and-honey', '[redacted]');

function open(path: string): { history: History; troubles: unknown[] } {
  const troubles: unknown[] = [];
  return { history: fileHistory(path, { redact, onTrouble: (error) => troubles.push(error) }), troubles };
}

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'shallot-history-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function all(history: History): string[] {
  const browsing = history.browse();
  const texts: string[] = [];
  for (let draft = emptyDraft; ;) {
    const next = browsing.older(draft);
    if (next.text === draft.text) return texts;
    texts.push(next.text);
    draft = next;
  }
}

describe('the history of chats', () => {
  it('keeps no secret that is known, and has it at hand for this chat', () => {
    const path = join(folder(), 'history.jsonl');
    const { history } = open(path);
    history.add('my key is wax-and-honey');
    expect(all(history)).toEqual(['my key is wax-and-honey']);
    expect(all(open(path).history)).toEqual(['my key is [redacted]']);
  });

  it('keeps what was written, newest first, in a file of its owner alone', () => {
    const path = join(folder(), 'deep', 'history.jsonl');
    const { history } = open(path);
    for (const text of ['one', 'two\nlines', 'two\nlines', ' secret', '  ', 'three']) history.add(text);
    expect(all(history)).toEqual(['three', 'two\nlines', 'one']);
    expect(all(open(path).history)).toEqual(['three', 'two\nlines', 'one']);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, 'utf8')).not.toContain('secret');
  });

  it('keeps the draft, and what was changed on the way, for the way back', () => {
    const { history } = open(join(folder(), 'history.jsonl'));
    history.add('one');
    history.add('two');
    const browsing = history.browse();
    expect(browsing.older(draftOf('draft'))).toEqual(draftOf('two'));
    expect(browsing.older(draftOf('two!'))).toEqual(draftOf('one'));
    expect(browsing.older(draftOf('one'))).toEqual(draftOf('one'));
    expect(browsing.newer(draftOf('one'))).toEqual(draftOf('two!'));
    expect(browsing.newer(draftOf('two!'))).toEqual(draftOf('draft'));
    expect(browsing.newer(draftOf('draft'))).toEqual(draftOf('draft'));
  });

  it('reads what is left of a damaged file, and does not let it grow for ever', () => {
    const path = join(folder(), 'history.jsonl');
    const lines = Array.from({ length: 3000 }, (_, index) => `"${index}"\n`);
    writeFileSync(path, `{"no": "text"}\n${lines.join('')}"cut`);
    const { history, troubles } = open(path);
    expect(all(history)).toHaveLength(1000);
    expect(all(history).at(0)).toBe('2999');
    expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(1001);
    expect(troubles).toEqual([]);
  });

  it('waits for no pipe in the place of the file, and says that it cannot be kept, once', () => {
    const path = join(folder(), 'history.jsonl');
    execFileSync('mkfifo', [path]);
    const { history, troubles } = open(path);
    history.add('one');
    history.add('two');
    expect(all(history)).toEqual(['two', 'one']);
    expect(troubles).toHaveLength(1);
    expect(String(troubles[0])).toContain('is not a regular file');
  });
});
