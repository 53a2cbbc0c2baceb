import { brotliCompressSync, gzipSync } from 'node:zlib';

import { testPlugin } from '@shallot/testing';
import { describe, expect, it } from 'vitest';

import { fetchUrl, html, resolving, serve } from '../test/fetch.ts';
import { fetchPlugin } from './index.ts';

await testPlugin(fetchPlugin, {
  secondOptions: { toolName: 'fetch_again' },
  manifest: new URL('../package.json', import.meta.url),
});

describe('a page', () => {
  it('comes as Markdown, with its title, and without what is no content', async () => {
    const { url } = await serve(
      html(
        '<!doctype html><html><head><title>Tea &\n time</title><style>p{}</style></head><body><nav>Menu</nav><h1>Tea</h1><p>Steep it <b>long</b>, <a href="/more">more</a>.</p><script>alert(1)</script><ul><li>one</li></ul></body></html>',
      ),
    );
    expect(await fetchUrl({ url })).toEqual({
      text: `URL: ${url}/\nTitle: Tea & time\n\n# Tea\n\nSteep it **long**, [more](${url}/more).\n\n-   one`,
      isError: false,
      data: { url: `${url}/`, status: 200, characters: 49 + url.length, isCut: false, title: 'Tea & time' },
    });
  });

  it('has tables as tables, if they hold data and do not arrange the page', async () => {
    const { url } = await serve(
      html(
        '<table><caption>Options</caption><thead><tr><th>Option<th>Default</thead><tbody><tr><td>a|b<td><a href="/one">1</a></tr><tr><td><p>c</p><p>d</p><td></tr><tr><td colspan=2>both</tr></tbody></table>' +
          '<table><tr><td><h2>Menu</h2></td><td><table><tr><td>x<td>y</table></td></tr></table>',
      ),
    );
    expect((await fetchUrl({ url })).text).toBe(
      `URL: ${url}/\n\nOptions\n\n| Option | Default |\n| --- | --- |\n| a\\|b | [1](${url}/one) |\n| c d |  |\n| both | |\n\n## Menu\n\n| x | y |\n| --- | --- |`,
    );
  });

  it('has the text of its forms, and none that it hides', async () => {
    const { url } = await serve(
      html(
        '<form><h1>Tea</h1><p>Steep it.</p><label>Name<input value="x"></label><select><option>one</select><button>Go</button></form>' +
          '<p hidden>a</p><p style="color: red; display : none">b</p><p aria-hidden="true">c</p><p style="visibility:hidden">d</p><span style="font-size:0">e</span><p style="opacity: 0">f</p><p style="opacity: 0.5">Seen.</p>',
      ),
    );
    expect((await fetchUrl({ url })).text).toBe(`URL: ${url}/\n\n# Tea\n\nSteep it.\n\nName\n\nSeen.`);
  });

  it('that scripts would fill says so', async () => {
    const { url } = await serve((request, response) => {
      const script =
        request.url === '/app'
          ? '<script src="/app.js"></script>'
          : '<script type="application/ld+json">{}</script>';
      html(`<div id="root"></div><noscript>Enable JavaScript.</noscript>${script}`)(request, response);
    });
    expect((await fetchUrl({ url: `${url}/app` })).text).toBe(
      `URL: ${url}/app\n\n\n[The page has no text. The page seems to need a browser: scripts make its text, and they are not run here.]`,
    );
    expect((await fetchUrl({ url: `${url}/data` })).text).toBe(
      `URL: ${url}/data\n\n\n[The page has no text.]`,
    );
  });

  it('has whole URLs in its links, also after a redirect, and no pictures inside of it', async () => {
    const links =
      '<a href="b?x=1#y">b</a> <a href="#top">top</a> <a href="//cdn.example/c">c</a> <a href="mailto:a@b.c">mail</a> <img src="../p.png" alt="plan"> <img src="data:image/png;base64,aaaa" alt="dot">';
    const { url } = await serve((request, response) => {
      if (request.url === '/moved') response.writeHead(301, { location: '/docs/a' }).end();
      else
        html(`${request.url === '/based' ? '<head><base href="/base/"></head>' : ''}${links}`)(
          request,
          response,
        );
    });
    expect((await fetchUrl({ url: `${url}/moved` })).text).toBe(
      `URL: ${url}/docs/a\n\n[b](${url}/docs/b?x=1#y) [top](${url}/docs/a#top) [c](http://cdn.example/c) [mail](mailto:a@b.c) ![plan](${url}/p.png) dot`,
    );
    expect((await fetchUrl({ url: `${url}/based` })).text).toContain(`[b](${url}/base/b?x=1#y)`);
  });

  it('has the title as it is read, not as it is written', async () => {
    const { url } = await serve(
      html('<svg><title>Icon</title></svg><title>Tea &amp; &#8220;time&#8221;</title><p>Steep.'),
    );
    const { text } = await fetchUrl({ url });
    expect(text).toBe(`URL: ${url}/\nTitle: Tea & “time”\n\nSteep.`);
  });

  it('is shown in parts that do not split a character', async () => {
    const { url } = await serve((_, response) => response.end(`a${'😀'.repeat(600)}`));
    const { text } = await fetchUrl({ url }, { options: { maxCharacters: 1000 } });
    expect(text).toContain(`a${'😀'.repeat(499)}\n[Characters 0 to 999 of 1201 are shown.`);
    const next = await fetchUrl({ url, offset: 999 }, { options: { maxCharacters: 1000 } });
    expect(next.text).toBe(`URL: ${url}/\n\n${'😀'.repeat(101)}`);
  });

  it('may be nothing, said to be compressed', async () => {
    const { url } = await serve((_, response) =>
      response.writeHead(404, { 'content-encoding': 'gzip', 'content-type': 'text/plain' }).end(),
    );
    expect((await fetchUrl({ url })).text).toBe(`URL: ${url}/\nStatus: 404\n\n\n[The page has no text.]`);
  });

  it('is found where a redirect leads that is written in UTF-8', async () => {
    const { url } = await serve((request, response) => {
      if (request.url === '/k%C3%A4se') response.end('cheese');
      else response.writeHead(302, { location: Buffer.from('/käse').toString('latin1') }).end();
    });
    expect((await fetchUrl({ url })).text).toBe(`URL: ${url}/k%C3%A4se\n\ncheese`);
  });

  it.each([
    ['text/html', '<meta charset="utf-16"><p>Grün', 'Grün'],
    ['application/json', '{"a":1}', '{"a":1}'],
    ['text/plain; charset=iso-8859-1', Buffer.of(0x47, 0xfc, 0x6e), 'Gün'],
    ['text/markdown', '# Hi', '# Hi'],
    ['text/html', Buffer.concat([Buffer.from('<meta charset=latin1><p>'), Buffer.of(0xfc)]), 'ü'],
    [
      'text/html',
      Buffer.from(
        '<meta http-equiv=content-type content="text/html; charset=windows-1252">\x93tea\x94',
        'latin1',
      ),
      '“tea”',
    ],
    ['text/plain', Buffer.from('\uFEFFtea', 'utf16le'), 'tea'],
    ['text/plain; charset=utf-16le', Buffer.from('tea', 'utf16le'), 'tea'],
    ['text/html; charset=latin1', Buffer.from('\uFEFF<p>ü'), 'ü'],
    [
      'application/xml',
      Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><a>\xFC</a>', 'latin1'),
      '<?xml version="1.0" encoding="ISO-8859-1"?><a>ü</a>',
    ],
    ['application/x-ndjson', '{}\n{}', '{}\n{}'],
    ['text/plain; charset=nonsense', 'plain', 'plain'],
    ['', '<!DOCTYPE html><p>guessed', 'guessed'],
  ])('of the type %j is shown as it is meant', async (type, body, shown) => {
    const { url } = await serve((_, response) => {
      if (type !== '') response.setHeader('content-type', type);
      response.end(body);
    });
    expect((await fetchUrl({ url })).text).toBe(`URL: ${url}/\n\n${shown}`);
  });

  it.each([
    ['image/png', Buffer.of(1, 2), 'is image/png, not text'],
    ['text/plain', Buffer.of(1, 0), 'is binary'],
  ])('of the type %j is refused by name', async (type, body, why) => {
    const { url } = await serve((_, response) => void response.setHeader('content-type', type).end(body));
    const { isError, text } = await fetchUrl({ url });
    expect([isError, text]).toEqual([true, expect.stringContaining(why)]);
  });

  it('is shown in parts, and read to its limit only, compressed or not', async () => {
    const text = '0123456789'.repeat(300);
    const { url } = await serve((request, response) => {
      response.setHeader('content-type', 'text/plain');
      if (request.url === '/bomb')
        response.setHeader('content-encoding', 'gzip').end(gzipSync(Buffer.alloc(5_000_000, 'x')));
      else if (request.url === '/brotli-bomb')
        response.setHeader('content-encoding', 'br').end(brotliCompressSync(Buffer.alloc(5_000_000, 'x')));
      else if (request.url === '/br')
        response.setHeader('content-encoding', 'br').end(brotliCompressSync(text));
      else if (request.url === '/endless') {
        const more = (): void => {
          while (response.write('x'.repeat(10_000)));
          response.once('drain', more);
        };
        more();
      } else response.end(text);
    });
    const options = { maxCharacters: 1000, maxBytes: 4000 };
    expect((await fetchUrl({ url }, { options })).text).toContain(
      '[Characters 0 to 1000 of 3000 are shown. Call fetch_url with offset 1000 for the next ones.]',
    );
    expect((await fetchUrl({ url: `${url}/br`, offset: 2990 }, { options })).text).toBe(
      `URL: ${url}/br\n\n0123456789`,
    );
    expect((await fetchUrl({ url, offset: 5000 }, { options })).text).toContain(
      'The page has only 3000 characters.',
    );
    for (const page of ['/bomb', '/brotli-bomb', '/endless']) {
      const { text: shown, data } = await fetchUrl({ url: url + page }, { options });
      expect(shown).toContain('Only the first 4000 bytes of the page were read.');
      expect(data).toMatchObject({ characters: 4000, isCut: true });
    }
  });

  it('that is an error is one, with what it says', async () => {
    const { url } = await serve((_, response) => {
      response.statusCode = 404;
      response.setHeader('content-type', 'text/html').end('<h1>Gone</h1>');
    });
    expect(await fetchUrl({ url })).toMatchObject({
      isError: true,
      text: `URL: ${url}/\nStatus: 404\n\n# Gone`,
    });
  });

  it('that never comes, breaks off, or is nested too deep is a result that says so', async () => {
    const { url } = await serve((request, response) => {
      if (request.url === '/silent') return;
      if (request.url === '/trickle') {
        response.writeHead(200, { 'content-type': 'text/plain' });
        const timer = setInterval(() => response.write('x'), 5);
        response.on('close', () => clearInterval(timer));
        return;
      }
      if (request.url === '/broken') {
        response.writeHead(200, { 'content-length': '100', 'content-type': 'text/plain' });
        response.write('x', () => response.destroy());
        return;
      }
      if (request.url === '/gzip') response.setHeader('content-encoding', 'gzip').end('no gzip');
      else if (request.url === '/zstd') response.setHeader('content-encoding', 'zstd').end('x');
      else html('<div>'.repeat(100_000))(request, response);
    });
    for (const page of ['/silent', '/trickle']) {
      const { text } = await fetchUrl({ url: url + page }, { options: { timeoutMs: 50 } });
      expect(text).toContain('within 50 ms');
    }
    for (const page of ['/broken', '/gzip', '/zstd', '/deep']) {
      const options = { timeoutMs: page === '/deep' ? 500 : 30_000 };
      expect(await fetchUrl({ url: url + page }, { options })).toMatchObject({ isError: true });
    }
    expect((await fetchUrl({ url: 'http://127.0.0.1:1/' })).text).toContain('could not be fetched');
  });
});

