import { seededRandom } from '@rxlet/component-base';
import { createEventCorrelator } from '@rxlet/component-base/events';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { describe, expect, it } from 'vitest';
import { differences } from '../difference.ts';
import { run } from './events.ts';

type Vector = Parameters<typeof run>[0];

/** Returns the events of a recorder that drops a random message, as client-go does. */
async function recorded(seed: number): Promise<Vector> {
  const random = seededRandom(seed);
  const clock = createVirtualClock({ startMs: 0 });
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random.next() * items.length)]!;
  const correlator = createEventCorrelator(clock, { chooseDropped: (messages) => pick([...messages]) });
  const input: Vector['input'][number][] = [];
  const want: Vector['want'][number][] = [];
  for (let index = 0; index < 90; index += 1) {
    await clock.advance(100);
    const name = pick(['web', 'db']);
    const reason = pick(['Failed', 'BackOff']);
    const message = `message ${String(Math.floor(random.next() * 24))}`;
    input.push({ atMs: clock.now(), object: name, type: 'Warning', reason, message });
    const pod = { apiVersion: 'v1', kind: 'Pod', namespace: 'ns', name, uid: name };
    const sent = correlator.correlate(pod, 'Warning', reason, message);
    want.push(
      sent === undefined
        ? { skip: true }
        : { skip: false, count: sent.count, message: sent.message, ...(sent.count > 1 && { update: true }) },
    );
  }
  return { input, want };
}

describe('events', () => {
  it('accepts every answer that results from some choice of dropped messages', async () => {
    for (let seed = 1; seed <= 40; seed += 1) {
      const { got, want } = await run(await recorded(seed));
      expect([seed, differences(got, want)]).toEqual([seed, []]);
    }
  });

  it('rejects an answer that results from no choice', async () => {
    const vector = await recorded(1);
    const want = vector.want.map((sent, index) => (index === 20 ? { ...sent, count: 99 } : sent));
    const answer = await run({ ...vector, want });
    expect(differences(answer.got, answer.want)[0]).toMatch(/^\[20\]\.count: got \d+, want 99$/);
  });
});
