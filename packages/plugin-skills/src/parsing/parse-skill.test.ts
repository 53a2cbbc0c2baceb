import { describe, expect, it } from 'vitest';

import { parseSkill, type SkillFacts } from './parse-skill.ts';

function parse(frontMatter: string, directory = 'x') {
  return parseSkill(`---\n${frontMatter}\n---\n# Text\n`, directory);
}

function factsOf(frontMatter: string, directory?: string): SkillFacts {
  const parsed = parse(frontMatter, directory);
  if ('reason' in parsed) throw new Error(parsed.reason);
  return parsed.facts;
}

function odditiesOf(frontMatter: string, directory?: string): readonly string[] {
  const parsed = parse(frontMatter, directory);
  return 'reason' in parsed ? [parsed.reason] : parsed.oddities;
}

function reasonFor(text: string): string | undefined {
  const parsed = parseSkill(text, 'x');
  return 'reason' in parsed ? parsed.reason : undefined;
}

describe('front matter as it occurs', () => {
  it('is read with all keys of the standard', () => {
    const facts = factsOf(
      [
        'name: pdf-forms',
        'description: Fills in PDF forms. Use when a user has a form.',
        'license: Apache-2.0',
        'compatibility: Requires Python 3.14+ and uv',
        'metadata:',
        '  author: example-org',
        '  version: "1.0"',
        'allowed-tools: Bash(git add:*) Read',
      ].join('\n'),
      'pdf-forms',
    );
    expect(facts).toEqual({
      name: 'pdf-forms',
      description: 'Fills in PDF forms. Use when a user has a form.',
      license: 'Apache-2.0',
      compatibility: 'Requires Python 3.14+ and uv',
      metadata: { author: 'example-org', version: '1.0' },
      allowedTools: [
        { text: 'Bash(git add:*)', tool: 'Bash', argument: 'git add:*' },
        { text: 'Read', tool: 'Read' },
      ],
    });
  });

  it.each<readonly [what: string, frontMatter: string, description: string]>([
    [
      'a folded block',
      'name: x\ndescription: >-\n  Use it\n  always.\n\n  Twice: yes.',
      'Use it always.\nTwice: yes.',
    ],
    ['a literal block', 'name: x\ndescription: |\n  One: a\n  ---\n  two', 'One: a\n---\ntwo'],
    ['a block with an indicator', 'name: x\ndescription: >2-\n  One\n  two', 'One two'],
    ['a text over several lines', 'name: x\ndescription: One\n  two\n  three', 'One two three'],
    ['double quotes', 'name: x\ndescription: "A: \\"b\\""', 'A: "b"'],
    ['single quotes', "name: x\ndescription: 'A: it''s'", "A: it's"],
    [
      'Chinese and Japanese',
      'name: x\ndescription: 生成日报：当用户提到"日报"、「日報」时使用',
      '生成日报：当用户提到"日报"、「日報」时使用',
    ],
    ['emoji', 'name: x\ndescription: 🎉 Party 👩‍🚀', '🎉 Party 👩‍🚀'],
    ['a number', 'name: x\ndescription: 42', '42'],
    ['a hash that is no comment', 'name: x\ndescription: C# and F#', 'C# and F#'],
    ['keys that are indented alike', '  name: x\n  description: d', 'd'],
    ['a comment', '# made by hand\nname: x # so\ndescription: d # too', 'd'],
    ['an alias', 'name: x\nlicense: &d MIT\ndescription: *d', 'MIT'],
  ])('has %s', (_, frontMatter, description) => {
    expect(factsOf(frontMatter).description).toBe(description);
    expect(odditiesOf(frontMatter)).toEqual([]);
  });

  it.each<readonly [what: string, frontMatter: string, description: string, where: string]>([
    [
      'a colon',
      'name: x\ndescription: Use when: a file comes',
      'Use when: a file comes',
      'line 3, column 14',
    ],
    [
      'a colon in a later line',
      'name: x\ndescription: Use it\n  when: a file comes',
      'Use it when: a file comes',
      'line 3',
    ],
    ['an at sign', 'name: x\ndescription: @scope/package', '@scope/package', 'line 3'],
    ['a backtick', 'name: x\ndescription: `code` first', '`code` first', 'line 3'],
    ['a percent sign', 'name: x\ndescription: %TEMP% files', '%TEMP% files', 'line 3'],
    ['stars', 'name: x\ndescription: **Important**: do it', '**Important**: do it', 'line 3'],
    ['stars around it', 'name: x\ndescription: *important*', '*important*', 'line 3, column 14'],
    ['an exclamation mark', 'name: x\ndescription: !important this', '!important this', 'line 3'],
    ['a bracket', 'name: x\ndescription: [Draft] a skill', '[Draft] a skill', 'line 3'],
    ['a quote that is not closed', 'name: x\ndescription: "Open\nlicense: MIT', '"Open', 'line 3'],
    ['a quote that ends too early', 'name: x\ndescription: "Two" words', '"Two" words', 'line 3'],
    ['a broken value elsewhere', 'name: x\nargument-hint: [a] [b]\ndescription: d', 'd', 'line 3, column 16'],
    ['a broken value in metadata', 'name: x\nmetadata:\n  a: b: c\ndescription: d', 'd', 'line 4, column 6'],
  ])('without quotes, with %s, is read as if it had them', (_, frontMatter, description, where) => {
    expect(factsOf(frontMatter).description).toBe(description);
    expect(odditiesOf(frontMatter)).toEqual([expect.stringMatching(new RegExp(`quotes \\(${where}`))]);
  });

  it('keeps scalars as they were written, and nests what is nested', () => {
    const { metadata } = factsOf(
      'name: x\ndescription: d\nmetadata:\n  version: 1.10\n  day: 2026-01-11\n  on: true\n  tags: [a, b]\n  deep: { a: { b: 1 } }',
    );
    expect(metadata).toEqual({
      version: '1.10',
      day: '2026-01-11',
      on: 'true',
      tags: ['a', 'b'],
      deep: { a: { b: '1' } },
    });
  });

  it('may have metadata that is no map', () => {
    expect(factsOf('name: x\ndescription: d\nmetadata: draft').metadata).toBe('draft');
    expect(factsOf('name: x\ndescription: d\nmetadata: [a]').metadata).toEqual(['a']);
  });

  it('may have keys that the standard does not know', () => {
    const frontMatter =
      'name: x\ndescription: d\nversion: 2\nmodel: some\nhooks:\n  outside: [a]\ntriggers: "a, b"';
    expect(odditiesOf(frontMatter)).toEqual([]);
  });

  it('may begin with a byte order mark, and have the line ends of any system', () => {
    for (const end of ['\n', '\r\n', '\r']) {
      const text = `\uFEFF---  ${end}name: x${end}description: >-${end}  a${end}  b${end}---\t${end}Text`;
      expect(parseSkill(text, 'x')).toMatchObject({ facts: { name: 'x', description: 'a b' }, oddities: [] });
    }
  });

  it('counts the last of a key that is there twice, and says so', () => {
    expect(factsOf('name: x\ndescription: a\ndescription: b').description).toBe('b');
    expect(odditiesOf('name: x\ndescription: a\ndescription: b')).toEqual([
      'the key "description" is a duplicate (line 4, column 1)',
    ]);
  });
});

