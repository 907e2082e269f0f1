import { expect, it } from 'vitest';
import { Hurry } from './polling.ts';

const owner = (number: number) => ({ namespace: 'default', name: `s-${number}` });

function bench(services: number) {
  const hurry = new Hurry(2_000, () => services);
  const set = (from: number, to: number, isUnderWay: boolean) => {
    for (let number = from; number <= to; number++) hurry.follow(owner(number), isUnderWay);
  };
  return { hurry, set };
}

it('begins when a good part of all services has something under way, and ends when few have', () => {
  const { hurry, set } = bench(1_000);
  set(1, 31, true);
  expect(hurry.isOn).toBe(false);
  expect(hurry.selfLookMs).toBe(2_000);
  set(32, 32, true);
  expect(hurry.isOn).toBe(true);
  // All together ask for ten services a second.
  expect(hurry.selfLookMs).toBe(16_000 + 3_200);
  set(1, 28, false);
  expect(hurry.isOn).toBe(true);
  set(29, 29, false);
  expect(hurry.isOn).toBe(false);
});

it('is over at once when nothing is under way', () => {
  const { hurry, set } = bench(0);
  set(1, 1, true);
  expect(hurry.isOn).toBe(true);
  set(1, 1, false);
  expect(hurry.isOn).toBe(false);
  expect(hurry.count).toBe(0);
});

it('names those whom it leaves behind, once', () => {
  const { hurry, set } = bench(1_000);
  set(1, 40, true);
  expect(hurry.leftBehind()).toEqual([]);
  set(3, 40, false);
  expect(hurry.leftBehind()).toEqual([owner(1), owner(2)]);
  expect(hurry.leftBehind()).toEqual([]);
});
