/**
 * Goal: never two leaders, always one in the end, and only that one can write. Method: three candidates, whose links
 * fail in every way, whose clocks are set back and forth and who are restarted, at random; each seed can be repeated.
 */
import { Widget } from '@ecsm/runtime/testing';
import { describe, expect, it } from 'vitest';
import { type Candidate, Stage } from './election.kit.ts';
import type { Link } from './virtual.kit.ts';
import { seeded } from './virtual.kit.ts';

const seeds = Array.from({ length: 60 }, (_, index) => index + 1);
const links: readonly Link['is'][] = ['up', 'up', 'down', 'silent', 'deaf'];
const hourMs = 3_600_000;

async function play(seed: number): Promise<Stage> {
  const fixture = new Stage();
  const random = seeded(seed);
  const pick = <T>(from: readonly T[]) => from[Math.floor(random.next() * from.length)] as T;
  let born = 0;
  const bear = () => {
    const candidate = fixture.candidate(`${pick(['a', 'b', 'c'])}${born++}`, {
      offsetMs: (random.next() - 0.5) * 20 * hourMs,
    });
    // Less than the five seconds between the end of a term and the end of a lease.
    candidate.drainMs = Math.floor(random.next() * 4_500);
    return candidate.start();
  };
  const alive: Candidate[] = [bear(), bear(), bear()];
  for (let round = 0; round < 40; round++) {
    const candidate = pick(alive);
    const dice = random.next();
    if (dice < 0.6) candidate.link.is = pick(links);
    else if (dice < 0.8) candidate.clock.step((random.next() - 0.5) * 4 * hourMs);
    else if (dice < 0.9) {
      candidate.life.abort();
      alive[alive.indexOf(candidate)] = bear();
    }
    await fixture.clock.advance(Math.floor(random.next() * 8_000));
  }
  for (const { link } of fixture.candidates) link.is = 'up';
  await fixture.clock.advance(90_000);
  return fixture;
}

describe('an election among faults', () => {
  it('never has two leaders, has one in the end, and only that one can write', { timeout: 120_000 }, async () => {
    let tenures = 0;
    for (const seed of seeds) {
      const fixture = await play(seed);
      expect(fixture.leadersMax, `seed ${seed}`).toBe(1);
      expect(fixture.leaders, `seed ${seed}`).toHaveLength(1);
      const wrote: string[] = [];
      for (const { identity, registry } of fixture.candidates) {
        try {
          await registry?.resource(Widget).create({ metadata: { name: `w-${identity}` }, spec: {} });
          if (registry) wrote.push(identity);
        } catch (error) {
          expect(error, `seed ${seed}`).toMatchObject({ code: 'Fenced' });
        }
      }
      expect(wrote, `seed ${seed}`).toEqual(fixture.leaders);
      tenures += fixture.candidates.reduce((sum, candidate) => sum + candidate.tenures, 0);
      for (const { life } of fixture.candidates) life.abort();
      await fixture.clock.advance(60_000);
    }
    // Otherwise the faults were none.
    expect(tenures).toBeGreaterThan(seeds.length * 2);
  });
});