describe('a name', () => {
  it('may differ from that of the directory, and is then said', () => {
    expect(factsOf('name: My Skill\ndescription: d').name).toBe('My Skill');
    expect(odditiesOf('name: My Skill\ndescription: d')).toEqual([
      'it is named "My Skill", but its directory is "x"',
    ]);
  });

  it('is that of the directory when there is none', () => {
    for (const frontMatter of ['description: d', 'name:\ndescription: d', 'name: ~\ndescription: d']) {
      expect(factsOf(frontMatter).name).toBe('x');
      expect(odditiesOf(frontMatter)).toEqual([expect.stringContaining('its name')]);
    }
  });

  it('may be a number, too long, or of another script', () => {
    expect(factsOf('name: 007\ndescription: d', '007').name).toBe('007');
    expect(odditiesOf('name: 中文-技能\ndescription: d', '中文-技能')).toEqual([]);
    const long = 'n'.repeat(65);
    expect(odditiesOf(`name: ${long}\ndescription: d`, long)).toEqual([
      'its name has 65 characters; the standard allows 64',
    ]);
  });

  it('is one line', () => {
    expect(factsOf('name: |\n  a\n  b\ndescription: d').name).toBe('a b');
  });
});

describe('a skill is left out, with the reason,', () => {
  it.each<readonly [what: string, text: string, reason: string]>([
    ['without a description', '---\nname: x\n---\n', 'description is missing'],
    ['with an empty description', '---\nname: x\ndescription: "  "\n---\n', 'description is missing'],
    ['with a description that is null', '---\nname: x\ndescription: null\n---\n', 'description is missing'],
    ['without front matter', '# A skill\n', 'does not start with front matter'],
    ['when something stands before it', '\n---\nname: x\ndescription: d\n---\n', 'does not start'],
    ['when it is empty', '', 'does not start with front matter'],
    ['when it is not closed', '---\nname: x\ndescription: d\n', 'not closed'],
    ['when it is no map', '---\n- a\n---\n', 'not a map of keys and values (line 2, column 1)'],
    ['when tabs indent it', '---\nname: x\ndescription: d\nmetadata:\n\ta: b\n---\n', 'Tabs'],
    [
      'when it is a template',
      '---\nname: {{name}}\ndescription: d\n---\n',
      'not a plain word (line 2, column 8)',
    ],
  ])('%s', (_, text, reason) => {
    expect(reasonFor(text)).toContain(reason);
  });
});

