import { expect, it } from 'vitest';

import { Fifo } from './fifo.ts';

it('gives items in the order they came in, however they come and go', () => {
  const fifo = new Fifo<number>();
  const list: number[] = [];
  const taken: (number | undefined)[] = [];
  const wanted: (number | undefined)[] = [];
  for (let item = 0; item < 2000; item += 1) {
    fifo.push(item);
    list.push(item);
    // Runs of taking, longer and shorter than those of adding.
    for (let times = item % 7 === 0 ? item % 13 : 0; times > 0; times -= 1) {
      taken.push(fifo.shift());
      wanted.push(list.shift());
    }
    expect([fifo.length, fifo.last]).toEqual([list.length, list.at(-1)]);
  }
  expect(taken).toEqual(wanted);
  fifo.replaceLast(-1);
  expect(fifo.last).toBe(-1);
  fifo.clear();
  expect([fifo.length, fifo.last, fifo.shift()]).toEqual([0, undefined, undefined]);
});

it('keeps those that fit, in their order, also after some were taken', () => {
  const fifo = new Fifo<number>();
  for (let item = 0; item < 10; item += 1) fifo.push(item);
  fifo.shift();
  fifo.retain((item) => item % 3 === 0);
  expect([fifo.length, fifo.last]).toEqual([3, 9]);
  fifo.push(10);
  expect([fifo.shift(), fifo.shift(), fifo.shift(), fifo.shift(), fifo.shift()]).toEqual([
    3,
    6,
    9,
    10,
    undefined,
  ]);
});

it('holds on to nothing that was taken', () => {
  const fifo = new Fifo<number>();
  for (let item = 0; item < 64; item += 1) fifo.push(item);
  for (let item = 0; item < 64; item += 1) fifo.shift();
  expect([fifo.length, fifo.last]).toEqual([0, undefined]);
});
