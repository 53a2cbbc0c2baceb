// Loaded before a program whose start is measured: when the process exits, it writes a line of JSON to stderr.
import { writeSync } from 'node:fs';
import { registerHooks } from 'node:module';

let files = 0;
// Only on demand, because counting takes time itself. Built-in modules do not count.
if (process.env['BENCH_COUNTS_FILES']) {
  registerHooks({
    load(url, context, nextLoad) {
      if (url.startsWith('file:')) files += 1;
      return nextLoad(url, context);
    },
  });
}
process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  writeSync(2, `\n${JSON.stringify({ cpuMs: (user + system) / 1000, files })}`);
});
