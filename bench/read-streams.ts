// The clients of `served.ts`. They read the given addresses to the end, and report when all streams have begun and when
// all have ended.
import { once } from 'node:events';
import { get } from 'node:http';

const urls = process.argv.slice(2);
let begun = 0;
await Promise.all(
  urls.map(async (url) => {
    const request = get(url, { agent: false });
    const [response] = (await once(request, 'response')) as [NodeJS.ReadableStream];
    response.once('data', () => {
      begun += 1;
      if (begun === urls.length) process.send?.('begun');
    });
    response.resume();
    await once(response, 'end');
  }),
);
process.send?.('ended');
