// `npm start`: the three processes, one after the other. Hours or days may lie between them.
import { spawnSync } from 'node:child_process';

for (const program of ['begin.ts', 'answer.ts', 'resume.ts']) {
  console.log(`$ node ${program}\n`);
  const { status } = spawnSync(process.execPath, ['--no-warnings', program], {
    cwd: import.meta.dirname,
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
  console.log();
}
