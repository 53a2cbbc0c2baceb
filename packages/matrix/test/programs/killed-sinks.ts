// Plays a scenario in a folder, and kills this process at a commit: node killed-sinks.ts FOLDER SCENARIO before|after
// COMMIT.
import { playSinks, type Scenario } from '../sinks-scenario.ts';

const [, , folder = '', scenario = '', at, which] = process.argv;
let commits = 0;
// The test that started this process wrote the scenario.
await playSinks(folder, JSON.parse(scenario) as Scenario, (when) => {
  if (when === 'before') commits += 1;
  if (when !== at || commits !== Number(which)) return undefined;
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => {});
});
