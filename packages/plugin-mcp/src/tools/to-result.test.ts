import { expect, it } from 'vitest';

import { cutTexts, toResult } from './to-result.ts';

const limits = { maxResultChars: 1000, maxFileBytes: 1000 };
const text = (value: string) => ({ type: 'text' as const, text: value });

it('texts are cut to a length in all, each with its head and its tail', () => {
  const cut = cutTexts(
    [text('a'.repeat(50)), text(`head${'b'.repeat(200)}tail`), text('c'.repeat(500))],
    150,
  );
  expect(cut[0]).toEqual(text('a'.repeat(50)));
  expect(cut[1]).toMatchObject({
    text: expect.stringMatching(/^headb+\n\[… cut by 108 of 208 characters …\]\nb+tail$/) as string,
  });
  expect(cut[2]).toEqual(text('[… cut by 500 of 500 characters …]'));
});

it('a link that a model can look at is a file, too', () => {
  const link = (uri: string, mimeType?: string) => ({
    type: 'resource_link' as const,
    name: 'plan',
    uri,
    ...(mimeType === undefined ? {} : { mimeType }),
  });
  const types = (...links: ReturnType<typeof link>[]) =>
    toResult({ content: links }, limits).content.map((part) => (part.type === 'file' ? part : part.text));
  expect(types(link('https://x.example/plan.png', 'image/png'))).toEqual([
    'Resource plan <https://x.example/plan.png> (image/png)',
    { type: 'file', mediaType: 'image/png', url: 'https://x.example/plan.png', name: 'plan' },
  ]);
  expect(
    types(
      link('file:///plan.png', 'image/png'),
      link('https://x.example/', 'text/html'),
      link('https://x.example/'),
    ),
  ).toEqual([
    'Resource plan <file:///plan.png> (image/png)',
    'Resource plan <https://x.example/> (text/html)',
    'Resource plan <https://x.example/>',
  ]);
});

it('the type and the name of a link are none of its server’s making', () => {
  const link = { type: 'resource_link' as const, uri: 'https://x.example/plan.png' };
  const odd = toResult({ content: [{ ...link, name: 'plan', mimeType: 'image/png\r\nX-Evil: y' }] }, limits);
  expect(odd.content.map(({ type }) => type)).toEqual(['text']);
  const hidden = { ...link, name: `plan\u202egnp${'x'.repeat(300)}`, mimeType: 'image/png' };
  const [, file] = toResult({ content: [hidden] }, limits).content;
  expect(file).toMatchObject({ name: expect.stringMatching(/^plan⟨U\+202E⟩gnpx{150,250}$/) as string });
});

it('a result of which a part is left out is marked, and only that', () => {
  const { metadata } = toResult({ content: [text('a'.repeat(1001))] }, limits);
  expect(metadata).toEqual({ shallot: { cut: true } });
  expect(toResult({ content: [text('a'.repeat(1000))] }, limits)).not.toHaveProperty('metadata');
});

it('what fits stays as it is', () => {
  const parts = [text('a'), { type: 'file' as const, mediaType: 'image/png', data: 'aGk=' }, text('b')];
  expect(cutTexts(parts, 2)).toEqual(parts);
});

it('a result without content is shown by its data, which is left out when it is too large', () => {
  const structuredContent = { a: 'x'.repeat(30) };
  expect(toResult({ content: [], structuredContent }, { ...limits, maxResultChars: 100 })).toEqual({
    content: [text(JSON.stringify(structuredContent))],
    data: structuredContent,
  });
  expect(
    toResult(
      { content: [text('short')], structuredContent: { a: 'x'.repeat(200) } },
      { ...limits, maxResultChars: 100 },
    ),
  ).toEqual({
    content: [text('short')],
  });
});

it('a file has a type of its kind, and there are no more bytes than allowed', () => {
  const image = (mimeType: string, data = 'aGk=') => ({ type: 'image' as const, mimeType, data });
  const large = 'a'.repeat(1000);
  const blob = { uri: 'note://1', mimeType: 'text/evil\r\nx: y', blob: 'aGk=' };
  const { content, metadata } = toResult(
    {
      content: [
        image('text/evil\r\nx: y'),
        image('audio/wav'),
        image('image/png'),
        image('image/png', large),
        image('image/gif', large),
        { type: 'resource', resource: blob },
      ],
    },
    limits,
  );
  expect(content).toEqual([
    text('(The server sent image content of the type "text/evil\\r\\nx: y".)'),
    text('(The server sent image content of the type "audio/wav".)'),
    { type: 'file', mediaType: 'image/png', data: 'aGk=' },
    { type: 'file', mediaType: 'image/png', data: large },
    text(
      '(A file of the type image/gif with 750 bytes was left out: the files of a result may have 1000 bytes.)',
    ),
    { type: 'file', mediaType: 'application/octet-stream', data: 'aGk=', name: 'note://1' },
  ]);
  expect(metadata).toEqual({ shallot: { cut: true } });
});
