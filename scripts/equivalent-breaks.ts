/** A break that no test could notice because it changes nothing, with the proof. */
interface EquivalentBreak {
  readonly file: string;
  /** The changed line, without its indentation. */
  readonly broken: string;
  readonly proof: string;
}

/** Breaks that are not counted: another one is drawn in their place. */
export const equivalentBreaks: readonly EquivalentBreak[] = [
  {
    file: 'packages/core/src/files/file-lock.ts',
    broken: "const owner = nodeCrypto().randomBytes(9).toString('hex');",
    proof: 'An owner is compared only with owners, and nine random bytes are as unique as eight.',
  },
  {
    file: 'packages/core/src/sqlite/message-rows.ts',
    broken: 'const isNearStart = index < count / 3;',
    proof: 'A message is found from either end; the nearer one only takes less time.',
  },
  {
    file: 'packages/core/src/sqlite/message-rows.ts',
    broken: "let position = Number(last?.['last'] ?? 1);",
    proof: 'Positions are only compared with each other.',
  },
  {
    file: 'packages/core/src/sqlite/message-rows.ts',
    broken: 'const room = after - before - 2;',
    proof:
      'The messages after a place are moved while there is still just enough room, which changes no order.',
  },
  {
    file: 'packages/core/src/sqlite/message-rows.ts',
    broken:
      'if (room <= messages.length) shiftFrom(database, sessionId, after, gap * (messages.length + 1));',
    proof:
      'The messages after a place are moved while there is still just enough room, which changes no order.',
  },
  {
    file: 'packages/core/src/sqlite/message-rows.ts',
    broken: 'const isNearStart = index <= count / 2;',
    proof: 'A message is found from either end; the nearer one only takes less time.',
  },
  {
    file: 'packages/core/src/sqlite/safe-wal.ts',
    broken: 'const part = parts[index] ?? 1;',
    proof: 'A part that is missing is compared with 51 or 3, which are above 0 and 1.',
  },
  {
    file: 'packages/core/src/tokens/estimate-tokens.ts',
    broken: 'for (let index = 0; index <= text.length; index += 1) {',
    proof: 'After the last character there is none, which is neither a letter nor a digit.',
  },
  {
    file: 'packages/core/src/tokens/ascii-tokens.ts',
    broken: 'const kinds = new Uint8Array(129).fill(punctuation, 0x21);',
    proof: 'The kind of a character beyond 127 is not looked up.',
  },
  {
    file: 'packages/core/src/sessions/content/unique-ids.ts',
    broken: 'if (known === undefined) lookups.set(list, (known = { scans: 1, places: undefined }));',
    proof: 'The scan and the index find the same place; the index is only made one lookup earlier.',
  },
  {
    file: 'packages/core/src/base/json-schema/explodes.ts',
    broken: '1047,',
    proof:
      'No property of Unicode tells Ж (U+0416) from З (U+0417), and a pattern that names one of them adds both as neighbours.',
  },
  {
    file: 'packages/core/src/tokens/estimate-tokens.ts',
    broken: 'if (code >= 48 && code <= 58) return digit;',
    proof:
      'Only letters, digits and the characters +/=_- are looked at, and none of these has the next code.',
  },
  {
    file: 'packages/core/src/tokens/estimate-tokens.ts',
    broken: 'return (code >= 65 && code <= 91) || (code >= 97 && code <= 122) ? letter : 0;',
    proof:
      'Only letters, digits and the characters +/=_- are looked at, and none of these has the next code.',
  },
  {
    file: 'packages/core/src/tokens/estimate-tokens.ts',
    broken: 'return (code >= 65 && code <= 90) || (code >= 97 && code <= 123) ? letter : 0;',
    proof:
      'Only letters, digits and the characters +/=_- are looked at, and none of these has the next code.',
  },
  {
    file: 'packages/core/src/tokens/ascii-tokens.ts',
    broken: 'for (let next = kind; next > punctuation; next = at < text.length ? kindAt(text, at) : 1) {',
    proof: 'A kind that ends the loop is only compared with the last one that does, which is 2.',
  },
  {
    file: 'packages/core/src/sqlite/backup-database.ts',
    broken: 'const everyPage = 2 ** 31 - 2;',
    proof: 'No database has so many pages: its file would have eight terabytes.',
  },
  {
    file: 'packages/core/src/config/edit/content-end.ts',
    broken: 'return isNode(node) ? (node.range?.[0] ?? 1) : 0;',
    proof: 'Every node of a parsed document has a range.',
  },
  {
    file: 'packages/core/src/config/edit/content-end.ts',
    broken: 'return isNode(node) ? (node.range?.[0] ?? 0) : 1;',
    proof: 'Only nodes and pairs of a parsed document are asked for.',
  },
  {
    file: 'packages/core/src/config/edit/content-end.ts',
    broken: 'if (!isNode(node)) return 1;',
    proof: 'Only nodes and pairs of a parsed document are asked for.',
  },
  {
    file: 'packages/core/src/config/edit/content-end.ts',
    broken: 'const end = node.range?.[1] ?? 1;',
    proof: 'Every node of a parsed document has a range.',
  },
  {
    file: 'packages/core/src/config/read/parse-yaml.ts',
    broken: 'return node.range?.[0] ?? 1;',
    proof: 'Every node of a parsed document has a range.',
  },
  {
    file: 'packages/core/src/files/replace-file.ts',
    broken: 'const tickMs = 21;',
    proof: 'It has to be longer than a tick, and that it is.',
  },
  {
    file: 'packages/core/src/files/replace-file.ts',
    broken: 'const own = fstatSync(fd, { bigint: false });',
    proof: 'A file is then given the owner that it has; the comparison only spares that call.',
  },
  {
    file: 'packages/core/src/files/protection/seal.ts',
    broken: "const temporary = `${pathOf(file)}.${randomBytes(7).toString('hex')}`;",
    proof: 'A name of seven random bytes is as free as one of six, and is gone in a moment.',
  },
  {
    file: 'packages/core/src/redact/kept-key.ts',
    broken: "const temporary = `${path}.${randomBytes(7).toString('hex')}`;",
    proof: 'A name of seven random bytes is as free as one of six, and is gone in a moment.',
  },
  {
    file: 'packages/core/src/redact/bracket-lines.ts',
    broken: 'let depth = 1;',
    proof: 'Depths before lines are only compared with each other.',
  },
  {
    file: 'packages/core/src/redact/bracket-lines.ts',
    broken: 'let lowest = 1;',
    proof: 'Only a line without a closing bracket differs, and no bracket is closed there.',
  },
  {
    file: 'packages/core/src/redact/open-secret.ts',
    broken: 'return at !== -2 && privateKey.test(text.slice(at)) && !endOfKey.test(text.slice(at));',
    proof: 'Without the beginning of a key the last character is looked at, which is none.',
  },
  {
    file: 'packages/core/src/hooks/onion-hook.ts',
    broken: 'const response = await enterLayer(pass, 0, request, frame, true, sink);',
    proof:
      'The frame of a call holds nothing yet, so that adding to it and replacing what is there are the same.',
  },
  {
    file: 'packages/core/src/hooks/onion-hook.ts',
    broken: 'enterLayer(new OnionPass(taps, undefined, call), 0, request, frame, true, sink);',
    proof:
      'The frame of a call holds nothing yet, so that adding to it and replacing what is there are the same.',
  },
  {
    file: 'packages/core/src/hooks/onion-layer.ts',
    broken: 'const response = await this.#enterNext(request, frame, true, sink);',
    proof: 'The frame was just made, so that adding to it and replacing what is there are the same.',
  },
  ...[
    'const slack = 65;',
    compacts('> slack &&', '* 2 >='),
    compacts('>= slack &&', '* 2 >'),
    compacts('>= slack &&', '* 3 >='),
  ].map((broken) => ({
    file: 'packages/core/src/base/fifo.ts',
    broken,
    proof: 'The queue holds the same items; its array is only made smaller at another moment.',
  })),
  {
    file: 'packages/core/src/base/json.ts',
    broken: '.toSorted(([a], [b]) => (a <= b ? -1 : 1))',
    proof: 'The keys of an object are different from one another.',
  },
  {
    file: 'packages/core/src/base/json/frozen-json.ts',
    broken:
      'const odd = keys.length === array.length - 1 ? undefined : keys.slice(array.length).find(isNoLength);',
    proof: 'Without an extra member, the only key after the items is length, which is not odd.',
  },
  ...['let count = 1;', 'let groups = 1;', 'groups += 2;', 'groups -= 1;'].map((broken) => ({
    file: 'packages/core/src/base/json-schema/explodes.ts',
    broken,
    proof: 'The numbers of places and of groups are only compared with each other.',
  })),
  ...['const [major = 1, minor = 0]', 'const [major = 0, minor = 1]'].map((broken) => ({
    file: 'packages/core/src/refuse-node.ts',
    broken: `${broken} = version.split('.').map(Number);`,
    proof: 'Every version of Node has both numbers.',
  })),
  ...[
    'const large = 51;',
    'frozen -= 1;',
    'this.#walked -= 1;',
    'if (height !== undefined && bottom < maxDepth) return value;',
    "if (frozen > large && typeof value === 'object' && value !== null) heights.set(value, height);",
    "if (this.#walked > large && this.problem === undefined && typeof taken === 'object' && taken !== null)",
  ].map((broken) => ({
    file: 'packages/core/src/base/json/frozen-json.ts',
    broken,
    proof: 'A value that is known to be frozen JSON is walked once more, which finds the same.',
  })),
  {
    file: 'packages/core/src/plugins/plugin-host.ts',
    broken: 'let added = entries.map((entry) => new LoadedPlugin(entry, (this.#slots += 2), this.#around));',
    proof: 'The slots of plugins have to be different, not next to each other.',
  },
  {
    file: 'packages/core/src/redact/secret-patterns.ts',
    broken: 'const isWordCode = Uint8Array.from({ length: 129 }, (_, code) =>',
    proof: 'The code 128 is no word character, as is any code without an entry.',
  },
  {
    file: 'packages/core/src/redact/bracket-lines.ts',
    broken: 'for (let line = starts.length - 1; line >= 1; line -= 1) {',
    proof: 'The search begins on the line after a bracket, which is never the first one.',
  },
  {
    file: 'packages/core/src/files/memory-files.ts',
    broken: 'modified = 1;',
    proof: 'A file gets its time when it is stored, and is not seen before.',
  },
  {
    file: 'packages/core/src/files/list-directory.ts',
    broken: 'if (entry.isSymbolicLink() && (links -= 1) % linksAtOnce === 0) await setImmediate();',
    proof: 'Multiples of a number are the same below zero.',
  },
  {
    file: 'packages/core/src/files/list-directory.ts',
    broken: 'const linksAtOnce = 101;',
    proof: 'Other work goes on after about as many links.',
  },
  {
    file: 'packages/core/src/run/loop.ts',
    broken: 'const stepsPerLook = 11;',
    proof: 'A run that never waits looks at the clock one step later.',
  },
  {
    file: 'packages/core/src/run/loop.ts',
    broken: 'const maxMsInTurn = 11;',
    proof: 'A run that never waits gives the event loop its turn a millisecond later.',
  },
  {
    file: 'packages/core/src/run/loop.ts',
    broken:
      'if (run.record.progress.step % stepsPerLook === 0 && performance.now() + turnBegan > maxMsInTurn) {',
    proof: 'The event loop gets a turn at each look at the clock; the run only takes longer.',
  },
  {
    file: 'packages/core/src/run/loop.ts',
    broken: "input.length === 1 && input[1]?.role === 'user' ? input : paired(run.record, run.signs, input);",
    proof: 'A single message of a user has nothing to pair: it comes back as it is.',
  },
  {
    file: 'packages/core/src/run/loop.ts',
    broken: 'if (progress.step >= 1 && progress.hasBackground) await takeEnds(run, run.children);',
    proof: 'Children begin in tool calls: there are none before the calls of the first step.',
  },
];

/** Returns the line with the condition on which the queue shortens its array, with these operators. */
function compacts(first: string, second: string): string {
  return `if (this.#head ${first} this.#head ${second} this.#items.length) {`;
}