describe('hostile front matter', () => {
  it.each(['js', 'javascript', 'coffee', 'json'])('marked as %s is not read, let alone run', (language) => {
    const global = globalThis as { skillWasRun?: boolean };
    const text = `---${language}\nglobalThis.skillWasRun = true;\nmodule.exports = { name: 'x', description: 'd' };\n---\n`;
    expect(reasonFor(text)).toContain(`marked as "${language}"`);
    expect(global.skillWasRun).toBeUndefined();
  });

  it('with tags that make functions in other parsers is text', () => {
    const { description } = factsOf('name: x\ndescription: !!js/function "function () { throw 1 }"');
    expect(description).toContain('function () { throw 1 }');
  });

  it.each<readonly [what: string, frontMatter: string, reason: string]>([
    [
      'grows through aliases',
      [
        'a: &a [x,x,x,x,x,x,x,x,x]',
        ...'bcdefgh'
          .split('')
          .map(
            (key, index) =>
              `${key}: &${key} [${Array.from({ length: 9 }, () => `*${'abcdefgh'.charAt(index)}`).join(',')}]`,
          ),
      ].join('\n'),
      'more than 100 aliases',
    ],
    ['holds itself', 'a: &a [*a]', 'nested more than 64 levels'],
    ['nests brackets', `a: ${'['.repeat(20_000)}`, 'nested more than 64 levels'],
    ['nests braces', `a: ${'{a: '.repeat(5000)}`, 'nested more than 64 levels'],
    ['nests list items', `a:\n${'- '.repeat(10_000)}x`, 'nested more than 64 levels'],
    [
      'nests by indents',
      Array.from({ length: 200 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n'),
      'nested more than 64 levels',
    ],
    ['is too long', `a: ${'x'.repeat(40_000)}`, 'the limit is 32768'],
    [
      'is many keys',
      Array.from({ length: 9000 }, (_, index) => `k${index}:`).join('\n'),
      'the limit is 32768',
    ],
    ['has many values', `a: [${'x,'.repeat(12_000)}]`, 'more than 10000 values'],
    ['sets a prototype', '__proto__: { admin: yes }', '"__proto__" is not allowed (line 4, column 1)'],
    [
      'sets a prototype further in',
      'metadata: { a: { __proto__: { admin: yes } } }',
      '"__proto__" is not allowed',
    ],
  ])('that %s is refused by name', (_, frontMatter, reason) => {
    expect(odditiesOf(`name: x\ndescription: d\n${frontMatter}`)).toEqual([expect.stringContaining(reason)]);
    expect({}).not.toHaveProperty('admin');
  });

  it('may have the names of what objects inherit', () => {
    const facts = factsOf('name: constructor\ndescription: d\nmetadata: { toString: a }', 'constructor');
    expect(facts.name).toBe('constructor');
    expect(facts.metadata).toEqual({ toString: 'a' });
  });
});

it('a description that is too long is taken, and said', () => {
  const frontMatter = `name: x\ndescription: ${'d'.repeat(1025)}`;
  expect(factsOf(frontMatter).description).toHaveLength(1025);
  expect(odditiesOf(frontMatter)).toEqual([
    'the description has 1025 characters; more than 1024 are cut off',
  ]);
});