describe('what must not be fetched', () => {
  it.each([
    ['file:///etc/passwd', 'http or https'],
    ['javascript:alert(1)', 'http or https'],
    ['ftp://example.com/', 'http or https'],
    ['nonsense', 'is not a URL'],
    ['http://user:pass@example.com/', 'user name or password'],
    ['http://127.0.0.2/', 'is not on the public internet'],
    ['http://2130706434/', '127.0.0.2 is not on'],
    ['http://0x7f.2/', '127.0.0.2 is not on'],
    ['http://[::1]/', '::1 is not on'],
    ['http://[::ffff:127.0.0.2]/', 'is not on the public'],
    ['http://169.254.169.254/latest/meta-data/', 'is not on the public'],
  ])('is %s', async (url, why) => {
    const { isError, text } = await fetchUrl({ url });
    expect([isError, text]).toEqual([true, expect.stringContaining(why)]);
  });

  it('is a name that means a private address, and the one that was checked is connected to', async () => {
    const { requests, port } = await serve(html('<p>inside'));
    const answers: Record<string, string[]> = {
      'private.test': ['127.0.0.2', '::1', '10.0.0.1'],
      'some.test': ['10.0.0.1', '127.0.0.1'],
      'none.test': [],
    };
    let asked = 0;
    const resolve = resolving((hostname) => {
      asked += 1;
      // A name that means something else each time it is asked about is asked about once.
      if (hostname === 'changing.test') return [asked === 1 ? '127.0.0.1' : '127.0.0.2'];
      return answers[hostname] ?? [];
    });
    expect((await fetchUrl({ url: `http://changing.test:${port}/` }, { resolve })).isError).toBe(false);
    expect(asked).toBe(1);
    expect((await fetchUrl({ url: `http://private.test:${port}/` }, { resolve })).text).toContain(
      'The host private.test, which is 127.0.0.2, is not on the public internet',
    );
    expect((await fetchUrl({ url: `http://some.test:${port}/` }, { resolve })).isError).toBe(false);
    expect((await fetchUrl({ url: `http://none.test:${port}/` }, { resolve })).isError).toBe(true);
    expect(requests).toEqual([`changing.test:${port} /`, `some.test:${port} /`]);
  });

  it('is what a redirect leads to, each of which is checked and counted', async () => {
    const inside = await serve(html('<p>secret'), '127.0.0.2');
    const targets: Record<string, string> = {
      '/private': `${inside.url}/`,
      '/file': 'file:///etc/passwd',
      '/loop': '/loop',
      '/a': 'b',
      '/b': '//private.test/',
    };
    const { url } = await serve((request, response) => {
      const target = targets[request.url ?? ''];
      if (target === undefined) return html('<p>there')(request, response);
      response.writeHead(302, { location: target }).end();
    });
    targets['/two'] = '/one';
    targets['/one'] = '/zero';
    const resolve = resolving(() => ['127.0.0.2']);
    const texts = await Promise.all(
      ['/private', '/file', '/loop', '/a'].map(
        async (path) => (await fetchUrl({ url: url + path }, { resolve })).text,
      ),
    );
    expect(texts).toEqual([
      expect.stringContaining('127.0.0.2 is not on the public internet'),
      expect.stringContaining('is not a URL of http or https'),
      expect.stringContaining('was redirected more than 5 times'),
      expect.stringContaining('private.test, which is 127.0.0.2, is not on'),
    ]);
    expect(inside.requests).toEqual([]);
    expect((await fetchUrl({ url: `${url}/two` }, { options: { maxRedirects: 2 } })).text).toContain(
      '/zero\n\nthere',
    );
    expect((await fetchUrl({ url: `${url}/two` }, { options: { maxRedirects: 1 } })).isError).toBe(true);
  });

  it('is a host that is not among those of the options', async () => {
    const options = { hosts: ['*.example.com', '127.0.0.1'] };
    const { url } = await serve(html('<p>there'));
    expect((await fetchUrl({ url }, { options })).isError).toBe(false);
    expect((await fetchUrl({ url: 'https://example.org/' }, { options })).text).toContain(
      'is not one of those',
    );
    expect((await fetchUrl({ url: 'https://example.com.evil.org/' }, { options })).text).toContain(
      'is not one of',
    );
  });
});
