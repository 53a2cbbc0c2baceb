// `npm start`: runs two servers and three workers over one database, places forty orders, and kills each process twice.
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { postgresStore } from '@shallot/store-postgres';
import { postgresFiles } from '@shallot/store-postgres/files';

import { order, type Receipt } from './customer.ts';
import { freePort } from './free-port.ts';
import { startLocalPostgres } from './local-postgres.ts';
import { makeReport } from './report.ts';
import { Service } from './service.ts';

const killEveryMs = 1000;
const folder = import.meta.dirname;
const require = createRequire(import.meta.url);
const { bin } = require('shallot/package.json') as { readonly bin: { readonly shallot: string } };
const shallot = join(dirname(require.resolve('shallot/package.json')), bin.shallot);

const { values } = parseArgs({
  options: { orders: { type: 'string', default: '40' }, kills: { type: 'string', default: '10' } },
});
mkdirSync(join(folder, '.shallot'), { recursive: true });
const given = process.env['DATABASE_URL'];
const database =
  given === undefined ? await startLocalPostgres() : { url: given, stop: async () => undefined };
try {
  const began = Date.now();
  const receipts = await takeOrders(database.url, Number(values.orders), Number(values.kills));
  console.log(`\nAfter ${Math.round((Date.now() - began) / 1000)} seconds:`);
  process.exitCode = (await report(database.url, receipts)) ? 0 : 1;
} finally {
  await database.stop();
}

/** Starts everything, places the orders, and kills one process after the other. */
async function takeOrders(url: string, orders: number, kills: number): Promise<readonly Receipt[]> {
  const env = { ...process.env, DATABASE_URL: url };
  execFileSync(process.execPath, ['--no-warnings', shallot, 'store', 'migrate'], { cwd: folder, env });
  const ports = [await freePort(), await freePort()] as const;
  const servers = ports.map((port, index) => {
    return new Service(`server ${index + 1}`, ['server.ts'], { ...env, PORT: String(port) });
  });
  const workers = [1, 2, 3].map((number) => {
    return new Service(`worker ${number}`, [shallot, 'worker', '--concurrency', '4', '--interval', '1'], env);
  });
  const services = [...workers, ...servers];
  try {
    console.log(`${orders} orders come in through two servers. Three workers execute them.`);
    const [one, other] = [`http://127.0.0.1:${ports[0]}`, `http://127.0.0.1:${ports[1]}`] as const;
    const prefix = Date.now().toString(36);
    const all = Array.from({ length: orders }, async (_, index) => {
      await delay((index / orders) * kills * killEveryMs);
      return order(index % 2 === 0 ? [one, other] : [other, one], `order-${prefix}-${index + 1}`);
    });
    await killInTurn(services, kills);
    return await Promise.all(all);
  } finally {
    await Promise.all(services.map((service) => service.stop()));
  }
}

async function killInTurn(services: readonly Service[], kills: number): Promise<void> {
  for (let kill = 0; kill < kills; kill += 1) {
    await delay(killEveryMs);
    const service = services[kill % services.length];
    await service?.kill();
    console.log(`kill -9 of ${service?.name}`);
  }
}

/** Prints the result of the orders. Returns true if there is no fault. */
async function report(url: string, receipts: readonly Receipt[]): Promise<boolean> {
  const store = postgresStore({ url });
  const files = postgresFiles({ url });
  const { lines, faults } = await makeReport(receipts, { store, files });
  for (const line of lines) console.log(line);
  for (const fault of faults) console.error(fault);
  await store.close();
  await files.close?.();
  return faults.length === 0;
}
